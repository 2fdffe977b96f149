// The books beside the banks' statements: equal, or every kopeck of the difference has a name.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR } from "../../../test/orders.ts";
import { type Account, statement1c } from "../../../test/statement-file.ts";

const { gateway, own, trade } = await openOneGateway();
const ACCOUNT = "40817810000000000101";
const OWN = "40817810000000000102";
const REQUISITE = "00000000-0000-4000-8000-000000000101";

/** The day in Moscow, so many days ago. */
const day = (ago = 0): string =>
  new Date(gateway.app.clock.now().getTime() + (3 * HOUR - ago * DAY) * 1000)
    .toISOString()
    .slice(0, 10);

const bring = async (
  days: Account["days"],
  opening = 0,
  change = (text: string): string => text,
): Promise<void> => {
  const text = change(statement1c([{ account: ACCOUNT, opening, days }]));
  const content = Buffer.from(text).toString("base64");
  await own.post("imports", { filename: "kl_to_1c.txt", content });
  await applyImports(gateway);
};
const tell = (amount: number, made_at = day()) => {
  const reference = `told ${amount}`;
  return own.post("transfers", { requisite_id: REQUISITE, amount, reference, made_at });
};

interface Row {
  readonly kind: string;
  readonly count: number;
  readonly amount: number;
  readonly day: string;
}

/** In short: the state, the bank's balance and the books', the rest, and the parts. */
const compare = async (query = "") => {
  const { requisites, parts, reasons } = await own.get(
    `reconciliation?requisite_id=${REQUISITE}${query}`,
  );
  const [one] = requisites;
  assert.deepEqual(requisites.length, 1);
  const { state, bank_balance, books_balance, unexplained_amount, difference_amount } = one;
  assert.equal(
    Math.round((bank_balance - books_balance) * 100),
    Math.round(difference_amount * 100),
  );
  const named = Object.fromEntries(parts.map(({ kind, amount }: Row) => [kind, amount]));
  const sums = Object.groupBy(reasons as Row[], ({ kind }) => kind);
  for (const [kind, rows = []] of Object.entries(sums)) {
    const sum = rows.reduce((all, { amount }) => all + Math.round(amount * 100), 0);
    assert.equal(sum, Math.round(named[kind] * 100), `the reasons of ${kind} add up`);
  }
  return [one.day, state, bank_balance, books_balance, unexplained_amount, named];
};

it("says nothing where there is no statement", async () => {
  assert.deepEqual(await own.get("reconciliation"), { requisites: [], parts: [], reasons: [] });
});

it("is equal where every line is booked, whatever was there before", async () => {
  await trade.pass(20 * DAY);
  await bring({ [day(9)]: [{ sum: 100 }, { sum: 200.5 }], [day(8)]: [] }, 1000);
  assert.deepEqual(await compare(), [day(8), "equal", 1300.5, 300.5, 0, { before: 1000 }]);
  assert.deepEqual(await compare(`&day=${day(9)}`), [
    day(9),
    "equal",
    1300.5,
    300.5,
    0,
    { before: 1000 },
  ]);
  assert.deepEqual((await own.get(`reconciliation?day=${day(7)}`)).requisites, []);
});

it("names what makes the difference: what no line proves; what left, was returned or went between own accounts makes none", async () => {
  await own.post(`requisites/00000000-0000-4000-8000-000000000102`, { account: OWN });
  await tell(77.01, day(7));
  const { transfer_id } = await tell(55, day(7));
  await bring(
    {
      [day(7)]: [
        { sum: 55 },
        { sum: 400 },
        { sum: -150 },
        { sum: 20, from: OWN },
        { sum: -3, purpose: "Комиссия банка за ведение счета" },
      ],
    },
    1300.5,
  );
  await own.post(`transfers/${transfer_id}/return`, { reason: "not ours" });
  const [, state, bank, books, rest, parts] = await compare();
  assert.deepEqual([state, bank, rest], ["explained", 1622.5, 0]);
  // 300.50 of before, 400, 55 that is still on its way back, 20 from another card, less 153, and 77.01 that
  // no line proves.
  assert.equal(books, 699.51);
  assert.deepEqual(parts, { before: 1000, unproven: -77.01 });
  // What left and nobody has ordered, less what was ordered and has not left; the rest is on its way to the card.
  assert.equal((await own.get("accounts/bank_out.RUB")).balance, -153 + 55 + 20);
  assert.equal((await compare(`&day=${day(8)}`))[1], "equal", "the days before are as they were");
});

it("takes the last file of a day, and tells what an earlier one had, and what lies between two", async () => {
  await bring({ [day(3)]: [{ sum: 10 }, { sum: 11 }, { sum: 12 }] }, 1600);
  const [, state, bank, books, rest, parts] = await compare();
  assert.deepEqual([state, bank, books, rest], ["explained", 1633, 732.51, 0]);
  assert.equal((parts as Record<string, number>)["gap"], -22.5);
  await bring({ [day(3)]: [{ sum: 10 }, { sum: 13 }, { sum: 12 }] }, 1600);
  const [, , newer, same, left, now] = await compare();
  assert.deepEqual([newer, same, left], [1635, 732.51, 0]);
  const { missing, waiting } = now as Record<string, number>;
  assert.deepEqual([missing, waiting], [-11, 13]);
  const { requisites, reasons } = await own.get("reconciliation");
  assert.deepEqual([requisites.length, reasons], [1, []]);
  await assertBooksAreRight(gateway);
});

it("tells a day in the middle of a statement, and of two statements that overlap", async () => {
  const russian = (date: string): string => date.split("-").toReversed().join(".");
  const [first, second] = [russian(day(2)), russian(day(1))];
  // Of two days, the first line of the first.
  await bring({ [day(1)]: [{ sum: 21 }, { sum: 22 }, { sum: -4 }] }, 1635, (text) =>
    text
      .replace(`ДатаНачала=${second}`, `ДатаНачала=${first}`)
      .replace(`ДатаПоступило=${second}`, `ДатаПоступило=${first}`),
  );
  const [, , bank, books, rest] = await compare(`&day=${day(2)}`);
  assert.deepEqual([bank, books, rest], [1656, 753.51, 0]);
  const [, , whole, all, none] = await compare();
  assert.deepEqual([whole, all, none], [1674, 771.51, 0]);
  // A newer file of the second day alone: of the older one only the first day counts.
  await bring(
    { [day(1)]: [{ sum: 23 }, { sum: 22 }, { sum: -4 }, { sum: -1, number: "9" }] },
    1656,
  );
  const [, state, newest, known, left, parts] = await compare();
  assert.deepEqual([state, newest, known, left], ["explained", 1696, 793.51, 0]);
  assert.equal((parts as Record<string, number>)["waiting"], 13);
  assert.equal((parts as Record<string, number>)["outflow"], undefined);
  await assertBooksAreRight(gateway);
});

const bringIn = async (
  format: "1c" | "own",
  at: string,
  sums: readonly number[],
): Promise<void> => {
  if (format === "1c") return bring({ [at]: sums.map((sum) => ({ sum })) }, 1696);
  const rows = sums.map((sum) => `${at.split("-").toReversed().join(".")};${sum};same`);
  const content = Buffer.from(["Дата;Сумма;Что", ...rows, ""].join("\n")).toString("base64");
  const profile = {
    delimiter: ";",
    date_form: "dd.mm.yyyy",
    date: "Дата",
    amount: "Сумма",
    purpose: ["Что"],
  };
  await own.post("imports", { filename: "a.csv", content, profile, requisite_id: REQUISITE });
  await applyImports(gateway);
};
const booksOf = async (): Promise<number> =>
  Math.round((await own.get(`accounts/bank.RUB.${REQUISITE}`)).balance * 100);

it("books what left once, in whatever formats and order it is told: as often as the one that has it most often", async () => {
  const was = await booksOf();
  for (const [format, sums, out] of [
    ["own", [-7, -7], 14],
    ["1c", [-7, -7, -7], 21],
    ["own", [-7, -7, -7], 21],
    ["own", [-7, -7, -7, -7], 28],
  ] as const) {
    await bringIn(format, day(0), sums);
    assert.equal(was - (await booksOf()), out * 100, `${format} ${sums}`);
  }
  const [, , , , rest, parts] = await compare();
  assert.equal(rest, 0);
  // The statement that knows its balances has three, the books have four.
  assert.equal((parts as Record<string, number>)["other_format"], 7);
  await assertBooksAreRight(gateway);
});

it("has what the bank has once the opening balance is booked", async () => {
  const { before } = (await compare())[5] as { before: number };
  const opening = { kind: "opening", requisite_id: REQUISITE, reference: "1", reason: "was there" };
  await own.post("own-moves", { ...opening, amount: before + 5 });
  const back = { ...opening, kind: "opening_back", amount: 5 };
  await own.post("own-moves", back);
  const [, , bank, books, rest, parts] = await compare();
  assert.equal((parts as { before?: number }).before, undefined);
  const others = Object.values(parts as object).reduce((sum, one) => sum + one * 100, 0);
  assert.equal(Math.round(Number(bank) * 100 - Number(books) * 100), Math.round(others));
  assert.equal(rest, 0);
  await assertBooksAreRight(gateway);
});

it("is a command for people", async () => {
  const entrance = join(import.meta.dirname, "../../../bin/kopeck.mjs");
  const args = [entrance, "reconcile", "--requisite-id", "0007", "--day", day(7)];
  const env = { KOPECK_URL: gateway.url, KOPECK_TOKEN: "sandbox_operator_token" };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  assert.match(stdout, /explained +1622\.50 +1699\.51 +-77\.01 +0\.00/);
  assert.match(stdout, /unproven +\S+ +-77\.01/);
});
