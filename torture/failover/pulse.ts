// For how long nobody was answered: of each gateway, the longest pause between two acknowledged writes since
// a moment. Reads and refusals do not count, for they may be answered by whoever cannot write.

import { eventually } from "../eventually.ts";
import type { Heard } from "../witness/ask.ts";

export function openPulse(urls: readonly string[]) {
  let from = performance.now();
  const acknowledged = new Map<string, number[]>(urls.map((url) => [url, []]));
  return {
    hear({ url, answer, tookMs }: Heard, at = performance.now()): void {
      // What was sent before the moment may be answered after it, by whoever had it already.
      if (answer?.status === 200 && at - tookMs > from) acknowledged.get(url)?.push(at);
    },
    /** From now on. */
    begin(): void {
      from = performance.now();
      for (const url of urls) acknowledged.set(url, []);
    },
    /** How many were, since then. */
    count: (): number => acknowledged.values().reduce((sum, times) => sum + times.length, 0),
    /** Resolves when every gateway has acknowledged so many. */
    async answers(atLeast: number): Promise<void> {
      const areThere = () => acknowledged.values().every((times) => times.length >= atLeast);
      await eventually("answers of every gateway", areThere);
    },
    longestMs: (): number =>
      Math.max(
        ...acknowledged.values().map((times) => {
          const all = [from, ...times];
          return Math.max(0, ...all.slice(1).map((time, index) => time - (all[index] ?? time)));
        }),
      ),
  };
}
