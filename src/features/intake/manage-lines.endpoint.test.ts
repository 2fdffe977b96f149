// Lines that wait, through /manage/lines: a person decides once, and what is decided moves money at most once.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { ownHand } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";
import { statement1c } from "../../../test/statement-file.ts";
import { LINE_OUTCOMES, type LineOutcome, mayBecome } from "../../domain/line-outcome.ts";

const { gateway, own, trade } = await openOneGateway();
afterEach(() => assertBooksAreRight(gateway));

const ACCOUNT = "40817810000000000101";
const CARD_ID = "00000000-0000-4000-8000-000000000101";
const STRANGER = "40817810099999999999";
const reason = "the bank was asked";

async function bring(days: Parameters<typeof statement1c>[0][number]["days"]) {
  const content = Buffer.from(statement1c([{ account: ACCOUNT, days }])).toString("base64");
  const { import_id } = await own.post("imports", { filename: "one.txt", content });
  await trade.pass(0);
  return (await own.get(`lines?import_id=${import_id}`)).items;
}

/** A decision, or what a line is booked as. */
const wordOf = (said: string) =>
  ["book", "exclude", "reopen"].includes(said)
    ? { decision: said, reason }
    : { decision: "book", kind: said, reason };
const decide = (line: { line_id: string }, said: string) =>
  own.post(`lines/${line.line_id}/decide`, wordOf(said));
const refused = async (line: { line_id: string }, said: string, words: string) =>
  assert.deepEqual(await own.refused(`lines/${line.line_id}/decide`, wordOf(said)), [422, [words]]);

/** What the accounts that lines go to have. */
const balances = async (): Promise<Record<string, number>> => {
  const had: Record<string, number> = {};
  for (const { kind, account_id } of (await own.get("accounts")).items) {
    if (!["bank_out", "fees", "own"].includes(kind)) continue;
    const { balance } = await own.get(`accounts/${account_id}`);
    if (balance !== 0) had[kind] = balance;
  }
  return had;
};

it("nobody has told other money by a line's name before it came, and so kept it from being booked", async () => {
  const day = "2026-02-18";
  const said = ["booked", "text", "in", day, "7700", null, "1", STRANGER, null, "Перевод"];
  const reference = `line:1c:${hash("sha256", said.join("\0"))}:1`;
  const item = { requisite_id: CARD_ID, amount: 1, reference };
  assert.equal((await own.ask("transfers", item)).status, 422);
  const { items } = await own.post("transfers", { items: [item] });
  assert.deepEqual(items[0].code, "reference_of_telling");
  const [line] = await bring({ [day]: [{ sum: 77 }] });
  assert.deepEqual(line.outcome, "new");
  const { reference: name } = await own.get(`transfers/${line.transfer_id}`);
  assert.equal(name, reference, "it is the line's name");
});

it("a line of a day to come waits, cannot be booked before it, and can be put aside", async () => {
  const [line] = await bring({ "2099-01-02": [{ sum: 1.23 }] });
  assert.deepEqual(line.outcome, "ahead");
  const path = `lines/${line.line_id}/decide`;
  assert.deepEqual(await own.refused(path, { decision: "book", reason }), [
    422,
    ["The line is of a moment that has not come yet."],
  ]);
  await trade.refusedWithoutTrace(422, [
    [path, { decision: "book", reason }],
    [path, { decision: "credit", reason }],
    [path, { decision: "exclude" }],
  ]);
  const { row } = await trade.audited(() => own.post(path, { decision: "exclude", reason }));
  assert.equal(row.act, "line.decide");
  assert.equal((await own.refused(path, { decision: "exclude", reason }))[0], 422);
  assert.equal(
    (await own.refused(`lines/${NOBODY}/decide`, { decision: "exclude", reason }))[0],
    404,
  );
});

it("money that left is not booked as what came; the one that vanished is taken out of the books, and the new one put in", async () => {
  const day = "2026-02-20";
  const both = [
    { sum: 5, number: "1" },
    { sum: -2.5, number: "2" },
  ];
  await bring({ [day]: both });
  // The same day again, without the money that left and with other money in its place.
  const lines = await bring({
    [day]: [
      { sum: 5, number: "1" },
      { sum: -2.51, number: "2" },
    ],
  });
  const [changed] = lines.filter(({ outcome }: { outcome: string }) => outcome === "changed");
  assert.equal(changed.direction, "out");
  await refused(changed, "income", "Only money that came in can be income.");
  assert.deepEqual(await balances(), { bank_out: -2.5 });
  const { items } = await own.get("lines?waiting=true");
  const gone = items.find(({ outcome }: { outcome: string }) => outcome === "missing");
  assert.deepEqual([gone.kind, typeof gone.missing_in], ["outflow", "string"]);
  assert.equal((await decide(gone, "book")).outcome, "outflow", "somebody has looked");
  assert.deepEqual(await balances(), { bank_out: -2.5 });
  const aside = await decide(gone, "exclude");
  assert.deepEqual([aside.outcome, aside.kind, aside.movement_id], ["excluded", null, null]);
  const left = await decide(changed, "outflow");
  assert.deepEqual([left.outcome, left.kind, left.settled_by], ["outflow", "outflow", "sandbox"]);
  assert.deepEqual(await balances(), { bank_out: -2.51 });
  await refused(gone, "outflow", "The line does not wait for a decision.");
});

it("what is no payer's money is what a person says, and the books say the same", async () => {
  const before = await balances();
  const day = "2026-02-21";
  const lines = await bring({
    [day]: [10, 20, 30, 40, 50, 60].map((sum) => ({ sum: -sum, number: String(sum) })),
  });
  const left = (sum: number) => lines.find(({ amount }: { amount: number }) => amount === sum);
  assert.equal(lines.length, 6);
  const words = { 10: "own", 20: "charge", 30: "internal", 40: "exclude" };
  for (const [sum, decision] of Object.entries(words)) await decide(left(Number(sum)), decision);
  const { bank_out = 0 } = before;
  assert.deepEqual(await balances(), {
    bank_out: bank_out - 30 - 50 - 60,
    fees: -20,
    own: -10,
  });
  const settled = "The line does not wait for a decision.";
  await refused(left(10), "own", settled);
  await refused(left(40), "outflow", settled);
  await refused(left(40), "exclude", settled);
  await refused(left(50), "book", settled);
  await refused(left(50), "reopen", settled);
  // What was corrected can be corrected again, and what was excluded waits again.
  assert.equal((await decide(left(20), "outflow")).outcome, "outflow");
  assert.equal((await decide(left(30), "own")).outcome, "own");
  const again = await decide(left(40), "reopen");
  assert.deepEqual([again.outcome, again.kind], ["reopened", null]);
  assert.equal((await decide(again, "charge")).outcome, "charge");
  assert.deepEqual(await balances(), { bank_out: bank_out - 20 - 50 - 60, fees: -40, own: -40 });
});

it("a line that came and waits may be own money or between own accounts, and is no outflow", async () => {
  const before = await balances();
  const [line, other] = await bring({
    "2099-01-03": [
      { sum: 3, number: "1" },
      { sum: 4, number: "2" },
    ],
  });
  for (const decision of ["outflow", "charge"]) {
    await refused(line, decision, "Only money that left can be that.");
  }
  const [one, two] = line.amount === 3 ? [line, other] : [other, line];
  await decide(one, "own");
  await decide(two, "internal");
  const { own: had = 0, bank_out = 0 } = before;
  assert.deepEqual(await balances(), { ...before, own: had + 3, bank_out: bank_out + 4 });
});

it("a cashier does not explain money away: own money is an operator's to decide, and a large charge where sums take two", async () => {
  const anna = await ownHand(gateway, "Anna", "cashier");
  const { config } = gateway.app;
  const lines = await bring({
    "2026-02-24": [70, 80, 90].map((sum) => ({ sum: -sum, number: String(sum) })),
  });
  const path = (sum: number) =>
    `lines/${lines.find(({ amount }: { amount: number }) => amount === sum).line_id}/decide`;
  const refusal = [422, ["An operator decides this: it takes money of the books' own."]];
  assert.deepEqual(
    await anna.refused(path(70), { decision: "book", kind: "own", reason }),
    refusal,
  );
  assert.equal(
    (await anna.post(path(70), { decision: "book", kind: "charge", reason })).outcome,
    "charge",
  );
  Object.assign(config, { fourEyesFrom: 80 });
  for (const said of ["charge", "internal", "exclude"]) {
    assert.deepEqual(await anna.refused(path(80), wordOf(said)), refusal);
  }
  assert.equal(
    (await own.post(path(80), { decision: "book", kind: "charge", reason })).outcome,
    "charge",
  );
  assert.equal(
    (await own.post(path(90), { decision: "book", kind: "own", reason })).outcome,
    "own",
  );
  Object.assign(config, { fourEyesFrom: undefined });
});

it("a line that waits and that takes two is booked by the second: returned, it was there", async () => {
  const { config } = gateway.app;
  const day = "2026-02-25";
  await bring({ [day]: [{ sum: 5, number: "1" }] });
  // Another line in its place waits for a person.
  const [line] = (await bring({ [day]: [{ sum: 700, number: "1" }] })).filter(
    ({ outcome }: { outcome: string }) => outcome === "changed",
  );
  Object.assign(config, { fourEyesFrom: 700 });
  const boris = await ownHand(gateway, "Boris");
  const first = await decide(line, "book");
  assert.deepEqual([first.outcome, first.approved_by_name], ["changed", "sandbox"]);
  const path = `lines/${line.line_id}/decide`;
  const { transfer_id } = await boris.post(path, { decision: "book", reason });
  Object.assign(config, { fourEyesFrom: undefined });
  const { state, suspense_reason } = await own.get(`transfers/${transfer_id}`);
  assert.deepEqual([state, suspense_reason], ["suspense", "nobody_expected"]);
  const { bank_out = 0 } = await balances();
  await own.post(`transfers/${transfer_id}/return`, { reason });
  assert.equal(
    (await balances())["bank_out"],
    bank_out + 700,
    "a statement shows it: it was there",
  );
});

it("the database lets a line become what the rule says, and nothing else", async () => {
  const rows = await gateway.app.db.query<{ was: LineOutcome; outcome: LineOutcome; may: boolean }>(
    `select was, outcome, line_may_become(was, outcome) as may
     from unnest($1::text[]) as was, unnest($1::text[]) as outcome where was <> outcome`,
    [LINE_OUTCOMES],
  );
  assert.equal(rows.length, LINE_OUTCOMES.length * (LINE_OUTCOMES.length - 1));
  for (const { was, outcome, may } of rows) {
    assert.equal(may, mayBecome(was, outcome), `${was} to ${outcome}`);
  }
  const set = "update statement_lines set outcome = 'ahead' where outcome = 'excluded'";
  await assert.rejects(gateway.app.db.query(set), /cannot become ahead/);
});

it("a movement of two formats is one: corrected by one line for both, and out when neither tells of it", async () => {
  const before = await balances();
  const day = "2026-02-26";
  const [one] = await bring({ [day]: [{ sum: -321 }] });
  const profile = { delimiter: ";", date_form: "yyyy-mm-dd", date: "day", amount: "sum" };
  const content = Buffer.from(`day;sum\n${day};-321\n`).toString("base64");
  const file = { filename: "day.csv", content, profile, requisite_id: CARD_ID };
  const { import_id } = await own.post("imports", file);
  await trade.pass(0);
  const other = (await own.get(`lines?import_id=${import_id}`)).items[0];
  assert.equal(other.movement_id, one.movement_id);
  const { bank_out = 0, own: had = 0 } = before;
  assert.deepEqual(await balances(), { ...before, bank_out: bank_out - 321 });
  const { movement_id } = await decide(other, "own");
  assert.deepEqual(await balances(), { ...before, own: had - 321 });
  const both = (await own.get(`lines?movement_id=${movement_id}`)).items;
  assert.deepEqual(
    both.map(({ outcome }: { outcome: string }) => outcome),
    ["own", "own"],
  );
  await decide(one, "exclude");
  assert.deepEqual(await balances(), { ...before, own: had - 321 });
  await decide(other, "exclude");
  assert.deepEqual(await balances(), before);
});
