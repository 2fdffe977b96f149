// /my/shops: its settings and what it pays.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const path = `/my/shops/${SHOP.id}`;

it("303: settings are saved, emptied ones forgotten, by who has proven who they are", async () => {
  const owner = await anna(gateway);
  const settings = `${path}/settings`;
  const wish = { title: "Tea & Spoon", color: "#aa3366", hook_url: "https://tea.example/hook" };
  const { status, location } = await owner.fill(settings, settings, wish);
  assert.deepEqual([status, location], [303, path]);
  assert.match(wordsIn(await owner.open(path)), /tea\.example.*What it costs.*4 % 2 %/);
  await owner.fill(settings, settings, { ...wish, hook_url: "" });
  const { title, hook_url } = await own.get(`shops/${SHOP.id}`);
  assert.deepEqual([title, hook_url], ["Tea & Spoon", null]);
  await trade.pass(11 * MINUTE);
  const late = await owner.post(settings, { ...wish, title: "Late" });
  assert.equal(late.status, 401);
  assert.match(late.text, /action="\/prove\/sandbox"/);
  assert.equal((await own.get(`shops/${SHOP.id}`)).title, "Tea & Spoon");
});
