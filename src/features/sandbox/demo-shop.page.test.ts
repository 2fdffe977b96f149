// The demo shop: one button, from the shop to the payment page and back.

import assert from "node:assert/strict";
import { it } from "node:test";
import { onOneEngine, openTestGateway } from "../../../test/gateway.ts";

onOneEngine("/demo", (engine) => {
  it("creates an invoice and leads to its page, which leads back", async () => {
    const gateway = await openTestGateway(engine);
    const shop = await gateway.call("/demo");
    assert.match(shop.text, /Create an invoice and pay it/);
    const started = await fetch(`${gateway.url}/demo?lang=ru`, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(),
    });
    assert.equal(started.status, 303);
    const path = started.headers.get("location") ?? "";
    assert.match(path, /^\/pay\/[0-9a-f-]{36}\?lang=ru$/);
    const page = await gateway.call(path);
    assert.match(page.text, /Как вы хотите оплатить/);
    assert.match(page.text, /href="http:\/\/kopeck\.test\/demo\?paid=1&amp;lang=ru"/);
    assert.match((await gateway.call("/demo?paid=1")).text, /Thank you!/);
    await gateway.stop();
  });
});
