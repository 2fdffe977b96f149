// Which amounts need two people, and whose approval counts.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { assigningNeedsTwo, judgeApproval, needsTwo } from "./approval.ts";

it("the limit itself needs two, a kopeck less does not; without a limit nothing does, from 0 everything", () => {
  assert.deepEqual(
    [99_999n, 100_000n, 100_001n].map((minor) => needsTwo(minor, 1000)),
    [false, true, true],
  );
  assert.deepEqual([needsTwo(10n ** 15n, undefined), needsTwo(1n, 0)], [false, true]);
});

it("a transfer entered by one person needs two whatever the limit is; anything else from the limit on", () => {
  const reasons = ["told_by_hand", "nobody_expected", null];
  const twoFrom = (from?: number) =>
    reasons.map((reason) => assigningNeedsTwo(99_999n, reason, from));
  assert.deepEqual(twoFrom(), [true, false, false]);
  assert.deepEqual(twoFrom(1000), [true, false, false]);
  assert.deepEqual(twoFrom(999), [true, true, true]);
});

const id = fc.constantFrom("anna", "boris", "token of anna", "token of boris", "clara");
const personOf = (one: string) => one.replace("token of ", "");
const party = (one: string) => ({ operatorId: one, personId: personOf(one) });

it("each person counts once, while they may act, and never for their own request", () => {
  const approver = fc.record({ one: id, mayAct: fc.boolean() });
  checkProperty(
    fc.property(
      ...([id, fc.uniqueArray(approver, { selector: ({ one }) => personOf(one) })] as const),
      ...([fc.integer({ min: 1, max: 3 }), fc.option(id, { nil: undefined })] as const),
      (own, given, needed, asker) => {
        const open = given.map(({ one, mayAct }) => ({ ...party(one), mayAct }));
        const judged = judgeApproval(party(own), open, needed, asker ? party(asker) : undefined);
        if (asker !== undefined && personOf(asker) === personOf(own)) {
          const code = asker === own ? "approval_own" : "approval_same_person";
          assert.deepEqual(judged, { refused: code });
          return;
        }
        const counting = open.filter(({ mayAct }) => mayAct).map(({ personId }) => personId);
        const count = new Set([...counting, personOf(own)]).size;
        const isFresh = !counting.includes(personOf(own));
        if (isFresh || count >= needed) assert.deepEqual(judged, { count, isFresh });
        else assert.ok("refused" in judged);
      },
    ),
  );
});

it("a repeated approval and one by another token of the same person are refused, each with its own code", () => {
  const [anna, hers] = [party("anna"), party("token of anna")];
  const here = { ...anna, mayAct: true };
  assert.deepEqual(judgeApproval(anna, [here], 2), { refused: "approval_repeated" });
  assert.deepEqual(judgeApproval(hers, [here], 2), { refused: "approval_same_person" });
  const gone = { ...anna, mayAct: false };
  assert.deepEqual(judgeApproval(hers, [gone], 2), { count: 1, isFresh: true });
  const boris = { ...party("boris"), mayAct: true };
  assert.deepEqual(judgeApproval(anna, [here, boris], 2), { count: 2, isFresh: false });
});
