// GET /manage/transfers/:transfer_id/candidates: which payments the money may have been meant for, and the
// one thing about each that is off.

import { OFFS } from "../../domain/transfer.ts";
import { oneOf, Type, uuid } from "../../platform/field.ts";
import { view } from "../operators/doors.ts";
import { column, shape } from "../operators/noun.ts";
import { candidatesOf } from "./near.ts";
import { Transfers } from "./nouns.ts";

const MOST_CANDIDATES = 20;

const Candidates = shape({
  payment_id: column.id("The payment."),
  off: column.as(oneOf(OFFS, { description: "The one thing that is off." })),
  difference: column.amount("difference_minor", "What arrived less what was to be paid.", -29.8),
  to_pay: column.amount("to_pay_minor", "What was to be paid.", 1519.8),
  invoice_id: column.uuid("Its invoice."),
  order_id: column.text("The order on the merchant's side.", "order-1"),
  shop_id: column.uuid("The shop."),
  requisite_id: column.uuid("Where it was to be paid to."),
  state: column.text("How the payment stands.", "live"),
  issued_at: column.moment("When its details were issued."),
  ends_at: column.moment("When they end or ended."),
  payer_said_paid_at: column.momentOrNull(
    "When the payer said to have paid. Nobody has proven a payer's word.",
  ),
  payer_said_amount: column.amountOrNull("payer_said_amount_minor", "How much the payer says."),
  payer_said_bank: column.textOrNull("From which bank."),
  payer_said_when: column.textOrNull("And when."),
});

export const findCandidates = view({
  path: "/manage/transfers/:transfer_id/candidates",
  summary: "Payments that a transfer may be meant for",
  description: `At most ${MOST_CANDIDATES}, the nearest first. One thing about each is off; nothing where several expect the same money. None for money that waits no more.`,
  input: Type.Object({ transfer_id: uuid({ description: "The transfer." }) }),
  data: Type.Object({ items: Type.Array(Candidates.wire) }),
  notFound: "There is no such transfer.",
  async read({ db }, { transfer_id }) {
    const transfer = await Transfers.find(db, transfer_id);
    const waiting = transfer.state === "suspense" ? [transfer] : [];
    const near = await candidatesOf(db, waiting, { onOtherCards: true });
    const items = near.get(transfer.id) ?? [];
    return { items: items.slice(0, MOST_CANDIDATES).map((one) => Candidates.toWire(one)) };
  },
});
