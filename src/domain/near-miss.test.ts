// What is off about a payment that money may have been meant for.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { addSeconds } from "./moment.ts";
import { nearMiss } from "./near-miss.ts";

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
