// /desk/figures: what it draws is what the doors tell, every day leads to its rows, and nothing looks like nothing.

import assert from "node:assert/strict";
import { it } from "node:test";
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
  assert.match(words, /Created 2 100 % With details 2 100 % Paid 1 50 %/);
  assert.match(words, /Banks that money came to.*1 1 020\.00 100 %/);
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

it("200: of many days a chart has weeks, which hold the same", async () => {
  const words = plain(await visit.open("/desk/figures?days=90"));
  assert.match(words, /from 24 Feb so far 960\.00 60\.00 0\.00/);
  assert.match(plain(await visit.open("/desk/figures?days=nonsense")), /1 Mar 960\.00/);
});
