// Payments: as they are stored, and as whoever manages the gateway sees them.

import { toDecimalNumber } from "../../domain/money.ts";
import { PAYMENT_STATES } from "../../domain/payment.ts";
import { numberOrNull, oneOf, Type, textOrNull } from "../../platform/field.ts";
import { column, isoMoment, noun } from "../operators/noun.ts";

export const paymentState = oneOf(PAYMENT_STATES, { description: "How the payment stands." });

/** As it is stored; moments and amounts as JSON has them. */
interface StoredWord {
  readonly paid_said_at: string;
  readonly told_at: string | null;
  readonly amount_minor: number | null;
  readonly bank: string | null;
  readonly sent_when: string | null;
}

const PayerWord = Type.Union(
  [
    Type.Object({
      said_at: isoMoment("When the payer said to have paid."),
      told_at: textOrNull({ description: "When the rest was last told." }),
      amount: numberOrNull({ description: "Which amount was sent, by the payer." }),
      bank: textOrNull({ description: "From which bank, in the payer's words." }),
      sent_when: textOrNull({ description: "When, in the payer's words." }),
    }),
    Type.Null(),
  ],
  { description: "What the payer says of the transfer; nobody has proven it." },
);

function wordOf(word: StoredWord | null) {
  if (word === null) return null;
  const { paid_said_at, told_at, amount_minor: minor, bank, sent_when } = word;
  return {
    said_at: new Date(paid_said_at).toISOString(),
    told_at: told_at === null ? null : new Date(told_at).toISOString(),
    amount: minor === null ? null : toDecimalNumber(BigInt(minor)),
    bank,
    sent_when,
  };
}

export const Payments = noun(
  {
    from: "payments",
    join: "join invoices invoice on invoice.id = row.invoice_id",
    columns: `row.*, invoice.order_id,
       (select to_json(word) from payer_words word where word.payment_id = row.id) as payer_word`,
  },
  {
    payment_id: column.id("The payment: one attempt to pay."),
    /** 1 for the first details of its invoice: ids of one moment have no order. */
    number: column.unseen<number>(),
    invoice_id: column.uuid("The invoice."),
    order_id: column.text("The order on the merchant's side.", "order-1"),
    shop_id: column.uuid("The shop."),
    requisite_id: column.uuid("Where the payer was sent."),
    service: column.text("Payment method code.", "p2p_card"),
    state: column.as(paymentState),
    to_pay: column.amount("to_pay_minor", "What the payer was told to send.", 1020),
    currency: column.text("Currency code.", "RUB"),
    fee: column.amount("fee_minor", "The commission.", 60),
    received: column.amountOrNull("received_minor", "What arrived, once paid."),
    credited: column.amountOrNull("credited_minor", "What the user was credited with, once paid."),
    refunded: column.amount("refunded_minor", "What went back since.", 0),
    late: column.as(
      Type.Unsafe<boolean | null>({
        type: ["boolean", "null"],
        description: "Whether the money came late; null until it came.",
      }),
    ),
    created_at: column.moment("When the details were issued."),
    ends_at: column.moment("When the details end."),
    paid_at: column.momentOrNull("When it was paid, or null."),
    payer_word: column.shown(PayerWord, "payer_word", wordOf),
  },
);
