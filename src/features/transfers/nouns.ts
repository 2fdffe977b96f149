// Transfers: as they are stored, and as whoever manages the gateway sees them.

import { maskNumbers } from "../../domain/card-number.ts";
import type { MadeWithin } from "../../domain/made-at.ts";
import {
  CHANNELS,
  SUSPENSE_REASONS,
  type SuspenseReason,
  TRANSFER_STATES,
} from "../../domain/transfer.ts";
import { oneOf, Type, textOrNull } from "../../platform/field.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";

/** What is said instead of a payer whom the bank had named, and who was removed since. */
export const REMOVED_PAYER = "removed";

/** Who paid, as far as a shop may know it: numbers are masked, a name is shown as it came. */
export function maskPayer(payer: string | null): string | null {
  return payer === null ? null : maskNumbers(payer);
}

export const transferState = oneOf(TRANSFER_STATES, { description: "Whose money it is." });

export const transferFields = {
  transfer_id: column.id("The transfer: money that arrived."),
  requisite_id: column.uuid("Where it arrived."),
  reference: column.text("The bank's own reference.", "bank-1"),
  amount: column.amount("amount_minor", "How much arrived.", 1000),
  currency: column.text("Currency code.", "RUB"),
  payer: column.shown(
    textOrNull({ description: "Who sent it, as the bank says, masked." }),
    "payer",
    maskPayer,
  ),
  made_at: column.textOrNull(
    "When it was paid, as it was told: a moment or a day; null where nothing was told.",
  ),
  judged_by: column.shown(
    oneOf(["made_at", "received_at"], {
      description: "Which moment decided whose it is: the money's own, or the one it was told at.",
    }),
    "made_at",
    (madeAt: string | null) => (madeAt === null ? "received_at" : "made_at"),
  ),
  /** The first and the last moment that this can be. */
  made_from: column.unseen<Date | null>(),
  made_to: column.unseen<Date | null>(),
  state: column.as(transferState),
  suspense_reason: column.as(
    Type.Unsafe<SuspenseReason | null>({
      type: ["string", "null"],
      enum: [...SUSPENSE_REASONS, null],
      description: "Why it waits, or waited, in suspense; null for what was matched at once.",
    }),
  ),
  payment_id: column.uuidOrNull("The payment that it was for, or null."),
  invoice_id: column.uuidOrNull("The invoice that it paid, or null."),
  received_at: column.moment("When the gateway heard of it."),
  settled_at: column.momentOrNull("When it was settled by hand, or null."),
  settled_by: column.textOrNull("By whom."),
  settled_reason: column.textOrNull("And why."),
  channel: column.as(
    oneOf(CHANNELS, { description: "How the gateway heard of it first.", examples: ["api"] }),
  ),
  teller: column.unseen<string>(),
  needs_proof: column.yesNo(
    "Whether it stays frozen until a statement proves it: only a phone has told of it.",
  ),
};

export const Transfers = noun(
  {
    from: "transfers",
    missing: "transfer_not_found",
  },
  transferFields,
);

export type TransferRow = RowOf<typeof Transfers>;

/** When it was paid; where nothing was told, when it was heard of. */
export function madeWithin({ made_from, made_to, received_at }: TransferRow): MadeWithin {
  return { from: made_from ?? received_at, to: made_to ?? received_at };
}
