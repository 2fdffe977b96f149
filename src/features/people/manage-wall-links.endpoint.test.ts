// Links to the wallboard, managed: shown once, kept as a digest, ended by a day or by hand.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();

it("is shown once, and nowhere kept", async () => {
  const { wall_link, link } = await own.post("wall-links", { name: "Hall" });
  assert.match(link, /^http:\/\/kopeck\.test\/wall#[\w-]{32}$/);
  const token = link.slice(-32);
  const { items } = await own.get("wall-links");
  assert.deepEqual(items, [wall_link]);
  assert.equal(wall_link.created_by, "sandbox");
  const rows = await gateway.app.db.query("select row::text as text from wall_links row");
  const audit = await own.get("audit?act=wall_link.create");
  assert.equal(audit.items[0].after.name, "Hall");
  for (const text of [rows, items, audit]) assert.ok(!JSON.stringify(text).includes(token));
});

it("ends on a day to come, or never; a name is wanted", async () => {
  const day = new Date(gateway.clock.now().getTime() + 3 * DAY * 1000).toISOString().slice(0, 10);
  const { wall_link } = await own.post("wall-links", { name: "a week", ends_at: day });
  assert.equal(wall_link.ends_at, `${day}T00:00:00.000Z`);
  for (const [name, ends_at, code] of [
    ["over", trade.now(), "link_ends_before_now"],
    ["over", "1970-01-01", "link_ends_before_now"],
    ["no day", "soon", "field_invalid"],
    ["", day, "field_required"],
  ]) {
    const { status, headers } = await own.ask("wall-links", { name, ends_at });
    assert.deepEqual([status, headers.get("x-kopeck-error")], [422, code], name);
  }
});

it("is revoked once, and stays listed", async () => {
  const { wall_link } = await own.post("wall-links", { name: "gone" });
  const path = `wall-links/${wall_link.wall_link_id}/revoke`;
  const { revoked_at } = await own.post(path);
  trade.tick();
  const again = await own.post(path);
  assert.deepEqual([again.revoked_at, again.created_by], [revoked_at, "sandbox"]);
  assert.equal((await own.get("audit?act=wall_link.revoke")).items.length, 1);
  const [status] = await own.refused(`wall-links/${NOBODY}/revoke`, {});
  assert.equal(status, 404);
});
