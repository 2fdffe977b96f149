// What a shop's own software calls. The shop's and the user's ids and secrets are given once; a call
// says only what is new.

import type { Api } from "./api.ts";
import { type FeedEvent, type FeedOptions, type FeedPage, readFeed } from "./feed.ts";
import { sleep } from "./retry.ts";
import { type CallOptions, type TransportOptions, transport } from "./transport.ts";

export interface MerchantOptions extends TransportOptions {
  readonly shopId: string;
  /** The shop's secret key. It belongs on a server, never in a page. */
  readonly shopKey: string;
  /** Needed for the balance, the list of banks and payouts, as is the secret. */
  readonly userId?: string | undefined;
  readonly userSecret?: string | undefined;
}

type Key = keyof Api;
type Data<K extends Key> = Promise<Api[K]["data"]>;
type Rest<K extends Key, Filled extends string> = Omit<Api[K]["input"], Filled>;

export type NewInvoice = Rest<"POST /invoice/create", "shop_id">;
export type NewH2hPayment = Rest<"POST /invoice/h2h", "shop_id">;
export type WhichInvoice = Rest<"GET /invoice/info", "shop_id">;
export type WhichBalance = Rest<"GET /account/users/{userId}/balance", "userId">;
export type NewPayout = Rest<"POST /payoff/create", "user_id">;
export type WhichPayout = Rest<"GET /payoff/info", "user_id">;
export type WhichPayouts = Rest<"GET /payoff/list", "user_id">;

export interface MerchantClient {
  /** The same order id with the same content gives the first answer again. */
  createInvoice(invoice: NewInvoice, options?: CallOptions): Data<"POST /invoice/create">;
  /** Where the payer sends the money, and exactly how much. */
  createH2hPayment(payment: NewH2hPayment, options?: CallOptions): Data<"POST /invoice/h2h">;
  /** How an invoice stands, asked by its id or the order's. */
  invoiceInfo(which: WhichInvoice, options?: CallOptions): Data<"GET /invoice/info">;
  /** For good, while nobody has paid it; what is canceled already is answered as it is. */
  cancelInvoice(which: WhichInvoice, options?: CallOptions): Data<"POST /invoice/cancel">;
  paymentTariffs(options?: CallOptions): Data<"GET /shops/{shopId}/payment-tariffs">;
  balance(which?: WhichBalance, options?: CallOptions): Data<"GET /account/users/{userId}/balance">;
  /** The banks that a payout through the fast payment system can go to. */
  sbpBanks(options?: CallOptions): Data<"GET /payoff/get-sbp-bank-list">;
  /** The same order id with the same content is the same payout. Without one, each call is another. */
  createPayout(payout: NewPayout, options?: CallOptions): Data<"POST /payoff/create">;
  /** How a payout stands, asked by its id or the order's. */
  payoutInfo(which: WhichPayout, options?: CallOptions): Data<"GET /payoff/info">;
  /** While nobody has begun to send it; what is canceled already is answered as it is. */
  cancelPayout(which: WhichPayout, options?: CallOptions): Data<"POST /payoff/cancel">;
  /** A page of them, the newest first, and where the next one begins. */
  payouts(which?: WhichPayouts, options?: CallOptions): Data<"GET /payoff/list">;
  payoutTariffs(options?: CallOptions): Data<"GET /payoff/tariffs">;
  /**
   * What webhooks tell, event after event, and then whatever happens next: a loop that ends when it is left,
   * or aborted. With a wait of 0 it ends with what is there.
   */
  events(which?: FeedOptions, options?: CallOptions): AsyncGenerator<FeedEvent, void, undefined>;
  /** One answer of the feed, and where the next one begins. */
  eventPage(which?: FeedOptions, options?: CallOptions): Promise<FeedPage>;
}

export function merchantClient(options: MerchantOptions): MerchantClient {
  const request = transport(options);
  const { shopId, shopKey, userId, userSecret } = options;
  const asShop = { "x-api-key": shopKey };

  async function call<K extends Key>(
    key: K,
    input: Api[K]["input"],
    headers: Record<string, string>,
    { signal }: CallOptions = {},
    waitMs?: number,
  ): Data<K> {
    const [method, path] = key.split(" ") as ["GET" | "POST", string];
    return (await request({
      method,
      path,
      input: { ...input },
      headers,
      signal,
      waitMs,
    })) as Api[K]["data"];
  }

  function user(): { id: string; headers: Record<string, string> } {
    if (!userId || !userSecret) throw new TypeError("This call needs userId and userSecret.");
    return { id: userId, headers: { "x-api-signature-sha256": userSecret } };
  }

  async function asUser<K extends Key>(
    key: K,
    input: Rest<K, "user_id">,
    rest?: CallOptions,
  ): Data<K> {
    const { id, headers } = user();
    return await call(key, { ...input, user_id: id }, headers, rest);
  }

  async function eventPage(
    { allShops = false, ...query }: FeedOptions = {},
    rest?: CallOptions,
  ): Promise<FeedPage> {
    const waitMs = (query.wait ?? 0) * 1000;
    if (!allShops) {
      return await call("GET /shops/{shopId}/events", { ...query, shopId }, asShop, rest, waitMs);
    }
    const { id, headers } = user();
    const input = { ...query, userId: id };
    return await call("GET /account/users/{userId}/events", input, headers, rest, waitMs);
  }

  return {
    createInvoice: (invoice, rest) =>
      call("POST /invoice/create", { ...invoice, shop_id: shopId }, asShop, rest),
    createH2hPayment: (payment, rest) =>
      call("POST /invoice/h2h", { ...payment, shop_id: shopId }, asShop, rest),
    invoiceInfo: (which, rest) =>
      call("GET /invoice/info", { ...which, shop_id: shopId }, asShop, rest),
    cancelInvoice: (which, rest) =>
      call("POST /invoice/cancel", { ...which, shop_id: shopId }, asShop, rest),
    paymentTariffs: (rest) => call("GET /shops/{shopId}/payment-tariffs", { shopId }, asShop, rest),
    async balance(which, rest) {
      const { id, headers } = user();
      const input = { ...which, userId: id };
      return await call("GET /account/users/{userId}/balance", input, headers, rest);
    },
    sbpBanks: (rest) => asUser("GET /payoff/get-sbp-bank-list", {}, rest),
    createPayout: (payout, rest) => asUser("POST /payoff/create", payout, rest),
    payoutInfo: (which, rest) => asUser("GET /payoff/info", which, rest),
    cancelPayout: (which, rest) => asUser("POST /payoff/cancel", which, rest),
    payouts: (which = {}, rest) => asUser("GET /payoff/list", which, rest),
    payoutTariffs: (rest) => asUser("GET /payoff/tariffs", {}, rest),
    eventPage,
    events: (which = {}, rest = {}) =>
      readFeed((query) => eventPage(query, rest), which, options.wait ?? sleep, rest.signal),
  };
}
