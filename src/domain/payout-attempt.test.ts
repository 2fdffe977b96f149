// What an answer about an attempt means, in every state: nothing is ever taken for more than it says.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { statesBefore } from "./edge.ts";
import { PAYOUT_EDGES, type PayoutState } from "./payout.ts";
import {
  ATTEMPT_EDGES,
  ATTEMPT_STATES,
  type AttemptState,
  afterAnswer,
  afterLook,
  attemptKey,
  canBeAsked,
  type Finding,
  isContradicted,
  MOST_ATTEMPTS,
  type RailAnswer,
  readAttemptKey,
  secondsToNextLook,
} from "./payout-attempt.ts";

const ANSWERS: readonly RailAnswer[] = [
  { kind: "sent", reference: "r" },
  { kind: "accepted", railId: "a" },
  { kind: "not_sent", reason: "no", retry: true },
  { kind: "not_sent", reason: "no", retry: false },
  { kind: "unknown", detail: "500" },
];

it("the table of answers, whole", () => {
  const shown = (state: AttemptState, answer: RailAnswer, number = 1): string => {
    const after = afterAnswer(state, number, answer);
    return typeof after === "string" ? after : `${after.attempt} ${after.payout ?? "-"}`;
  };
  const rows = ATTEMPT_STATES.map((state) => [
    state,
    ...ANSWERS.map((answer) => shown(state, answer)),
  ]);
  assert.deepEqual(rows, [
    ["claimed", "conflict", "conflict", "conflict", "conflict", "conflict"],
    [
      "dispatched",
      "sent done",
      "accepted -",
      "not_sent queued",
      "not_sent failed",
      "unknown unknown",
    ],
    ["accepted", "sent done", "known", "not_sent queued", "not_sent failed", "unknown unknown"],
    ["unknown", "sent done", "known", "not_sent queued", "not_sent failed", "known"],
    ["sent", "known", "known", "conflict", "conflict", "known"],
    ["not_sent", "conflict", "conflict", "known", "known", "known"],
  ]);
  const [sent, accepted, again] = ANSWERS;
  assert.ok(sent && accepted && again);
  // Said to have left, or to be about to, while it stands in line again: it is not sent a second time.
  for (const out of [sent, accepted]) {
    assert.deepEqual(afterAnswer("not_sent", 1, out, "queued"), {
      attempt: "unknown",
      payout: "unknown",
    });
    for (const over of ["failed", "canceled", "done", "sending"] as const) {
      assert.equal(afterAnswer("not_sent", 1, out, over), "conflict");
    }
  }
  assert.equal(shown("dispatched", again, MOST_ATTEMPTS), "not_sent failed");
  // The first word told once more, after the contrary.
  assert.equal(afterAnswer("unknown", 1, again, "unknown", true), "conflict");
  assert.deepEqual(afterAnswer("unknown", 1, sent, "unknown", true), {
    attempt: "sent",
    payout: "done",
  });
});

it("whatever is told in whatever order, once sent it stays sent, and it is booked as left at most once", () => {
  checkProperty(
    fc.property(fc.array(fc.constantFrom(...ANSWERS), { maxLength: 12 }), (told) => {
      let attempt: AttemptState = "dispatched";
      let payout: PayoutState = "sending";
      let booked = 0;
      for (const answer of told) {
        const after = afterAnswer(attempt, 1, answer);
        if (typeof after === "string") continue;
        assert.ok(statesBefore(ATTEMPT_EDGES, after.attempt).includes(attempt));
        if (after.payout !== undefined && after.payout !== payout) {
          assert.ok(PAYOUT_EDGES[payout].includes(after.payout), `${payout} ${after.payout}`);
          payout = after.payout;
          if (payout === "done") booked += 1;
        }
        attempt = after.attempt;
      }
      assert.ok(booked <= 1);
      const first = told.find(({ kind }) => kind === "sent" || kind === "not_sent");
      // Without one of these nobody knows, and nothing is given back or booked.
      assert.equal(attempt, first?.kind ?? attempt);
      assert.equal(payout === "sending" || payout === "unknown", first === undefined);
    }),
  );
});

it("said to have left while it is not given back, it stands in line no more, whatever is told again and whoever is asked", () => {
  const how = fc.constantFrom("told", "asked");
  const answer = fc.constantFrom(...ANSWERS);
  checkProperty(
    fc.property(fc.array(fc.record({ answer, how }), { maxLength: 12 }), (told) => {
      let attempt: AttemptState = "dispatched";
      let payout: PayoutState = "sending";
      let reopened: { by: "sent" | "accepted" } | undefined;
      let hasLeft = false;
      for (const one of told) {
        const isDoubted = isContradicted(reopened, one.how);
        const after = afterAnswer(attempt, 1, one.answer, payout, isDoubted);
        if (typeof after === "string") continue;
        if (attempt === "not_sent")
          reopened = { by: one.answer.kind === "sent" ? "sent" : "accepted" };
        attempt = after.attempt;
        payout = after.payout ?? payout;
        hasLeft ||= one.answer.kind === "sent";
        assert.ok(!hasLeft || payout === "unknown" || payout === "done", payout);
      }
    }),
  );
});

it("the table of states, whole: before the marker nothing was sent, and what was sent stays so", () => {
  assert.deepEqual(ATTEMPT_EDGES, {
    claimed: ["dispatched", "not_sent"],
    dispatched: ["accepted", "unknown", "sent", "not_sent"],
    accepted: ["unknown", "sent", "not_sent"],
    unknown: ["sent", "not_sent"],
    sent: [],
    not_sent: ["unknown"],
  });
});

it("a look proves what it says; what is only accepted for an hour is unknown, and nothing else is", () => {
  const now = new Date("2026-03-02T12:00:00Z");
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const look = (found: Finding, state: AttemptState, dispatchedAt: Date | null) =>
    afterLook(found, { state, dispatchedAt }, now);
  const [sent, accepted, retry, refused, unknown] = ANSWERS;
  assert.ok(sent && accepted && retry && refused && unknown);
  for (const found of [sent, retry, refused]) {
    const contradicted = { state: "unknown", dispatchedAt: ago(60) } as const;
    const left = { ...contradicted, reopened: { by: "sent" } } as const;
    assert.equal(afterLook(found, left, now), found === sent ? sent : undefined);
    const isOut = { ...contradicted, reopened: { by: "accepted" } } as const;
    assert.equal(afterLook(found, isOut, now), found);
    for (const state of ["dispatched", "accepted", "unknown"] as const) {
      assert.equal(look(found, state, ago(7200)), found);
    }
  }
  const tooLong = { kind: "unknown", detail: "It was accepted, and never said to be sent." };
  for (const found of [accepted, unknown, { kind: "not_found" } as const]) {
    assert.deepEqual(look(found, "accepted", ago(3600)), tooLong);
    assert.equal(look(found, "accepted", ago(3599)), undefined);
    assert.equal(look(found, "accepted", null), undefined);
    for (const state of ["dispatched", "unknown"] as const) {
      assert.equal(look(found, state, ago(7200)), undefined);
    }
  }
});

it("programs can be asked; a desk and a file cannot", () => {
  assert.deepEqual(["desk", "file", "sandbox", "bank"].map(canBeAsked), [false, false, true, true]);
});

it("a key is read as it was written, and nothing else is a key", () => {
  const payoutId = "019d0f9f-6e80-7000-9d76-afc1acb73af6";
  for (const number of [1, 10, 999_999_999]) {
    const key = attemptKey({ payoutId, number });
    assert.equal(key, `${payoutId}.${number}`);
    assert.deepEqual(readAttemptKey(key), { payoutId, number });
  }
  const wrong = [
    "",
    payoutId,
    `${payoutId}.`,
    `${payoutId}.0`,
    `${payoutId}.01`,
    `${payoutId}.1x`,
    `${payoutId}.1234567890`,
    `${payoutId}1`,
    `${payoutId}x1`,
    `x${payoutId}.1`,
    `${payoutId.toUpperCase()}.1`,
    `${payoutId.slice(1)}.1`,
    `${payoutId.slice(0, -1)}.1`,
    `${payoutId}.1\n`,
  ];
  for (const key of wrong) assert.equal(readAttemptKey(key), undefined, key);
});

it("it is looked at after 10 s, 1, 5 and 15 minutes, an hour, and then every hour for ever", () => {
  const looks = [0, 1, 2, 3, 4, 5, 6, 10_000].map(secondsToNextLook);
  assert.deepEqual(looks, [10, 60, 300, 900, 3600, 3600, 3600, 3600]);
});

it("after a contradiction the first word told once more proves nothing; who is asked counts unless it had left, and people always", () => {
  const rows = ([undefined, { by: "accepted" }, { by: "sent" }] as const).map((reopened) =>
    (["told", "asked", "decided"] as const).map((how) => isContradicted(reopened, how)),
  );
  assert.deepEqual(rows, [
    [false, false, false],
    [true, false, false],
    [true, true, false],
  ]);
});
