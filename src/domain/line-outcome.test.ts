// Outcomes of statement lines, and which movement each line tells of.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { assignMovements, isOpen, LINE_OUTCOMES, mayBecome } from "./line-outcome.ts";
import { MOVEMENT_KINDS } from "./posting.ts";

it("what a person has to look at ends by a decision alone, and what is excluded waits before it is booked", () => {
  for (const was of LINE_OUTCOMES) {
    for (const outcome of LINE_OUTCOMES) {
      if (was === outcome || !mayBecome(was, outcome)) continue;
      assert.ok(!(isOpen(was) && isOpen(outcome)), `${was} ${outcome}`);
      if (was === "excluded") assert.ok(isOpen(outcome), outcome);
    }
  }
});

it("equal lines of a format tell of different movements, as many as there are, of their own kind first", () => {
  const kinds = fc.constantFrom(...MOVEMENT_KINDS);
  const buckets = fc.constantFrom("one", "other");
  const rows = fc.array(fc.record({ bucket: buckets, kind: kinds }), { maxLength: 8 });
  checkProperty(
    fc.property(rows, rows, (said, known) => {
      const lines = said.map((line, at) => ({ ...line, lineId: `line ${at}` }));
      const movements = known.map((movement, at) => ({ ...movement, id: `movement ${at}` }));
      const found = assignMovements(lines, movements);
      const ids = [...found.values()].map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      for (const bucket of ["one", "other"]) {
        const of = <One extends { bucket: string }>(all: readonly One[]) =>
          all.filter((one) => one.bucket === bucket);
        const told = of(lines).filter(({ lineId }) => found.has(lineId));
        assert.equal(told.length, Math.min(of(lines).length, of(movements).length));
        for (const kind of MOVEMENT_KINDS) {
          const same = told.filter(
            (one) => one.kind === kind && found.get(one.lineId)?.kind === kind,
          );
          const asked = of(lines).filter((one) => one.kind === kind).length;
          const there = of(movements).filter((one) => one.kind === kind).length;
          assert.equal(same.length, Math.min(asked, there));
        }
      }
      for (const [lineId, { bucket }] of found) {
        assert.equal(lines.find((line) => line.lineId === lineId)?.bucket, bucket);
      }
    }),
  );
});
