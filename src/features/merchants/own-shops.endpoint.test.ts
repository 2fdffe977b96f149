// /cabinet/me, /cabinet/shops, /cabinet/audit: what a token is, the merchant's own shops, what of them is theirs to
// set, and who has changed it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP, USER } from "../../../test/cast.ts";
import { hire, owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway, own } = await openOneGateway();
const { mine, theirs } = await owners(gateway);

it("200: me, with the merchant, the role and what it may do", async () => {
  const { own: support, personId } = await hire(gateway, "support", USER.id, "Sam");
  const { person, merchant, role, rights } = await support.get("me");
  assert.deepEqual(person, { person_id: personId, name: "Sam" });
  assert.deepEqual([merchant.user_id, role], [USER.id, "support"]);
  assert.deepEqual(rights, ["look", "payer", "resend", "link"]);
});

it("200: what is the merchant's to set is set, and the log says by whom", async () => {
  const next = { title: "Paper & Ink", late_policy: "hold", hook_url: "https://shop.example/h" };
  const shop = await mine.post(`shops/${SHOP.id}`, next);
  assert.deepEqual([shop.title, shop.late_policy, shop.hook_url], Object.values(next));
  assert.equal((await mine.post(`shops/${SHOP.id}`, { clear: ["title"] })).title, null);
  const { items } = await mine.get(`audit?subject=${SHOP.id}&act=shop.update`);
  assert.deepEqual(
    items.map((row: { operator_name: string }) => row.operator_name),
    ["Anna", "Anna"],
  );
  assert.equal(items[0].user_id, USER.id);
  assert.deepEqual((await own.lastAudit()).audit_id, items[0].audit_id);
  assert.deepEqual((await theirs.get("audit")).items, []);
});

it("422: what is the operator's to set", async () => {
  for (const field of ["h2h_enabled", "name", "dialect"]) {
    assert.equal((await mine.ask(`shops/${SHOP.id}`, { [field]: true })).status, 422, field);
  }
});
