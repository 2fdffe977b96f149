// The sandbox's cast as its documentation gives it, and the requests that most tests begin with. The
// values are written out again on purpose: they are a promise to whoever pasted them.

import { randomUUID } from "node:crypto";
import type { Answer, CallOptions } from "./gateway.ts";

const id = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;

export const USER = { id: id(1), secret: "0123456789abcdef0123456789abcdef01234567" };
export const OTHER_USER = { id: id(6), secret: "76543210fedcba9876543210fedcba9876543210" };

export const SHOP = { id: id(2), key: "sandbox_shop_key" };
export const LINK_SHOP = { id: id(3), key: "sandbox_shop_key_link" };
export const URLS_SHOP = { id: id(4), key: "sandbox_shop_key_urls" };
export const EMPTY_SHOP = { id: id(5), key: "sandbox_shop_key_empty" };
export const FAMILY_SHOP = { id: id(8), key: "sandbox_shop_key_family" };
export const OTHER_SHOP = { id: id(7), key: "sandbox_shop_key_other" };

export interface CastShop {
  readonly id: string;
  readonly key: string;
}

interface Caller {
  call(path: string, options?: CallOptions): Promise<Answer>;
}

export function invoiceBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    amount: 1000,
    order_id: `order-${randomUUID()}`,
    shop_id: SHOP.id,
    include_service: ["p2p_card"],
    type: "direct",
    success_url: "https://shop.example/ok",
    ...changes,
  };
}

export function createInvoice(
  gateway: Caller,
  changes: Record<string, unknown> = {},
  shop: CastShop = SHOP,
): Promise<Answer> {
  const body = invoiceBody({ shop_id: shop.id, ...changes });
  return gateway.call("/invoice/create", { body, headers: { "x-api-key": shop.key } });
}

export function cancelInvoice(
  gateway: Caller,
  invoiceId: unknown,
  shop: CastShop = SHOP,
): Promise<Answer> {
  const body = { invoice_id: invoiceId, shop_id: shop.id };
  return gateway.call("/invoice/cancel", { body, headers: { "x-api-key": shop.key } });
}

export function createH2h(
  gateway: Caller,
  invoiceId: unknown,
  changes: Record<string, unknown> = {},
  shop: CastShop = SHOP,
): Promise<Answer> {
  const body = {
    invoice_id: invoiceId,
    shop_id: shop.id,
    payment_data: { bank: "sber" },
    ...changes,
  };
  return gateway.call("/invoice/h2h", { body, headers: { "x-api-key": shop.key } });
}
