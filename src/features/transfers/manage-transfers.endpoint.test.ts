// Transfers through /manage: each arrives once, is settled once, and the books agree after every step.

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { OPERATOR_TOKEN } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE, NOBODY } from "../../../test/orders.ts";
import { openReceiver } from "../../../test/receiver.ts";

const reason = "the payer sent a screenshot";

const { gateway, own, trade } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());
// Past every quarantine: each test finds all slots free.
beforeEach(() => trade.pass(2 * DAY));
afterEach(() => assertBooksAreRight(gateway));

const suspenseSum = async (): Promise<number> => {
  const { items } = await own.get("accounts?kind=suspense");
  return items.length === 0 ? 0 : (await own.get(`accounts/${items[0].account_id}`)).balance;
};
const found = async (query: string): Promise<string[]> =>
  (await own.get(`transfers?${query}`)).items.map(
    (one: { transfer_id: string }) => one.transfer_id,
  );

it("200: money for details is matched, its payer masked in the answer, and not in the log, which is for ever", async () => {
  const order = await trade.order();
  const payer = "Иван П. 2202200212345678";
  const wish = { wallet: order.wallet, amount: order.amount, reference: "bank-1", payer };
  const { answer, row, logged } = await trade.audited(() => own.post("transfers", wish));
  const { fresh, joined, ...transfer } = answer;
  assert.deepEqual([fresh, joined], [true, false]);
  assert.deepEqual(transfer, {
    transfer_id: answer.transfer_id,
    requisite_id: answer.requisite_id,
    reference: "bank-1",
    amount: 1020,
    currency: "RUB",
    payer: "Иван П. 220220******5678",
    made_at: null,
    judged_by: "received_at",
    state: "matched",
    suspense_reason: null,
    payment_id: order.paymentId,
    invoice_id: order.id,
    received_at: trade.now(),
    settled_at: null,
    settled_by: null,
    settled_reason: null,
    channel: "hand",
    needs_proof: false,
  });
  const { payer: _payer, ...kept } = transfer;
  assert.deepEqual(logged, ["transfer.add", answer.transfer_id, null, kept]);
  assert.doesNotMatch(JSON.stringify([row, await own.get("transfers")]), /2202200212345678/);
  assert.ok(!(await own.ask("audit")).text.includes(order.wallet));
});

it("200: a payer's card, phone and account are masked", async () => {
  const order = await trade.order();
  for (const [payer, shown] of [
    [undefined, null],
    ["Иван П.", "Иван П."],
    ["2202 2002 1234 5678", "220220******5678"],
    ["+79161234567", "+79*****4567"],
    ["счёт 40817810099910004312", "счёт 408178**********4312"],
  ]) {
    assert.equal((await trade.pay(order, { amount: 1, payer })).payer, shown);
  }
});

it("200: the same transfer told again counts once and is called a repeat, by wallet or by requisite", async () => {
  const order = await trade.order();
  const first = await trade.pay(order, { reference: "once" });
  assert.equal(first.fresh, true);
  const balance = await trade.balance();
  const { wallet, amount } = order;
  const { requisite_id } = first;
  const again = { amount, reference: "once" };
  const repeat = { ...first, fresh: false };
  assert.deepEqual(await own.post("transfers", { ...again, wallet }), repeat);
  assert.deepEqual(await own.post("transfers", { ...again, requisite_id }), repeat);
  assert.deepEqual(
    await own.post("transfers", { ...again, requisite_id, wallet, payer: "x" }),
    repeat,
    "the payer is words, the amount is money",
  );
  assert.deepEqual(await trade.balance(), balance);
  assert.deepEqual(await found("reference=once"), [first.transfer_id]);
  const other = await own.post("transfers", { ...again, wallet: "+79990000004" });
  assert.deepEqual([other.state, other.amount], ["suspense", amount]);
  assert.equal((await found("reference=once")).length, 2);
});

it("200: what belongs to nobody waits in suspense until it is assigned: credit, webhook, paid", async () => {
  const order = await trade.order({ hook_url: receiver.url });
  const waiting = await trade.pay(order, { amount: order.amount - 100 });
  assert.deepEqual([waiting.state, waiting.payment_id], ["suspense", null]);
  assert.ok((await found("state=suspense")).includes(waiting.transfer_id));
  const suspense = await suspenseSum();
  const old = await trade.balance();
  const path = `transfers/${waiting.transfer_id.toUpperCase()}/assign`;
  const wish = { payment_id: order.paymentId.toUpperCase(), reason };
  const { answer, logged } = await trade.audited(() => own.post(path, wish));
  const { fresh: _, joined: _joined, ...before } = waiting;
  const { approvals, needed, ...settled } = answer;
  assert.deepEqual([approvals, needed], [1, 1], "without KOPECK_FOUR_EYES_FROM one is enough");
  assert.deepEqual(settled, {
    ...before,
    state: "matched",
    payment_id: order.paymentId,
    invoice_id: order.id,
    settled_at: trade.now(),
    settled_by: "sandbox",
    settled_reason: reason,
  });
  assert.deepEqual(logged, ["transfer.assign", waiting.transfer_id, before, settled]);
  assert.deepEqual(await trade.balance(), [(old[0] ?? 0) + 86_000, old[1], (old[2] ?? 0) + 86_000]);
  assert.equal(await suspenseSum(), suspense - 920);
  assert.ok(!(await found("state=suspense")).includes(waiting.transfer_id));
  assert.equal((await own.get(`invoices/${order.id}`)).invoice.state, "paid");
  await trade.pass(0);
  const told = receiver.received.at(-1)?.body;
  assert.deepEqual(
    [told.invoice_id, told.status, told.amount_received, told.credited],
    [order.id, "success", "920.00", "860.00"],
  );
});

it("200: what waits is returned, once, and no balance of a user notices", async () => {
  const order = await trade.order();
  const { fresh: _, joined: _joined, ...waiting } = await trade.pay(order, { amount: 1 });
  const [old, suspense] = [await trade.balance(), await suspenseSum()];
  const path = `transfers/${waiting.transfer_id}/return`;
  const { answer, row } = await trade.audited(() => own.post(path, { reason }));
  assert.deepEqual([answer.state, answer.settled_reason], ["returned", reason]);
  assert.deepEqual([row.act, row.before, row.after], ["transfer.return", waiting, answer]);
  assert.deepEqual(await trade.balance(), old);
  assert.equal(await suspenseSum(), suspense - 1);
});

it("200: is found by state, amount, reference, requisite, last digits and period, all at once", async () => {
  const order = await trade.order();
  const from = trade.now();
  const one = await trade.pay(order, { amount: 7.77, reference: "find me" });
  const two = await trade.pay(order, { amount: 7.77, reference: "find me, too" });
  const to = trade.now();
  const three = await trade.pay(order);
  const both = [two.transfer_id, one.transfer_id];
  const wallet = order.wallet.slice(-4);
  assert.deepEqual(await found("amount=7.77"), both);
  assert.deepEqual(await found("reference=find%20me"), [one.transfer_id]);
  assert.deepEqual(await found(`from=${from}&wallet=${wallet}`), [three.transfer_id, ...both]);
  assert.deepEqual(await found(`from=${from}&to=${to}`), [one.transfer_id]);
  assert.deepEqual(await found(`from=${to}&state=matched`), [three.transfer_id]);
  assert.deepEqual(await found(`from=${from}&requisite_id=${one.requisite_id}&amount=7.77`), both);
  assert.deepEqual(await found(`wallet=${wallet}&amount=7.77&state=suspense`), both);
  assert.deepEqual(await found(`wallet=${wallet}&amount=7.77&state=matched`), []);
  assert.deepEqual(await found(`wallet=9876&amount=7.77`), []);
  assert.deepEqual(await found(`from=${to}&to=${from}`), []);
  const byBoth = `amount=7.77&requisite_id=${one.requisite_id.toUpperCase()}`;
  assert.deepEqual(await found(`${byBoth}&wallet=${wallet}`), both);
  assert.deepEqual(await found(`${byBoth}&wallet=0006`), []);
  const page = await own.get("transfers?amount=7.77&limit=1");
  assert.deepEqual(await found(`amount=7.77&after=${page.next}`), [one.transfer_id]);
});

it("404 for a transfer, a payment or a requisite that nobody knows, without a trace", async () => {
  const order = await trade.order();
  const waiting = await trade.pay(order, { amount: 3 });
  await trade.refusedWithoutTrace(404, [
    ["transfers", { requisite_id: NOBODY, amount: 1, reference: "x" }],
    [`transfers/${NOBODY}/assign`, { payment_id: order.paymentId, reason }],
    [`transfers/${waiting.transfer_id}/assign`, { payment_id: NOBODY, reason }],
    // An invoice is no payment.
    [`transfers/${waiting.transfer_id}/assign`, { payment_id: order.id, reason }],
    [`transfers/${NOBODY}/return`, { reason }],
  ]);
});

it("422: a used reference with another amount is refused in clear words, without a trace", async () => {
  const order = await trade.order();
  const other = await trade.order({ amount: 2000 });
  const waiting = await trade.pay(order, { amount: 333, reference: "used" });
  const paid = await trade.pay(order, { reference: "used and matched" });
  const { requisite_id } = waiting;
  const words = "The reference field belongs to another transfer, with another amount.";
  const used = { requisite_id, reference: "used", amount: 333.01 };
  assert.deepEqual(await own.refused("transfers", used), [422, [words]]);
  await trade.refusedWithoutTrace(422, [
    ["transfers", used],
    ["transfers", { ...used, wallet: order.wallet, amount: order.amount }],
    ["transfers", { ...used, amount: other.amount, payer: "x" }],
    ["transfers", { requisite_id: paid.requisite_id, reference: paid.reference, amount: 1 }],
  ]);
  const headers = {
    authorization: `Bearer ${OPERATOR_TOKEN}`,
    "accept-language": "ru",
  };
  const answer = await gateway.call("/manage/transfers", { headers, body: used });
  assert.deepEqual(answer.body.error, [
    "Поле reference уже принадлежит другому переводу с другой суммой.",
  ]);
});

it("422: what is settled stays settled, without a trace", async () => {
  const order = await trade.order();
  const other = await trade.order();
  const assigned = await trade.pay(order, { amount: 500 });
  const returned = await trade.pay(order, { amount: 501 });
  const more = await trade.pay(order, { amount: 502 });
  const small = await trade.pay(order, { amount: 60 });
  const matched = await trade.pay(await trade.order());
  const to = { payment_id: order.paymentId, reason };
  await own.post(`transfers/${assigned.transfer_id}/assign`, to);
  await own.post(`transfers/${returned.transfer_id}/return`, { reason });
  const settled = [422, ["The transfer is not waiting in suspense."]];
  assert.deepEqual(await own.refused(`transfers/${assigned.transfer_id}/assign`, to), settled);
  const elsewhere = { payment_id: other.paymentId, reason };
  await trade.refusedWithoutTrace(422, [
    ...[assigned, returned, matched].flatMap(({ transfer_id: id }) => [
      [`transfers/${id}/assign`, elsewhere] as const,
      [`transfers/${id}/return`, { reason }] as const,
    ]),
    // The payment is paid already; and what does not cover the fee cannot pay.
    [`transfers/${more.transfer_id}/assign`, to],
    [`transfers/${small.transfer_id}/assign`, elsewhere],
  ]);
});

it("422: money of another currency than the payment's is refused as that, not as a payment that has ended", async () => {
  const order = await trade.order();
  const dollars = {
    bank: "sber",
    receiver_name: "Dollars",
    currency: "USD",
    phone: "+79990000077",
  };
  const { requisite_id } = await own.post("requisites", dollars);
  const told = { requisite_id, amount: 1_000, reference: "dollars" };
  const { transfer_id } = await own.post("transfers", told);
  const words = "The transfer is in USD, the payment in RUB: return it.";
  const to = { payment_id: order.paymentId, reason };
  assert.deepEqual(await own.refused(`transfers/${transfer_id}/assign`, to), [422, [words]]);
  await own.post(`transfers/${transfer_id}/return`, { reason });
});

it("422: an amount, a wallet and a reason are what they are called, without a trace", async () => {
  const order = await trade.order();
  const { transfer_id } = await trade.pay(order, { amount: 4 });
  const good = { wallet: order.wallet, amount: 1, reference: "x" };
  const wrong = [
    ...[0, -1, 1.005, 0.001, 1e13, 1e21, "1", null, [1], {}].map((amount) => ({ amount })),
    ...[null, "", 7, "a\0b", "x".repeat(256)].map((reference) => ({ reference })),
    ...[null, 7, "4000000000000002", "a\0b", "\ud800"].map((wallet) => ({ wallet })),
    { payer: "a\0b" },
    { requisite_id: "sber" },
  ];
  const reasons = [undefined, "", 7, "a\0b", "x".repeat(501)];
  await trade.refusedWithoutTrace(422, [
    ...wrong.map((changes) => ["transfers", { ...good, ...changes }] as const),
    ...reasons.flatMap((why) => [
      [`transfers/${transfer_id}/return`, { reason: why }] as const,
      [`transfers/${transfer_id}/assign`, { payment_id: order.paymentId, reason: why }] as const,
    ]),
    [`transfers/${transfer_id}/assign`, { reason }],
  ]);
  const queries = ["state=lost", "amount=1.005", "amount=abc", "wallet=1", "from=now", "to=1e9"];
  for (const query of [...queries, "reference=%00", "from=2026-13-01", "from=1969-12-31"]) {
    assert.equal((await own.refused(`transfers?${query}`))[0], 422, query);
  }
  await trade.pass(20 * MINUTE);
});

it("422: a wallet and another requisite than its own are refused, without a trace", async () => {
  const { wallet } = await trade.order();
  const requisite_id = "00000000-0000-4000-8000-000000000106";
  await trade.refusedWithoutTrace(422, [
    ["transfers", { wallet, requisite_id, amount: 1, reference: "x" }],
    ["transfers", { wallet: "nobody's", requisite_id, amount: 1, reference: "x" }],
  ]);
});
