// /desk/statistics: it draws what the endpoint answers, every day leads to its rows, and nothing looks like nothing.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
let visit = await anna(gateway);
const plain = (text: string): string => wordsIn(text).replace(/[\u00a0\u202f]/g, " ");

it("200: before anything has happened, each chart says that there is nothing to draw", async () => {
  const words = plain(await visit.open("/desk/statistics"));
  assert.match(words, /Received 0\.00 ₽ the period before: 0\.00 ₽/);
  assert.match(words, /Money, RUB Nothing to draw yet/);
  assert.match(words, /Conversion Nothing to draw yet/);
});

it("200: money and invoices as the endpoint has them, and the way to each day's rows", async () => {
  await trade.pay(await trade.order({ amount: 1000 }));
  await trade.pass(DAY);
  const order = await trade.order({ amount: 2000 });
  await trade.pay(order, { amount: order.amount - 7 });
  await trade.pass(2 * MINUTE);
  const { items } = await own.get("statistics?from=2026-03-01");
  visit = await anna(gateway);
  const page = await visit.open("/desk/statistics?days=7");
  const words = plain(page);
  const [first, second] = items;
  assert.deepEqual([first.received, first.fee, second.created], [1020, 60, 1]);
  assert.match(words, /Credited 960\.00 ₽ Fees 60\.00 ₽ Refunded 0\.00 ₽/);
  assert.match(words, /Paid \/ created 1 \/ 2 50 % Paid in time 1 \/ 1 100 %/);
  assert.match(words, /1 Mar 960\.00 60\.00 0\.00/);
  assert.match(words, /Invoices by the day of creation.* 1 Mar 1 0 0 2 Mar so far 0 0 1/);
  assert.match(words, /Methods Methods Method .* Card 2 1 1 020\.00 ₽ 60\.00 ₽ 50 %/);
  // A day is the gateway's own, on the chart and in the list that it leads to.
  const [, href = ""] = /href="([^"]*transfers\?from=2026-03-01[^"]*)"/.exec(page) ?? [];
  const path = href.replace("&amp;", "&");
  assert.equal(path, "/desk/transfers?from=2026-03-01&to=2026-03-01");
  const rows = plain(await visit.open(path));
  assert.ok(rows.includes("1 020.00") && !rows.includes("2 033.00"), rows);
  const moscow = await visit.open("/desk/transfers?from=2026-03-02&to=2026-03-02");
  assert.ok(plain(moscow).includes("2 033.00"));
});

it("200: of one shop, and back to all", async () => {
  await trade.pay(await trade.order({ amount: 5000 }, OTHER_SHOP));
  await trade.pass(2 * MINUTE);
  const page = await visit.open("/desk/statistics?days=7");
  const [, href = ""] =
    new RegExp(`href="([^"]*shop_id=${SHOP.id}[^"]*)"`).exec(
      page.split("Shops with most").at(-1) ?? "",
    ) ?? [];
  const one = await visit.open(href.replaceAll("&amp;", "&"));
  assert.match(plain(page), /Credited 5 760\.00 ₽/);
  assert.match(plain(one), /All shops .* Credited 960\.00 ₽/);
  assert.doesNotMatch(one, /\/desk\/transfers\?from/);
  assert.match(one, /href="\/desk\/invoices\?from=2026-03-01[^"]*shop_id=/);
  assert.match(one, /href="\/desk\/statistics\?days=7"/);
});

it("200: of many days a chart has weeks, which hold the same", async () => {
  const words = plain(await visit.open("/desk/statistics?days=90"));
  assert.match(words, /from 24 Feb so far 5 760\.00 360\.00 0\.00/);
  assert.match(plain(await visit.open("/desk/statistics?days=nonsense")), /1 Mar 960\.00/);
});

it("200: statistics are of one currency, and each leads to rows of that currency alone; the first page tells of all", async () => {
  const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 1000 };
  await own.post("tariffs", { service: "p2p_card", currency: "USD", ...rates });
  const dollars = { bank: "sber", receiver_name: "Dollars", currency: "USD" };
  await own.post("requisites", { ...dollars, card: "4111111111111111" });
  await trade.pay(await trade.order({ currency: "USD", amount: 50 }));
  await trade.pay(await trade.order({ amount: 3000 }));
  await trade.pass(2 * MINUTE);
  visit = await anna(gateway);
  const page = await visit.open("/desk/statistics?days=7&currency=USD");
  assert.match(plain(page), /Received 5\d\.\d\d \$ .*Paid \/ created 1 \/ 1/);
  assert.match(plain(page), /Money, USD.* Methods .* Card 1 1 5\d\.\d\d \$/);
  assert.match(page, /days=30&amp;currency=USD"/);
  const [, rows = ""] = /href="([^"]*\/desk\/transfers\?from=2026-03-02[^"]*)"/.exec(page) ?? [];
  const shown = plain(await visit.open(rows.replaceAll("&amp;", "&")));
  assert.ok(shown.includes("$") && !shown.includes("₽"), shown);
  const [, orders = ""] = /href="([^"]*\/desk\/invoices\?from=2026-03-02[^"]*)"/.exec(page) ?? [];
  const listed = plain(await visit.open(orders.replaceAll("&amp;", "&")));
  assert.ok(listed.includes("50.00") && !listed.includes("3 000.00"), listed);
  const home = plain(await visit.open("/desk"));
  assert.match(home, /Today, RUB Received .*Today, USD Received/);
  assert.deepEqual((await own.get("statistics?from=2026-03-01")).currencies, ["RUB", "USD"]);
  assert.equal((await own.get("transfers?currency=USD")).items.length, 1);
  assert.equal((await own.get("invoices?currency=USD&wallet=1111")).items.length, 1);
  assert.equal((await own.get("invoices?currency=RUB&wallet=1111")).items.length, 0);
});
