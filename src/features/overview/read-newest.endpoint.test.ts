// /manage/newest, /cabinet/newest: what is newest, of all and of one merchant.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createInvoice } from "../../../test/cast.ts";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway, own } = await openOneGateway();
const { mine, theirs } = await owners(gateway);

it("200: nothing, then the newest invoice, for its own merchant only", async () => {
  assert.deepEqual(await own.get("newest"), {
    invoices: null,
    transfers: null,
    payouts: null,
    events: null,
  });
  const first = await createInvoice(gateway, { order_id: "first" });
  gateway.clock.advance(1);
  const second = await createInvoice(gateway, { order_id: "second" });
  assert.notEqual(first.body.data.id, second.body.data.id);
  assert.equal((await own.get("newest")).invoices, second.body.data.id);
  assert.equal((await mine.get("newest")).invoices, second.body.data.id);
  assert.equal((await theirs.get("newest")).invoices, null);
});
