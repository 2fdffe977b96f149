// Statements of several sections through /manage/imports: pages of one day and days without an end are whole
// statements, and what a file has twice is money once.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR } from "../../../test/orders.ts";
import { statement1c } from "../../../test/statement-file.ts";

const { gateway, own, trade } = await openOneGateway();
beforeEach(() => trade.pass(9 * DAY));
afterEach(() => assertBooksAreRight(gateway));

const ACCOUNT = "40817810000000000101";
const REQUISITE = "00000000-0000-4000-8000-000000000101";

/** The day in Moscow, so many days ago. */
const day = (ago = 1): string =>
  new Date(gateway.app.clock.now().getTime() + (3 * HOUR - ago * DAY) * 1000)
    .toISOString()
    .slice(0, 10);

const asked = (text: string) => {
  return { filename: "file.txt", content: Buffer.from(text).toString("base64") };
};

const bring = async (text: string) => {
  const { import_id } = await own.post("imports", asked(text));
  await applyImports(gateway);
  const { new: fresh, duplicate, outflow, waiting } = await own.get(`imports/${import_id}`);
  const { requisites } = await own.get(`reconciliation?requisite_id=${REQUISITE}`);
  const [{ bank_balance, unexplained_amount }] = requisites;
  return { fresh, duplicate, outflow, waiting, bank_balance, unexplained_amount };
};

const assertRefused = async (text: string): Promise<void> => {
  const [status, words] = await own.refused("imports", asked(text));
  assert.equal(status, 422);
  assert.match(String(words), /^Row \d+: the statement of .* does not go on where that one ended/);
};

/** Kinds of balances, as 60F and 62M; sums in kopecks, and the bank's id of each. */
const message = (
  kinds: readonly [opening: string, closing: string],
  opening: number,
  entries: readonly (readonly [sum: number, id: string])[],
): string => {
  const date = day().slice(2).replaceAll("-", "");
  const money = (minor: number) => (minor / 100).toFixed(2).replace(".", ",");
  const closing = entries.reduce((sum, [minor]) => sum + minor, opening);
  return [
    ":20:1",
    `:25:${ACCOUNT}`,
    ":28C:5/1",
    `:${kinds[0]}:C${date}RUB${money(opening)}`,
    ...entries.map(([sum, id]) => {
      const mark = sum < 0 ? "D" : "C";
      return `:61:${date}${date.slice(2)}${mark}${money(Math.abs(sum))}NTRFNONREF//${id}`;
    }),
    `:${kinds[1]}:C${date}RUB${money(closing)}`,
    "-",
    "",
  ].join("\r\n");
};

const entry = (sum: string, id: string, sign = "CRDT"): string =>
  `<Ntry><Amt Ccy="RUB">${sum}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts>BOOK</Sts>
  <BookgDt><Dt>${day()}</Dt></BookgDt><AcctSvcrRef>${id}</AcctSvcrRef></Ntry>`;

const balance = (code: string, sum: string): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="RUB">${sum}</Amt>
  <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day()}</Dt></Dt></Bal>`;

const camt = (...statements: readonly string[]): string =>
  `<Document><BkToCstmrStmt>${statements
    .map(
      (content, index) => `<Stmt><Id>S</Id>
      <StmtPgntn><PgNb>${index + 1}</PgNb><LastPgInd>true</LastPgInd></StmtPgntn>
      <FrToDt><FrDtTm>${day()}T00:00:00</FrDtTm><ToDtTm>${day()}T23:59:59</ToDtTm></FrToDt>
      <Acct><Id><Othr><Id>${ACCOUNT}</Id></Othr></Id><Ccy>RUB</Ccy></Acct>${content}</Stmt>`,
    )
    .join("")}</BkToCstmrStmt></Document>`;

it("an MT940 of two pages of a day is one statement", async () => {
  const pages =
    message(["60F", "62M"], 0, [[10_000, "P-1"]]) +
    message(["60M", "62F"], 10_000, [[20_000, "P-2"]]);
  const done = await bring(pages);
  assert.deepEqual([done.fresh, done.bank_balance, done.unexplained_amount], [2, 300, 0]);
});

it("a camt of two pages of a day is one statement, also where only the ends are told", async () => {
  const whole = camt(
    balance("OPBD", "0") + balance("CLBD", "500") + entry("500", "C-1"),
    balance("OPBD", "500") + balance("CLBD", "1100") + entry("600", "C-2"),
  );
  const first = await bring(whole);
  assert.deepEqual([first.fresh, first.bank_balance, first.unexplained_amount], [2, 1100, 0]);
  await trade.pass(9 * DAY);
  const ends = camt(
    balance("OPBD", "1100") + balance("ITBD", "1600") + entry("500", "C-3"),
    balance("ITBD", "1600") + balance("CLBD", "2200") + entry("600", "C-4"),
  );
  const second = await bring(ends);
  assert.deepEqual([second.fresh, second.bank_balance, second.unexplained_amount], [2, 2200, 0]);
});

it("a 1C file with a section for each day ends one before the next begins, where it says no end", async () => {
  const [third, second, first] = [day(1), day(2), day(3)];
  const text = statement1c([
    {
      account: ACCOUNT,
      days: { [first]: [{ sum: 1000 }], [second]: [{ sum: 2000 }], [third]: [{ sum: 3000 }] },
    },
  ]);
  const russian = (date: string): string => date.split("-").toReversed().join(".");
  const header = `Кодировка=Windows\r\nДатаНачала=${russian(first)}\r\nДатаКонца=${russian(third)}`;
  const endless = text.replaceAll(/ДатаКонца=.*\r\n/g, "").replace("Кодировка=Windows", header);
  const done = await bring(endless);
  assert.deepEqual([done.fresh, done.bank_balance, done.unexplained_amount], [3, 6000, 0]);
  const { requisites } = await own.get(`reconciliation?requisite_id=${REQUISITE}&day=${second}`);
  assert.equal(requisites[0].bank_balance, 3000);
});

it("a message that stands in a file twice is refused: its money would be read twice", async () => {
  const once = message(["60F", "62F"], 0, [[33_001, "BANK-REF-42"]]);
  await assertRefused(once + once);
  const nothing = message(["60F", "62F"], 0, [
    [33_002, "BANK-REF-43"],
    [-33_002, "BANK-REF-44"],
  ]);
  await assertRefused(nothing + nothing);
  assert.equal((await bring(once)).fresh, 1);
  assert.deepEqual((await own.get("transfers?amount=330.02")).items, []);
});

it("two statements of overlapping days in one camt file are refused where one does not go on", async () => {
  const one = balance("OPBD", "0") + balance("CLBD", "333.01") + entry("333.01", "C-42");
  const more =
    balance("OPBD", "0") +
    balance("CLBD", "733.01") +
    entry("333.01", "C-42") +
    entry("400", "C-43");
  await assertRefused(camt(one, more));
  // Without balances nothing shows that they are two.
  await assertRefused(camt(entry("333.01", "C-42"), entry("333.01", "C-42") + entry("4", "C-43")));
  await assertRefused(camt(one, one));
  assert.equal((await bring(camt(more))).fresh, 2);
});

it("a file without an account's number that calls two accounts by their names is refused: money of one would be the other's", async () => {
  const [header = "", row = ""] = readFileSync("test/corpus/statements/tbank-2026.csv", "utf8")
    .trim()
    .split("\n");
  const [dd, mm, yyyy] = day().split("-").toReversed();
  const told = row.replace("15.11.2026", `${dd}.${mm}.${yyyy}`);
  const other = told.replace("Основной", "Накопительный").replaceAll("1020,00", "1530,00");
  const requisite_id = "00000000-0000-4000-8000-000000000104";
  const wish = (rows: string[]) => ({ ...asked([header, ...rows, ""].join("\n")), requisite_id });
  const [status, words] = await own.refused("imports", wish([told, other]));
  assert.equal(status, 422);
  assert.match(String(words), /^Row 3 is of another account than those before it: Накопительный/);
  const { lines } = await own.post("imports", wish([told, told]));
  assert.equal(lines, 2);
  await applyImports(gateway);
});

it("a row that does not say which account it is of, where others do, waits for a person; one that is no money does not", async () => {
  const [header = "", row = "", failed = ""] = readFileSync(
    "test/corpus/statements/tbank-2026.csv",
    "utf8",
  )
    .trim()
    .split("\n");
  const [dd, mm, yyyy] = day().split("-").toReversed();
  const told = row.replace("15.11.2026", `${dd}.${mm}.${yyyy}`);
  const nameless = (one: string) => one.replace("Основной", "");
  const other = nameless(told).replaceAll("1020,00", "1530,00");
  const left = nameless(told).replaceAll('"1020,00', '"-70,00');
  const outcomes = async (rows: string[], of = "104") => {
    const requisite_id = `00000000-0000-4000-8000-000000000${of}`;
    const file = asked([header, ...rows, ""].join("\n"));
    const { import_id } = await own.post("imports", { ...file, requisite_id });
    await applyImports(gateway);
    const { items } = await own.get(`lines?import_id=${import_id}`);
    const outcome = (one: Record<string, unknown>) => [one["amount"], one["outcome"]];
    return items.map(outcome).toSorted();
  };
  assert.deepEqual(await outcomes([nameless(failed), left, other, told]), [
    [1020, "new"],
    [1530, "account"],
    [70, "account"],
  ]);
  // Named afterwards, they are the same lines.
  assert.deepEqual(await outcomes([told, told.replaceAll("1020,00", "1530,00")]), []);
  // Where none has a name, it is the account of whoever brings it.
  const sum = (minor: string) => nameless(told).replaceAll("1020,00", minor);
  assert.deepEqual(await outcomes([sum("1021,00"), sum("1022,00")], "105"), [
    [1021, "new"],
    [1022, "new"],
  ]);
});
