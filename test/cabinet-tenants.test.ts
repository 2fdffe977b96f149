// Every page of the cabinet, asked by another merchant's owner for what is not theirs: it is not there.
// What each role may is asked of every endpoint by principals.test.ts.

import assert from "node:assert/strict";
import { it } from "node:test";
import { cabinetPages } from "../src/features/cabinet/cabinet-pages.ts";
import { pathTo, thingsOf } from "./cabinet.ts";
import { OTHER_USER, SHOP } from "./cast.ts";
import { hire, signedInAs } from "./members.ts";
import { openOneGateway } from "./one-gateway.ts";

const { gateway, trade } = await openOneGateway();
const things = await thingsOf(gateway, trade);
const other = await signedInAs(gateway, await hire(gateway, "owner", OTHER_USER.id));

const named = cabinetPages.filter(({ path }) => path.includes(":"));
const own = [things.orderId, "canary payer", things.payout_id, things.event_id];

it("404: whatever is another merchant's, on every page that names something, and by every form", async () => {
  assert.ok(named.length > 15);
  for (const { method, path } of named) {
    const at = pathTo(path, things);
    const sent = { amount: "1", reason: "mine", role: "none", title: "mine" };
    const { status, text } = method === "GET" ? await other.get(at) : await other.post(at, sent);
    assert.equal(status, 404, `${method} ${at}`);
    for (const canary of own.slice(0, 2)) assert.ok(!text.includes(canary), `${method} ${at}`);
  }
});

it("404: lists and files of another merchant's shop; nothing of theirs is found", async () => {
  for (const path of ["invoices", "invoices.csv", "refunds.csv", "events.csv", "statistics"]) {
    const { status } = await other.get(`/my/${path}?shop_id=${SHOP.id}`);
    assert.equal(status, 404, path);
  }
  for (const q of [things.invoice_id, things.orderId, things.payout_id, things.shop_id]) {
    const { status, text } = await other.get(`/my/find?q=${q}`);
    assert.equal(status, 200);
    assert.ok(text.includes("Nothing found"), q);
  }
  for (const path of ["invoices.csv", "payouts.csv", "balance/entries.csv", "events", "log"]) {
    const text = await other.open(`/my/${path}`);
    for (const canary of own) assert.ok(!text.includes(canary), path);
  }
});

it("a developer reads who paid, masked, in what their server is sent, and on no other page", async () => {
  const visit = await signedInAs(gateway, await hire(gateway, "developer"));
  assert.ok(!(await visit.open(pathTo("/my/invoices/:invoice_id", things))).includes("canary"));
  assert.ok((await visit.open(pathTo("/my/events/:event_id", things))).includes("canary payer"));
});
