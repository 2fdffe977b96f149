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
type Line = { line_id: string; day: string; fate: string; waits_for: string | null };
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
    assert.deepEqual(lines.map((one: Line) => [one.day, one.fate, one.waits_for]).toSorted(), [
      [day, "booked", null],
      [today, "waiting", "changed"],
    ]);
    assert.deepEqual([await stateOf(paid.id), await stateOf(waits.id)], ["paid", "live"]);
    // Once somebody has said what it is, as much is other money again.
    for (const { line_id } of lines) {
      await own.post(`lines/${line_id}/decide`, { decision: "ignore", reason: "dated anew" });
    }
    await bring({ [today]: [...(anew[today] ?? []), { sum, number: "another" }] });
    assert.equal(await stateOf(waits.id), "paid");
  });
}
