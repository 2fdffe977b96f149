// /desk/figures: what it draws is what the doors tell, every day leads to its rows, and nothing looks like nothing.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
let visit = await anna(gateway);
const plain = (text: string): string => wordsIn(text).replace(/[\u00a0\u202f]/g, " ");

it("200: before anything has happened, each chart says that there is nothing to draw", async () => {
  const words = plain(await visit.open("/desk/figures"));
  assert.match(words, /Received 0\.00 ₽ yesterday 0\.00 ₽ Paid/);
  assert.match(words, /Money, RUB Nothing to draw yet/);
  assert.match(words, /Conversion by weekday and hour, % Nothing to draw yet/);
});

it("200: money, invoices and shops as the doors tell them, and the way to each day's rows", async () => {
  await trade.pay(await trade.order({ amount: 1000 }));
  await trade.pass(DAY);
  const order = await trade.order({ amount: 2000 });
  await trade.pay(order, { amount: order.amount - 7 });
  await trade.pass(2 * MINUTE);
  const { items } = await own.get("tallies?from=2026-03-01");
  visit = await anna(gateway);
  const page = await visit.open("/desk/figures?days=7");
  const words = plain(page);
  const [first, second] = items;
  assert.deepEqual([first.received, first.fee, second.created], [1020, 60, 1]);
  assert.match(words, /Paid \/ created 0 \/ 1 yesterday 1 \/ 1/);
  assert.match(words, /1 Mar 960\.00 60\.00 0\.00/);
  assert.match(words, /Created 2 100 % Details given 2 Paid 1 50 %/);
  assert.match(words, /Banks that money came to.*1 1 020\.00 ₽ 100 %/);
  assert.match(words, /Money without an owner, RUB.*2.Mar so far 2 033\.00/);
  assert.match(page, /href="\/desk\/books\/suspense\.RUB\?from=2026-03-02&amp;to=2026-03-02"/);
  assert.match(page, /<td class="h5">100<\/td>/);
  // A day is the gateway's own, on the chart and in the list that it leads to.
  const [, href = ""] = /href="([^"]*transfers\?from=2026-03-01[^"]*)"/.exec(page) ?? [];
  const path = href.replace("&amp;", "&");
  assert.equal(path, "/desk/transfers?from=2026-03-01&to=2026-03-01");
  const rows = plain(await visit.open(path));
  assert.ok(rows.includes("1 020.00") && !rows.includes("2 033.00"), rows);
  const moscow = await visit.open("/desk/transfers?from=2026-03-02&to=2026-03-02");
  assert.ok(plain(moscow).includes("2 033.00"));
});

it("200: details that were given again are no further invoice with details", async () => {
  const order = await trade.order({ amount: 4000 });
  await createH2h(gateway, order.id, { payment_data: { bank: "tinkoff" } });
  await trade.pass(2 * MINUTE);
  const words = plain(await visit.open("/desk/figures?days=7"));
  assert.match(words, /Created 3 100 % Details given 4 Paid 1 33 %/);
});

it("200: of many days a chart has weeks, which hold the same", async () => {
  const words = plain(await visit.open("/desk/figures?days=90"));
  assert.match(words, /from 24 Feb so far 960\.00 60\.00 0\.00/);
  assert.match(plain(await visit.open("/desk/figures?days=nonsense")), /1 Mar 960\.00/);
});

it("200: figures are of one currency, and each leads to rows of that currency alone; the first page tells of all", async () => {
  const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 1000 };
  await own.post("tariffs", { service: "p2p_card", currency: "USD", ...rates });
  const dollars = { bank: "sber", receiver_name: "Dollars", currency: "USD" };
  await own.post("requisites", { ...dollars, card: "4111111111111111" });
  await trade.pay(await trade.order({ currency: "USD", amount: 50 }));
  await trade.pay(await trade.order({ amount: 3000 }));
  await trade.pass(2 * MINUTE);
  visit = await anna(gateway);
  const page = await visit.open("/desk/figures?days=7&currency=USD");
  assert.match(plain(page), /Today, USD Received 5\d\.\d\d \$ .*Paid \/ created 1 \/ 1/);
  assert.match(plain(page), /Money, USD.* Methods .* 5\d\.\d\d \$ 100 %/);
  assert.match(page, /days=30&amp;currency=USD"/);
  const [, rows = ""] = /href="([^"]*\/desk\/transfers\?from=[^"]*)"/.exec(page) ?? [];
  const shown = plain(await visit.open(rows.replaceAll("&amp;", "&")));
  assert.ok(shown.includes("$") && !shown.includes("₽"), shown);
  const [, orders = ""] = /href="([^"]*\/desk\/invoices\?from=[^"]*)"/.exec(page) ?? [];
  const listed = plain(await visit.open(orders.replaceAll("&amp;", "&")));
  assert.ok(listed.includes("50.00") && !listed.includes("3 000.00"), listed);
  const [, sold = ""] = /href="([^"]*\/desk\/invoices\?shop_id=[^"]*)"/.exec(page) ?? [];
  const ofShop = plain(await visit.open(sold.replaceAll("&amp;", "&")));
  assert.ok(ofShop.includes("50.00") && !ofShop.includes("3 000.00"), ofShop);
  const home = plain(await visit.open("/desk"));
  assert.match(home, /Today, RUB Received .*Today, USD Received/);
  assert.deepEqual((await own.get("tallies?from=2026-03-01")).currencies, ["RUB", "USD"]);
  assert.equal((await own.get("transfers?currency=USD")).items.length, 1);
  assert.equal((await own.get("invoices?currency=USD&wallet=1111")).items.length, 1);
  assert.equal((await own.get("invoices?currency=RUB&wallet=1111")).items.length, 0);
});
