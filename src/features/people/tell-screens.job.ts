// Open pages of people who have signed in hear within a second that something is new. All pages that see the
// same are asked about once, so a hundred of them cost what one costs. What is told is only that there is
// something: the page itself is loaded anew, by who may. Guards that whose session is over, or who is no longer what
// they were, hears nothing from the next second on; of all of them together that is asked once.

import { type App, perApp } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";
import type { SessionRow } from "./nouns.ts";
import { livingOf } from "./session.ts";

/** The newest of each topic. */
export type News = Readonly<Record<string, string | null>>;

/** What each of these people is now, by marks that say whose they are. */
export type Audience = (app: App, personIds: readonly string[]) => Promise<readonly string[]>;

interface Listener {
  readonly topics: readonly string[];
  tell(): void;
  end(): void;
  /** By which session they listen, and as what. */
  readonly visitor: {
    readonly session: Pick<SessionRow, "id" | "person_id">;
    readonly mark: string;
    readonly audience: Audience;
  };
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
    listeners: (): Listener[] => [...watched.values()].flatMap((one) => [...one.listeners]),
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
    await endOver(app);
    await screenWatchers(app).look();
    return 0;
  },
});

/** Ends the streams of who may hear nothing any more. */
async function endOver(app: App): Promise<void> {
  const all = screenWatchers(app).listeners();
  if (all.length === 0) return;
  const living = await livingOf(app, [...new Set(all.map(({ visitor }) => visitor.session.id))]);
  const marks = new Map<Audience, ReadonlySet<string>>();
  for (const [audience, some] of Map.groupBy(all, ({ visitor }) => visitor.audience)) {
    const people = new Set(some.map(({ visitor }) => visitor.session.person_id));
    marks.set(audience, new Set(await audience(app, [...people])));
  }
  for (const { visitor, end } of all) {
    const isStill = marks.get(visitor.audience)?.has(visitor.mark) === true;
    if (!isStill || !living.has(visitor.session.id)) end();
  }
}
