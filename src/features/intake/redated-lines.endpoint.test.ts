// Lines that a bank has dated anew since the file before, through /manage/imports: as much on another day is no
// other money until somebody has said so.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR } from "../../../test/orders.ts";
import { statement1c } from "../../../test/statement-file.ts";

const { gateway, own, trade } = await openOneGateway();
afterEach(() => assertBooksAreRight(gateway));

const ACCOUNT = "40817810000000000101";
const CARD_ID = "00000000-0000-4000-8000-000000000101";
type Line = { line_id: string; day: string; outcome: string };
type Days = Parameters<typeof statement1c>[0][number]["days"];

const dayAfter = (days: number): string => {
  const at = gateway.app.clock.now().getTime() + (3 + days * 24) * HOUR * 1000;
  return new Date(at).toISOString().slice(0, 10);
};

let files = 0;
async function bring(days: Days) {
  files += 1;
  const content = Buffer.from(statement1c([{ account: ACCOUNT, days }])).toString("base64");
  const { import_id } = await own.post("imports", { filename: `${files}.txt`, content });
  await applyImports(gateway);
  return (await own.get(`lines?import_id=${import_id}`)).items;
}

/** The one card that is left to pay to. */
const { items: all } = await own.get("requisites?limit=200");
for (const { requisite_id } of all) {
  if (requisite_id !== CARD_ID) await own.post(`requisites/${requisite_id}`, { enabled: false });
}

const stateOf = async (id: string) => (await own.get(`payments?invoice_id=${id}`)).items[0].state;

for (const [amount, inTwo] of [
  [700, false],
  [800, true],
] as const) {
  const said = inTwo ? "after a file that had lost it" : "in the file that has lost it";
  it(`a line that its bank has dated days later, ${said}, pays nobody else`, async () => {
    // Its days are those of no other.
    await trade.pass(96 * HOUR);
    const paid = await trade.order({ amount });
    const [day, sum] = [dayAfter(0), paid.amount];
    await bring({ [day]: [{ sum, number: `${amount}` }] });
    await trade.pass(48 * HOUR);
    const waits = await trade.order({ amount });
    assert.equal(waits.amount, sum, "its slot is somebody else's by now");
    const [eve, today] = [dayAfter(-1), dayAfter(0)];
    const lost = { [day]: [], [eve]: [{ sum: 1, number: `${amount}` }] };
    const anew = { [today]: [{ sum, number: `${amount}` }] };
    if (inTwo) await bring(lost);
    await bring(inTwo ? anew : { ...lost, ...anew });
    const lines = (await own.get("lines?waiting=true")).items;
    assert.deepEqual(lines.map((one: Line) => [one.day, one.outcome]).toSorted(), [
      [day, "missing"],
      [today, "changed"],
    ]);
    assert.deepEqual([await stateOf(paid.id), await stateOf(waits.id)], ["paid", "live"]);
    // Once somebody has said what it is, as much is other money again.
    for (const { line_id } of lines) {
      await own.post(`lines/${line_id}/decide`, { decision: "exclude", reason: "dated anew" });
    }
    await bring({ [today]: [...(anew[today] ?? []), { sum, number: "another" }] });
    assert.equal(await stateOf(waits.id), "paid");
  });
}

it("what somebody has said of a line that is gone stays, whatever further files lack it", async () => {
  await trade.pass(96 * HOUR);
  const day = dayAfter(0);
  await bring({
    [day]: [
      { sum: 901, number: "1" },
      { sum: 902, number: "2" },
    ],
  });
  await trade.pass(24 * HOUR);
  const rest = [{ sum: 902, number: "2" }];
  await bring({ [day]: rest, [dayAfter(0)]: [{ sum: 903, number: "3" }] });
  const [gone] = (await own.get("lines?waiting=true")).items;
  assert.equal(gone.amount, 901);
  const said = { decision: "exclude", reason: "the bank has taken it back" };
  await own.post(`lines/${gone.line_id}/decide`, said);
  const changed = await bring({ [day]: [...rest, { sum: 904, number: "4" }] });
  assert.deepEqual(
    changed.map((one: Line) => one.outcome),
    ["new"],
    "nobody asks about it again",
  );
  const all = (await own.get(`lines?requisite_id=${CARD_ID}`)).items;
  const [now] = all.filter((one: Line) => one.line_id === gone.line_id);
  assert.deepEqual([now.outcome, now.settled_reason], ["new", said.reason]);
  // It is there again, and once more it is not: that is news.
  await bring({ [day]: [{ sum: 901, number: "1" }, ...rest, { sum: 904, number: "4" }] });
  await bring({ [day]: [...rest, { sum: 904, number: "4" }, { sum: 905, number: "5" }] });
  const waiting = (await own.get("lines?waiting=true")).items;
  assert.deepEqual(waiting.map((one: { amount: number }) => one.amount).toSorted(), [901, 905]);
  for (const { line_id } of waiting) await own.post(`lines/${line_id}/decide`, said);
});

it("a line that a person has booked, and its bank has dated days later, pays nobody else either", async () => {
  await trade.pass(200 * HOUR);
  const paid = await trade.order({ amount: 900 });
  const [day, sum] = [dayAfter(0), paid.amount];
  await bring({ [day]: [{ sum: 1, number: "1" }] });
  await bring({ [day]: [{ sum, number: "1" }] });
  for (const { line_id, amount } of (await own.get("lines?waiting=true")).items) {
    const decision = amount === sum ? "book" : "exclude";
    await own.post(`lines/${line_id}/decide`, { decision, reason: "the bank has corrected it" });
  }
  assert.equal(await stateOf(paid.id), "paid");
  await trade.pass(48 * HOUR);
  const waits = await trade.order({ amount: 900 });
  assert.equal(waits.amount, sum);
  const [anew] = await bring({ [day]: [], [dayAfter(0)]: [{ sum, number: "7" }] });
  assert.deepEqual([anew.outcome, await stateOf(waits.id)], ["changed", "live"]);
});
