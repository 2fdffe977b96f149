// A token that is revoked, and a person whose place at the desk is: what the list of people says is what holds.

import assert from "node:assert/strict";
import { it } from "node:test";
import { newcomers } from "../../../test/newcomers.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway, own } = await openOneGateway({ trustedProxies: ["127.0.0.1"] });
const { withPasskey, atDesk } = newcomers(gateway, own);

it("200: who is revoked as an operator has no role at the desk, in the list of people and in fact", async () => {
  const { visit, id } = await withPasskey("cashier");
  const { link } = await own.post(`people/${id}/link`);
  assert.equal((await own.get(`people/${id}`)).desk_role, "cashier");
  assert.ok((await own.post(`operators/${id}/revoke`)).revoked_at);
  assert.equal((await own.get(`people/${id}`)).desk_role, null);
  assert.equal(await atDesk(visit), 403);
  assert.equal((await visit.get(new URL(link).pathname)).status, 404, "nor a link of before");
  await own.post(`people/${id}`, { desk_role: "viewer" });
  assert.equal((await own.get(`people/${id}`)).desk_role, "viewer");
  assert.equal(await atDesk(visit), 200);
});
