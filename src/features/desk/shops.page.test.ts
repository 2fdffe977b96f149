// A shop at the desk: settings that are emptied are forgotten, keys are shown once.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP, USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna } from "../../../test/people.ts";

const { gateway, own } = await openOneGateway();
const visit = await anna(gateway);

it("saves settings, forgets what was emptied, says what is wrong beside its field", async () => {
  const page = `/desk/shops/${SHOP.id}`;
  const now = await own.post(`shops/${SHOP.id}`, { title: "Old", color: "#112233" });
  const { shop_id: _id, user_id: _user, created_at: _at, ...settings } = now;
  const texts = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, String(value ?? "")]),
  );
  const saved = await visit.fill(page, `${page}/settings`, {
    ...texts,
    title: "",
    late_policy: "hold",
  });
  assert.equal(saved.location, page);
  const after = await own.get(`shops/${SHOP.id}`);
  assert.deepEqual([after.title, after.color, after.late_policy], [null, "#112233", "hold"]);
  const wrong = await visit.fill(page, `${page}/settings`, { ...texts, color: "red" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /id="p-color"/);
});

it("makes a shop and one more key, each secret shown once", async () => {
  const made = await visit.fill(`/desk/shops/new?user_id=${USER.id}`, "/desk/shops/new", {
    user_id: USER.id,
    name: "Fresh",
  });
  assert.match(made.text, /whsec_/);
  const [{ shop_id: id, name }] = (await own.get("shops")).items;
  assert.equal(name, "Fresh");
  const key = await visit.fill(`/desk/shops/${id}`, `/desk/shops/${id}/new-key`);
  assert.match(key.text, /<code>key_/);
  assert.equal((await own.get(`keys?shop_id=${id}`)).items.length, 2);
});
