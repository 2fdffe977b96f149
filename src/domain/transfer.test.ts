// Whose money is it: every combination of states, against the rules said plainly.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { INVOICE_EDGES, INVOICE_STATES } from "./invoice.ts";
import { PAYMENT_EDGES, PAYMENT_STATES } from "./payment.ts";
import { matchTransfer, type SlotHolder } from "./transfer.ts";

const now = new Date("2026-03-01T09:00:00Z");

const holder: fc.Arbitrary<SlotHolder> = fc.record({
  paymentState: fc.constantFrom(...PAYMENT_STATES),
  invoiceState: fc.constantFrom(...INVOICE_STATES),
  latePolicy: fc.constantFrom("credit", "hold"),
  isContested: fc.boolean(),
  endsAt: fc
    .integer({ min: -2, max: 2 })
    .map((seconds) => new Date(now.getTime() + seconds * 1000)),
});

describe("a transfer's match", () => {
  it("follows only edges of the tables", () => {
    checkProperty(
      fc.property(holder, (one) => {
        const match = matchTransfer(one, now);
        if (!match.matched) return;
        assert.ok(PAYMENT_EDGES[one.paymentState].includes("paid"));
        assert.ok(INVOICE_EDGES[one.invoiceState].includes("paid"));
      }),
    );
  });

  it("is late exactly when the details were over, and then up to the shop, unless somebody else may have meant it", () => {
    checkProperty(
      fc.property(holder, (one) => {
        const payable =
          (one.invoiceState === "pending" || one.invoiceState === "expired") &&
          one.paymentState !== "paid";
        const late =
          one.endsAt <= now || one.paymentState === "lapsed" || one.invoiceState === "expired";
        const expected =
          payable && !(late && (one.latePolicy === "hold" || one.isContested))
            ? { matched: true, late }
            : { matched: false };
        assert.deepEqual(matchTransfer(one, now), expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is none where nobody holds the slot", () => {
    assert.deepEqual(matchTransfer(undefined, now), { matched: false });
  });
});
