// Balances that somebody made up, beside money that is known: they move nothing, and prove nothing.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE } from "../../../test/orders.ts";
import { openCard, openPhone } from "../../../test/phone.ts";
import { statement1c } from "../../../test/statement-file.ts";

const { gateway, own, trade } = await openOneGateway();
afterEach(() => assertBooksAreRight(gateway));
const numbers = [
  "4111111111111111",
  "5555555555554444",
  "4012888888881881",
  "2200000000000400",
  "2200000000000053",
  "2200000000000087",
  "2200000000000103",
  "2200000000000202",
  "2200000000000301",
  "2200000000000012",
  "2200000000000020",
  "2200000000000038",
  "2200000000000046",
  "2200000000000061",
];

/** A card of its own, whose balance nobody can guess, and two phones that hear of it and need no statement. */
async function openRoom() {
  const { items } = await own.get("requisites?limit=200");
  for (const { requisite_id } of items) {
    await own.post(`requisites/${requisite_id}`, { enabled: false });
  }
  const [card = ""] = numbers.splice(0, 1);
  const account = `4081781070000000${card.slice(-4)}`;
  const owner = { bank: "sber", receiver_name: "Олег О.", card, account };
  const { requisite_id } = await own.post("requisites", owner);
  const changes = { requisite_ids: [requisite_id], needs_statement: false };
  const [one, other] = [await openPhone(gateway, changes), await openPhone(gateway, changes)];
  const bank = openCard(gateway, card, 51_000.37);
  await one.hears(bank.income(1.01));
  await trade.pass(3 * MINUTE);
  const last = async () =>
    (await own.get(`transfers?requisite_id=${requisite_id}&limit=1`)).items[0];
  return { one, other, account, bank, last };
}

const dayOf = (at: string): string =>
  new Date(Date.parse(at) + 3 * HOUR * 1000).toISOString().slice(0, 10);

/** Whether money that a text tells of now is kept frozen until somebody else has told of it. */
async function needsProof({ one, bank, last }: Awaited<ReturnType<typeof openRoom>>) {
  const { amount } = await trade.order({ amount: 7500 });
  await one.hears(bank.income(amount));
  const { state, needs_proof } = await last();
  assert.equal(state, "matched");
  return needs_proof;
}

it("60. a made up balance beside money that a person assigns moves no balances", async () => {
  const { one, bank, last } = await openRoom();
  const paid = await trade.order({ amount: 3000 });
  // Another sum than was asked for, in the wording without a balance; the other wording is made up.
  await one.hears(`${bank.name} ${bank.time()} Андрей Ф. перевел(а) вам 2777р.`);
  await one.hears(`${bank.name} ${bank.time()} Перевод 2777р от Андрей Ф. Баланс: 1000000р`);
  const { transfer_id } = await last();
  const reason = "The payer has shown a receipt";
  await own.post(`transfers/${transfer_id}/assign`, { payment_id: paid.paymentId, reason });
  await trade.pass(2 * MINUTE);
  const { amount } = await trade.order({ amount: 60_000 });
  const balance = 1_000_000 + amount;
  await one.hears(
    `${bank.name} ${bank.time()} Перевод ${amount}р от Андрей Ф. Баланс: ${balance}р`,
  );
  assert.equal((await last()).suspense_reason, "balance_break");
});

it("60. nor does the balance of a text whose money a line has proven, once a person assigns that", async () => {
  const { one, account, bank, last } = await openRoom();
  const paid = await trade.order({ amount: 3000 });
  await one.hears(`${bank.name} ${bank.time()} Перевод 2777р от Андрей Ф. Баланс: 1000000р`);
  const { transfer_id } = await last();
  assert.equal((await last()).suspense_reason, "balance_break");
  const today = new Date(Date.parse(trade.now()) + 3 * HOUR * 1000).toISOString().slice(0, 10);
  const days = { [today]: [{ sum: 2777, number: "1" }] };
  const content = Buffer.from(statement1c([{ account, days }])).toString("base64");
  await own.post("imports", { filename: "day.txt", content });
  await applyImports(gateway);
  assert.equal((await last()).suspense_reason, "nobody_expected");
  const reason = "A statement shows it";
  await own.post(`transfers/${transfer_id}/assign`, { payment_id: paid.paymentId, reason });
  await trade.pass(2 * MINUTE);
  const { amount } = await trade.order({ amount: 60_000 });
  const balance = 1_000_000 + amount;
  await one.hears(
    `${bank.name} ${bank.time()} Перевод ${amount}р от Андрей Ф. Баланс: ${balance}р`,
  );
  assert.equal((await last()).suspense_reason, "balance_break");
});

it("60. a made up balance that a second phone repeats proves no money, and releases none", async () => {
  // What the others have told of is over.
  await trade.pass(2 * DAY);
  const { one, other, bank, last } = await openRoom();
  const { amount } = await trade.order({ amount: 70_000 });
  const [, available] = await trade.balance();
  const text = `${bank.name} ${bank.time()} Перевод ${amount}р от Злой З. Баланс: 123р`;
  await one.hears(`${bank.name} ${bank.time()} Злой З. перевел(а) вам ${amount}р.`);
  assert.deepEqual(
    [...(await one.hears(text)), ...(await other.hears(text))],
    ["accepted", "accepted"],
  );
  const { state, needs_proof } = await last();
  assert.deepEqual([state, needs_proof], ["matched", true]);
  await trade.pass(2 * DAY);
  assert.equal((await trade.balance())[1], available);
});

it("60. after a made up text that another phone has put right, the true one of the same phone is no money to give back", async () => {
  const { one, other, bank, last } = await openRoom();
  const { id, amount } = await trade.order({ amount: 4000 });
  await one.hears(bank.forged(amount));
  const text = bank.income(amount);
  await other.hears(text);
  assert.equal((await own.get(`invoices/${id}`)).invoice.state, "paid");
  trade.tick();
  await one.hears(text);
  const { suspense_reason, needs_proof } = await last();
  assert.deepEqual([suspense_reason, needs_proof], ["balance_break", true]);
});

it("60. money that only a text has told of is not refunded out of what others have paid", async () => {
  const { one, account, bank } = await openRoom();
  const honest = await trade.order({ amount: 9000 });
  await trade.pay(honest);
  await trade.pass(DAY);
  const { id, amount } = await trade.order({ amount: 5000 });
  await one.hears(`${bank.name} ${bank.time()} Злой З. перевел(а) вам ${amount}р.`);
  assert.equal((await own.get(`invoices/${id}`)).invoice.state, "paid");
  const before = await trade.balance();
  const wish = { invoice_id: id, amount: 100, reason: "changed my mind" };
  await trade.refusedWithoutTrace(422, [["refunds", wish]]);
  assert.deepEqual(await trade.balance(), before);
  // A statement shows it.
  const today = new Date(Date.parse(trade.now()) + 3 * HOUR * 1000).toISOString().slice(0, 10);
  const content = Buffer.from(statement1c([{ account, days: { [today]: [{ sum: amount }] } }]));
  await own.post("imports", { filename: "proof.txt", content: content.toString("base64") });
  await applyImports(gateway);
  await own.post("refunds", wish);
});

it("60. of many made up balances none follows from what came after it", async () => {
  const { one, bank } = await openRoom();
  const { id, amount } = await trade.order({ amount: 6000 });
  const first = 51_010;
  const guesses = Array.from({ length: 100 }, (_, index) => {
    const balance = (Math.round(amount * 100) + (first + index) * 100 + 38) / 100;
    return `${bank.name} ${bank.time()} Перевод ${amount}р от Злой З. Баланс: ${balance}р`;
  });
  await one.hears(guesses);
  await trade.pass(15 * MINUTE);
  await one.hears(bank.income(57));
  assert.equal((await own.get(`invoices/${id}`)).invoice.state, "pending");
  await one.hears(bank.income(amount));
  assert.equal((await own.get(`invoices/${id}`)).invoice.state, "paid");
});

for (const heard of [true, false]) {
  it(`60. a statement of a day on which the card was emptied tells nobody new what came since, ${heard ? "though it lists no order" : "though no text told of it"}`, async () => {
    const { one, account, bank, last } = await openRoom();
    const texts = [bank.outflow(51_001.38, 0), bank.income(9)];
    if (heard) await one.hears(texts);
    const today = new Date(Date.parse(trade.now()) + 3 * HOUR * 1000).toISOString().slice(0, 10);
    const [first, left, since] = [{ sum: 1.01 }, { sum: -51_001.38 }, { sum: 9, number: "3" }];
    const days = { [today]: heard ? [first, since, left] : [first, left, since] };
    await trade.pass(DAY);
    const text = statement1c([{ account, opening: 51_000.37, days }]);
    const content = Buffer.from(text).toString("base64");
    await own.post("imports", { filename: "emptied.txt", content });
    await applyImports(gateway);
    const { amount } = await trade.order({ amount: 8000 });
    await one.hears(bank.income(amount));
    const { state, needs_proof } = await last();
    assert.deepEqual([state, needs_proof], ["matched", true]);
  });
}

for (const emptied of [false, true]) {
  it(`a statement that is brought after the night's first text ends what could be guessed as well${emptied ? ", unless the card was emptied since" : ""}`, async () => {
    const room = await openRoom();
    const { one, account, bank } = room;
    await one.hears([bank.outflow(51_001.38, 0), bank.income(1000)]);
    await trade.pass(DAY);
    const days = { [dayOf(trade.now())]: [{ sum: 500 }] };
    await one.hears(bank.income(500));
    await trade.pass(DAY);
    await one.hears(emptied ? [bank.outflow(1500, 0), bank.income(7)] : bank.income(7));
    await trade.pass(3 * MINUTE);
    const content = Buffer.from(statement1c([{ account, opening: 1000, days }])).toString("base64");
    await own.post("imports", { filename: "yesterday.txt", content });
    await applyImports(gateway);
    assert.equal(await needsProof(room), emptied);
  });
}
