// Whose money is it: payments of every state around a moment or a range, against the rules said plainly.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { INVOICE_EDGES, INVOICE_STATES } from "./invoice.ts";
import { addSeconds } from "./moment.ts";
import { PAYMENT_EDGES, PAYMENT_STATES } from "./payment.ts";
import { type Candidate, matchTransfer, nearMiss, SUSPENSE_REASONS } from "./transfer.ts";

const at = (minutes: number): Date => new Date(Date.UTC(2026, 2, 1, 9) + minutes * 60_000);

const candidate: fc.Arbitrary<Candidate> = fc
  .record({
    paymentState: fc.constantFrom(...PAYMENT_STATES),
    invoiceState: fc.constantFrom(...INVOICE_STATES),
    latePolicy: fc.constantFrom("credit" as const, "hold" as const),
    isContested: fc.boolean(),
    issued: fc.integer({ min: -40, max: 40 }),
    lives: fc.integer({ min: 1, max: 5 }),
    rests: fc.integer({ min: 0, max: 20 }),
  })
  .map(({ issued, lives, rests, ...states }) => ({
    ...states,
    createdAt: at(issued),
    endsAt: at(issued + lives),
    slotUntil: at(issued + lives + rests),
  }));

const made = fc
  .tuple(
    fc.integer({ min: -40, max: 40 }),
    fc.oneof(fc.constant(0), fc.integer({ max: 30, min: 1 })),
    fc.option(fc.integer({ min: 0, max: 30 })),
  )
  .map(([from, minutes, after]) => ({
    from: at(from),
    to: at(from + minutes),
    ...(after !== null && { notBefore: at(from + Math.min(after, minutes)) }),
  }));

const candidates = fc.array(candidate, { maxLength: 4 });

it("a transfer's match is the only payment whose time meets the money's, and follows the edges of the tables", () => {
  checkProperty(
    fc.property(candidates, made, (all, span) => {
      const match = matchTransfer(all, span);
      const meeting = all.filter((one) => one.createdAt <= span.to && one.slotUntil > span.from);
      if (!("holder" in match)) return assert.ok(SUSPENSE_REASONS.includes(match.reason));
      assert.deepEqual(meeting, [match.holder]);
      assert.ok(PAYMENT_EDGES[match.holder.paymentState].includes("paid"));
      assert.ok(INVOICE_EDGES[match.holder.invoiceState].includes("paid"));
    }),
    { numRuns: 2_000 },
  );
});

it("a transfer's match says why there is none, and is late exactly when the details were over for certain", () => {
  checkProperty(
    fc.property(candidates, made, (all, span) => {
      const meeting = all.filter((one) => one.createdAt <= span.to && one.slotUntil > span.from);
      const [one] = meeting;
      const expected = () => {
        if (one === undefined) return { reason: "nobody_expected" };
        if (meeting.length > 1) return { reason: "several_expected" };
        const { invoiceState, paymentState } = one;
        if ([invoiceState, paymentState].some((state) => /^(?:paid|refunded)$/.test(state))) {
          return { reason: "paid_already" };
        }
        const isOpen = invoiceState === "pending" || invoiceState === "expired";
        if (!isOpen) return { reason: "invoice_closed" };
        const late = one.endsAt <= (span.notBefore ?? span.from);
        if (one.endsAt <= span.to && one.isContested) return { reason: "contested" };
        return late && one.latePolicy === "hold" ? { reason: "late_held" } : { holder: one, late };
      };
      assert.deepEqual(matchTransfer(all, span), expected());
    }),
    { numRuns: 2_000 },
  );
});

it("a transfer's match never depends on the order of the candidates, nor on those of another time", () => {
  checkProperty(
    fc.property(candidates, made, (all, span) => {
      const match = matchTransfer(all, span);
      assert.deepEqual(matchTransfer(all.toReversed(), span), match);
      const others = all.filter((one) => one.slotUntil <= span.from || one.createdAt > span.to);
      assert.deepEqual(matchTransfer([...others, ...all], span), match);
    }),
  );
});

it("a transfer's match: a moment that another clock has seen a little earlier still finds its details", () => {
  const issued = at(0);
  const details: Candidate = {
    paymentState: "live",
    invoiceState: "pending",
    latePolicy: "hold",
    isContested: true,
    createdAt: issued,
    endsAt: at(20),
    slotUntil: at(20 + 24 * 60),
  };
  const before = (ms: number) => new Date(issued.getTime() - ms);
  const match = (ms: number) => matchTransfer([details], { from: before(ms), to: before(ms) });
  assert.deepEqual(match(5_000), { holder: details, late: false });
  assert.deepEqual(match(5_001), { reason: "nobody_expected" });
});

const NOON = new Date("2026-03-01T12:00:00Z");
const money = { requisiteId: "card", amountMinor: 151_980n, made: { from: NOON, to: NOON } };
const payment = {
  requisiteId: "card",
  toPayMinor: 151_980n,
  createdAt: addSeconds(NOON, -600),
  endsAt: addSeconds(NOON, 600),
  ...({ paymentState: "live", invoiceState: "pending" } as const),
};
const offOf = (changes: Partial<typeof money>, other: object = {}) =>
  nearMiss({ ...money, ...changes }, { ...payment, ...other })?.off;

it("is one thing, or nobody's", () => {
  const late = { endsAt: addSeconds(NOON, -1) };
  const paid = { paymentState: "paid", invoiceState: "paid" };
  const early = { createdAt: addSeconds(NOON, 60) };
  const CASES: [off: string | undefined, of: Partial<typeof money>, is: object][] = [
    ["nothing", {}, {}],
    ["amount", { amountMinor: 149_000n }, {}],
    ["amount", { amountMinor: 227_970n }, {}],
    [undefined, { amountMinor: 227_971n }, {}],
    [undefined, { amountMinor: 75_989n }, {}],
    ["ended", {}, late],
    ["ended", {}, { endsAt: NOON }],
    ["paid_already", {}, paid],
    ["paid_already", {}, { invoiceState: "refunded" }],
    ["canceled", {}, { invoiceState: "failed", paymentState: "lapsed" }],
    ["other_card", { requisiteId: "other" }, {}],
    ["not_issued", {}, early],
    ["nothing", {}, { createdAt: addSeconds(NOON, 5) }],
    [undefined, { amountMinor: 149_000n }, late],
    [undefined, { requisiteId: "other" }, paid],
    [undefined, { requisiteId: "other" }, early],
  ];
  for (const [off, of, is] of CASES) assert.equal(offOf(of, is), off, JSON.stringify(is));
});

it("the nearer, the smaller the distance", () => {
  const distance = (changes: Partial<typeof money>, other: object = {}) =>
    nearMiss({ ...money, ...changes }, { ...payment, ...other })?.distance ?? assert.fail();
  fc.assert(
    fc.property(fc.bigInt(1n, 70_000n), fc.bigInt(1n, 5_000n), fc.boolean(), (by, more, isLess) => {
      const at = (difference: bigint) =>
        distance({ amountMinor: 151_980n + (isLess ? -difference : difference) });
      assert.ok(at(by) < at(by + more));
      const { differenceMinor } = nearMiss({ ...money, amountMinor: 151_980n + by }, payment) ?? {};
      assert.equal(differenceMinor, by);
    }),
  );
  const ended = (seconds: number) => distance({}, { endsAt: addSeconds(NOON, -seconds) });
  assert.ok(ended(60) < ended(3_600));
  assert.ok(distance({}) < ended(0));
  // Within the quarantine the amount was nobody else's; after it a kopeck is nearer.
  const slip = distance({ amountMinor: 151_979n });
  const canceled = { invoiceState: "failed", paymentState: "lapsed", endsAt: NOON };
  assert.ok(distance({}, canceled) < slip);
  assert.ok(distance({}, { paymentState: "paid", invoiceState: "paid" }) < slip);
  assert.ok(ended(86_399) < slip && slip < ended(2 * 86_400));
});
