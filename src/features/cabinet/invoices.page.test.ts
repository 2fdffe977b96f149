// /my/invoices: found by what the address says; one with its sentence; a link made by hand; money given back.

import assert from "node:assert/strict";
import { it } from "node:test";
import { LINK_SHOP } from "../../../test/cast.ts";
import { hire, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const owner = await anna(gateway);

it("200: what was paid, as a list, as a file, and one of them", async () => {
  const paid = await trade.order();
  await trade.pay(paid);
  const open = await trade.order();
  const list = await owner.open("/my/invoices?state=paid");
  assert.ok(list.includes(paid.orderId) && !list.includes(open.orderId));
  // 12:00 in Moscow, where the gateway is: as on the page.
  const row = new RegExp(`2026-03-0\\d 1\\d:\\d\\d:\\d\\d,.*${paid.orderId}`);
  assert.match(await owner.open("/my/invoices.csv?state=paid"), row);
  const words = wordsIn(await owner.open(`/my/invoices/${paid.id}`));
  assert.match(words, /1 020\.00.₽ arrived .* credited with 960\.00.₽/);
  assert.doesNotMatch(words, /Payment link/);
});

it("303: a link by hand is shown to copy; sent twice it is one invoice", async () => {
  const form = await owner.open("/my/invoices/new");
  assert.ok(form.includes("Make the link"));
  const comment = "Tea for two";
  const wish = { shop_id: LINK_SHOP.id, amount: "1 500,50", order_id: "by hand", comment };
  const { status, location } = await owner.fill("/my/invoices/new", "/my/invoices/new", wish);
  assert.equal(status, 303);
  const page = await owner.open(location);
  const [, pay = ""] = /data-copy="[^"]*(\/pay\/[0-9a-f-]{36})"/.exec(page) ?? [];
  // Whoever writes it is told who reads it.
  assert.ok((await owner.open(pay)).includes(comment));
  assert.match(wordsIn(form), /Comment The payer sees it/);
  assert.match(wordsIn(page), /1 500\.50/);
  const { items } = await own.get("invoices?order_id=by%20hand");
  assert.equal(items.length, 1);
});

it("303, once: part of the money goes back, by who may and has proven who they are", async () => {
  const order = await trade.order();
  await trade.pay(order);
  await trade.pass(DAY);
  const visit = await anna(gateway);
  const path = `/my/invoices/${order.id}/refund`;
  const { status } = await visit.fill(path, path, { amount: "100", reason: "A broken cup" });
  assert.equal(status, 303);
  const words = wordsIn(await visit.open(`/my/invoices/${order.id}`));
  assert.match(words, /A broken cup.*100\.00|100\.00.*A broken cup/);
  const support = await signedInAs(gateway, await hire(gateway, "support"));
  assert.ok(!(await support.open(`/my/invoices/${order.id}`)).includes('/refund"'));
  await trade.pass(11 * MINUTE);
  assert.match((await visit.get(path)).location, /^\/prove\?then=/);
});

it("303: an unpaid one is canceled after one more look; a paid one offers it to nobody", async () => {
  const visit = await anna(gateway);
  const order = await trade.order();
  const page = `/my/invoices/${order.id}`;
  const path = `${page}/cancel`;
  assert.ok((await visit.open(page)).includes(`${path}"`));
  assert.ok(wordsIn(await visit.open(path)).includes(order.orderId));
  assert.equal((await visit.fill(path, path, {})).status, 303);
  const words = wordsIn(await visit.open(page));
  assert.match(words, /It was canceled/);
  assert.match(words, /Details lapsed ended early .* Invoice canceled by Anna/);
  assert.ok(!(await visit.open(page)).includes(`${path}"`));
  const paid = await trade.order();
  await trade.pay(paid);
  assert.ok(!(await visit.open(`/my/invoices/${paid.id}`)).includes('/cancel"'));
  const said = wordsIn(await visit.open(`/my/invoices/${paid.id}/cancel`));
  assert.match(said, /The invoice has already been paid/);
});
