// Fees of payouts add up whatever the amount and the tariff; states change along the table alone.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { statesBefore } from "./edge.ts";
import {
  ATTEMPT_EDGES,
  ATTEMPT_STATES,
  type AttemptState,
  afterAnswer,
  afterLook,
  attemptKey,
  canBeAsked,
  EVENT_CODES,
  type Finding,
  isContradicted,
  isLikelyRepeat,
  judgePayout,
  MOST_ATTEMPTS,
  maskDestination,
  numberFor,
  PAYOUT_EDGES,
  PAYOUT_STATES,
  type PayoutCase,
  type PayoutState,
  type PayoutTerms,
  partsOf,
  type RailAnswer,
  readAttemptKey,
  SUBTRACTS,
  secondsToNextLook,
  wireState,
} from "./payout.ts";
import { payoutPosting } from "./posting.ts";

const arbitraryAmount = fc.bigInt({ min: 1n, max: 10n ** 14n });
const arbitraryRates = fc.record({
  percentPpm: fc.integer({ min: 0, max: 1_000_000 }),
  fixMinor: fc.bigInt({ min: 0n, max: 10n ** 9n }),
});

it("what leaves is what arrives and the fee; nothing is negative, and something always arrives", () => {
  checkProperty(
    fc.property(
      arbitraryAmount,
      fc.constantFrom(...SUBTRACTS),
      arbitraryRates,
      (amount, subtract, rates) => {
        const parts = partsOf(amount, subtract, rates);
        const exact = amount * BigInt(rates.percentPpm);
        if (parts === undefined) {
          assert.equal(subtract, "amount");
          // Only where the fee reaches the amount.
          assert.ok((exact + 999_999n) / 1_000_000n + rates.fixMinor >= amount);
          return;
        }
        const { withdrawMinor, receiveMinor, feeMinor } = parts;
        assert.equal(withdrawMinor, receiveMinor + feeMinor);
        assert.ok(receiveMinor > 0n && feeMinor >= 0n);
        assert.equal(subtract === "balance" ? receiveMinor : withdrawMinor, amount);
        // Rounded up, by less than a kopeck, and never down.
        const rounded = (feeMinor - rates.fixMinor) * 1_000_000n - exact;
        assert.ok(rounded >= 0n && rounded < 1_000_000n);
      },
    ),
  );
});

it("a fee that reaches the amount leaves nothing to send; one kopeck less sends a kopeck", () => {
  const rates = { percentPpm: 0, fixMinor: 500n };
  assert.equal(partsOf(500n, "amount", rates), undefined);
  assert.deepEqual(partsOf(501n, "amount", rates), {
    withdrawMinor: 501n,
    receiveMinor: 1n,
    feeMinor: 500n,
  });
});

it("every posting of a payout sums to zero, and the whole way of each leaves nothing reserved", () => {
  const money = fc.record({
    receiveMinor: fc.bigInt({ min: 1n, max: 10n ** 14n }),
    feeMinor: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    refundsFee: fc.boolean(),
  });
  const ways = [
    ["payout_reserved", "payout_done"],
    ["payout_reserved", "payout_released"],
    ["payout_reserved", "payout_done", "payout_returned"],
    ["payout_reserved", "payout_released", "payout_recovered"],
    ["payout_reserved", "payout_released", "payout_recovered", "payout_returned"],
  ] as const;
  checkProperty(
    fc.property(money, fc.constantFrom(...ways), (one, way) => {
      const withdrawMinor = one.receiveMinor + one.feeMinor;
      const whole = { ...one, withdrawMinor, sourceId: "s", currency: "RUB", userId: "u" };
      const sums = new Map<string, bigint>();
      for (const kind of way) {
        const gains = Object.entries(payoutPosting(kind, whole).gains);
        assert.equal(
          gains.reduce((sum, [, gain]) => sum + gain, 0n),
          0n,
          kind,
        );
        for (const [account, gain] of gains) sums.set(account, (sums.get(account) ?? 0n) + gain);
      }
      assert.equal(sums.get("reserved"), 0n);
      const last = way.at(-1);
      const lost =
        last === "payout_released"
          ? 0n
          : last === "payout_returned"
            ? one.refundsFee
              ? 0n
              : one.feeMinor
            : withdrawMinor;
      assert.equal(sums.get("available"), -lost);
      assert.equal(
        sums.get("bank_out") ?? 0n,
        last === "payout_released" || last === "payout_returned" ? 0n : one.receiveMinor,
      );
    }),
  );
});

it("nothing leaves unknown but by what somebody knows, and what is over stays over but for three edges", () => {
  const { held, queued, sending, unknown } = PAYOUT_EDGES;
  assert.deepEqual(held, ["queued", "canceled"]);
  assert.deepEqual(queued, ["sending", "canceled", "unknown"]);
  assert.deepEqual(sending, ["queued", "done", "failed", "unknown"]);
  assert.deepEqual(unknown, ["queued", "done", "failed"]);
  const over = PAYOUT_STATES.filter((state) => wireState(state) !== "wait");
  const edges = over.flatMap((from) => PAYOUT_EDGES[from].map((to) => `${from} ${to}`));
  assert.deepEqual(edges, ["done returned", "failed done", "canceled done"]);
});

it("what is over is told, each by its code, and nothing else is", () => {
  assert.deepEqual(EVENT_CODES, { done: 1, failed: 41, canceled: 42, returned: 43 });
});

const TERMS: PayoutTerms = {
  service: "card",
  currency: "RUB",
  percentPpm: 10_000,
  fixMinor: 0n,
  minMinor: 1n,
  maxMinor: 10n ** 12n,
  daySumMinor: null,
  dayCount: null,
  destinationDaySumMinor: null,
  destinationDayCount: null,
  holdOverMinor: null,
  holdFirst: false,
  holdDaySumMinor: null,
  fourEyesOverMinor: null,
  holdSeconds: 60,
  refundsFee: false,
  enabled: true,
};

function judge(terms: Partial<PayoutTerms>, changes: Partial<PayoutCase> = {}) {
  const amountMinor = changes.amountMinor ?? 10_000n;
  const all = { ...TERMS, ...terms };
  const parts = partsOf(amountMinor, "balance", all);
  assert.ok(parts);
  return judgePayout({
    terms: all,
    parts,
    amountMinor,
    availableMinor: 10n ** 12n,
    isByHand: false,
    day: { sumMinor: 5_000n, payouts: 2 },
    destination: { day: { sumMinor: 1_000n, payouts: 1 }, isProven: true, mayBeRepeat: false },
    ...changes,
  });
}

const to = (changes: Partial<PayoutCase["destination"]>): Partial<PayoutCase> => ({
  destination: {
    day: { sumMinor: 1_000n, payouts: 1 },
    isProven: true,
    mayBeRepeat: false,
    ...changes,
  },
});

it("each limit is reached by its last kopeck and passed by the next", () => {
  const queued = { held: undefined };
  const cases = [
    [judge({}), queued],
    [judge({ daySumMinor: 15_000n }), queued],
    [judge({ daySumMinor: 14_999n }), { refused: "payout_day_limit" }],
    [judge({ dayCount: 3 }), queued],
    [judge({ dayCount: 2 }), { refused: "payout_day_limit" }],
    [judge({ destinationDaySumMinor: 11_000n }), queued],
    [judge({ destinationDaySumMinor: 10_999n }), { refused: "payout_destination_limit" }],
    [judge({ destinationDayCount: 2 }), queued],
    [judge({ destinationDayCount: 1 }), { refused: "payout_destination_limit" }],
    [judge({}, { availableMinor: 10_100n }), queued],
    [judge({}, { availableMinor: 10_099n }), { refused: "balance_too_small" }],
    [judge({ holdOverMinor: 10_000n }), queued],
    [judge({ holdOverMinor: 9_999n }), { held: "large", approvals: 1 }],
    [judge({ fourEyesOverMinor: 10_000n }), queued],
    [judge({ fourEyesOverMinor: 9_999n }), { held: "large", approvals: 2 }],
    [judge({ holdDaySumMinor: 15_000n }), queued],
    [judge({ holdDaySumMinor: 14_999n }), { held: "day", approvals: 1 }],
    [judge({ holdFirst: true }), queued],
    [judge({ holdFirst: true }, to({ isProven: false })), { held: "first", approvals: 1 }],
    [judge({}, to({ isProven: false })), queued],
    [judge({}, to({ mayBeRepeat: true })), { held: "repeat", approvals: 1 }],
    [judge({}, { isByHand: true }), { held: "by_hand", approvals: 1 }],
    [judge({ fourEyesOverMinor: 1n }, { isByHand: true }), { held: "by_hand", approvals: 2 }],
  ];
  for (const [index, [verdict, wanted]] of cases.entries()) {
    assert.deepEqual(verdict, wanted, `case ${index}`);
  }
});

it("whatever is set, no more leaves than is there, and by hand nothing leaves at once", () => {
  const limit = fc.option(fc.bigInt({ min: 0n, max: 30_000n }));
  const terms = fc.record({
    daySumMinor: limit,
    destinationDaySumMinor: limit,
    holdOverMinor: limit,
    holdDaySumMinor: limit,
    fourEyesOverMinor: limit,
    holdFirst: fc.boolean(),
  });
  const amount = fc.bigInt({ min: 1n, max: 30_000n });
  checkProperty(
    fc.property(
      terms,
      amount,
      amount,
      fc.boolean(),
      (set, amountMinor, availableMinor, isByHand) => {
        const verdict = judge(set, { amountMinor, availableMinor, isByHand });
        if ("refused" in verdict) return;
        assert.ok(amountMinor + (amountMinor + 99n) / 100n <= availableMinor);
        assert.ok(!isByHand || verdict.held !== undefined);
        const { fourEyesOverMinor: four } = set;
        assert.ok(
          four === null || amountMinor <= four || (verdict.held && verdict.approvals === 2),
        );
      },
    ),
  );
});

it("a repeat is one without an order id within a day, or any after one that nobody knows of", () => {
  const now = new Date("2026-03-02T00:00:00Z");
  const ago = (hours: number, isUnknown = false) => [
    { createdAt: new Date(now.getTime() - hours * 3_600_000), isUnknown },
  ];
  assert.equal(isLikelyRepeat([], false, now), false);
  assert.equal(isLikelyRepeat(ago(23), false, now), true);
  assert.equal(isLikelyRepeat(ago(23), true, now), false);
  assert.equal(isLikelyRepeat(ago(24), false, now), false);
  assert.equal(isLikelyRepeat(ago(1_000, true), true, now), true);
});

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

it("cards: thirteen to nineteen digits with their check digit, in groups or not", () => {
  for (const written of ["2200000000000400", "2200 0000 0000 0400", " 2200000000000400 "]) {
    assert.equal(numberFor("card", written), "2200000000000400", written);
  }
  assert.equal(numberFor("card", "4222222222222"), "4222222222222");
  const wrong = [
    "2200000000000401",
    "220000000000",
    "2200000000000400x",
    "22000000000004000000",
    "",
  ];
  for (const written of wrong) assert.equal(numberFor("card", written), undefined, written);
});

it("phones: Russian mobile ones, with +7, 7, 8 or nothing before them", () => {
  const same = ["+7 (916) 123-45-67", "8 (916) 123-45-67", "9161234567", "+79161234567"];
  for (const written of same) assert.equal(numberFor("sbp", written), "79161234567", written);
  const wrong = [
    "+8 916 123 45 67",
    "+380501234567",
    "84951234567",
    "7916123456",
    "791612345678",
    "7916123456a",
    "+791612345678",
  ];
  for (const written of wrong) assert.equal(numberFor("sbp", written), undefined, written);
});

it("what others see is a mask", () => {
  assert.equal(maskDestination("2200000000000400"), "220000******0400");
  assert.equal(maskDestination("79161234567"), "79*****4567");
  assert.equal(maskDestination("4222222222222"), "42*******2222");
  assert.equal(numberFor("card", "0000000000000000"), undefined);
});
