// Tariffs through /manage: a shop's own one wins over the default, and what was issued keeps its fees.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice, EMPTY_SHOP, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";

const place = { service: "p2p_card" };
const rates = { shop_percent: 3, user_percent: 1, min_sum: 10, max_sum: 50_000 };

const { gateway, own, trade } = await openOneGateway();

const isOpen = async (changes = {}) =>
  (await createInvoice(gateway, changes, EMPTY_SHOP)).status === 200;

it("200: a default opens a method to shops without a tariff of their own; removed, it closes", async () => {
  assert.equal(await isOpen(), false);
  const { answer, logged } = await trade.audited(() => own.post("tariffs", { ...place, ...rates }));
  assert.deepEqual(answer, {
    shop_id: null,
    service: "p2p_card",
    currency: "RUB",
    percent: 4,
    shop_percent: 3,
    user_percent: 1,
    fix: 0,
    min_sum: 10,
    max_sum: 50_000,
    enabled: true,
  });
  assert.deepEqual(logged, ["tariff.set", "default", null, answer]);
  assert.deepEqual((await own.get("tariffs")).items, [answer]);
  assert.deepEqual((await own.get(`tariffs?shop_id=${EMPTY_SHOP.id}`)).items, []);
  assert.equal((await trade.order({}, EMPTY_SHOP)).amount, 1010);
  // Shops with a tariff of their own have not noticed.
  assert.equal((await trade.order()).amount, 1020);
  const removed = await trade.audited(() => own.post("tariffs/remove", place));
  assert.deepEqual([removed.answer, removed.row.before, removed.row.after], [answer, answer, null]);
  assert.equal(await isOpen(), false);
});

it("200: an own tariff wins over the default, another one replaces it, removing falls back", async () => {
  await own.post("tariffs", { ...place, ...rates });
  const mine = { shop_id: EMPTY_SHOP.id.toUpperCase(), ...place };
  const first = await own.post("tariffs", { ...mine, ...rates, user_percent: 5, fix: 7.5 });
  assert.equal(first.shop_id, EMPTY_SHOP.id);
  assert.equal((await trade.order({}, EMPTY_SHOP)).amount, 1050);
  const change = { ...mine, ...rates, user_percent: 0.0001 };
  const { answer, row } = await trade.audited(() => own.post("tariffs", change));
  assert.deepEqual([row.subject, row.before, row.after], [EMPTY_SHOP.id, first, answer]);
  assert.deepEqual((await own.get(`tariffs?shop_id=${EMPTY_SHOP.id}`)).items, [answer]);
  // The payer's part of a kopeck is a kopeck.
  assert.equal((await trade.order({}, EMPTY_SHOP)).amount, 1000.01);
  await own.post("tariffs/remove", mine);
  assert.equal((await trade.order({}, EMPTY_SHOP)).amount, 1010);
  assert.equal((await own.get(`tariffs?shop_id=${OTHER_SHOP.id}`)).items.length, 3);
});

it("200: details that were issued keep their fees, whatever the tariff becomes", async () => {
  const mine = { shop_id: OTHER_SHOP.id, ...place };
  const old = await trade.order({}, OTHER_SHOP);
  await own.post("tariffs", { ...mine, ...rates, shop_percent: 50, user_percent: 50, fix: 1 });
  const paid = await trade.pay(old);
  assert.equal(paid.state, "matched");
  const { items } = await own.get(`payments?invoice_id=${old.id}`);
  assert.deepEqual([items[0].fee, items[0].credited], [60, 960]);
  await assertBooksAreRight(gateway);
});

it("200: limits and the switch hold for the next order", async () => {
  const mine = { shop_id: EMPTY_SHOP.id, ...place, ...rates };
  await own.post("tariffs", { ...mine, min_sum: 500, max_sum: 600 });
  const open = async (amount: number) => isOpen({ amount });
  assert.deepEqual(
    [await open(499.99), await open(500), await open(600), await open(600.01)],
    [false, true, true, false],
  );
  await own.post("tariffs", { ...mine, enabled: false });
  assert.equal(await open(550), false, "a tariff that is off is not replaced by the default");
});

it("404 for a shop, a method or a tariff that does not exist, without a trace", async () => {
  await trade.refusedWithoutTrace(404, [
    ["tariffs", { ...rates, service: "cash" }],
    ["tariffs", { ...rates, ...place, shop_id: NOBODY }],
    ["tariffs/remove", { ...place, currency: "USD" }],
    ["tariffs/remove", { ...place, shop_id: NOBODY }],
    ["tariffs/remove", { service: "cash" }],
  ]);
});

it("422: names every problem", async () => {
  assert.deepEqual(await own.refused("tariffs", { shop_percent: "3", user_percent: 101 }), [
    422,
    [
      "The service field is required.",
      "The shop percent field must be a number.",
      "The user percent field must be at most 100.",
      "The min sum field is required.",
      "The max sum field is required.",
    ],
  ]);
});

it("422: refuses what adds up to nothing sensible, without a trace", async () => {
  const wrong = [
    { shop_percent: 60, user_percent: 40.0001 },
    { shop_percent: -1 },
    { user_percent: 1.00001 },
    { user_percent: 1e-7 },
    { fix: -0.01 },
    { fix: 0.001 },
    { min_sum: 0 },
    { min_sum: 1.005 },
    { min_sum: 50_000.01 },
    { max_sum: 1e21 },
    { max_sum: 1_000_000_000_000.01 },
    { enabled: "yes" },
    { currency: "rub" },
    { currency: "RUBL" },
    { currency: 643 },
    { shop_id: "mine" },
    { service: "a\0b" },
  ];
  await trade.refusedWithoutTrace(
    422,
    wrong.map((body) => ["tariffs", { ...place, ...rates, shop_id: SHOP.id, ...body }] as const),
  );
  await trade.refusedWithoutTrace(422, [["tariffs/remove", {}]]);
});

it("422: refuses a currency that does not exist or has not two decimals, without a trace", async () => {
  const codes = ["QQQ", "JPY", "KRW", "XOF", "KWD", "BHD", "TND", "CLF", "UYW", "XAU", "XXX"];
  const wishes = codes.map((currency) => ({ shop_id: SHOP.id, ...place, ...rates, currency }));
  const words = ["The currency field must be the code of a currency with two decimals."];
  await trade.refusedWithoutTrace(422, [
    ...wishes.map((wish) => ["tariffs", wish] as const),
    ["tariffs", { ...wishes[0], shop_id: undefined }],
  ]);
  assert.deepEqual(await own.refused("tariffs", wishes[1]), [422, words]);
});

it("422: a fee that would leave nothing of the smallest amount is refused in clear words", async () => {
  const none = { shop_percent: 0, user_percent: 0, fix: 0, max_sum: 50_000 };
  const wrong = [
    { ...none, fix: 1, min_sum: 1 },
    { ...none, fix: 10, min_sum: 0.01 },
    { ...none, shop_percent: 100, min_sum: 100 },
    { ...none, shop_percent: 0.0001, min_sum: 0.01 },
    { ...none, shop_percent: 50, user_percent: 50, fix: 50, min_sum: 100 },
    { ...none, user_percent: 100, fix: 100, min_sum: 100, enabled: false },
    { ...none, shop_percent: 4, fix: 10, min_sum: 10.42 },
  ];
  const words = "At the smallest amount the commission would leave nothing to credit.";
  const wishes = [undefined, SHOP.id].flatMap((shop_id) =>
    wrong.map((body) => ({ ...place, ...body, shop_id })),
  );
  await trade.refusedWithoutTrace(
    422,
    wishes.map((wish) => ["tariffs", wish] as const),
  );
  for (const wish of wishes) assert.deepEqual(await own.refused("tariffs", wish), [422, [words]]);
  const least = { ...none, shop_percent: 4, fix: 10, min_sum: 10.43 };
  await own.post("tariffs", { ...place, ...least, shop_id: EMPTY_SHOP.id });
  const order = await trade.order({ amount: 10.43 }, EMPTY_SHOP);
  assert.equal((await trade.pay(order)).state, "matched");
  const { items } = await own.get(`payments?invoice_id=${order.id}`);
  assert.equal(items[0].credited, 0.01);
});

it("422: details whose fee would reach what is to be paid are refused in words of their own", async () => {
  const mine = { shop_id: EMPTY_SHOP.id, ...place, user_percent: 2, max_sum: 50_000 };
  await own.post("tariffs", { ...mine, shop_percent: 4, min_sum: 100 });
  const made = [
    await createInvoice(gateway, { amount: 300 }, EMPTY_SHOP),
    await createInvoice(gateway, { amount: 300.01 }, EMPTY_SHOP),
  ];
  const [reached, above] = made.map(({ body }) => body.data.id);
  // What was ordered before the tariff became dearer.
  await own.post("tariffs", { ...mine, shop_percent: 0, fix: 300, min_sum: 500 });
  const refused = await createH2h(gateway, reached, {}, EMPTY_SHOP);
  assert.deepEqual(
    [refused.status, refused.body.error],
    [422, ["The commission of p2p_card would leave nothing of the invoice's amount."]],
  );
  assert.deepEqual((await own.get(`payments?invoice_id=${reached}`)).items, []);
  const { body } = await createH2h(gateway, above, {}, EMPTY_SHOP);
  const money = { wallet: body.data.wallet, amount: Number(body.data.amount) };
  const { state } = await own.post("transfers", { ...money, reference: "just enough" });
  assert.equal(state, "matched");
  const { items } = await own.get(`payments?invoice_id=${above}`);
  assert.equal(items[0].credited, 0.01);
  await assertBooksAreRight(gateway);
});

it("422: the database itself refuses what would leave nothing to credit", async () => {
  const { db } = gateway.app;
  const { id } = await trade.order();
  const dear = "update payments set fee_minor = to_pay_minor where invoice_id = $1";
  await assert.rejects(db.query(dear, [id]), { constraint: "payments_leave_credit" });
  await own.post("tariffs", { ...place, ...rates });
  for (const table of ["tariffs", "default_tariffs"]) {
    const raised = db.query(`update ${table} set fix_minor = min_minor where enabled`);
    await assert.rejects(raised, { constraint: `${table}_leave_credit` });
  }
});
