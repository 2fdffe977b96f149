// The demo shop: one button, from the shop to the payment page and back; thanks only for what is paid.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NO_PAGE, pages } from "../../../test/pages.ts";

const { gateway, own } = await openOneGateway();
const { post, choose, simulate, link } = pages(gateway);

it("creates an invoice and leads to its page, which leads back to thanks once it is paid", async () => {
  assert.match((await gateway.call("/demo")).text, /Create an invoice and pay it/);
  const started = await post("/demo?lang=ru");
  assert.equal(started.status, 303);
  const path = started.headers.get("location") ?? "";
  assert.match(path, /^\/pay\/[0-9a-f-]{36}\?lang=ru$/);
  const page = await gateway.call(path);
  assert.match(page.text, /Как вы хотите оплатить/);
  const id = path.slice("/pay/".length, -"?lang=ru".length);
  const back = `/demo?invoice=${id}&lang=ru`;
  const thanks = `href="http://kopeck.test${back.replace("&", "&amp;")}"`;
  assert.ok(!page.text.includes(thanks), "to the shop's thanks it leads only once it is paid");
  const rows = await gateway.app.db.query("select comment from invoices where id = $1", [id]);
  assert.deepEqual(rows, [{ comment: "Коробка чая и ложечка" }]);
  const unpaid = (await gateway.call(back)).text;
  assert.doesNotMatch(unpaid, /Спасибо/);
  assert.ok(unpaid.includes("ещё не оплачен") && unpaid.includes(`href="/pay/${id}?lang=ru"`));
  await choose(id);
  await simulate(id);
  assert.ok((await gateway.call(path)).text.includes(thanks));
  assert.match((await gateway.call(back)).text, /Спасибо!.*заказ demo-[0-9a-f]{12} оплачен/s);
});

it("thanks nobody for another shop's order, or for nonsense", async () => {
  const { id: direct } = (await createInvoice(gateway)).body.data;
  await createH2h(gateway, direct);
  const headers = { authorization: "Bearer sandbox_operator_token" };
  await gateway.call("/sandbox/transfers", { headers, body: { invoice_id: direct } });
  assert.equal((await own.get(`invoices/${direct}`)).invoice.state, "paid");
  const hostile = [
    "",
    "<script>alert(1)</script>",
    "1'--",
    "%00",
    "..%2f..",
    "paid",
    "x".repeat(9_000),
  ];
  for (const invoice of [direct, ...NO_PAGE, ...hostile]) {
    const { status, text } = await gateway.call(`/demo?invoice=${invoice}&paid=1`);
    assert.equal(status, 200, invoice);
    assert.ok(!/Thank you|not paid yet|<script>/.test(text) && text.includes("Create an invoice"));
  }
  const twice = await gateway.call(`/demo?invoice=${await link()}&invoice=${direct}`);
  assert.doesNotMatch(twice.text, /Thank you/);
});
