// The soak's judgement of memory: what grows is seen, what only swings is not.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { growthOf } from "../torture/soak/growth.ts";

/** Twice a second for as long, with the teeth of a collector of garbage. */
const samplesOf = (minutes: number, mbAt: (minute: number) => number) =>
  Array.from({ length: minutes * 120 }, (_, nth) => {
    const minute = nth / 120;
    return { atMs: minute * 60_000, mb: mbAt(minute) + (nth % 17) };
  });
const growth = (minutes: number, mbAt: (minute: number) => number) =>
  growthOf(samplesOf(minutes, mbAt), 5 * 60_000);

describe("growth of memory", () => {
  it("is seen where it goes on, however slowly", () => {
    assert.ok((growth(30, (minute) => 200 + minute)?.share ?? 0) > 0.05);
  });

  it("is none where it swings, or only grew at first", () => {
    const warmUp = (minute: number) => (minute < 4 ? 100 + 25 * minute : 200);
    assert.ok(Math.abs(growth(30, warmUp)?.share ?? 1) < 0.01);
    const swing = (minute: number) => 200 + 10 * Math.sin(minute * 3);
    assert.ok(Math.abs(growth(30, swing)?.share ?? 1) < 0.03);
  });

  it("is not judged in a short run", () => {
    assert.equal(
      growth(6, (minute) => 200 * minute),
      undefined,
    );
  });
});
