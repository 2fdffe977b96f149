// Whether memory grows: the middle of what was seen in a first stretch beside that of the last one. A
// middle is not moved by the moments before and after a collection of garbage.

export interface Sample {
  readonly atMs: number;
  readonly mb: number;
}

export interface Growth {
  readonly earlyMb: number;
  readonly lateMb: number;
  /** 0.05 for one twentieth more than before. */
  readonly share: number;
}

/** Below that many in each stretch nothing can be said. */
const SAMPLES_AT_LEAST = 100;

/** The fifth after everything has settled beside the last fifth; nothing where that is too short. */
export function growthOf(samples: readonly Sample[], settledAfterMs: number): Growth | undefined {
  const settled = samples.filter(({ atMs }) => atMs >= settledAfterMs).map(({ mb }) => mb);
  const stretch = Math.floor(settled.length / 5);
  if (stretch < SAMPLES_AT_LEAST) return undefined;
  const earlyMb = middle(settled.slice(0, stretch));
  const lateMb = middle(settled.slice(-stretch));
  return { earlyMb, lateMb, share: lateMb / earlyMb - 1 };
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
