// Every page of the cabinet, asked by another merchant's owner for what is not theirs, and by every role for what is:
// what is another's is not there, what a role may not is refused, by the one table of rights.

import assert from "node:assert/strict";
import { it } from "node:test";
import { MEMBER_ROLES, may, type Right } from "../src/domain/role.ts";
import { cabinetPages } from "../src/features/cabinet/cabinet-pages.ts";
import { pathTo, thingsOf } from "./cabinet.ts";
import { OTHER_USER, SHOP } from "./cast.ts";
import { hire, signedInAs } from "./members.ts";
import { openOneGateway } from "./one-gateway.ts";
import { anna } from "./people.ts";

const { gateway, trade } = await openOneGateway();
const things = await thingsOf(gateway, trade);
const other = await signedInAs(gateway, await hire(gateway, "owner", OTHER_USER.id));
const owner = await anna(gateway);

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

/** What a page is for; those that are not here are for everybody. */
const RIGHTS_OF: Readonly<Record<string, Right>> = {
  "/my/invoices/:invoice_id/refund": "refund",
  "/my/balance": "balance",
  "/my/balance/entries": "balance",
  "/my/balance/entries.csv": "balance",
  "/my/payouts": "balance",
  "/my/payouts.csv": "balance",
  "/my/payouts/:payout_id": "balance",
  "/my/payouts/new": "ask_payout",
  "/my/payouts/:payout_id/cancel": "ask_payout",
  "/my/statistics": "balance",
  "/my/reports": "balance",
  "/my/events/:event_id/send": "resend",
  "/my/events/test": "settings",
  "/my/shops/:shop_id/settings": "settings",
  "/my/keys/new": "keys",
  "/my/keys/new-own": "confirm_payout",
  "/my/keys/:key_id/revoke": "keys",
  "/my/keys/webhooks": "keys",
  "/my/keys/webhooks/:shop_id": "keys",
  "/my/people": "people",
  "/my/people/invite": "people",
  "/my/people/:person_id": "people",
  "/my/people/:person_id/link": "people",
  "/my/log": "people",
  "/my/log.csv": "people",
};

it("200 or 403: every page for every role, as the table of rights says", async () => {
  const pages = cabinetPages.filter(({ method }) => method === "GET").map(({ path }) => path);
  assert.deepEqual(new Set(Object.keys(RIGHTS_OF)).difference(new Set(pages)).size, 0);
  for (const role of MEMBER_ROLES) {
    const visit = role === "owner" ? owner : await signedInAs(gateway, await hire(gateway, role));
    for (const path of pages) {
      if (path.startsWith("/my/tokens/:") && role !== "owner") continue;
      const query = path === "/my/keys/new" ? `?shop_id=${SHOP.id}` : "";
      const { status, text } = await visit.get(pathTo(path, things) + query);
      const isAllowed = may(role, RIGHTS_OF[path] ?? "look");
      const wanted = !isAllowed ? 403 : path.startsWith("/my/go/") ? 303 : 200;
      assert.equal(status, wanted, `${role} ${path}`);
      // What a webhook holds, whoever runs the receiver has.
      if (!may(role, "payer") && !path.startsWith("/my/events/"))
        assert.ok(!text.includes("canary payer"), `${role} ${path}`);
    }
  }
});

it("a developer reads who paid, masked, in what their server is sent, and on no other page", async () => {
  const visit = await signedInAs(gateway, await hire(gateway, "developer"));
  assert.ok(!(await visit.open(pathTo("/my/invoices/:invoice_id", things))).includes("canary"));
  assert.ok((await visit.open(pathTo("/my/events/:event_id", things))).includes("canary payer"));
});
