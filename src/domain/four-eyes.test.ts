// Which sums take two people, and who may be the second one.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import {
  assigningTakesTwo,
  bookingTakesTwo,
  declinedAs,
  judgeVote,
  PROPOSAL_STATES,
  takesTwo,
  whyNotConfirmed,
  whyNotCounted,
} from "./four-eyes.ts";

it("the sum itself takes two, a kopeck less does not; without a sum nothing does, from 0 everything", () => {
  assert.deepEqual(
    [99_999n, 100_000n, 100_001n].map((minor) => takesTwo(minor, 1000)),
    [false, true, true],
  );
  assert.deepEqual([takesTwo(10n ** 15n, undefined), takesTwo(1n, 0)], [false, true]);
});

const id = fc.constantFrom("anna", "boris", "token of anna", "token of boris");
const handOf = (one: string) => one.replace("token of ", "");
const party = (one: string) => ({ operatorId: one, handId: handOf(one) });

it("to assign what a person alone has told of takes two, whatever the sum is; anything else from the sum on", () => {
  const reasons = ["told_by_hand", "nobody_expected", null];
  const twoFrom = (from?: number) =>
    reasons.map((reason) => assigningTakesTwo(99_999n, reason, from));
  assert.deepEqual(twoFrom(), [true, false, false]);
  assert.deepEqual(twoFrom(1000), [true, false, false]);
  assert.deepEqual(twoFrom(999), [true, true, true]);
});

it("whoever confirms is somebody else, of another hand, while it is open and its author is here", () => {
  checkProperty(
    fc.property(
      fc.constantFrom(...PROPOSAL_STATES),
      ...([id, id, fc.boolean()] as const),
      (state, first, second, isProposerHere) => {
        const proposal = { state, proposer: party(first), isProposerHere };
        const isConfirmed = whyNotConfirmed(proposal, party(second)) === undefined;
        const isOther = handOf(first) !== handOf(second);
        assert.equal(isConfirmed, state === "open" && isOther && isProposerHere);
      },
    ),
  );
});

it("each has its own words, and one's own act is called otherwise than another's token", () => {
  const anna = { operatorId: "anna", handId: "anna" };
  const open = { state: "open", proposer: anna, isProposerHere: true } as const;
  assert.equal(whyNotConfirmed(open, anna), "proposal_own");
  assert.equal(whyNotConfirmed(open, { ...anna, operatorId: "token" }), "proposal_same_hand");
  const boris = { operatorId: "boris", handId: "boris" };
  assert.equal(
    whyNotConfirmed({ ...open, isProposerHere: false }, boris),
    "proposal_without_author",
  );
  assert.equal(whyNotConfirmed({ ...open, state: "over" }, boris), "proposal_ended");
});

it("its author withdraws it, anybody else declines it, and nobody what has ended", () => {
  assert.equal(declinedAs("open", "anna", "anna"), "withdrawn");
  assert.equal(declinedAs("open", "anna", "boris"), "declined");
  for (const state of PROPOSAL_STATES.filter((one) => one !== "open")) {
    assert.equal(declinedAs(state, "anna", "boris"), undefined);
  }
});

it("of what takes several, each hand counts once, and whose hand has asked for it not at all", () => {
  checkProperty(
    fc.property(id, fc.array(id), fc.option(id), (own, given, author) => {
      const isCounted =
        whyNotCounted(party(own), given.map(party), author === null ? undefined : party(author)) ===
        undefined;
      const hands = [...given, ...(author === null ? [] : [author])].map(handOf);
      assert.equal(isCounted, !hands.includes(handOf(own)));
    }),
  );
  const [anna, hers] = [party("anna"), party("token of anna")];
  assert.equal(whyNotCounted(anna, [], anna), "payout_own_approval");
  assert.equal(whyNotCounted(anna, [anna]), "payout_voted_already");
  assert.equal(whyNotCounted(hers, [anna]), "payout_same_hand");
  assert.equal(whyNotCounted(hers, [], anna), "payout_same_hand");
});

it("to book a line that waits takes two from the sum on, and whatever the sum is once somebody has said so", () => {
  const twoFrom = (votes: number) =>
    [undefined, 1000, 999.99].map((from) => bookingTakesTwo(99_999n, votes, from));
  assert.deepEqual(twoFrom(0), [false, false, true]);
  assert.deepEqual(twoFrom(1), [true, true, true]);
});

it("a word on a line is the second one's where another hand's counts; no hand is its own second", () => {
  const voter = fc.record({ one: id, isHere: fc.boolean() });
  checkProperty(
    fc.property(id, fc.array(voter), (own, votes) => {
      const given = votes.map(({ one, isHere }) => ({ ...party(one), isHere }));
      const hands = votes.filter(({ isHere }) => isHere).map(({ one }) => handOf(one));
      const isSecond = hands.some((hand) => hand !== handOf(own));
      assert.equal(judgeVote(party(own), given) === "second", isSecond);
      const isFirst = hands.length === 0 && !votes.some(({ one }) => one === own);
      assert.equal(judgeVote(party(own), given) === "first", isFirst);
    }),
  );
  const [anna, hers] = [party("anna"), party("token of anna")];
  assert.equal(judgeVote(anna, [{ ...anna, isHere: true }]), "line_voted_already");
  assert.equal(judgeVote(anna, [{ ...hers, isHere: true }]), "line_same_hand");
  assert.equal(judgeVote(anna, [{ ...hers, isHere: false }]), "first", "it counts no longer");
});
