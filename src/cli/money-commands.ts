// Commands that follow the money: orders, what arrived, what waits, what was told, the books.

import type { Command } from "./command.ts";
import { ID, REQUISITE_ID, SHOP_ID } from "./example-ids.ts";

export const MONEY_COMMANDS: readonly Command[] = [
  {
    words: "invoice list",
    call: "GET /manage/invoices",
    columns: ["invoice_id", "shop_id", "order_id", "state", "amount", "currency", "created_at"],
    example: "invoice list --state paid --amount 1000 --from 2026-03-01",
  },
  {
    words: "invoice show",
    call: "GET /manage/invoices/{invoice_id}",
    places: ["invoice_id"],
    example: `invoice show ${ID}`,
  },
  {
    words: "payment list",
    call: "GET /manage/payments",
    columns: ["payment_id", "invoice_id", "order_id", "state", "to_pay", "received", "created_at"],
    example: "payment list --amount 1020.37 --wallet 0007",
  },
  {
    words: "transfer list",
    call: "GET /manage/transfers",
    columns: ["transfer_id", "state", "amount", "currency", "reference", "made_at", "received_at"],
    example: "transfer list --state matched --wallet 0007",
  },
  {
    words: "transfer add",
    call: "POST /manage/transfers",
    // One of them: lists are for programs.
    preset: { items: undefined },
    example: `transfer add --requisite-id ${REQUISITE_ID} --amount 1020 --reference 7712-A --made-at 2026-03-01`,
  },
  {
    words: "suspense list",
    call: "GET /manage/transfers",
    preset: { state: "suspense" },
    columns: [
      "transfer_id",
      "suspense_reason",
      "amount",
      "reference",
      "payer",
      "made_at",
      "received_at",
    ],
    example: "suspense list",
  },
  {
    words: "suspense assign",
    call: "POST /manage/transfers/{transfer_id}/assign",
    places: ["transfer_id"],
    warning: "The payment is credited with what arrived, and the shop is told.",
    example: `suspense assign ${ID} --payment-id ${ID} --reason "the payer sent a receipt"`,
  },
  {
    words: "suspense return",
    call: "POST /manage/transfers/{transfer_id}/return",
    places: ["transfer_id"],
    warning: "The money is booked as sent back; the bank has to be told by hand.",
    example: `suspense return ${ID} --reason "nobody knows it"`,
  },
  {
    words: "refund list",
    call: "GET /manage/refunds",
    columns: ["refund_id", "invoice_id", "amount", "currency", "reference", "author", "created_at"],
    example: `refund list --shop-id ${SHOP_ID}`,
  },
  {
    words: "refund create",
    call: "POST /manage/refunds",
    places: ["invoice_id", "amount"],
    warning: "The money leaves the user's balance, and the shop is told.",
    example: `refund create ${ID} 250 --reason "sent twice" --reference ticket-17`,
  },
  {
    words: "event list",
    call: "GET /manage/events",
    columns: ["event_id", "invoice_id", "sequence", "state", "attempts", "next_attempt_at"],
    example: "event list --state exhausted",
  },
  {
    words: "event show",
    call: "GET /manage/events/{event_id}",
    places: ["event_id"],
    example: `event show ${ID}`,
  },
  {
    words: "event send",
    call: "POST /manage/events/{event_id}/send",
    places: ["event_id"],
    example: `event send ${ID}`,
  },
  {
    words: "account list",
    call: "GET /manage/accounts",
    columns: ["account_id", "kind", "currency", "user_id", "requisite_id", "balance"],
    example: "account list --kind suspense",
  },
  {
    words: "account show",
    call: "GET /manage/accounts/{account_id}",
    places: ["account_id"],
    example: "account show suspense.RUB",
  },
  {
    words: "account statement",
    call: "GET /manage/accounts/{account_id}/entries",
    places: ["account_id"],
    columns: ["created_at", "kind", "amount", "source_id", "posting_id"],
    example: "account statement fees.RUB --from 2026-03-01 --all",
  },
];
