// The sandbox's button that plays the bank: once however often it is pressed.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createInvoice, LINK_SHOP } from "../../../test/cast.ts";
import { onEachEngine, openTestGateway } from "../../../test/gateway.ts";
import { manage } from "../../../test/manage.ts";

onEachEngine("POST /pay/{invoice}/simulate", (engine) => {
  it("pays what the page asks for, once", async () => {
    const gateway = await openTestGateway(engine);
    const post = (path: string, form: Record<string, string> = {}): Promise<Response> =>
      fetch(gateway.url + path, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams(form),
      });
    const changes = { include_service: ["p2p_card"], type: "link" };
    const id: string = (await createInvoice(gateway, changes, LINK_SHOP)).body.data.id;
    // Before there are details there is nothing to pay.
    assert.equal((await post(`/pay/${id}/simulate`)).status, 303);
    await post(`/pay/${id}`, { service: "p2p_card", bank: "sber" });
    const pressed = await Promise.all(Array.from({ length: 5 }, () => post(`/pay/${id}/simulate`)));
    assert.deepEqual(new Set(pressed.map(({ status }) => status)), new Set([303]));
    const rows = await gateway.app.db.query("select state, amount_minor from transfers");
    assert.deepEqual(rows, [{ state: "matched", amount_minor: 102_000n }]);
    assert.equal((await post("/pay/nonsense/simulate")).status, 404);
    await assertBooksAreRight(gateway);
    await gateway.stop();
  });

  it("says so where its reference was used for another amount, and pays nothing", async () => {
    const gateway = await openTestGateway(engine);
    const post = (path: string, form: Record<string, string> = {}): Promise<Response> =>
      fetch(gateway.url + path, {
        ...{ method: "POST", redirect: "manual" as const, body: new URLSearchParams(form) },
      });
    const changes = { include_service: ["p2p_card"], type: "link" };
    const id: string = (await createInvoice(gateway, changes, LINK_SHOP)).body.data.id;
    await post(`/pay/${id}`, { service: "p2p_card", bank: "sber" });
    const own = manage(gateway);
    const { items } = await own.get(`payments?invoice_id=${id}`);
    const { payment_id, requisite_id } = items[0];
    const reference = `simulated ${payment_id}`;
    await own.post("transfers", { requisite_id, amount: 5, reference });
    const pressed = await post(`/pay/${id}/simulate?lang=en`);
    assert.equal(pressed.status, 422);
    assert.match(await pressed.text(), /belongs to another transfer, with another amount/);
    assert.equal((await own.get("transfers")).items.length, 1);
    assert.equal((await own.get(`invoices/${id}`)).invoice.state, "pending");
    await assertBooksAreRight(gateway);
    await gateway.stop();
  });
});
