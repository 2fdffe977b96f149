// One request of each measured endpoint for each of the thousand shops or users, as a load sends them.

import { OPERATOR_TOKEN } from "../test/manage.ts";
import type { RequestLine } from "./load-driver.ts";
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
export const CREATE: readonly RequestLine[] = SHOPS.map(({ id, key }, index) =>
  shopLine("POST", "/invoice/create", key, {
    ...{ amount: 1000 + index, order_id: "{n}", shop_id: id, include_service: ["p2p_card"] },
    ...{ type: "direct", success_url: "https://shop.example/ok" },
  }),
);

/** Of the number of a shop and one of its invoices. */
export function detailsLine([index, invoiceId]: readonly [string, string]): RequestLine {
  const shop = SHOPS[Number(index)];
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

export function transferLine([wallet, amount]: readonly [string, string]): RequestLine {
  return {
    ...{ method: "POST", path: "/sandbox/transfers", header: "authorization" },
    value: `Bearer ${OPERATOR_TOKEN}`,
    body: JSON.stringify({ wallet, amount: Number(amount), reference: `of ${amount}` }),
  };
}

export const TARIFFS: readonly RequestLine[] = SHOPS.map(({ id, key }) =>
  shopLine("GET", `/shops/${id}/payment-tariffs`, key, undefined),
);

export const BANKS: readonly RequestLine[] = USER_IDS.map((id) =>
  userLine(`/payoff/get-sbp-bank-list?user_id=${id}`),
);

export const BALANCE: readonly RequestLine[] = USER_IDS.map((id) =>
  userLine(`/account/users/${id}/balance`),
);

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
