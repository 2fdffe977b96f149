// A bounded number of wrong secrets per address and identifier. Guards that guessing is slow, while a
// client with the right secret, even at the same address, never notices.

import type { Clock } from "./clock.ts";

const BURST = 1_000;
const PER_SECOND = 20;
/** Past this the oldest are forgotten: memory is bounded whatever comes in. */
const MAX_KEYS = 10_000;

export interface Throttle {
  /** Takes one wrong try; false when there were too many. */
  allows(key: string): boolean;
}

export function openThrottle(clock: Clock): Throttle {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    allows(key) {
      const now = clock.now().getTime();
      const last = buckets.get(key) ?? { tokens: BURST, at: now };
      const refilled = last.tokens + (Math.max(0, now - last.at) / 1000) * PER_SECOND;
      const tokens = Math.min(BURST, refilled) - 1;
      buckets.delete(key);
      buckets.set(key, { tokens: Math.max(0, tokens), at: now });
      if (buckets.size > MAX_KEYS) buckets.delete(buckets.keys().next().value ?? "");
      return tokens >= 0;
    },
  };
}
