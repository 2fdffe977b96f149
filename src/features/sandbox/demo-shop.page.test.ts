// The demo shop: one button, from the shop to the payment page and back.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { pages } from "../../../test/pages.ts";

const { gateway } = await openOneGateway();

it("creates an invoice and leads to its page, which leads back", async () => {
  assert.match((await gateway.call("/demo")).text, /Create an invoice and pay it/);
  const started = await pages(gateway).post("/demo?lang=ru");
  assert.equal(started.status, 303);
  const path = started.headers.get("location") ?? "";
  assert.match(path, /^\/pay\/[0-9a-f-]{36}\?lang=ru$/);
  const page = await gateway.call(path);
  assert.match(page.text, /Как вы хотите оплатить/);
  // To the shop's thanks it leads only once it is paid.
  assert.doesNotMatch(page.text, /demo\?paid=1/);
  const { choose, simulate } = pages(gateway);
  const id = path.slice("/pay/".length, -"?lang=ru".length);
  await choose(id);
  await simulate(id);
  const receipt = await gateway.call(path);
  assert.match(receipt.text, /href="http:\/\/kopeck\.test\/demo\?paid=1&amp;lang=ru"/);
  assert.match((await gateway.call("/demo?paid=1")).text, /Thank you!/);
});
