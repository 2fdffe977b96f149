// /my/reports: a year of months, each register a file of that month.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";
import { anna, unescaped, wordsIn } from "../../../test/people.ts";

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

it("lists say what retention removes and statistics go on counting", async () => {
  const owner = await anna(gateway);
  const pages = ["/my/reports", "/my/invoices", "/my/events", "/desk/invoices", "/desk/events"];
  const words = async () => Promise.all(pages.map(async (one) => wordsIn(await owner.open(one))));
  for (const text of await words()) assert.doesNotMatch(text, /are removed/);
  const { config } = gateway.app;
  Object.assign(config, { retainDays: { ...config.retainDays, unusedInvoices: 2 } });
  for (const text of await words())
    assert.match(text, /are removed after 2 days, .* go on counting/);
});
