// /cabinet/me, /cabinet/shops, /cabinet/audit: what a token is, the merchant's own shops, what of them is theirs to
// set, and who has changed it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_SHOP, SHOP, USER } from "../../../test/cast.ts";
import { hire, owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";

const { gateway, own } = await openOneGateway();
const { mine, theirs } = await owners(gateway);

it("200: me, with the merchant, the role and what it may do", async () => {
  const { own: support, personId } = await hire(gateway, "support", USER.id, "Sam");
  const { person, merchant, role, rights } = await support.get("me");
  assert.deepEqual(person, { person_id: personId, name: "Sam" });
  assert.deepEqual([merchant.user_id, role], [USER.id, "support"]);
  assert.deepEqual(rights, ["look", "payer", "resend", "link"]);
});

it("401: a token of a membership that is over, and of a person who was disabled", async () => {
  const left = await hire(gateway, "owner");
  const gone = await hire(gateway, "owner");
  const { db, clock } = gateway.app;
  const sql = "update memberships set ended_at = $2 where person_id = $1";
  await db.query(sql, [left.personId, clock.now()]);
  await db.query("update people set disabled_at = $2 where id = $1", [gone.personId, clock.now()]);
  for (const { own: over } of [left, gone]) assert.equal((await over.ask("me")).status, 401);
});

it("200: all shops of the merchant, and none of another's", async () => {
  const { items } = await mine.get("shops");
  assert.ok(items.every((shop: { user_id: string }) => shop.user_id === USER.id));
  assert.equal(items.length, 5);
  const others = await theirs.get("shops");
  assert.deepEqual([others.items.length, others.items[0].shop_id], [1, OTHER_SHOP.id]);
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

it("404: another merchant's shop, in the words of one that nobody has", async () => {
  for (const body of [undefined, { title: "mine now" }]) {
    const unknown = await mine.ask(`shops/${NOBODY}`, body);
    const other = await mine.ask(`shops/${OTHER_SHOP.id}`, body);
    assert.deepEqual([other.status, other.text], [404, unknown.text]);
  }
});
