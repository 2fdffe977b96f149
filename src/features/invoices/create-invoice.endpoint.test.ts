// POST /invoice/create: amounts, times, addresses, methods and currencies. What its fields may hold, its
// retries and its secrets are asked by test/contract*.test.ts.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  type CastShop,
  createInvoice,
  EMPTY_SHOP,
  invoiceBody,
  LINK_SHOP,
  OTHER_SHOP,
  SHOP,
  URLS_SHOP,
} from "../../../test/cast.ts";
import { failureOf } from "../../../test/contract-doors.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway, own } = await openOneGateway();

const send = (body: unknown) =>
  gateway.call("/invoice/create", { body, headers: { "x-api-key": SHOP.key } });

const created = async (changes: Record<string, unknown> = {}, shop?: CastShop) => {
  const answer = await createInvoice(gateway, changes, shop);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
};

const stored = async (id: string, columns: string) => {
  const [row] = await gateway.app.db.query(`select ${columns} from invoices where id = $1`, [id]);
  return Object.values(row ?? {});
};
const urlsOf = (id: string) => stored(id, "success_url, fail_url, hook_url");

it("200: answers a direct invoice with exactly the specified fields", async () => {
  const answer = await createInvoice(gateway);
  const { id } = answer.body.data;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  assert.equal(
    answer.text,
    `{"data":{"id":"${id}","amount":"1000.00","currency":"RUB","url":null,"expired":"2026-03-01 17:00:00"},"status":200,"status_check":true}`,
  );
});

it("200: answers a link invoice with the address of its payment page", async () => {
  for (const shop of [SHOP, LINK_SHOP]) {
    const data = await created({ type: "link" }, shop);
    assert.equal(data.url, `http://kopeck.test/pay/${data.id}`);
  }
});

it("200: takes every field at once, in any order", async () => {
  const body = invoiceBody({
    amount: 1500.5,
    email: "payer@example.com",
    custom_fields: '{"cart":[1,2],"имя":"Анна"}',
    comment: "Заказ «7» ✔",
    fail_url: "https://shop.example/fail?a=1#b",
    success_url: "http://shop.example:8080/ok",
    hook_url: "https://shop.example/hook",
    expire: 60,
    include_service: ["p2p_sbp"],
    currency: "RUB",
  });
  const { data } = (await send(Object.fromEntries(Object.entries(body).toReversed()))).body;
  assert.deepEqual([data.amount, data.expired], ["1500.50", "2026-03-01 13:00:00"]);
});

it("200: shows an amount with two decimals, however it is written", async () => {
  for (const [sent, amount] of [
    ["100", "100.00"],
    ["100.01", "100.01"],
    ["100.1", "100.10"],
    ["100.10", "100.10"],
    ["1e3", "1000.00"],
    ["1.5E+2", "150.00"],
    ["1000.000000000000000000000", "1000.00"],
    ["4194.3", "4194.30"],
    ["8191.99", "8191.99"],
    ["99999.99", "99999.99"],
    ["100000.00", "100000.00"],
  ] as const) {
    const answer = await send(JSON.stringify(invoiceBody({ amount: "@" })).replace('"@"', sent));
    assert.equal(answer.body.data.amount, amount, sent);
  }
});

it("200: lives as many minutes as it says, or 300, shown in Moscow's time", async () => {
  for (const [expire, expired] of [
    [1, "2026-03-01 12:01:00"],
    [719, "2026-03-01 23:59:00"],
    [720, "2026-03-02 00:00:00"],
    [7200, "2026-03-06 12:00:00"],
    [null, "2026-03-01 17:00:00"],
    [undefined, "2026-03-01 17:00:00"],
  ] as const) {
    assert.equal((await created({ expire })).expired, expired);
  }
});

it("200: links to any of several methods", async () => {
  const include_service = ["p2p_sbp", "p2p_card"];
  const { id } = await created({ type: "link", include_service });
  assert.deepEqual(await stored(id, "services"), [include_service]);
});

it("200: gives different orders different invoices, also at once and across shops", async () => {
  const order_id = `order-${randomUUID()}`;
  const answers = await Promise.all([
    created({ order_id }),
    created({ order_id }, URLS_SHOP),
    created({ order_id }, OTHER_SHOP),
    created({ order_id: order_id.toUpperCase() }),
    created({ order_id: `${order_id} ` }),
  ]);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 5);
});

it("200: falls back to the shop's URLs", async () => {
  const link = await created({ type: "link", success_url: undefined }, LINK_SHOP);
  assert.deepEqual(await urlsOf(link.id), ["https://shop.example/success", null, null]);
  for (const left of [undefined, null, ""]) {
    const urls = { success_url: left, fail_url: left, hook_url: left };
    const { id } = await created(urls, URLS_SHOP);
    // What the shop has as hook_url at the moment of an event holds, so it is not written down.
    const expected = ["https://shop.example/success", "https://shop.example/fail", null];
    assert.deepEqual(await urlsOf(id), expected, String(left));
  }
});

it("200: prefers the URLs of the request, in their normal form", async () => {
  const urls = {
    success_url: "HTTPS://Other.Example/a b",
    fail_url: "ht\ttps://other.example/fail",
    hook_url: "https://xn--e1afmkfd.example/",
  };
  const { id } = await created(urls, URLS_SHOP);
  assert.deepEqual(await urlsOf(id), [
    "https://other.example/a%20b",
    "https://other.example/fail",
    urls.hook_url,
  ]);
});

it("200: takes the currency of the tariff, and another where the shop has one in it", async () => {
  const shop_id = OTHER_SHOP.id;
  const dollars = {
    shop_percent: 0,
    user_percent: 0,
    min_sum: 0.01,
    max_sum: 5,
    currency: "USD",
  };
  await own.post("tariffs/remove", { shop_id, service: "p2p_sbp" });
  await own.post("tariffs", { shop_id, service: "p2p_sbp", ...dollars });
  await own.post("tariffs", { shop_id, service: "p2p_card", ...dollars });
  const currencyOf = async (changes: Record<string, unknown>) =>
    (await created(changes, OTHER_SHOP)).currency;
  assert.equal(await currencyOf({}), "RUB");
  assert.equal(await currencyOf({ currency: "RUB" }), "RUB");
  assert.equal(await currencyOf({ currency: "USD", amount: 5 }), "USD");
  assert.equal(await currencyOf({ include_service: ["p2p_sbp"], amount: 5 }), "USD");
  failureOf(await createInvoice(gateway, { currency: "USD", amount: 5.01 }, OTHER_SHOP), 422);
});

describe("422, and nothing is stored:", () => {
  const count = async () => (await gateway.app.db.query("select from invoices")).length;
  let before = 0;
  beforeEach(async () => {
    before = await count();
  });
  afterEach(async () => assert.equal(await count(), before));

  const refused = async (changes: Record<string, unknown>, shop?: CastShop) =>
    failureOf(await createInvoice(gateway, changes, shop), 422);

  it("direct on a shop without h2h", async () => {
    assert.match(await refused({ type: "direct" }, LINK_SHOP), /h2h/i);
  });

  for (const [name, changes, shop] of [
    ["two methods for direct", { include_service: ["p2p_card", "p2p_sbp"] }, SHOP],
    ["two methods for direct, turned round", { include_service: ["p2p_sbp", "p2p_card"] }, SHOP],
    ["an unknown method", { include_service: ["paypal"] }, SHOP],
    ["a method in other letters", { include_service: ["P2P_CARD"] }, SHOP],
    ["a disabled method", { include_service: ["card"] }, SHOP],
    ["a disabled method for link", { type: "link", include_service: ["card"] }, LINK_SHOP],
    [
      "a disabled method beside a good one",
      { type: "link", include_service: ["p2p_card", "card"] },
      LINK_SHOP,
    ],
    ["any method on a shop without tariffs", {}, EMPTY_SHOP],
    ["a name of every object", { include_service: ["constructor"] }, SHOP],
  ] as const) {
    it(name, async () => assert.match(await refused(changes, shop), /include service/));
  }

  it("an amount out of the bounds of its method", async () => {
    for (const service of ["p2p_card", "p2p_sbp"]) {
      for (const [amount, limit] of [
        [99.99, /\bamount\b.*100/],
        [0.01, /\bamount\b.*100/],
        [100_000.01, /\bamount\b.*100000/],
        [9_007_199_254_740_991, /\bamount\b.*100000/],
      ] as const) {
        assert.match(await refused({ amount, include_service: [service] }), limit);
      }
    }
  });

  it("names the first problem in the order of the fields, not of the request", async () => {
    const shop_id = SHOP.id;
    const [order_id, amount, include_service] = ["1", 1, ["x"]];
    for (const [body, words] of [
      [{ shop_id }, /^The amount field is required/],
      [{ type: "x", shop_id, amount }, /^The order id field is required/],
      [{ type: "x", comment: 1, shop_id, order_id, amount }, /^The include service field is requ/],
      [{ expire: 0, shop_id, order_id, amount, include_service }, /^The type field is required/],
      [invoiceBody({ email: 1, expire: 0, fail_url: 2 }), /fail url/],
      [invoiceBody({ comment: 1, email: 1, expire: 0 }), /expire/],
    ] as const) {
      assert.match(failureOf(await send(body), 422), words);
    }
  });
});

it("shows the service's own time zone and address", async () => {
  const baseUrl = "https://pay.example/gate";
  const other = await openOneGateway({ timeZone: "Asia/Kathmandu", baseUrl });
  const { data } = (await createInvoice(other.gateway, { type: "link", expire: 1 })).body;
  assert.equal(data.expired, "2026-03-01 14:46:00");
  assert.equal(data.url, `https://pay.example/gate/pay/${data.id}`);
});
