// What a shop or a user is told, as the API's description shows it to programs. The bodies themselves are put together
// where things happen; the tests hold those to these schemas, key by key.

import type { TProperties } from "typebox";
import { Type, textOrNull, uuid } from "../../platform/field.ts";
import type { Webhook } from "../../platform/openapi.ts";

const text = (description: string, example: string) =>
  Type.String({ description, examples: [example] });

const exactly = <const Value>(type: "string" | "integer", value: Value, description: string) =>
  Type.Unsafe<Value>({ type, const: value, description });

const headers = Type.Object({
  "x-api-sha256-signature": text(
    "HMAC-SHA256 of the body with the webhook key of the shop or the user, in hexadecimal.",
    "5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0",
  ),
  "webhook-id": uuid({ description: "The event, the same in every attempt (Standard Webhooks)." }),
  "webhook-timestamp": text("When this attempt was made, in seconds (Unix time).", "1772355600"),
  "webhook-signature": text(
    "v1 and HMAC-SHA256 of `id.timestamp.body` with their whsec_ secret, in base64.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
});

/** What a test event says of itself. */
export const TEST_MESSAGE =
  "A test of this address. It is about no payment: answer 200 and do nothing.";

const MOMENT = "2026-03-01 12:00:00";
const rejected = { reject_time: text("When, YYYY-MM-DD HH:MM:SS.", MOMENT) };

type Words = Pick<Webhook, "summary" | "description">;

const event_id = uuid({ description: "The event: remember it, and do a thing once." });

/** The keys of a body are sorted as they are sent. */
function webhook(name: string, words: Words, fields: TProperties): Webhook {
  const sorted = Object.keys(fields).sort();
  const body = Type.Object(
    Object.fromEntries(sorted.map((key) => [key, fields[key] ?? Type.Never()])),
    { additionalProperties: false },
  );
  return { name, ...words, headers, body };
}

function ofInvoice(
  name: "success" | "expired" | "fail" | "refund",
  kind: { readonly type: 1 | 2; readonly code: number },
  words: Words,
  more: TProperties,
): Webhook {
  return webhook(name, words, {
    ...more,
    amount: text("What the shop asked for, two decimals.", "1000.00"),
    code: exactly("integer", kind.code, "1 success, 20 refund, 31 lifetime over, 32 failed."),
    currency: text("Currency code.", "RUB"),
    custom_fields: Type.Unsafe<object | null>({
      type: ["object", "null"],
      additionalProperties: true,
      description: "The custom fields as an object, or null.",
    }),
    event_id,
    invoice_id: uuid({ description: "The invoice." }),
    order_id: text("The order on the merchant's side.", "order-1"),
    sequence: Type.Integer({ description: "Which event of its invoice: 1, 2, …", examples: [1] }),
    status: exactly("string", name, "What became of the invoice."),
    type: exactly("integer", kind.type, "1 payment, 2 refund."),
  });
}

function ofPayout(status: "success" | "fail", words: Words, more: TProperties): Webhook {
  return webhook(`payout_${status}`, words, {
    ...more,
    amount: text("What the user asked for, two decimals.", "763.46"),
    amount_receive: text("What the receiver gets, two decimals.", "742.80"),
    commission: text("The fee, two decimals.", "20.66"),
    event_id,
    order_id: text("The payout's id on the user's side.", "payout-1"),
    payoff_id: uuid({ description: "The payout." }),
    sequence: Type.Integer({ description: "Which event of its payout: 1, 2, …", examples: [1] }),
    service: text("How it is paid out.", "card"),
    status: exactly("string", status, "What became of the payout."),
    type: exactly("integer", 3, "3 payout."),
    wallet: text("Where it goes, masked.", "518455******6517"),
  });
}

export const webhooks: readonly Webhook[] = [
  ofInvoice(
    "success",
    { type: 1, code: 1 },
    {
      summary: "The invoice is paid",
      description: "Also after an expiry, where money came late and the shop's policy is credit.",
    },
    {
      amount_received: text("What came, two decimals.", "1020.00"),
      credited: text("What was booked for the user, two decimals.", "960.00"),
      late: Type.Boolean({
        description: "Whether it came after the details' end.",
        examples: [false],
      }),
      pay_service: text("Payment method code.", "p2p_card"),
      pay_time: text("When, YYYY-MM-DD HH:MM:SS.", MOMENT),
      payer_details: textOrNull({ description: "Who paid, masked.", examples: ["Иван П."] }),
    },
  ),
  ofInvoice(
    "expired",
    { type: 1, code: 31 },
    {
      summary: "The invoice's lifetime is over",
      description: "Late money may still pay it: the highest sequence is how the invoice stands.",
    },
    rejected,
  ),
  ofInvoice(
    "fail",
    { type: 1, code: 32 },
    { summary: "The invoice failed", description: "It will not be paid any more." },
    rejected,
  ),
  ofInvoice(
    "refund",
    { type: 2, code: 20 },
    {
      summary: "Money went back",
      description: "Once for each refund, whole or in part.",
    },
    {
      refund_amount: text("What went back, two decimals.", "100.00"),
      refund_reason: text("Why.", "A broken cup"),
      refund_time: text("When, YYYY-MM-DD HH:MM:SS.", MOMENT),
    },
  ),
  ofPayout(
    "success",
    {
      summary: "The payout was paid",
      description: "To the hook_url of the payout, signed with the user's webhook keys.",
    },
    {
      code: exactly("integer", 1, "1 success."),
      error_message: Type.Null({ description: "Nothing went wrong." }),
      paid_at: text("When, YYYY-MM-DD HH:MM:SS.", MOMENT),
    },
  ),
  ofPayout(
    "fail",
    {
      summary: "The payout was not paid, or its money came back",
      description:
        "Also after a success, where the receiver's bank returned it: the highest sequence is how the payout stands.",
    },
    {
      code: Type.Unsafe<41 | 42 | 43>({
        type: "integer",
        enum: [41, 42, 43],
        examples: [41],
        description: "41 failed, 42 canceled, 43 returned.",
      }),
      error_message: textOrNull({ description: "Why, or null.", examples: ["No such card"] }),
      paid_at: textOrNull({ description: "When, where it had been paid.", examples: [null] }),
    },
  ),
  webhook(
    "test",
    {
      summary: "Somebody tries the address",
      description: "By hand alone, once, and about no payment: answer 200 and do nothing.",
    },
    {
      code: exactly("integer", 0, "0: nothing happened."),
      event_id: uuid({ description: "The request; it is in no list and no feed." }),
      message: text("The same in words.", TEST_MESSAGE),
      shop_id: uuid({ description: "The shop whose address it is." }),
      status: exactly("string", "test", "No status of an invoice."),
      type: exactly("integer", 0, "0: neither a payment nor a refund."),
    },
  ),
];
