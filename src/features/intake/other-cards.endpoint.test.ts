// Files that name no account, through /manage/imports: the same one brought for another card pays nobody there until
// somebody has looked; what two cards have alike by chance does.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();
afterEach(() => assertBooksAreRight(gateway));

const [ONE, OTHER] = ["101", "102"].map((end) => `00000000-0000-4000-8000-000000000${end}`);
const HEAD =
  "Дата транзакции;Описание;Валюта операции;Сумма в валюте операции;Валюта счета;Сумма в валюте счета";

/** The two cards that are left to pay to, in turns. */
const { items: all } = await own.get("requisites?limit=200");
for (const { requisite_id } of all) {
  if (requisite_id === ONE || requisite_id === OTHER) continue;
  await own.post(`requisites/${requisite_id}`, { enabled: false });
}

const today = (): string =>
  new Date(gateway.app.clock.now().getTime() + 3 * HOUR * 1000).toISOString().slice(0, 10);

/** What became of the lines that are new, in the file's order. */
async function bring(requisite_id: string | undefined, lines: readonly [number, string][]) {
  const day = today().split("-").toReversed().join(".");
  const rows = lines.map(([sum, what]) => `${day} 00:00;${what};RUB;${sum};RUB;${sum}`);
  const content = Buffer.from([HEAD, ...rows, ""].join("\r\n")).toString("base64");
  const file = { filename: "r.csv", content, requisite_id };
  const { dry_run: tried } = await own.post("imports", { ...file, dry_run: true });
  const { import_id } = await own.post("imports", file);
  await applyImports(gateway);
  const done = await own.get(`imports/${import_id}`);
  assert.deepEqual([tried.booked, tried.waiting], [done.booked, done.waiting], "as it was tried");
  const { items } = await own.get(`lines?import_id=${import_id}`);
  return items.toSorted((a: { row: number }, b: { row: number }) => a.row - b.row);
}

const outcomes = (lines: readonly { outcome: string }[]) => lines.map(({ outcome }) => outcome);

const stateOf = async (id: string) => (await own.get(`payments?invoice_id=${id}`)).items[0].state;

async function twoOrders(amount: number) {
  const orders = [await trade.order({ amount }), await trade.order({ amount })];
  const wallets = all.filter((one: { requisite_id: string }) => one.requisite_id === ONE);
  const isFirst = orders[0]?.wallet.slice(-4) === wallets[0].card.slice(-4);
  const [one, other] = isFirst ? orders : orders.toReversed();
  assert.ok(one !== undefined && other !== undefined);
  assert.equal(one.amount, other.amount);
  assert.notEqual(one.wallet, other.wallet);
  return { one, other };
}

it("a file that names no account, brought for the wrong card and then for the right one, pays one order", async () => {
  const { one, other } = await twoOrders(700);
  const lines: [number, string][] = [
    [one.amount, "Перевод от Ивана П."],
    [-99, "Плата за обслуживание"],
  ];
  assert.deepEqual(outcomes(await bring(OTHER, lines)), ["new", "outflow"]);
  // By the evening it has more.
  const evening = await bring(ONE, [...lines, [703, "Перевод от Анны К."]]);
  assert.deepEqual(outcomes(evening), ["account", "account", "new"]);
  assert.deepEqual([await stateOf(other.id), await stateOf(one.id)], ["paid", "live"]);
  const said = { decision: "book", reason: "the bank's page of this card has it" };
  await own.post(`lines/${evening[0].line_id}/decide`, said);
  assert.equal(await stateOf(one.id), "paid");
  await own.post(`lines/${evening[1].line_id}/decide`, { ...said, decision: "exclude" });
});

it("what two cards have alike by chance, or say no more of than a sum, is money of each", async () => {
  await trade.pass(48 * HOUR);
  const { one, other } = await twoOrders(800);
  const regular: [number, string] = [one.amount, "Перевод от Ивана П."];
  const first = await bring(ONE, [
    regular,
    [801, "Перевод от Анны К."],
    [802, "Перевод"],
    [805, "Перевод"],
  ]);
  assert.deepEqual(outcomes(first), Array(4).fill("new"));
  const second = await bring(OTHER, [
    regular,
    [803, "Перевод от Анны К."],
    [804, "Перевод"],
    [805, "Перевод"],
  ]);
  assert.deepEqual(outcomes(second), Array(4).fill("new"));
  assert.deepEqual([await stateOf(one.id), await stateOf(other.id)], ["paid", "paid"]);
  await trade.pass(48 * HOUR);
  const equal: [number, string][] = [500, 500, 510].map((sum) => [sum, "Перевод"]);
  for (const card of [ONE, OTHER]) {
    assert.deepEqual(outcomes(await bring(card, equal)), ["new", "new", "new"]);
  }
});
