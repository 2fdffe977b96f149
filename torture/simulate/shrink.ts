// A failing history with as few steps as still fail: parts of it are left out, ever smaller ones, as
// long as something is still broken.

import { type HistoryOptions, STEPS, type Told, tellHistory } from "./history.ts";
import type { Stage } from "./world.ts";

const MOST_TRIES = 120;

export async function shrink(stage: Stage, seed: number, first: Told): Promise<Told> {
  const options: HistoryOptions = { seed, count: () => {} };
  // What came after the break had no part in it.
  let steps = Array.from({ length: Math.min(STEPS, first.broken?.step ?? 0) }, (_, n) => n + 1);
  let smallest = first;
  let tries = 0;
  for (let size = Math.ceil(steps.length / 2); size >= 1; ) {
    let isSmaller = false;
    for (let from = 0; from < steps.length && tries < MOST_TRIES; ) {
      const fewer = [...steps.slice(0, from), ...steps.slice(from + size)];
      tries += 1;
      const told = await tellHistory(stage, { ...options, kept: new Set(fewer) });
      if (told.broken === undefined) from += size;
      else {
        smallest = told;
        steps = fewer;
        isSmaller = true;
      }
    }
    if (size === 1 && !isSmaller) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
    if (tries >= MOST_TRIES) break;
  }
  return smallest;
}
