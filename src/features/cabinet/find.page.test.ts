// /my/find, /my/go: an id or an order leads to what it is of.

import assert from "node:assert/strict";
import { it } from "node:test";
import { pathTo, thingsOf } from "../../../test/cabinet.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";
import { anna } from "../../../test/people.ts";

const { gateway, trade } = await openOneGateway();

it("303: every id of one's own leads to its page; 404 for what nobody has", async () => {
  const things = await thingsOf(gateway, trade);
  const owner = await anna(gateway);
  const pages = {
    invoice_id: "invoices",
    payout_id: "payouts",
    event_id: "events",
    shop_id: "shops",
  };
  for (const [name, page] of Object.entries(pages)) {
    const id = pathTo(`:${name}`, things);
    assert.equal((await owner.get(`/my/go/${id}`)).location, `/my/${page}/${id}`);
    assert.ok((await owner.open(`/my/find?q=${id}`)).includes(`/my/${page}/${id}`));
  }
  for (const nothing of [NOBODY, "nothing", "%00"]) {
    assert.equal((await owner.get(`/my/go/${nothing}`)).status, 404, nothing);
  }
  const part = await owner.open(`/my/find?q=${things.orderId}`);
  assert.ok(part.includes(`/my/invoices/${things.invoice_id}`));
  assert.ok((await owner.open("/my/find?q=pay")).includes("/my/payouts"));
});
