// How fast payers pay, from counts by speed: a speed is a span of seconds, each 1.25 times as long as the one
// before, so that counts of hours and shops add up and a percentile of their sum is off by 12 % at most.

const GROWTH = 1.25;

export interface SpeedCount {
  readonly speed: number;
  readonly paid: number;
}

/** The seconds within which this share of them was paid: the middle of that span. Null where none was. */
export function secondsWithin(share: number, counts: readonly SpeedCount[]): number | null {
  const all = counts.reduce((sum, { paid }) => sum + paid, 0);
  let seen = 0;
  for (const { speed, paid } of counts.toSorted((left, right) => left.speed - right.speed)) {
    seen += paid;
    if (seen > 0 && seen >= share * all) return Math.round(GROWTH ** (speed + 0.5) * 10) / 10;
  }
  return null;
}
