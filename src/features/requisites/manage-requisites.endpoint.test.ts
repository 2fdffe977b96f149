// Requisites through /manage: what is given out and what is not, and numbers that stay masked.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE, NOBODY } from "../../../test/orders.ts";

const SANDBOX_REQUISITE = "00000000-0000-4000-8000-000000000101";
let cards = ["4111111111111111", "5555555555554444", "4012888888881881", "4242424242424242"];

const { gateway, own, trade } = await openOneGateway({
  shares: { shop: 100, user: 100, payer: 100 },
});

/** A new requisite, and no other of its bank is given out. */
const only = async (changes: Record<string, unknown> = {}) => {
  const { items } = await own.get("requisites?bank=sber&enabled=true");
  for (const { requisite_id } of items) {
    await own.post(`requisites/${requisite_id}`, { enabled: false });
  }
  trade.tick();
  const [card, ...rest] = cards;
  cards = rest;
  const wish = { bank: "sber", receiver_name: "Олег О.", card, ...changes };
  return { ...(await own.post("requisites", wish)), number: card };
};
const isGiven = async (amount = 1000): Promise<boolean> => {
  trade.tick();
  const { body } = await createInvoice(gateway, { amount });
  return (await createH2h(gateway, body.data.id)).status === 200;
};

it("200: a new one is masked wherever it is shown; whoever reveals it is in the log", async () => {
  const account = "40817810700000001234";
  const numbers = { card: "2200000000000004", phone: "+79161234567", account };
  const wish = { bank: "tinkoff", receiver_name: "Анна А.", ...numbers };
  const { answer, logged } = await trade.audited(() => own.post("requisites", wish));
  assert.deepEqual(answer, {
    requisite_id: answer.requisite_id,
    bank: "tinkoff",
    currency: "RUB",
    receiver_name: "Анна А.",
    card: "220000******0004",
    phone: "79*****4567",
    account: "408178**********1234",
    enabled: true,
    resting_since: null,
    min_sum: 1,
    max_sum: 150_000,
    max_live_payments: 30,
    max_day_payments: 300,
    max_day_sum: 1_000_000,
    live_payments: 0,
    day: null,
    day_payments: 0,
    day_sum: 0,
    last_used_at: null,
    created_at: trade.now(),
  });
  assert.deepEqual(logged, ["requisite.add", answer.requisite_id, null, answer]);
  for (const path of ["requisites", `requisites/${answer.requisite_id}`, "audit"]) {
    const { status, text } = await own.ask(path);
    assert.equal(status, 200);
    assert.ok(
      text.includes("220000******0004") &&
        !/2200000000000004|9161234567|40817810700000001234/.test(text),
    );
  }
  const revealed = await trade.audited(() =>
    own.post(`requisites/${answer.requisite_id.toUpperCase()}/reveal`),
  );
  assert.deepEqual(revealed.answer, numbers);
  const { act, subject, before: old, after: fresh } = revealed.row;
  assert.deepEqual(
    [act, subject, old, fresh],
    ["requisite.reveal", answer.requisite_id, null, null],
  );
  assert.doesNotMatch((await own.ask("audit")).text, /2200000000000004|9161234567|0700000001234/);
  assert.doesNotMatch(gateway.log.join(""), /2200000000000004|9161234567/);
});

it("200: a disabled one gets no new payment, but money for issued details is matched", async () => {
  const { requisite_id, number } = await only();
  const order = await trade.order();
  assert.equal(order.wallet, number);
  const path = `requisites/${requisite_id}`;
  const { answer, row } = await trade.audited(() => own.post(path, { enabled: false }));
  assert.deepEqual([answer.enabled, answer.live_payments, answer.day_sum], [false, 1, 1020]);
  assert.deepEqual(
    [row.act, row.before, row.after],
    ["requisite.update", { ...answer, enabled: true }, answer],
  );
  assert.equal(await isGiven(), false);
  const transfer = await trade.pay(order);
  assert.deepEqual([transfer.state, transfer.invoice_id], ["matched", order.id]);
  assert.equal((await own.get(path)).live_payments, 0);
  await own.post(path, { enabled: true });
  assert.equal(await isGiven(), true);
  await assertBooksAreRight(gateway);
});

it("200: limits hold from the next payment on", async () => {
  const { requisite_id } = await only({ max_live_payments: 1, min_sum: 102, max_sum: 2040 });
  const limit = (changes: object) => own.post(`requisites/${requisite_id}`, changes);
  assert.equal(await isGiven(2000.01), false, "over the largest amount");
  assert.equal(await isGiven(2000), true);
  assert.equal(await isGiven(300), false, "a second live one");
  await trade.pass(21 * MINUTE);
  assert.equal(await isGiven(300), true, "the first has lapsed");
  await limit({ max_live_payments: 9, min_sum: 500 });
  assert.equal(await isGiven(400), false, "under the smallest amount");
  await limit({ min_sum: 1, max_day_payments: 1 });
  assert.equal(await isGiven(400), false, "one today already");
  await limit({ max_day_payments: 9, max_day_sum: 1000 });
  assert.equal(await isGiven(700), false, "306 of 1000 are used up, 714 do not fit");
  assert.equal(await isGiven(600), true);
  await trade.pass(DAY);
  assert.equal(await isGiven(700), true, "a new day");
  const after = await own.get(`requisites/${requisite_id}`);
  assert.deepEqual([after.max_sum, after.max_day_sum, after.day_sum], [2040, 1000, 714]);
  await assertBooksAreRight(gateway);
});

it("200: is found by bank, switch and last digits of either number, all at once", async () => {
  const phone = "+79167650000";
  const { requisite_id } = await only({ phone });
  trade.tick();
  const found = async (query: string) =>
    (await own.get(`requisites?${query}`)).items.map(
      (one: { requisite_id: string }) => one.requisite_id,
    );
  assert.deepEqual(await found("wallet=0000"), [requisite_id]);
  assert.deepEqual(await found("wallet=0007"), [SANDBOX_REQUISITE]);
  assert.deepEqual(await found("wallet=0007&enabled=true"), []);
  assert.deepEqual(await found("wallet=0007&enabled=false&bank=sber"), [SANDBOX_REQUISITE]);
  assert.deepEqual(await found("wallet=0007&bank=tinkoff"), []);
  assert.deepEqual(await found("wallet=9876"), []);
  assert.deepEqual(await found("bank=sber&enabled=true"), [requisite_id]);
  const [first, second] = await found("bank=sber");
  const page = await own.get("requisites?bank=sber&limit=1");
  assert.deepEqual([first, page.next], [requisite_id, requisite_id]);
  assert.equal((await found(`bank=sber&limit=1&after=${page.next}`))[0], second);
  const { items } = await own.get("banks");
  assert.deepEqual(
    items.map(({ bank }: { bank: string }) => bank),
    ["sber", "tinkoff"],
  );
});

it("200: several are found by their ids, as shops and users are; 422 for what is no list of ids", async () => {
  for (const [list, key] of [
    ["requisites", "requisite_id"],
    ["shops", "shop_id"],
    ["users", "user_id"],
  ] as const) {
    const { items } = await own.get(list);
    const ids: string[] = items.map((one: Record<string, string>) => one[key]).slice(1, 3);
    const wanted = [...ids, NOBODY].join().toUpperCase();
    const found = await own.get(`${list}?ids=${wanted}`);
    assert.deepEqual(
      found.items.map((one: Record<string, string>) => one[key]),
      ids,
    );
    for (const wrong of ["1", `${NOBODY},`, Array(201).fill(NOBODY).join()]) {
      assert.equal((await own.ask(`${list}?ids=${wrong}`)).status, 422, list);
    }
  }
});

it("404 for a requisite that nobody knows, without a trace", async () => {
  await trade.refusedWithoutTrace(404, [
    [`requisites/${NOBODY}`, { enabled: false }],
    [`requisites/${NOBODY}/reveal`, {}],
  ]);
  assert.equal((await own.refused(`requisites/${NOBODY}`))[0], 404);
});

const one = { bank: "sber", receiver_name: "Олег О." };

it("422: a card or a phone belongs to one requisite, also beside a new number", async () => {
  const card = "5200828282828210";
  await own.post("requisites", { ...one, card });
  const taken = [422, ["The card, the phone or the account belongs to a requisite already."]];
  assert.deepEqual(await own.refused("requisites", { ...one, card }), taken);
  await trade.refusedWithoutTrace(422, [
    ["requisites", { ...one, card, bank: "tinkoff" }],
    ["requisites", { ...one, phone: "+79990000001" }],
    ["requisites", { ...one, card: "4000000000000002", phone: "+79990000001" }],
    ["requisites", { ...one, card, phone: "+79169999999" }],
  ]);
});

it("68. two requisites of one account: the second is refused, when it is added and when it is changed", async () => {
  const account = "40817810700000009999";
  await own.post("requisites", { ...one, card: "4000000000000010", account });
  const other = await own.post("requisites", { ...one, card: "4000000000000028" });
  const taken = [422, ["The card, the phone or the account belongs to a requisite already."]];
  const third = { ...one, card: "4000000000000036", account };
  assert.deepEqual(await own.refused("requisites", third), taken);
  assert.deepEqual(await own.refused(`requisites/${other.requisite_id}`, { account }), taken);
  await trade.refusedWithoutTrace(422, [
    [`requisites/${other.requisite_id}`, { account: "4081781070000000999" }],
    [`requisites/${other.requisite_id}`, { account: "4081781070000000999X" }],
  ]);
  const changed = await own.post(`requisites/${other.requisite_id}`, {
    account: "40817810700000008888",
  });
  assert.equal(changed.account, "408178**********8888");
});

it("another account leaves a row, also where the mask is the same; the same account does not", async () => {
  const first = { account: "40817810111111118888" };
  const { requisite_id } = await own.post("requisites", {
    ...one,
    card: "4000000000000044",
    ...first,
  });
  const path = `requisites/${requisite_id}`;
  const last = await own.lastAudit();
  trade.tick();
  await own.post(path, first);
  assert.deepEqual(await own.lastAudit(), last);
  const { answer, logged } = await trade.audited(() =>
    own.post(path, { account: "40817810222222228888" }),
  );
  assert.deepEqual(
    [logged[0], logged[2].account, logged[3].account, logged[3].account_changed],
    ["requisite.update", "408178**********8888", answer.account, true],
  );
});

it("422: a card has its check digit, a phone its country, and one of them is there", async () => {
  const wrong = [
    {},
    ...["4111111111111112", "4111 1111 1111 1111", "411111111111111", "4".repeat(20), ""].map(
      (card) => ({ card }),
    ),
    ...[4111111111111111, ["4111111111111111"], "411111111111111\0"].map((card) => ({ card })),
    ...[
      "89990000009",
      "+7999000000x",
      "+09990000009",
      "+7 999 000 00 09",
      "+799900000091234567",
    ].map((phone) => ({ phone })),
    { card: "4000000000000002", phone: "nonsense" },
  ];
  await trade.refusedWithoutTrace(
    422,
    wrong.map((numbers) => ["requisites", { ...one, ...numbers }] as const),
  );
  assert.deepEqual(await own.refused("requisites", { ...one, card: "4111111111111112" }), [
    422,
    ["The card field must be without a wrong digit: its last one, the check digit, does not fit."],
  ]);
  assert.deepEqual(await own.refused("requisites", { ...one, card: "4111 1111 1111 1112" }), [
    422,
    ["The card field must be a card number."],
  ]);
});

it("422: limits are amounts, not crossed, and counts", async () => {
  const wrong = [
    { min_sum: 0 },
    { min_sum: 1.005 },
    { min_sum: 100_000_000 },
    { max_sum: 0.001 },
    { max_sum: 1e13 },
    { min_sum: 10, max_sum: 9.99 },
    { max_live_payments: -1 },
    { max_live_payments: 1.5 },
    { max_day_payments: 1_000_001 },
    { max_day_payments: 2 ** 31 },
    { max_day_sum: -1 },
    { max_day_sum: "1" },
    { receiver_name: "a\0b" },
    { receiver_name: "x".repeat(101) },
    { enabled: "no" },
  ];
  await trade.refusedWithoutTrace(
    422,
    wrong.map((changes) => [`requisites/${SANDBOX_REQUISITE}`, changes] as const),
  );
  const fresh = { ...one, card: "4000000000000002" };
  const others = [{ bank: "vtb" }, { bank: null }, { currency: "rub" }, { receiver_name: "" }];
  await trade.refusedWithoutTrace(
    422,
    [...others, ...wrong]
      .filter((changes) => !("enabled" in changes))
      .map((changes) => ["requisites", { ...fresh, ...changes }] as const),
  );
  const queries = ["wallet=123", "wallet=12345", "wallet=abcd", "enabled=yes", "bank=vtb"];
  for (const query of queries) {
    assert.equal((await own.refused(`requisites?${query}`))[0], 422, query);
  }
});

it("422: a currency exists and has two decimals", async () => {
  await trade.refusedWithoutTrace(422, [
    ...["QQQ", "JPY", "KWD", "CLF", "XXX"].map(
      (currency) => ["requisites", { ...one, card: "4000000000000002", currency }] as const,
    ),
  ]);
});
