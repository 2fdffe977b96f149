// What the operator has put on a requisite, or takes: as it is stored, and as whoever manages the gateway sees it.

import { oneOf } from "../../platform/field.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";

const KINDS = ["opening", "opening_back", "deposit", "withdrawal"] as const;

export const moveKind = oneOf(KINDS, {
  description:
    "What was on a requisite before its books began; what was said of that too much; own money that " +
    "came as a transfer; what the operator takes.",
  examples: ["opening"],
});

export const moveAccount = oneOf(["own", "fees"], {
  description: "Of own money, or of the fees.",
  examples: ["own"],
});

export const OwnMoves = noun(
  { from: "own_moves" },
  {
    own_move_id: column.id("The move."),
    kind: column.as(moveKind),
    account: column.as(moveAccount),
    amount: column.amount("amount_minor", "How much.", 1000),
    currency: column.text("Currency code.", "RUB"),
    requisite_id: column.uuidOrNull("Where it is, or null for what is taken."),
    transfer_id: column.uuidOrNull("The transfer that a deposit came as, or null."),
    reference: column.text("By which a repeated call is known.", "opening-1"),
    reason: column.text("Why.", "Before the first day"),
    author: column.text("Who said so.", "anna"),
    created_at: column.moment("When."),
  },
);

export type OwnMoveRow = RowOf<typeof OwnMoves>;
