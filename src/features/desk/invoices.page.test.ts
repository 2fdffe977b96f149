// /desk/invoices: the list by shops' names; one with a sentence first, and a refund where there is something to refund.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createInvoice, LINK_SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { anna, setAnnasRole, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();

it("200: what is waited for, in one sentence; no refund of what is not paid; the link of a payment page", async () => {
  const order_id = "<script>window.__xss=1</script>";
  const order = await trade.order({ order_id });
  const visit = await anna(gateway);
  const page = await visit.open(`/desk/invoices/${order.id}`);
  assert.match(wordsIn(page), /We wait for exactly 1 020\.00.₽ until/);
  assert.ok(!page.includes(order_id));
  assert.doesNotMatch(page, /\/refund"/);
  assert.doesNotMatch(page, /\/pay\//);
  const { body } = await createInvoice(gateway, { type: "link" }, LINK_SHOP);
  assert.match(
    await visit.open(`/desk/invoices/${body.data.id}`),
    new RegExp(`/pay/${body.data.id}`),
  );
  assert.match(wordsIn(await visit.open("/desk/invoices?state=pending")), /Paper and Ink/);
});

it("303: a refund by the form of a paid invoice, once however often it is sent; refused to a viewer", async () => {
  const order = await trade.order();
  await trade.pay(order);
  await trade.pass(2 * DAY);
  const visit = await anna(gateway);
  const path = `/desk/invoices/${order.id}`;
  assert.match(wordsIn(await visit.open(path)), /1 020\.00.₽ arrived .* credited with 960\.00.₽/);
  const form = {
    once: "019a3f00-0000-7000-8000-000000000001",
    amount: "100",
    reason: "A broken cup",
  };
  for (const status of [303, 200]) {
    const done = await visit.post(`${path}/refund`, form);
    assert.equal(done.status, status, wordsIn(done.text));
  }
  const page = wordsIn(await visit.open(path));
  assert.match(page, /Refund up to 860\.00.₽/);
  assert.match(page, /Refunded 100\.00 ₽ by Anna: A broken cup/);
  assert.match(
    wordsIn(await visit.open("/desk/refunds")),
    /100\.00 ₽ Paper and Ink .* A broken cup Anna/,
  );
  await setAnnasRole(own, "viewer");
  assert.doesNotMatch(await visit.open(path), /\/refund"/);
  assert.equal((await visit.post(`${path}/refund`, { amount: "1", reason: "x" })).status, 403);
});

it("303: an unpaid one is canceled, with a reason; a viewer is not offered it", async () => {
  const order = await trade.order();
  const page = `/desk/invoices/${order.id}`;
  const path = `${page}/cancel`;
  await setAnnasRole(own, "viewer");
  assert.ok(!(await (await anna(gateway)).open(page)).includes(`${path}"`));
  await setAnnasRole(own, "cashier");
  const visit = await anna(gateway);
  assert.ok((await visit.open(page)).includes(`${path}"`));
  assert.match((await visit.fill(path, path, { reason: "" })).text, /reason/i);
  assert.equal((await visit.fill(path, path, { reason: "The shop has asked" })).status, 303);
  assert.match(wordsIn(await visit.open(page)), /It was canceled/);
  assert.match(wordsIn(await visit.open("/desk/audit")), /Invoice canceled/);
});

it("200: a canceled one is called so in the list, its filter, the file and on its page; on the wire it failed", async () => {
  const visit = await anna(gateway);
  const order = await trade.order();
  await own.post(`invoices/${order.id}/cancel`, { reason: "The shop has asked" });
  const list = await visit.open("/desk/invoices?state=failed");
  assert.match(wordsIn(list), new RegExp(`Canceled Paper and Ink ${order.orderId}`));
  assert.match(list, /<option value="failed" selected>Canceled<\/option>/);
  assert.match(
    await visit.open("/desk/invoices.csv?state=failed"),
    /,1000,canceled,Paper and Ink,/,
  );
  const places = ["/desk", "/desk/invoices?state=failed", `/desk/invoices/${order.id}`];
  for (const path of places) assert.doesNotMatch(wordsIn(await visit.open(path)), /Failed/, path);
  assert.equal((await own.get(`invoices/${order.id}`)).invoice.state, "failed");
  const held = wordsIn(await visit.open("/desk/payouts?state=failed"));
  assert.match(held, /Failed Canceled/, "a payout can be both");
});
