// POST /invoice/create again with the same order id: the same content gets the first answer to the
// byte, whatever has changed since; other content is refused. One order is one invoice for ever.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { it } from "node:test";
import { createInvoice, FAMILY_SHOP, invoiceBody, OTHER_SHOP, SHOP, URLS_SHOP } from "./cast.ts";
import { failureOf } from "./contract-doors.ts";
import { openOneGateway } from "./one-gateway.ts";

const { gateway } = await openOneGateway();

const send = (body: Record<string, unknown> | string, key = SHOP.key) =>
  gateway.call("/invoice/create", { body, headers: { "x-api-key": key } });

const countOrders = async (orderId: unknown) => {
  const rows = await gateway.app.db.query<{ count: number }>(
    "select count(*)::int as count from invoices where order_id = $1",
    [orderId],
  );
  return rows[0]?.count;
};

it("with the same content gets the first answer again, to the byte, also much later", async () => {
  const body = invoiceBody({ comment: "x", custom_fields: '{"a":1}', expire: 1 });
  const first = await send(body);
  assert.equal(first.status, 200, first.text);
  for (const seconds of [0, 1, 59, 3600, 86_400]) {
    gateway.clock.advance(seconds);
    const again = await send(body);
    assert.equal(again.status, 200);
    assert.equal(again.text, first.text);
  }
  assert.equal(await countOrders(body["order_id"]), 1);
});

for (const [name, first, again] of [
  ["the fields in another order", {}, {}],
  ["an unknown field more", {}, { trace: 7 }],
  ["null for what was left out", {}, { comment: null, email: null, expire: null }],
  ["an empty text for what was left out", {}, { comment: "", fail_url: "", currency: "" }],
  ["custom fields as an object", { custom_fields: '{"a":1}' }, { custom_fields: { a: 1 } }],
  ["custom fields with spaces", { custom_fields: '{"a":1}' }, { custom_fields: '{ "a": 1 }' }],
] as const) {
  it(`with the same content is the same with ${name}`, async () => {
    const body = invoiceBody(first);
    const one = await send(body);
    const other = Object.fromEntries(Object.entries({ ...body, ...again }).toReversed());
    const two = await send(other);
    assert.equal(two.status, 200, two.text);
    assert.equal(two.text, one.text);
    assert.equal(await countOrders(body["order_id"]), 1);
  });
}

for (const [dialect, shop] of [
  ["strict", SHOP],
  ["family", FAMILY_SHOP],
] as const) {
  it(`with the same content is the same with the keys of custom fields in another order: ${dialect}`, async () => {
    const written = '{"b":{"y":[{"n":1,"m":2},3],"x":null},"a":"1"}';
    const body = invoiceBody({ shop_id: shop.id, custom_fields: written });
    const first = await send(body, shop.key);
    assert.equal(first.status, 200, first.text);
    const turned = '{"a":"1","b":{"x":null,"y":[{"m":2,"n":1},3]}}';
    for (const custom_fields of [turned, JSON.parse(turned)]) {
      assert.equal((await send({ ...body, custom_fields }, shop.key)).text, first.text);
    }
    for (const custom_fields of [
      '{"a":"1","b":{"x":null,"y":[3,{"m":2,"n":1}]}}',
      '{"a":1,"b":{"x":null,"y":[{"m":2,"n":1},3]}}',
      '{"a":"1","b":{"y":[{"m":2,"n":1},3]}}',
    ]) {
      const refused = await send({ ...body, custom_fields }, shop.key);
      assert.match(failureOf(refused, 422), /order id/, custom_fields);
    }
    const other = await send({ ...body, custom_fields: turned, comment: "y" }, shop.key);
    assert.match(failureOf(other, 422), /order id/, "what else differs is still seen");
    const info = `/invoice/info?shop_id=${shop.id}&invoice_id=${first.body.data.id}`;
    const { text } = await gateway.call(info, { headers: { "x-api-key": shop.key } });
    assert.ok(
      text.includes(`"custom_field":${written}`),
      "what was sent first comes back as it was",
    );
  });
}

it("with the same content is the same with the amount written otherwise", async () => {
  const text = JSON.stringify(invoiceBody({ amount: "@" }));
  const answers: string[] = [];
  for (const amount of ["1000", "1000.0", "1e3", "1000.00"]) {
    answers.push((await send(text.replace('"@"', amount))).text);
  }
  assert.equal(new Set(answers).size, 1, answers.join("\n"));
});

it("with the same content is answered although the tariff was disabled, its bounds or the shop's h2h changed", async () => {
  const changes = [
    "update tariffs set enabled = false where shop_id = $1",
    "update tariffs set enabled = true, min_minor = 9999999 where shop_id = $1",
    "update shops set h2h_enabled = false, success_url = null where id = $1",
    "delete from tariffs where shop_id = $1",
  ];
  const body = invoiceBody({ shop_id: URLS_SHOP.id, success_url: undefined });
  const first = await send(body, URLS_SHOP.key);
  assert.equal(first.status, 200, first.text);
  for (const change of changes) {
    await gateway.app.db.query(change, [URLS_SHOP.id]);
    assert.equal((await send(body, URLS_SHOP.key)).text, first.text, change);
    const fresh = { ...body, order_id: randomUUID() };
    failureOf(await send(fresh, URLS_SHOP.key), 422);
    failureOf(await send({ ...body, amount: 2000 }, URLS_SHOP.key), 422);
    assert.equal(await countOrders(fresh.order_id), 0);
  }
  assert.equal(await countOrders(body["order_id"]), 1);
});

it("with the same content makes one invoice a shop of 50 that arrive at once, and gives a shop one answer", async () => {
  const body = invoiceBody();
  const shops = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? SHOP : OTHER_SHOP));
  const answers = await Promise.all(
    shops.map(({ id, key }) => send({ ...body, shop_id: id }, key)),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  for (const shop of [SHOP, OTHER_SHOP]) {
    const own = answers.filter((_, index) => shops[index] === shop);
    assert.equal(new Set(own.map(({ text }) => text)).size, 1);
  }
  assert.equal(await countOrders(body["order_id"]), 2);
});

const full = {
  email: "payer@example.com",
  custom_fields: '{"a":1}',
  comment: "x",
  fail_url: "https://shop.example/fail",
  hook_url: "https://shop.example/hook",
  expire: 60,
};
for (const [name, change] of [
  ["amount", { amount: 1000.01 }],
  ["include_service", { include_service: ["p2p_sbp"] }],
  ["type", { type: "link" }],
  ["success_url", { success_url: "https://shop.example/other" }],
  ["fail_url", { fail_url: "https://shop.example/other" }],
  ["hook_url", { hook_url: "https://shop.example/other" }],
  ["expire", { expire: 61 }],
  ["email", { email: "other@example.com" }],
  ["custom_fields", { custom_fields: '{"a":2}' }],
  ["comment", { comment: "y" }],
  ["a field left out", { comment: undefined }],
] as const) {
  it(`with other content is refused: ${name}`, async () => {
    const body = invoiceBody(full);
    const first = await send(body);
    assert.equal(first.status, 200, first.text);
    const message = failureOf(await send({ ...body, ...change }), 422);
    assert.match(message, /order id/);
    assert.equal(await countOrders(body["order_id"]), 1);
    assert.equal((await send(body)).text, first.text);
  });
}

it("with other content is refused to all but one of 50 that arrive at once", async () => {
  const body = invoiceBody();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => send({ ...body, amount: 1000 + index })),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 422)]);
  assert.equal(await countOrders(body["order_id"]), 1);
});

it("after a refusal is a first try: nothing was kept", async () => {
  const orderId = `order-${randomUUID()}`;
  failureOf(await createInvoice(gateway, { order_id: orderId, amount: 1 }), 422);
  failureOf(await createInvoice(gateway, { order_id: orderId, include_service: ["card"] }), 422);
  const answer = await createInvoice(gateway, { order_id: orderId });
  assert.equal(answer.status, 200, answer.text);
});

it("with a wrong key is told nothing", async () => {
  const body = invoiceBody();
  assert.equal((await send(body)).status, 200);
  failureOf(await send(body, OTHER_SHOP.key), 401);
});
