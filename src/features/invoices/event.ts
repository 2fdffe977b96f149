// What a shop is told of an invoice, field by field, as the contract for webhooks names them.

import { toDecimalText } from "../../domain/money.ts";
import type { EventFact } from "../webhooks/events.ts";
import type { ToldInvoice } from "./queries.ts";

/** The status, its kind (1 a payment, 2 a refund) and its code, which belong together. */
const KINDS = {
  success: { type: 1, code: 1 },
  refund: { type: 2, code: 20 },
  expired: { type: 1, code: 31 },
  fail: { type: 1, code: 32 },
} as const;

export function invoiceEvent(
  invoice: ToldInvoice,
  status: keyof typeof KINDS,
  more: Record<string, unknown>,
): EventFact {
  return {
    invoiceId: invoice.id,
    shopId: invoice.shopId,
    sequence: invoice.nextEvent,
    hookUrl: invoice.hookUrl,
    fields: {
      invoice_id: invoice.id,
      status,
      amount: toDecimalText(invoice.amountMinor),
      currency: invoice.currency,
      order_id: invoice.orderId,
      custom_fields: decodeCustomFields(invoice.customFields),
      ...KINDS[status],
      ...more,
    },
  };
}

export function decodeCustomFields(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
