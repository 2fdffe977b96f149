// What phones report, through the front door: repeated, out of order, late, forged, in two wordings; at most
// one credit, and never a wrong one.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice, SHOP } from "../../../test/cast.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, everyRow, HOUR, MINUTE, NOBODY, type Order, printOf } from "../../../test/orders.ts";
import { fates, openCard, openPhone } from "../../../test/phone.ts";
import { statement1c } from "../../../test/statement-file.ts";

const { gateway, own, trade } = await openOneGateway();
const phone = await openPhone(gateway, { needs_statement: false });
const cards = new Map<string, ReturnType<typeof openCard>>();

/** An order, and the card that it is to be paid to: the same one for all orders that are given it. */
async function expected(amount = 1000) {
  const order = await trade.order({ amount });
  const card = cards.get(order.wallet) ?? openCard(gateway, order.wallet);
  // The first message begins the balances.
  if (!cards.has(order.wallet)) await phone.hears(card.income(1.01));
  cards.set(order.wallet, card);
  trade.tick();
  return { order, card, before: (await fates(gateway, order)).length };
}

const stateOf = async ({ id }: Order): Promise<string> =>
  (await own.get(`invoices/${id}`)).invoice.state;
const lastFate = async (): Promise<string> => (await own.get("messages?limit=1")).items[0].fate;

it("54. a forwarder that repeats ten times tells of money once", async () => {
  const { order, card, before } = await expected();
  const text = card.income(order.amount);
  const outcomes = [];
  for (let times = 0; times < 10; times += 1) {
    outcomes.push(...(await phone.hears(text)));
    // By and by, also on the next days.
    await trade.pass(times < 5 ? MINUTE : 5 * HOUR);
  }
  assert.deepEqual(outcomes, ["accepted", ...Array(9).fill("duplicate")]);
  const list = Array(10).fill(text);
  assert.deepEqual(await phone.hears(list), Array(10).fill("duplicate"));
  assert.deepEqual((await fates(gateway, order)).length, before + 1);
  assert.equal(await stateOf(order), "paid");
  await assertBooksAreRight(gateway);
});

it("55. two wordings of one transfer are one, in either order", async () => {
  const phones = { bank: "sber", receiver_name: "Олег О.", phone: "+79161112233" };
  const { requisite_id } = await own.post("requisites", phones);
  const other = await openPhone(gateway, {
    banks: ["translit", "sber"],
    requisite_ids: [requisite_id],
  });
  const at = openCard(gateway, "0000").time;
  const [year, month, day] = trade.now().slice(2, 10).split("-");
  const pairs: [first: string, second: string][] = [
    [
      `VISA2059 ${at()} зачисление 500р Т-Bank Баланс: 500р`,
      `VISA2059 ${at()} Андрей Ф. перевел(а) вам 500р.`,
    ],
    [
      `MIR-8105 ${at()} зачисление 100р Тинькофф Банк Баланс: 600р`,
      `МИР Сберкарта8105 ${day}.${month}.${year} зачислен перевод 100р из Тинькофф Банк от МАКСИМ ВИКТОРОВИЧ П.`,
    ],
    [
      `Karta *7105: ${day}.${month}.20${year} ${at()}, popolnenie 10000.00 RUR. Dostupno 10600.00 RUR.`,
      `SBP. Poluchen perevod ${day}.${month} ${at()} (msk). Schet 6962. Zachisleno 10000 r. ot Il'ya Aleksandrovich B iz PAO Sberbank BIK 044525225.`,
    ],
  ];
  const seen = async () => (await own.get(`transfers?requisite_id=${requisite_id}`)).items.length;
  for (const [count, [first, second]] of pairs.entries()) {
    await other.hears(first);
    await other.hears(second);
    assert.equal(await seen(), count + 1, first);
  }
  // Another day, the second wording first: balances go on from where they were.
  await trade.pass(26 * HOUR);
  const [, nextMonth, nextDay] = trade.now().slice(2, 10).split("-");
  const again: [first: string, second: string][] = [
    [
      `VISA2059 ${at()} Андрей Ф. перевел(а) вам 500р.`,
      `VISA2059 ${at()} зачисление 500р Т-Bank Баланс: 11100р`,
    ],
    [
      `МИР Сберкарта8105 ${nextDay}.${nextMonth}.${year} зачислен перевод 100р из Тинькофф Банк от МАКСИМ ВИКТОРОВИЧ П.`,
      `MIR-8105 ${at()} зачисление 100р Тинькофф Банк Баланс: 11200р`,
    ],
    [
      `SBP. Poluchen perevod ${nextDay}.${nextMonth} ${at()} (msk). Schet 6962. Zachisleno 10000 r. ot Il'ya Aleksandrovich B iz PAO Sberbank BIK 044525225.`,
      `Karta *7105: ${nextDay}.${nextMonth}.20${year} ${at()}, popolnenie 10000.00 RUR. Dostupno 21200.00 RUR.`,
    ],
  ];
  for (const [count, texts] of again.entries()) {
    assert.deepEqual(await other.hears(texts), ["accepted", "accepted"]);
    assert.equal(await seen(), pairs.length + count + 1, texts[0]);
  }
  // A second wording whose first was lost is money, and the next balance holds it.
  await trade.pass(HOUR);
  await other.hears([
    `VISA2059 ${at()} Анна Ф. перевел(а) вам 300р.`,
    `VISA2059 ${at()} зачисление 200р Баланс: 21700р`,
  ]);
  assert.equal(await seen(), pairs.length + again.length + 2);
  const { items } = await own.get(`messages?source_id=${other.id}`);
  assert.deepEqual(new Set(items.map((one: { fate: string }) => one.fate)), new Set(["accepted"]));
  await assertBooksAreRight(gateway);
});

it("56. two transfers of one amount in one minute, told apart by their balances, are two", async () => {
  const { order, card, before } = await expected();
  const texts = [card.income(order.amount), card.income(order.amount)];
  assert.deepEqual(await phone.hears(texts), ["accepted", "accepted"]);
  const now = await fates(gateway, order);
  assert.deepEqual(
    [now.length, new Set(now.slice(0, 2))],
    [before + 2, new Set(["matched", "paid_already"])],
  );
  await assertBooksAreRight(gateway);
});

it("57. a text and a notification of one transfer are one", async () => {
  const { order, card, before } = await expected();
  const app = await openPhone(gateway, { channel: "push" });
  await phone.hears(card.income(order.amount));
  // By the same phone it is a repeat in other words: the amount and the balance are the same.
  assert.deepEqual(await phone.hears(card.push(order.amount)), ["duplicate"]);
  assert.deepEqual(await app.hears(card.push(order.amount)), ["accepted"]);
  assert.equal((await fates(gateway, order)).length, before + 1);
  assert.equal(await stateOf(order), "paid");

  // A text alone releases nothing; a notification of the same money does.
  const { order: next, card: same, before: earlier } = await expected();
  const needy = await openPhone(gateway);
  const needsProof = async () => (await own.get("transfers?limit=1")).items[0].needs_proof;
  await needy.hears(same.income(next.amount));
  assert.deepEqual([await stateOf(next), await needsProof()], ["paid", true]);
  const freezes = async () => {
    const { timeline } = await own.get(`invoices/${next.id}`);
    const steps: { what: string; detail: string }[] = timeline;
    return steps
      .map(({ what, detail }) => `${what}: ${detail}`)
      .filter((one) => /^freeze/.test(one));
  };
  assert.match(String(await freezes()), /^freeze stays: \d+\.00 RUB, until a line proves it$/);
  assert.deepEqual(await app.hears(same.push(next.amount)), ["accepted"]);
  assert.equal(await needsProof(), false);
  assert.match(String(await freezes()), /^freeze ends: \d+\.00 RUB$/);
  assert.equal((await fates(gateway, next)).length, earlier + 1);
});

it("59. a comment that imitates a transfer is not read: the amount is the head's", async () => {
  const { order, card } = await expected();
  const { order: dear } = await expected(5000);
  const comment = ` «VISA${dear.wallet.slice(-4)} ${card.time()} Перевод ${dear.amount}р от Иван. Баланс: 1р»`;
  assert.deepEqual(await phone.hears(card.income(order.amount, comment)), ["accepted"]);
  assert.deepEqual([await stateOf(order), await stateOf(dear)], ["paid", "pending"]);
  // Nor is it kept.
  assert.doesNotMatch((await own.ask("messages?limit=1")).text, /от Иван\. Баланс: 1р|«/);
});

it("60. one that was returned as never there, and is told of by a bank then, is not money that was booked twice", async () => {
  const { order, card } = await expected();
  await phone.hears(card.forged(order.amount));
  const { wallet, amount } = order;
  const { items } = await own.get(`transfers?state=suspense&amount=${amount}`);
  const [{ transfer_id, made_at }] = items;
  await own.post(`transfers/${transfer_id}/return`, { reason: "it never came" });
  const money = await own.post("transfers", { wallet, amount, made_at, reference: "bank-60" });
  assert.deepEqual([money.state, money.suspense_reason], ["suspense", "maybe_known"]);
  await assertBooksAreRight(gateway);
});

it("60. a text that may be made up, minutes before a payment that a bank tells of, is that payment, once", async () => {
  const { order, card } = await expected();
  await phone.hears(card.forged(order.amount));
  await trade.pass(3 * MINUTE);
  const { wallet, amount } = order;
  const told = { wallet, amount, made_at: trade.now(), reference: "bank-60-beside" };
  const { joined, state } = await own.post("transfers", told);
  assert.deepEqual([joined, state], [true, "matched"]);
  assert.equal(await stateOf(order), "paid");
  await assertBooksAreRight(gateway);
});

it("60. a forged text with the right amount and a wrong balance waits; true money goes on, and a statement heals", async () => {
  const { order, card } = await expected();
  assert.deepEqual(await phone.hears(card.forged(order.amount)), ["accepted"]);
  assert.deepEqual(
    [(await fates(gateway, order))[0], await lastFate()],
    ["balance_break", "broken"],
  );
  assert.equal(await stateOf(order), "pending");
  await trade.pass(15 * MINUTE);
  // Whoever pays then is credited: the balances stay where they were.
  await phone.hears(card.income(order.amount));
  assert.equal(await stateOf(order), "paid");

  // A text whose money is true, and the one before it was lost.
  const { order: unlucky, card: other } = await expected();
  other.income(17);
  await phone.hears(other.income(unlucky.amount));
  assert.equal(await stateOf(unlucky), "pending");
  const made_at = trade.now();
  await own.post("transfers", {
    wallet: unlucky.wallet,
    amount: unlucky.amount,
    reference: "line-60",
    made_at,
  });
  assert.equal(await stateOf(unlucky), "paid");
  // From there on balances follow again.
  trade.tick();
  const { order: next, card: same } = await expected();
  if (same === other) {
    await phone.hears(same.income(next.amount));
    assert.equal(await stateOf(next), "paid");
  }
  await assertBooksAreRight(gateway);
});

it("60. late money that its shop wants held is held, also when a statement that knows only the day proves it", async () => {
  await own.post(`shops/${SHOP.id}`, { late_policy: "hold" });
  const plain = await expected();
  const { order, card } = await expected(2000);
  await trade.pass(25 * MINUTE);
  await phone.hears(plain.card.income(plain.order.amount));
  assert.equal((await fates(gateway, plain.order))[0], "late_held");
  assert.deepEqual(await phone.hears(card.forged(order.amount)), ["accepted"]);
  assert.equal((await fates(gateway, order))[0], "balance_break");
  const { wallet, amount } = order;
  const made_at = new Date(Date.parse(trade.now()) + 3 * HOUR * 1000).toISOString().slice(0, 10);
  await own.post("transfers", { wallet, amount, made_at, reference: "line-60-late" });
  assert.equal((await fates(gateway, order))[0], "late_held");
  await own.post(`shops/${SHOP.id}`, { late_policy: "credit" });
  await assertBooksAreRight(gateway);
});

it("61. what must not be taken for money is not, whatever bank it is read by", async () => {
  const file = new URL("../../../test/corpus/notifications.json", import.meta.url);
  const corpus: { name: string; bank: string; text: string; expected: { kind: string } }[] =
    JSON.parse(readFileSync(file, "utf8"));
  const others = corpus.filter(({ expected: { kind } }) => kind !== "income" && kind !== "blocked");
  assert.ok(others.length > 25);
  const before = await trade.balance();
  const { items } = await own.get("transfers?limit=200");
  for (const bank of new Set(others.map((one) => one.bank))) {
    const reader = await openPhone(gateway, { banks: [bank] });
    await reader.hears(others.filter((one) => one.bank === bank).map(({ text }) => text));
  }
  assert.equal((await own.get("transfers?limit=200")).items.length, items.length);
  assert.deepEqual(await trade.balance(), before);
});

it("62. a phone that was away for thirty hours: its money is matched by its own moment", async () => {
  const { order, card } = await expected();
  const sent_at = trade.now();
  const text = card.income(order.amount);
  await trade.pass(30 * HOUR);
  assert.equal(await stateOf(order), "expired");
  const { order: stranger } = await expected();
  await phone.hears(text, { sent_at });
  assert.equal(await stateOf(order), "paid");
  assert.notEqual(await stateOf(stranger), "paid");
  const { made_at } = (await own.get("transfers?limit=1")).items[0];
  assert.equal(made_at, `${sent_at.slice(0, 16)}Z`);
  await assertBooksAreRight(gateway);
});

it("63. a phone whose clock is in 2031, or a message older than three days, waits and is no money", async () => {
  const { order, card, before } = await expected();
  for (const sent_at of ["2031-01-01T00:00:00Z", "2026-01-01T00:00:00Z", 1]) {
    trade.tick();
    const text = card.income(order.amount);
    assert.deepEqual(
      await phone.hears(text.replace("Иван", `Иван${"а".repeat(before)}`), { sent_at }),
      ["accepted"],
    );
    assert.equal(await lastFate(), "waiting");
    card.outflow(order.amount, 0);
    await trade.pass(HOUR);
  }
  assert.equal((await fates(gateway, order)).length, before);
  assert.notEqual(await stateOf(order), "paid");
});

it("64. 401 for a wrong token, and for a signature that is wrong or older than five minutes; nothing is stored", async () => {
  const signing = await openPhone(gateway, { adapter: "sms-gateway" });
  const body = JSON.stringify({
    id: "1",
    event: "sms:received",
    deviceId: "d",
    webhookId: "w",
    payload: {
      messageId: "m",
      message: "VISA0007 12:00 Перевод 5р от Иван П. Баланс: 5р",
      phoneNumber: "900",
    },
  });
  const sign = (text: string, seconds: number, key = signing.token) => ({
    "access-token": "",
    "x-timestamp": String(seconds),
    "x-signature": createHmac("sha256", key)
      .update(text + seconds)
      .digest("hex"),
  });
  const now = Math.floor(gateway.app.clock.now().getTime() / 1000);
  const before = await printOf(gateway);
  const wrong: [words: string, sent: Record<string, string>, sent?: string][] = [
    ["no signature, the key as a token", {}],
    ["another key", sign(body, now, "kop_other")],
    ["another body", sign(`${body} `, now)],
    ["six minutes old", sign(body, now - 6 * MINUTE)],
    ["six minutes ahead", sign(body, now + 6 * MINUTE)],
    ["no moment", { ...sign(body, now), "x-timestamp": "" }],
    ["half of it", { ...sign(body, now), "x-signature": "00" }],
  ];
  for (const [words, headers] of wrong) {
    assert.equal((await signing.report(body, headers)).status, 401, words);
  }
  const said = { sender: "900", text: "VISA0007 12:00 Перевод 5р от Иван П. Баланс: 5р" };
  const bearer = { "access-token": "", authorization: `Bearer ${phone.token}` };
  const tokens = [
    { "access-token": "" },
    { "access-token": "kop_wrong" },
    { "access-token": signing.token },
  ];
  for (const headers of [...tokens, { ...bearer, authorization: phone.token }]) {
    assert.equal((await phone.report(said, headers)).status, 401, JSON.stringify(headers));
  }
  const elsewhere = { headers: { "access-token": phone.token }, body: said };
  assert.equal((await gateway.call(`/intake/${signing.id}`, elsewhere)).status, 401);
  assert.equal((await gateway.call(`/intake/${NOBODY}`, elsewhere)).status, 401);
  assert.equal((await gateway.call("/intake/nonsense", elsewhere)).status, 422);
  // A large body is not even read.
  const large = { messages: [{ sender: "900", text: "x".repeat(200_000) }] };
  assert.equal((await phone.report(large, { "access-token": "wrong" })).status, 401);
  assert.deepEqual(await printOf(gateway), before);

  assert.equal((await signing.report(body, sign(body, now - 4 * MINUTE))).body.data.accepted, 1);
  assert.equal((await phone.report({ messages: [] }, bearer)).status, 200);
  const revoked = await openPhone(gateway);
  await own.post(`sources/${revoked.id}/revoke`);
  assert.equal((await revoked.report({ messages: [] })).status, 401);
});

it("65. a text with a one-time code is neither in the database nor in the log", async () => {
  const codes = ["482913", "551200", "773311", "904455"];
  const texts = [
    `Никому не сообщайте код ${codes[0]}. Перевод 5000р`,
    `Пароль: ${codes[1]}`,
    `VISA0007 12:00 Перевод 5р от Иван П. Баланс: 5р. Код ${codes[2]}`,
    `Your code is ${codes[3]}`,
  ];
  assert.deepEqual(
    await phone.hears(texts),
    texts.map(() => "ignored"),
  );
  const stored = await everyRow(gateway);
  const seen = [stored, ...gateway.log, (await own.ask("messages?limit=200")).text].join("\n");
  // Random bytes are written as digits, too: six of them in a row are bound to be some code's one day.
  for (const code of codes)
    assert.doesNotMatch(seen, new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`));
});

it("66. 200 KB of text, two hundred messages and what is no message at all are answered kindly", async () => {
  const huge = `VISA0007 12:00 Перевод 5р от ${"Иван ".repeat(40_000)}Баланс: 5р`;
  assert.deepEqual(await phone.hears(huge), ["ignored"]);
  const two = Array.from({ length: 200 }, (_, index) => `VISA0007 12:00 перевод ${index}`);
  assert.deepEqual(
    await phone.hears(two),
    two.map(() => "ignored"),
  );
  assert.equal((await phone.report({ messages: [...two, "one more"] })).status, 422);
  const strange = [
    {
      messages: [1, null, "x", [], {}, { sender: 900, text: 1 }, { sender: "900", text: "a\0b" }],
    },
    { sender: "900" },
    { text: "x" },
    { sender: "900", text: "\ud800" },
    { sender: " ", text: "x" },
  ];
  for (const body of strange) {
    const { status, body: answer } = await phone.report(body);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(answer.data.accepted + answer.data.duplicate, 0);
  }
  assert.equal((await phone.report([])).status, 422);
  assert.equal((await phone.report("{")).status, 422);
});

it("messages out of order: what did not follow is put right by what comes later, in any order", async () => {
  const { order, card } = await expected();
  const texts = [
    card.income(10.01),
    card.outflow(3, 1),
    card.income(10.02),
    card.income(order.amount),
  ];
  await phone.hears(texts[3] ?? "");
  assert.equal(await stateOf(order), "pending");
  await phone.hears([texts[1] ?? "", texts[2] ?? ""]);
  assert.equal(await stateOf(order), "pending");
  await phone.hears(texts[0] ?? "");
  assert.equal(await stateOf(order), "paid");
  const { items } = await own.get("messages?limit=4");
  assert.deepEqual(items.map((one: { fate: string }) => one.fate).toSorted(), [
    "accepted",
    "accepted",
    "accepted",
    "noted",
  ]);
  await assertBooksAreRight(gateway);
});

it("a title is kept where it was read, and no other: however long it is, and whatever stands in it", async () => {
  const { order, card, before } = await expected();
  const read = async () => (await own.get("messages?limit=1")).items[0].text;
  const code = "Код 662910 ";
  for (const title of [code, "Пополнение «Black»", "я".repeat(1_000), code.repeat(5_000)]) {
    const text = card.income(5);
    assert.deepEqual(await phone.hears(text, { title }), ["accepted"]);
    assert.equal(await read(), text, "the text alone was read");
  }
  const text = card.income(order.amount);
  const [title = "", ...rest] = text.split(" ");
  assert.deepEqual(await phone.hears(rest.join(" "), { title }), ["accepted"]);
  assert.equal(await read(), text, "the title begins what the text goes on with");
  assert.equal((await fates(gateway, order)).length, before + 5);
  assert.equal(await stateOf(order), "paid");
});

it("what a phone has cut in the midst of an emoji, or has no sign for, is money all the same", async () => {
  const { order, card, before } = await expected();
  const half = "\ud83d";
  const texts = [card.income(5, ` «спасибо ${half}`), `\0${card.income(6)}`, card.income(7)];
  const [first = "", second = "", third = ""] = texts;
  assert.deepEqual(await phone.hears([first, second]), ["accepted", "accepted"]);
  assert.deepEqual(await phone.hears(third, { title: `${half}\0` }), ["accepted"]);
  const [begin = "", ...rest] = card.income(order.amount, ` Сообщение: ${half}`).split(" ");
  assert.deepEqual(await phone.hears(rest.join(" "), { title: `\0${begin}` }), ["accepted"]);
  assert.deepEqual(await phone.hears(first), ["duplicate"]);
  assert.equal((await fates(gateway, order)).length, before + 4);
  await assertBooksAreRight(gateway);
});

it("the sender counts, and the digits: another's card is nobody's money, and two that fit are unclear", async () => {
  const { order, card, before } = await expected();
  const text = card.income(order.amount);
  const strangers = async () =>
    /kopeck_messages_total\{outcome="stranger"\} (\d+)/.exec(
      await (await fetch(`${gateway.url}/metrics`)).text(),
    )?.[1] ?? "0";
  const so = Number(await strangers());
  assert.deepEqual(await phone.hears(text, { sender: "901" }), ["ignored"]);
  assert.equal(Number(await strangers()), so + 1);
  assert.match(gateway.log.join(""), /"level":"warn".*not from a sender of its source/);
  trade.tick();
  assert.deepEqual(await phone.hears(text.replace(card.name, "VISA9999")), ["accepted"]);
  assert.equal(await lastFate(), "unclear");
  const { items } = await own.get(`requisites?wallet=${order.wallet.slice(-4)}`);
  const [{ requisite_id }] = items;
  const one = await openPhone(gateway, {
    requisite_ids: [requisite_id],
    endings: [`${requisite_id}:5555`],
  });
  trade.tick();
  await one.hears(text.replace(card.name, "VISA9999"));
  assert.equal(await lastFate(), "unclear");
  assert.equal((await fates(gateway, order)).length, before);
  // Digits that the bank prints beside those of the card.
  trade.tick();
  await one.hears(text.replace(card.name, "СЧЁТ5555"));
  const [told] = (await own.get("messages?limit=1")).items;
  assert.equal(told.requisite_id, requisite_id);
  assert.equal((await fates(gateway, order)).length, before + 1);
});

it("a text that tells known money with a balance of its own choosing moves no balances", async () => {
  const { order, card } = await expected(7777);
  await trade.pay(order, { made_at: trade.now() });
  const lie = `${card.name} ${card.time()} Перевод ${order.amount}р от Иван П. Баланс: 1000000р`;
  await phone.hears(lie);
  let next = await trade.order({ amount: 8888 });
  while (next.wallet !== order.wallet) next = await trade.order({ amount: 8888 });
  trade.tick();
  await phone.hears(
    `${card.name} ${card.time()} Перевод ${next.amount}р от Иван П. Баланс: ${1_000_000 + next.amount}р`,
  );
  assert.equal(await stateOf(next), "pending");
});

it("a blocked card is given out no more, and the audit log says who said so", async () => {
  const { order } = await expected();
  const [{ requisite_id }] = (await own.get(`requisites?wallet=${order.wallet.slice(-4)}`)).items;
  const text = `Ваша карта VISA${order.wallet.slice(-4)} заблокирована. Позвоните в банк`;
  const { row } = await trade.audited(() => phone.hears(text));
  assert.deepEqual(
    [row.act, row.subject, row.operator_name, row.before.enabled, row.after.enabled],
    ["requisite.block", requisite_id, "source phone", true, false],
  );
  assert.equal((await own.get(`requisites/${requisite_id}`)).enabled, false);
  assert.match(gateway.log.join(""), /"level":"warn".*the bank has blocked a requisite/);
  assert.match(
    await (await fetch(`${gateway.url}/metrics`)).text(),
    /kopeck_requisites_blocked_total 1/,
  );
  await own.post(`requisites/${requisite_id}`, { enabled: true });
});

it("each app reports in its own form", async () => {
  const at = Date.parse(trade.now());
  const { order, card } = await expected();
  const [{ requisite_id }] = (await own.get(`requisites?wallet=${order.wallet.slice(-4)}`)).items;
  const forms: Record<string, (text: string) => object> = {
    "p2p-processing": (message) => ({ sender: "900", message, timestamp: at, type: "sms" }),
    ownpay: (body) => ({
      messages: [{ local_id: 1, sender: "900", body, received_at: trade.now() }],
    }),
    device: (content) => ({
      packageName: "900",
      appName: "x",
      title: "СберБанк",
      content,
      timestamp: at,
      priority: 1,
    }),
    "income-sms-webhook": (text) => ({
      from: "900",
      text,
      sentStamp: at,
      receivedStamp: at,
      sim: "sim1",
    }),
    "sms-forwarder": (content) => ({ from: "900", content, timestamp: String(at) }),
  };
  for (const [adapter, form] of Object.entries(forms)) {
    const one = await openPhone(gateway, { adapter, requisite_ids: [requisite_id] });
    const { body } = await one.report(form(card.income(2.02)));
    assert.deepEqual(
      body.data,
      { accepted: 1, duplicate: 0, ignored: 0, messages: ["accepted"] },
      adapter,
    );
    const [message] = (await own.get(`messages?source_id=${one.id}`)).items;
    assert.deepEqual(
      [message.fate, message.channel],
      ["accepted", adapter === "device" ? "push" : "sms"],
      adapter,
    );
    // A body without messages is a heartbeat.
    assert.equal((await one.report({})).body.data.ignored, 0, adapter);
  }
  // A title that the text goes on from.
  const app = await openPhone(gateway, {
    adapter: "device",
    senders: ["ru.sber"],
    requisite_ids: [requisite_id],
  });
  const { body } = await app.report({
    packageName: "ru.sber",
    title: "Перевод от МАРИНА Д. Газпромбанк",
    timestamp: at,
    content: `+ 7 ₽ – Баланс: ${card.income(7).split(": ")[1]?.slice(0, -1)} ₽ СЧЁТ •• ${"0101"}`,
  });
  assert.equal(body.data.accepted, 1);
});

it("a statement moves the balances on: the first message must follow from it, and what waited for it is matched", async () => {
  const account = "40817810700000005555";
  const numbers = { bank: "sber", receiver_name: "Олег О.", card: "4111111111111111", account };
  const { requisite_id } = await own.post("requisites", numbers);
  const one = await openPhone(gateway, { requisite_ids: [requisite_id] });
  const day = (from: number) =>
    new Date(Date.parse(trade.now()) + (from * 24 + 3) * HOUR * 1000).toISOString().slice(0, 10);
  const bring = async (opening: number, sums: readonly number[], from = -1) => {
    const days = { [day(from)]: sums.map((sum, index) => ({ sum, number: String(index) })) };
    const content = Buffer.from(statement1c([{ account, opening, days }])).toString("base64");
    await own.post("imports", { filename: `${day(from)}.txt`, content });
    await applyImports(gateway);
  };
  const fateOf = async (text: string): Promise<string> => {
    trade.tick();
    await one.hears(text);
    return lastFate();
  };
  const past = async () =>
    (await own.get(`messages?source_id=${one.id}`)).items.map(
      (each: { fate: string }) => each.fate,
    );
  await bring(0, [300]);
  const card = openCard(gateway, numbers.card, 300);
  assert.equal(await fateOf(card.forged(500)), "broken");
  assert.equal(await fateOf(card.income(200)), "accepted");
  // One is lost on its way, and told by nobody until the next day.
  card.income(100);
  assert.equal(await fateOf(card.income(50)), "broken");
  await trade.pass(24 * HOUR);
  assert.equal(await fateOf(card.income(20)), "broken");
  await bring(300, [200, 100, 50]);
  assert.deepEqual(await past(), ["accepted", "accepted", "accepted", "broken"]);
  assert.equal(await fateOf(card.outflow(7, 1)), "noted");
  // A file of a day that is long over says nothing new.
  await bring(250, [400], -4);
  assert.equal(await fateOf(card.income(30)), "accepted");
  const { items } = await own.get(`transfers?requisite_id=${requisite_id}`);
  const sums = items
    .map((each: { amount: number }) => each.amount)
    .toSorted((a: number, b: number) => a - b);
  assert.deepEqual(sums, [20, 30, 50, 100, 200, 300, 400, 500]);
  await assertBooksAreRight(gateway);
});

it("60. an empty account is a balance that everybody can guess: it pays nobody, or waits for its statement", async () => {
  const { requisite_id } = await own.post("requisites", {
    bank: "sber",
    receiver_name: "Пётр П.",
    card: "5555555555554444",
  });
  const other = await openPhone(gateway, { requisite_ids: [requisite_id], needs_statement: false });
  const last = async (): Promise<string[]> => {
    const [{ state, suspense_reason: why, needs_proof }] = (
      await own.get(`transfers?requisite_id=${requisite_id}`)
    ).items;
    return [why ?? state, String(needs_proof)];
  };
  // Its first text begins with nothing.
  const card = openCard(gateway, "4444", 0);
  await other.hears(card.income(1020));
  await other.hears(`VISA4444 ${card.time()} Перевод 3060р от ПЕТР С. Баланс: 0р`);
  assert.equal((await last())[0], "balance_break");
  // Nor after something made up that would have emptied it.
  await other.hears(`VISA4444 ${card.time()} перевод 2040р TINKOFF Баланс: 0р`);
  await other.hears(`VISA4444 ${card.time()} Перевод 2040р от ПЕТР С. Баланс: 2040р`);
  assert.equal((await last())[0], "balance_break");
  // True ones go on. What follows from an empty account is money, and waits for its statement; so does what follows
  // from that, for whoever has sent the first of two forged texts knows the balance of the second.
  await other.hears(card.income(5));
  await other.hears(card.income(1000));
  assert.deepEqual((await last())[1], "true");
  // A statement says what is there.
  const account = "40817810700000004444";
  await own.post(`requisites/${requisite_id}`, { account });
  const bring = async (opening: number, sums: readonly number[]) => {
    await trade.pass(DAY);
    const here = Date.parse(trade.now()) + 3 * HOUR * 1000;
    const yesterday = new Date(here - DAY * 1000).toISOString().slice(0, 10);
    const lines = sums.map((sum, at) => ({ sum, number: `${opening}-${at}` }));
    const text = statement1c([{ account, opening, days: { [yesterday]: lines } }]);
    const content = Buffer.from(text).toString("base64");
    const { import_id } = await own.post("imports", { filename: "day.txt", content });
    await applyImports(gateway);
    const { duplicate, new: fresh } = await own.get(`imports/${import_id}`);
    trade.tick();
    return [duplicate, fresh];
  };
  assert.deepEqual(await bring(0, [1020, 5, 1000]), [3, 0]);
  // It began with nothing: who has paid all of it knows what is there still, also a day later on which nothing came.
  await other.hears(card.income(7));
  assert.deepEqual((await last())[1], "true");
  assert.deepEqual(await bring(2025, [7]), [1, 0]);
  await other.hears(card.income(8));
  assert.deepEqual((await last())[1], "false");
  await other.hears(card.outflow(2040, 0));
  await other.hears(card.income(9));
  assert.deepEqual((await last())[1], "true");
  await assertBooksAreRight(gateway);
});

it("54. nor is what comes again past midnight other money, though the text says no moment and no balance", async () => {
  const { items } = await own.get("requisites?limit=1");
  const [{ requisite_id }] = items;
  const changes = { banks: ["mts"], senders: ["MTS-Bank"], requisite_ids: [requisite_id] };
  const quiet = await openPhone(gateway, { ...changes, name: "quiet" });
  const { now } = gateway.app.clock;
  const midnight = new Date(now()).setUTCHours(21, 0, 0, 0) + DAY * 1000;
  await trade.pass(Math.round((midnight - now().getTime()) / 1000) - 5);
  const text = "Поступление 5000.77р. Вадим Денисович Д через СБП.";
  const hears = () => quiet.hears(text, { sender: "MTS-Bank" });
  const outcomes = [...(await hears())];
  await trade.pass(10);
  outcomes.push(...(await hears()));
  assert.deepEqual(outcomes, ["accepted", "duplicate"]);
  // A day later it is said of other money.
  await trade.pass(DAY);
  assert.deepEqual(await hears(), ["accepted"]);
  assert.equal((await own.get("transfers?amount=5000.77")).items.length, 2);
  await assertBooksAreRight(gateway);
});

it("60. roubles that a text tells of are no dollars: a requisite in dollars hears of no money by it", async () => {
  const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 1000 };
  await own.post("tariffs", { service: "p2p_card", currency: "USD", ...rates });
  const dollars = { bank: "tinkoff", receiver_name: "Юлия М.", currency: "USD" };
  const { requisite_id } = await own.post("requisites", { ...dollars, card: "4012888888881881" });
  const changes = { banks: ["tinkoff", "sber"], channel: "push", requisite_ids: [requisite_id] };
  const other = await openPhone(gateway, { ...changes, needs_statement: false });
  const { body } = await createInvoice(gateway, { currency: "USD", amount: 50 });
  const { id } = body.data;
  const details = await createH2h(gateway, id, { payment_data: { bank: "tinkoff" } });
  assert.equal(details.body.data.amount, "51.00");
  trade.tick();
  const texts = [
    "Пополнение, счет RUB. 51 RUB. Иван П. Доступно 1051 RUB",
    `VISA1881 ${openCard(gateway, "1881").time()} Иван П. перевел(а) вам 51р.`,
  ];
  for (const text of texts) {
    await other.hears(text);
    assert.equal(await lastFate(), "unclear");
  }
  assert.equal((await own.get(`invoices/${id}`)).invoice.state, "pending");
  assert.deepEqual((await own.get(`transfers?requisite_id=${requisite_id}`)).items, []);
});
