// The soak's judgement of memory: what grows is seen, what only swings is not.

import assert from "node:assert/strict";
import { it } from "node:test";
import { growthOf } from "../torture/soak.ts";

/** Twice a second for as long, with the teeth of a collector of garbage. */
const growth = (minutes: number, mbAt: (minute: number) => number) =>
  growthOf(
    Array.from({ length: minutes * 120 }, (_, nth) => {
      return { atMs: nth * 500, mb: mbAt(nth / 120) + (nth % 17) };
    }),
  );

it("is seen where it goes on, however slowly, and not judged in a short run", () => {
  assert.equal(growth(30, (minute) => 200 + minute)?.isTooMuch, true);
  assert.equal(
    growth(6, (minute) => 200 * minute),
    undefined,
  );
});

it("is none where it swings, or only grew at first", () => {
  const warmUp = (minute: number) => (minute < 4 ? 100 + 25 * minute : 200);
  assert.equal(growth(30, warmUp)?.isTooMuch, false);
  assert.equal(growth(30, (minute) => 200 + 10 * Math.sin(minute * 3))?.isTooMuch, false);
});
