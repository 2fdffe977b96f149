// A payout as users see it: the fields and types that existing clients of this family of API read, each always
// there, with a few of our own beside them.

import type { Static } from "typebox";
import { momentFormat } from "../../domain/moment.ts";
import { toDecimalNumber, toDecimalText } from "../../domain/money.ts";
import { HELD_REASONS, PAYOUT_STATES, SUBTRACTS, wireState } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import { oneOf, Type, textOrNull, uuid } from "../../platform/field.ts";
import type { Payout } from "./queries.ts";

const amount = (description: string, example: number) =>
  Type.Number({ description, examples: [example] });

export const PayoutWire = Type.Object({
  payoff_id: uuid({ description: "The payout." }),
  status: oneOf(["wait", "success", "fail"], {
    description: "wait while it is not known to have ended, success once the money has left.",
  }),
  order_id: Type.String({
    description: "The merchant's own id; empty where there is none.",
    examples: ["payout-1"],
  }),
  service: Type.String({ description: "card or sbp.", examples: ["card"] }),
  type: oneOf(["api", "payoff"], { description: "By a program, or by hand." }),
  subtract: oneOf(SUBTRACTS, { description: "Where the commission was taken from." }),
  wallet: Type.String({ description: "Where to, masked.", examples: ["220220******0007"] }),
  comment: textOrNull({ description: "The merchant's own words." }),
  amount: amount("As it was asked for.", 10),
  amount_withdraw_rub: amount("What left the balance.", 11),
  commission_rub: amount("The commission.", 1),
  receive_currency: Type.String({ description: "Currency code.", examples: ["RUB"] }),
  amount_receive: Type.String({ description: "What arrives.", examples: ["10.00"] }),
  created_at: Type.String({
    description: "When, in the service's time zone.",
    examples: ["2026-03-01 12:00:00"],
  }),
  paid_at: textOrNull({
    description: "When the money left, also where it came back since; null while it has not.",
  }),
  error_message: textOrNull({ description: "Why it failed." }),
  state: oneOf(PAYOUT_STATES, {
    description:
      "More than status says: held for a person, queued, sending, unknown while nobody can say whether it has left, done, failed, canceled, returned.",
  }),
  held_reason: textOrNull({
    description: `Why a person looks at it: ${HELD_REASONS.join(", ")}.`,
    examples: [null],
  }),
  bank_reference: textOrNull({ description: "What the bank calls it." }),
  sequence: Type.Integer({ description: "Of its last event; 0 before the first.", examples: [0] }),
});

export function toPayoutWire({ config }: App, payout: Payout): Static<typeof PayoutWire> {
  const moments = momentFormat(config.timeZone);
  return {
    payoff_id: payout.id,
    status: wireState(payout.state),
    order_id: payout.orderId ?? "",
    service: payout.service,
    type: payout.origin,
    subtract: payout.subtract,
    wallet: payout.masked,
    comment: payout.comment,
    amount: toDecimalNumber(payout.amountMinor),
    amount_withdraw_rub: toDecimalNumber(payout.withdrawMinor),
    commission_rub: toDecimalNumber(payout.feeMinor),
    receive_currency: payout.currency,
    amount_receive: toDecimalText(payout.receiveMinor),
    created_at: moments.text(payout.createdAt),
    paid_at: payout.doneAt === null ? null : moments.text(payout.doneAt),
    error_message: payout.error,
    state: payout.state,
    held_reason: payout.state === "held" ? payout.heldReason : null,
    bank_reference: payout.bankReference,
    sequence: payout.sequence,
  };
}

export const userId = uuid({
  description: "The user; also used for authorization.",
  examples: ["00000000-0000-4000-8000-000000000001"],
});
