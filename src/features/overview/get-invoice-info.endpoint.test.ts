// GET /invoice/info over HTTP, by status.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h, createInvoice, SHOP, URLS_SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const KEYS = [
  "invoice_id",
  "order_id",
  "shop_id",
  "status",
  "invoice_amount",
  "credited",
  "currency",
  "pay_service",
  "payer_details",
  "commission_amount",
  "commission_percent",
  "shop_commission_amount",
  "user_commission_amount",
  "user_commission_percent",
  "custom_field",
  "created_at",
  "expired_at",
  "paid_at",
];

const { gateway } = await openOneGateway();

const info = (query: Record<string, string>, key: string | undefined = SHOP.key) => {
  const search = new URLSearchParams({ shop_id: SHOP.id, ...query });
  return gateway.call(`/invoice/info?${search}`, { headers: { "x-api-key": key } });
};
const invoice = async (changes: Record<string, unknown> = {}): Promise<string> =>
  (await createInvoice(gateway, changes)).body.data.id;

it("200: has all keys, in order, also before details were issued", async () => {
  const answer = await info({ invoice_id: await invoice({ order_id: "fresh" }) });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body.data), KEYS);
  const { invoice_id: _, ...data } = answer.body.data;
  assert.deepEqual(data, {
    order_id: "fresh",
    shop_id: SHOP.id,
    status: "created",
    invoice_amount: 1000,
    credited: null,
    currency: "RUB",
    pay_service: null,
    payer_details: null,
    commission_amount: null,
    commission_percent: null,
    shop_commission_amount: null,
    user_commission_amount: null,
    user_commission_percent: null,
    custom_field: null,
    created_at: "2026-03-01 12:00:00",
    expired_at: "2026-03-01 17:00:00",
    paid_at: null,
  });
});

it("200: is found by order id too, and by both when they agree", async () => {
  const id = await invoice({ order_id: "by order ü&=" });
  for (const query of [
    { order_id: "by order ü&=" },
    { invoice_id: id, order_id: "by order ü&=" },
    { invoice_id: id.toUpperCase() },
  ]) {
    assert.equal((await info(query)).body.data.invoice_id, id);
  }
});

it("200: shows the fees of the latest details", async () => {
  const id = await invoice({ include_service: ["p2p_sbp"] });
  await createH2h(gateway, id);
  const { data } = (await info({ invoice_id: id })).body;
  assert.deepEqual(
    [data.pay_service, data.commission_amount, data.commission_percent],
    ["p2p_sbp", 50, 4],
  );
  assert.deepEqual(
    [data.shop_commission_amount, data.user_commission_amount, data.user_commission_percent],
    [50, 0, 0],
  );
});

it("200: answers many at once, each with its own", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => invoice()));
  const answers = await Promise.all(ids.map((id) => info({ invoice_id: id })));
  assert.deepEqual(
    answers.map(({ body }) => body.data.invoice_id),
    ids,
  );
});

it("404: no such invoice or order, or not of one invoice", async () => {
  const id = await invoice();
  for (const query of [
    { invoice_id: URLS_SHOP.id },
    { order_id: "nobody's" },
    { invoice_id: id, order_id: "another" },
  ]) {
    assert.equal((await info(query)).status, 404);
  }
});

it("422: neither id nor order", async () => {
  const answer = await info({});
  assert.equal(answer.status, 422);
  assert.match(answer.body.error, /^The invoice id field is required/);
});
it("422: an id that is no UUID; a shop id that is none, before anything else", async () => {
  assert.equal(
    (await info({ invoice_id: "7" })).body.error,
    "The invoice id field must be a UUID.",
  );
  const answer = await info({ shop_id: "x", invoice_id: "7" }, "wrong");
  assert.equal(answer.body.error, "The shop id field must be a UUID.");
});
