// Open pages of people who have signed in hear within a second that something is new. All pages that see the
// same are asked about once, so a hundred of them cost what one costs. What is told is only that there is
// something: the page itself is loaded anew, by who may.

import { type App, perApp } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";

/** The newest of each topic. */
export type News = Readonly<Record<string, string | null>>;

interface Listener {
  readonly topics: readonly string[];
  tell(): void;
}

interface Watched {
  look(): Promise<News>;
  last: News | undefined;
  readonly listeners: Set<Listener>;
}

/** Of those who see different things so many are looked at in a second, in turns. */
const LOOKS = 50;

function openWatchers() {
  const watched = new Map<string, Watched>();
  return {
    /** The key says who sees the same; the answer ends it. */
    add(key: string, look: () => Promise<News>, listener: Listener): () => void {
      const one = watched.get(key) ?? { look, last: undefined, listeners: new Set() };
      watched.set(key, one);
      one.listeners.add(listener);
      return () => {
        one.listeners.delete(listener);
        if (one.listeners.size === 0 && watched.get(key) === one) watched.delete(key);
      };
    },
    count: (key: string): number => watched.get(key)?.listeners.size ?? 0,
    async look(): Promise<void> {
      for (const [key, one] of [...watched].slice(0, LOOKS)) {
        // Whoever cannot be asked for now is asked again.
        const news = await one.look().catch(() => one.last);
        const { last } = one;
        one.last = news;
        // Whoever was looked at goes to the end of the line.
        if (watched.delete(key)) watched.set(key, one);
        if (last === undefined || news === undefined) continue;
        for (const { topics, tell } of one.listeners) {
          if (topics.some((topic) => news[topic] !== last[topic])) tell();
        }
      }
    },
  };
}

export const screenWatchers: (app: App) => ReturnType<typeof openWatchers> = perApp(openWatchers);

export const tellScreensJob = job({
  name: "tell-screens",
  everyMs: 1_000,
  async run(app) {
    await screenWatchers(app).look();
    return 0;
  },
});
