// A payer's card number, however it is written: whole in no table, answer, webhook, audit log or log.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import fc from "fast-check";
import { assertBooksAreRight } from "./books.ts";
import { anyCard, plainDigits, WRITINGS } from "./card-writings.ts";
import { SHOP } from "./cast.ts";
import { OPERATOR_TOKEN } from "./manage.ts";
import { openOneGateway } from "./one-gateway.ts";
import { DAY } from "./orders.ts";
import { openReceiver } from "./receiver.ts";

const CARD = "2202200000000007";
const words =
  "The reference field holds a card number; name the transfer by the bank's own reference.";

const { gateway, own, trade } = await openOneGateway({ logLevel: "trace" });
const receiver = await openReceiver();
after(() => receiver.close());

const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
const sandbox = (body: unknown) => gateway.call("/sandbox/transfers", { body, headers });
const cards = fc.sample(anyCard, {
  numRuns: Object.keys(WRITINGS).length,
  ...(process.env["KOPECK_TEST_SEED"] && { seed: Number(process.env["KOPECK_TEST_SEED"]) }),
});
const written = Object.entries(WRITINGS).map(([name, write], index) => {
  const card = cards[index] ?? "";
  return { name, card, text: write(card) };
});

it("as a payer is masked, in every writing: in tables, answers, webhooks, audit and log", async () => {
  const answers: string[] = [];
  for (const { text } of written) {
    await trade.pass(2 * DAY);
    const order = await trade.order({ hook_url: receiver.url });
    const paid = await trade.pay(order, { payer: `Иван ${text}` });
    const stray = await trade.pay(order, { amount: 7, payer: text });
    const played = await sandbox({ wallet: CARD, amount: 8, payer: text });
    const info = await gateway.call(`/invoice/info?shop_id=${SHOP.id}&invoice_id=${order.id}`, {
      headers: { "x-api-key": SHOP.key },
    });
    const whole = await own.ask(`invoices/${order.id}`);
    answers.push(JSON.stringify([paid, stray]), played.text, info.text, whole.text);
  }
  await trade.pass(0);
  assert.equal(receiver.received.length, written.length);
  answers.push((await own.ask("transfers?limit=200")).text);
  answers.push((await own.ask("audit?limit=200")).text);
  await assertNowhere(answers);
  await assertBooksAreRight(gateway);
});

it("as a reference is refused in clear words, in every writing and door, without a trace", async () => {
  const before = await tables();
  const answers: string[] = [];
  for (const { name, text } of written) {
    for (const reference of [text, `Иван, ${text}`]) {
      const transfer = { wallet: CARD, amount: 9, reference };
      const told = await own.ask("transfers", transfer);
      const played = await sandbox(transfer);
      assert.deepEqual([told.status, told.body.error], [422, [words]], name);
      assert.deepEqual([played.status, played.body.error], [422, words], name);
      const query = new URLSearchParams({ reference });
      const sought = await own.ask(`transfers?${query}`);
      assert.deepEqual(sought.body.data.items, []);
      answers.push(told.text, played.text, sought.text);
    }
  }
  assert.equal(await tables(), before);
  await assertNowhere(answers);
});

/** In nothing that was stored, answered, sent or written down. */
async function assertNowhere(answers: readonly string[]): Promise<void> {
  const places = {
    tables: await tables(),
    answers: answers.join("\n"),
    webhooks: receiver.received.map(({ raw }) => raw).join("\n"),
    log: gateway.log.join("\n"),
  };
  for (const [place, text] of Object.entries(places)) {
    // What JSON and the log write as an escape is the character that it stands for.
    const seen = text.replace(/\\+u([0-9a-f]{4})/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    const digits = plainDigits(seen);
    for (const { name, card } of written) {
      assert.ok(!digits.includes(card), `${card}, written with ${name}, is in the ${place}`);
    }
  }
}

async function tables(): Promise<string> {
  const names = await gateway.app.db.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const rows = names.map(({ name }) => `select row::text as text from ${name} row`);
  const all = await gateway.app.db.query<{ text: string }>(rows.join(" union all "));
  return all
    .map(({ text }) => text)
    .toSorted()
    .join("\n");
}
