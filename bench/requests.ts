// One request of each measured endpoint for each of the thousand shops or users, as a load sends them.

import { OPERATOR_TOKEN } from "../test/manage.ts";
import type { BareAnswers } from "./bare.ts";
import type { RequestLine, ShopKey } from "./load.ts";
import { SHOPS, USER_IDS, USER_SECRET } from "./population.ts";

const shopLine = (
  method: RequestLine["method"],
  path: string,
  key: string,
  body: object | undefined,
): RequestLine => {
  const text = body === undefined ? "" : JSON.stringify(body);
  return { method, path, header: "x-api-key", value: key, body: text };
};

const userLine = (path: string): RequestLine => {
  const header = "x-api-signature-sha256";
  return { method: "GET", path, header, value: USER_SECRET, body: "" };
};

/** Every request of it is an order of its own. */
export const createLines = (shops: readonly ShopKey[]): readonly RequestLine[] =>
  shops.map(({ id, key }, index) =>
    shopLine("POST", "/invoice/create", key, {
      amount: 1000 + index,
      order_id: "{n}",
      shop_id: id,
      include_service: ["p2p_card"],
      type: "direct",
      success_url: "https://shop.example/ok",
    }),
  );

export const CREATE = createLines(SHOPS);

/** Of the number of a shop and one of its invoices. */
export const detailsLine = (invoice: readonly [string, string]): RequestLine =>
  detailsLineOf(SHOPS, invoice);

export function detailsLineOf(
  shops: readonly ShopKey[],
  [index, invoiceId]: readonly [string, string],
): RequestLine {
  const shop = shops[Number(index)];
  if (shop === undefined) throw new Error(`no shop ${index}`);
  const bank = Number(index) % 2 === 0 ? "sber" : "tinkoff";
  const body = { invoice_id: invoiceId, shop_id: shop.id, payment_data: { bank } };
  return shopLine("POST", "/invoice/h2h", shop.key, body);
}

export function infoLine([index, invoiceId]: readonly [string, string]): RequestLine {
  const shop = SHOPS[Number(index)];
  if (shop === undefined) throw new Error(`no shop ${index}`);
  const query = `shop_id=${shop.id}&invoice_id=${invoiceId}`;
  return shopLine("GET", `/invoice/info?${query}`, shop.key, undefined);
}

/** Of the wallet and the exact amount of a payment; its slot is its own, and so is the reference. */
export type ToPay = readonly [wallet: string, amount: string];

const told = ([wallet, amount]: ToPay) => ({
  wallet,
  amount: Number(amount),
  reference: `of ${amount}`,
});

const bankLine = (body: object): RequestLine => ({
  method: "POST",
  path: "/manage/transfers",
  header: "authorization",
  value: `Bearer ${OPERATOR_TOKEN}`,
  body: JSON.stringify(body),
});

export const transferLine = (payment: ToPay): RequestLine => bankLine(told(payment));

/** Lists of so many transfers each. */
export function transferLists(payments: readonly ToPay[], length: number): RequestLine[] {
  const lists: RequestLine[] = [];
  for (let at = 0; at < payments.length; at += length) {
    lists.push(bankLine({ items: payments.slice(at, at + length).map(told) }));
  }
  return lists;
}

/** What is only to be checked and answered, by a server that knows nobody. */
export const ANY_DETAILS: readonly RequestLine[] = SHOPS.map(({ id }, index) =>
  detailsLine([String(index), id]),
);
export const ANY_TRANSFER: readonly RequestLine[] = SHOPS.map((_, index) =>
  transferLine(["2200700100000000", `${1000 + index}.37`]),
);

export const TARIFFS: readonly RequestLine[] = SHOPS.map(({ id, key }) =>
  shopLine("GET", `/shops/${id}/payment-tariffs`, key, undefined),
);

export const BANKS: readonly RequestLine[] = USER_IDS.map((id) =>
  userLine(`/payoff/get-sbp-bank-list?user_id=${id}`),
);

export const BALANCE: readonly RequestLine[] = USER_IDS.map((id) =>
  userLine(`/account/users/${id}/balance`),
);

/** A card with its check digit: the user's own, so that everybody has a destination. */
function cardOf(index: number): string {
  const digits = `220070020${String(index).padStart(6, "0")}`;
  const sum = [...digits].reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits + String((10 - (sum % 10)) % 10);
}

const payoutLine = (userId: string, index: number): RequestLine => {
  const body = {
    user_id: userId,
    service: "card",
    wallet_to: cardOf(index),
    amount: 10 + index / 100,
    order_id: "{n}",
    hook_url: "https://shop.example/hook",
  };
  return { ...userLine("/payoff/create"), method: "POST", body: JSON.stringify(body) };
};

/** Every request of it is a payout of its own: of all users in turns, or all of one. */
export const PAYOUTS: readonly RequestLine[] = USER_IDS.map(payoutLine);
export const PAYOUTS_OF_ONE: readonly RequestLine[] = USER_IDS.map((_, index) =>
  payoutLine(USER_IDS[0] ?? "", index),
);

/** As it is answered; to have it told, its user would need money first. */
const PAYOUT_ANSWER = {
  data: {
    payoff_id: "019cadc6-e8a0-7000-bfc0-f16615da906d",
    amount_withdraw_rub: "10.00",
    balance: "1000000.00",
  },
  status: 200,
  status_check: true,
};

export function toPayOf({ wallet, amount }: { wallet: string; amount: string }): ToPay {
  return [wallet, amount];
}

/** One answer of each measured door. */
export async function captureAnswers(url: string): Promise<BareAnswers> {
  const tell = async <Data>(line: RequestLine | undefined): Promise<{ data: Data }> => {
    if (line === undefined) throw new Error("no request");
    return (await answerTo(url, line)) as { data: Data };
  };
  const created = await tell<{ id: string }>(CREATE[0]);
  const invoice = ["0", created.data.id] as const;
  const details = await tell<{ wallet: string; amount: string }>(detailsLine(invoice));
  return {
    "POST /invoice/create": created,
    "POST /invoice/h2h": details,
    "POST /manage/transfers": await tell(transferLine(toPayOf(details.data))),
    "GET /invoice/info": await tell(infoLine(invoice)),
    "GET /shops/:shopId/payment-tariffs": await tell(TARIFFS[0]),
    "GET /payoff/get-sbp-bank-list": await tell(BANKS[0]),
    "GET /account/users/:userId/balance": await tell(BALANCE[0]),
    "POST /payoff/create": PAYOUT_ANSWER,
  };
}

/** What a door answers to one request of a load. */
export async function answerTo(url: string, line: RequestLine): Promise<unknown> {
  const { method, path, header, value, body } = line;
  const answer = await fetch(url + path, {
    method,
    headers: { [header]: value, ...(body === "" ? {} : { "content-type": "application/json" }) },
    ...(body === "" ? {} : { body: body.replace("{n}", "one-of-a-kind") }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
