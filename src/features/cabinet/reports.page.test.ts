// /my/reports: a year of months, each register a file of that month.

import assert from "node:assert/strict";
import { it } from "node:test";
import { USER } from "../../../test/cast.ts";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";
import { anna, unescaped, wordsIn } from "../../../test/people.ts";
import { firstIdAt } from "../../platform/id.ts";

const { gateway, own, trade } = await openOneGateway();

it("200: this month's files hold what happened in it, the month's before do not", async () => {
  const order = await trade.order();
  const owner = await anna(gateway);
  const text = await owner.open("/my/reports");
  const links = [...text.matchAll(/href="(\/my\/[\w/]+\.csv\?[^"]+)"/g)];
  assert.equal(links.length, 48);
  const [first, before] = links
    .map(([, href = ""]) => unescaped(href))
    .filter((href) => href.includes("invoices"));
  assert.ok((await owner.open(first ?? "")).includes(order.orderId));
  assert.ok(!(await owner.open(before ?? "")).includes(order.orderId));
});

it("200: a month's files, and the list that they are of, are from its first day to its last", async () => {
  const owner = await anna(gateway);
  const text = await owner.open("/my/reports");
  const links = [...text.matchAll(/href="(\/my\/invoices\.csv\?[^"]+)"/g)];
  const periods = links.map(([, href = ""]) => {
    const query = new URL(unescaped(href), gateway.url).searchParams;
    return [query.get("from"), query.get("to")];
  });
  assert.deepEqual(periods.slice(0, 3), [
    ["2026-03-01", "2026-03-31"],
    ["2026-02-01", "2026-02-28"],
    ["2026-01-01", "2026-01-31"],
  ]);
});

/** Rows of a file, each by what heads its cells. */
function rowsIn(text: string): Record<string, string>[] {
  const [head = [], ...rows] = text
    .replace("\ufeff", "")
    .trim()
    .split("\r\n")
    .map((line) => line.replace(/"[^"]*"/g, "quoted").split(","));
  return rows.map((row) => {
    assert.equal(row.length, head.length, `${row} has a cell without a head: ${head}`);
    return Object.fromEntries(head.map((name, at) => [name, row[at] ?? ""]));
  });
}

it("200: dollars are dollars in every register, however far down they stand", async () => {
  await pauseRail(gateway);
  const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 9_000 };
  await own.post("tariffs", { service: "p2p_card", currency: "USD", ...rates });
  const dollars = { bank: "sber", receiver_name: "Dollars", currency: "USD" };
  await own.post("requisites", { ...dollars, card: "2200000000000012" });
  const [usd, rub] = [await trade.order({ currency: "USD", amount: 50 }), await trade.order()];
  for (const order of [usd, rub]) await trade.pay(order);
  await trade.pass(DAY);
  const refund = (invoice_id: string, reference: string) =>
    own.post("refunds", { invoice_id, amount: 0.01, reason: "part", reference });
  await refund(usd.id, "usd");
  await payouts(gateway, trade).made();
  // More than are read at once, all in roubles: the dollars come after the head is written.
  for (let count = 0; count < 201; count += 1) {
    if (count % 50 === 0) trade.tick();
    await refund(rub.id, `rub-${count}`);
  }
  const owner = await anna(gateway);
  for (const [path, both] of [
    ["/my/balance/entries", true],
    ["/my/invoices", true],
    ["/my/refunds", true],
    ["/my/payouts", false],
    ["/desk/invoices", true],
    ["/desk/refunds", true],
    ["/desk/transfers", true],
    ["/desk/payouts", false],
    ["/desk/books", true],
  ] as const) {
    const rows = rowsIn(await owner.open(`${path}.csv`));
    const found = new Set(rows.map((row) => row["Currency"]));
    assert.deepEqual([...found].toSorted(), both ? ["RUB", "USD"] : ["RUB"], path);
  }
  const entries = rowsIn(await owner.open("/my/balance/entries.csv"));
  const credit = entries.find((one) => one["Currency"] === "USD" && one["Frozen"] === "48");
  assert.ok(credit, "of 50 dollars the shop has 48");
  const text = wordsIn(await owner.open("/my/reports"));
  assert.match(text, /Payouts Statement /);
  assert.doesNotMatch(text, /with fees/);
});

it("registers say what they do not hold any more, once a month is archived", async () => {
  const owner = await anna(gateway);
  const pages = ["/my/reports", "/my/balance/entries", "/my/invoices", "/my/events"];
  pages.push("/desk/invoices", "/desk/events", "/desk/books/fees.RUB");
  const words = async () => Promise.all(pages.map(async (one) => wordsIn(await owner.open(one))));
  const { mine } = await owners(gateway);
  assert.equal((await mine.get("me")).archived_before, null);
  for (const text of await words()) assert.doesNotMatch(text, /archive/);
  const ends = ["2026-01-01", "2026-02-01"].map((day) => firstIdAt(new Date(day)));
  await gateway.app.db.query(
    "insert into archives select '2026-01', $1, $2, now(), 0, 0, 0, 0",
    ends,
  );
  const month = "2026-02-01T00:00:00.000Z";
  assert.equal((await mine.get("me")).archived_before, month);
  assert.equal((await own.get("books")).archived_before, month);
  // Months of the archive are of UTC: here the register of February lacks its first three hours.
  for (const text of await words()) assert.match(text, /before 1 Feb, 03:00 are in the archive/);
});

it("lists say what retention removes and figures go on counting", async () => {
  const owner = await anna(gateway);
  const pages = ["/my/reports", "/my/invoices", "/my/events", "/desk/invoices", "/desk/events"];
  const words = async () => Promise.all(pages.map(async (one) => wordsIn(await owner.open(one))));
  for (const text of await words()) assert.doesNotMatch(text, /are removed/);
  const { config } = gateway.app;
  Object.assign(config, { retainDays: { ...config.retainDays, unusedInvoices: 2 } });
  for (const text of await words())
    assert.match(text, /are removed after 2 days, .* go on counting/);
});

it("a statement says what of the balance is in the archive, so that its rows add up", async () => {
  const owner = await anna(gateway);
  const { mine } = await owners(gateway);
  assert.deepEqual((await mine.get("balance")).archived, []);
  await gateway.app.db.query(
    `insert into ledger_openings select '2026-01', part.account, 'RUB', $1, part.minor
     from (values ('available', 123456), ('frozen', -5)) part(account, minor)`,
    [USER.id],
  );
  assert.deepEqual((await mine.get("balance")).archived, [
    { currency: "RUB", available: 1234.56, frozen: -0.05, reserved: 0 },
  ]);
  const sums = /archive comes to 1 234\.56 ₽ available, −0\.05 ₽ frozen and 0\.00 ₽ reserved/;
  assert.match(wordsIn(await owner.open("/my/balance/entries")), sums);
  const ofOneDay = await owner.open("/my/balance/entries?from=2026-03-01");
  assert.doesNotMatch(wordsIn(ofOneDay), /archive comes to/);
  const account = `available.RUB.${USER.id}`;
  assert.equal((await own.get(`accounts/${account}`)).archived, 1234.56);
  const desk = wordsIn(await owner.open(`/desk/books/${account}`));
  assert.match(desk, /Of it in the archive 1 234\.56/);
  assert.doesNotMatch(wordsIn(await owner.open("/desk/books/fees.RUB")), /Of it in the archive/);
});
