// How many at once, and how fast.

import { setTimeout as sleep } from "node:timers/promises";

const AT_ONCE = 12;

export async function together<One>(
  all: readonly One[],
  work: (one: One) => Promise<void>,
): Promise<void> {
  const waiting = all.values();
  const worker = async (): Promise<void> => {
    for (const one of waiting) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Turns at even distances; nobody waits where no rate is wanted. */
export function pace(perSecond: number | undefined): () => Promise<void> {
  if (perSecond === undefined) return async () => {};
  const everyMs = 1_000 / perSecond;
  let next = performance.now();
  return async () => {
    const now = performance.now();
    // What an outage has left undone is not made up for.
    next = Math.max(next + everyMs, now - 1_000);
    if (next > now) await sleep(next - now);
  };
}
