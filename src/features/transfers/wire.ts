// Transfers as whoever manages the gateway sees them.

import Type from "typebox";
import { isoOrNull } from "../../domain/moment.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { SUSPENSE_REASONS, type SuspenseReason, TRANSFER_STATES } from "../../domain/transfer.ts";
import { oneOf, textOrNull } from "../../platform/field.ts";
import type { TransferView } from "./list-queries.ts";
import { maskPayer } from "./payer.ts";

export const Transfer = Type.Object({
  transfer_id: Type.String({ description: "The transfer: money that arrived." }),
  requisite_id: Type.String({ description: "Where it arrived." }),
  reference: Type.String({ description: "The bank's own reference." }),
  amount: Type.Number({ description: "How much arrived." }),
  currency: Type.String({ description: "Currency code." }),
  payer: textOrNull({ description: "Who sent it, as the bank says, masked." }),
  made_at: textOrNull({
    description:
      "When it was paid, as it was told: a moment or a day; null where nothing was told.",
  }),
  judged_by: oneOf(["made_at", "received_at"], {
    description: "Which moment decided whose it is: the money's own, or the one it was told at.",
  }),
  state: oneOf(TRANSFER_STATES, { description: "Whose money it is." }),
  suspense_reason: Type.Unsafe<SuspenseReason | null>({
    type: ["string", "null"],
    enum: [...SUSPENSE_REASONS, null],
    description: "Why it waits, or waited, in suspense; null for what was matched at once.",
  }),
  payment_id: textOrNull({ description: "The payment that it was for, or null." }),
  invoice_id: textOrNull({ description: "The invoice that it paid, or null." }),
  received_at: Type.String({ description: "When the gateway heard of it." }),
  settled_at: textOrNull({ description: "When it was settled by hand, or null." }),
  settled_by: textOrNull({ description: "By whom." }),
  settled_reason: textOrNull({ description: "And why." }),
});

export function transferToWire(row: TransferView): Type.Static<typeof Transfer> {
  return {
    transfer_id: row.id,
    requisite_id: row.requisite_id,
    reference: row.reference,
    amount: toDecimalNumber(row.amount_minor),
    currency: row.currency,
    payer: maskPayer(row.payer),
    made_at: row.made_at,
    judged_by: row.made_at === null ? "received_at" : "made_at",
    state: row.state,
    suspense_reason: row.suspense_reason,
    payment_id: row.payment_id,
    invoice_id: row.invoice_id,
    received_at: row.received_at.toISOString(),
    settled_at: isoOrNull(row.settled_at),
    settled_by: row.settled_by,
    settled_reason: row.settled_reason,
  };
}
