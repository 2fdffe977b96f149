// What proves that money has left: the bank's own name for it. One receipt proves one payout.

import { holdsCardNumber } from "../../domain/card-number.ts";
import { inOneForm } from "../../domain/fast-payment.ts";
import { Refusal } from "../../domain/refusal.ts";
import { visibleText } from "../../domain/visible-text.ts";
import type { Tx } from "../../platform/db.ts";
import { Type, text } from "../../platform/field.ts";
import { type Payout, referencesTaken } from "./queries.ts";

export const bankReference = (example = "B60721203517031F0B10110011700501") =>
  Type.String({
    minLength: 1,
    maxLength: 255,
    format: "clean-text",
    pattern: "^\\S+(?: \\S+)*$",
    description: "What the bank calls the money that left, such as the number of the fast payment.",
    examples: [example],
  });

export const reasonForUser = text(
  { max: 255 },
  { description: "Why; the user may be told.", examples: ["The bank has closed the account"] },
);

/**
 * The one form of a reference, whoever tells it: what nobody sees in it is not of it, and the number of a fast payment
 * is one number, in small letters as well.
 */
export function referenceOf(written: string): string {
  return inOneForm(visibleText(written));
}

/** The reference as it is kept. */
export async function refuseTaken(tx: Tx, payout: Payout, written: string): Promise<string> {
  const reference = referenceOf(written);
  if (reference === "") throw new Refusal("payout_reference_required");
  if (holdsCardNumber(reference)) throw new Refusal("payout_reference_holds_card");
  const taken = await referencesTaken(tx, [{ ...payout, reference }]);
  if (taken.size > 0) throw new Refusal("payout_reference_taken");
  return reference;
}
