// A payer's card number, however it is written: whole in no table and no answer. One of them in webhooks
// and logs is looked for by test/secrets.test.ts; what is a card number, and what none, by the domain's test.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { holdsCardNumber } from "../src/domain/card-number.ts";
import { assertBooksAreRight } from "./books.ts";
import { anyCard, plainDigits, WRITINGS } from "./card-writings.ts";
import { OPERATOR_TOKEN } from "./manage.ts";
import { openOneGateway } from "./one-gateway.ts";
import { everyRow } from "./orders.ts";

const { gateway, own } = await openOneGateway();
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
      ...{ wallet, amount: 7, payer, reference: `writing ${index} ${turn}` },
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
