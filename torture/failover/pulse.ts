// For how long nobody was answered: of each gateway, the longest pause between two acknowledged writes since
// a moment. Reads and refusals do not count, for they may be answered by whoever cannot write.

import { eventually } from "../eventually.ts";
import type { Heard } from "../witness/ask.ts";

interface Acknowledged {
  readonly sentAt: number;
  readonly at: number;
}

export function openPulse(urls: readonly string[]) {
  let from = performance.now();
  const heard = new Map<string, Acknowledged[]>(urls.map((url) => [url, []]));
  // What was sent before a moment may be answered after it, by whoever had it already.
  const since = (moment: number): number[] =>
    [...heard.values()].map((all) => all.filter(({ sentAt }) => sentAt > moment).length);
  return {
    hear({ url, answer, tookMs }: Heard, at = performance.now()): void {
      if (answer?.status === 200) heard.get(url)?.push({ sentAt: at - tookMs, at });
    },
    /** From now on. */
    begin(): void {
      from = performance.now();
      for (const url of urls) heard.set(url, []);
    },
    /** How many were sent and acknowledged since the beginning. */
    count: (): number => since(from).reduce((sum, count) => sum + count, 0),
    /** Resolves when every gateway has acknowledged so many that were sent after this call. */
    async answers(atLeast: number): Promise<void> {
      const moment = performance.now();
      const areThere = () => since(moment).every((count) => count >= atLeast);
      await eventually("answers of every gateway", areThere);
    },
    longestMs: (until = performance.now()): number =>
      Math.max(
        ...heard.values().map((all) => {
          const own = all.filter(({ sentAt }) => sentAt > from).map(({ at }) => at);
          const times = [from, ...own, until];
          return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
        }),
      ),
  };
}
