// A payer's card number, however it is written: whole in no table and no answer. One of them in webhooks
// and logs is looked for by test/secrets.test.ts; what is a card number, and what none, by the domain's test.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { holdsCardNumber } from "../src/domain/card-number.ts";
import { assertBooksAreRight } from "./books.ts";
import { anyCard, plainDigits, WRITINGS } from "./card-writings.ts";
import { manage, OPERATOR_TOKEN } from "./manage.ts";
import { OWNER_TOKEN } from "./members.ts";
import { openOneGateway } from "./one-gateway.ts";
import { DAY, everyRow } from "./orders.ts";

const { gateway, own, trade } = await openOneGateway();
const wallet = "2202200000000007";
const seed = process.env["KOPECK_TEST_SEED"];
const names = Object.entries(WRITINGS);
const cards = fc.sample(anyCard, { numRuns: names.length, ...(seed && { seed: Number(seed) }) });
const written = names.map(([name, write], index) => {
  const card = cards[index] ?? "";
  return { name, card, text: write(card) };
});

const assertNowhere = async (answers: readonly string[]): Promise<void> => {
  // What JSON writes as an escape is the character that it stands for.
  const seen = [await everyRow(gateway), ...answers]
    .join("\n")
    .replace(/\\+u([0-9a-f]{4})/gi, (_, hex) => {
      return String.fromCharCode(Number.parseInt(hex, 16));
    });
  const digits = plainDigits(seen);
  for (const { name, card } of written) {
    assert.ok(!digits.includes(card), `${card}, written with ${name}, stands somewhere`);
  }
};

it("as a payer is masked, in every writing", async () => {
  const items = written.flatMap(({ text }, index) =>
    [`Иван ${text}`, text].map((payer, turn) => ({
      wallet,
      amount: 7,
      payer,
      reference: `writing ${index} ${turn}`,
    })),
  );
  const told = await own.ask("transfers", { items });
  assert.equal(told.status, 200, told.text);
  const list = await own.ask("transfers?limit=200");
  await assertNowhere([told.text, list.text, (await own.ask("audit?limit=200")).text]);
  await assertBooksAreRight(gateway);
});

it("is to verify what it is to the code, and a bank's own numbers and codes are none", async () => {
  const codes = [
    "B60721203517006F0B10110011700501",
    "2026111512345670",
    "40817810000000001007",
    "К2202200000000007",
  ];
  const texts = [...cards.map((card) => `by ${card}.`), ...cards, ...codes, "", "4111"];
  const rows = await gateway.app.db.query<{ holds: boolean }>(
    "select holds_card_number(text) as holds from unnest($1::text[]) with ordinality as t(text, n) order by n",
    [texts],
  );
  const told = new Map(texts.map((text, index) => [text, rows[index]?.holds]));
  assert.deepEqual(told, new Map(texts.map((text) => [text, holdsCardNumber(text)])));
  for (const code of codes) assert.equal(told.get(code), false, code);
});

it("as a reference is refused in clear words, in every writing and door, without a trace", async () => {
  const words =
    "The reference field holds a card number; name the transfer by the bank's own reference.";
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const before = await everyRow(gateway);
  const answers: string[] = [];
  for (const { name, text } of written) {
    for (const reference of [text, `Иван, ${text}`]) {
      const body = { wallet, amount: 9, reference };
      const told = await own.ask("transfers", body);
      const played = await gateway.call("/sandbox/transfers", { body, headers });
      assert.deepEqual([told.status, told.body.error], [422, [words]], name);
      assert.deepEqual([played.status, played.body.error], [422, words], name);
      const sought = await own.ask(`transfers?${new URLSearchParams({ reference })}`);
      assert.deepEqual(sought.body.data.items, []);
      answers.push(told.text, played.text, sought.text);
    }
  }
  assert.equal(await everyRow(gateway), before);
  await assertNowhere(answers);
});

it("in why something was done is masked, whatever was done; a merchant's own number stays", async () => {
  const reason = `Order 123456789012, ${written.map(({ text }) => text).join(", ")}`.slice(0, 500);
  const cabinet = manage(gateway, OWNER_TOKEN, "cabinet");
  const paid = await trade.order({ amount: 3000 });
  await trade.pay(paid);
  await trade.pass(DAY);
  const refund = { invoice_id: paid.id, amount: 5, reason, reference: "once" };
  const { transfer_id: returned } = await own.post("transfers", {
    wallet,
    amount: 8,
    reference: "8",
  });
  const { items } = await own.get("requisites?limit=1");
  const { requisite_id } = items[0];
  const opening = { kind: "opening", requisite_id, amount: 1, reference: "opening", reason };
  const unpaid = await trade.order({ amount: 4000 });
  const answers = [
    await own.ask("refunds", refund),
    await own.ask("refunds", refund),
    await cabinet.ask("refunds", { ...refund, reference: "twice" }),
    await own.ask(`transfers/${returned}/return`, { reason }),
    await own.ask("own-moves", opening),
    await own.ask("own-moves", opening),
    await own.ask(`invoices/${unpaid.id}/cancel`, { reason }),
  ];
  for (const { status, text } of answers) assert.equal(status, 200, text);
  await assertNowhere(answers.map(({ text }) => text));
  await own.post("refunds", { ...refund, reference: "thrice", reason: "Order 123456789012" });
  const reasons = (await own.get("refunds")).items.map((one: { reason: string }) => one.reason);
  assert.ok(reasons.includes("Order 123456789012"));
  await assertBooksAreRight(gateway);
});
