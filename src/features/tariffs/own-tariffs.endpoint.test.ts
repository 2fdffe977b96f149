// /cabinet/tariffs: what the merchant's shops pay, and nobody else's.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_SHOP, SHOP, URLS_SHOP } from "../../../test/cast.ts";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";

const { gateway } = await openOneGateway();
const { mine } = await owners(gateway);

it("200: of one shop, and of all", async () => {
  const { items } = await mine.get(`tariffs?shop_id=${SHOP.id}`);
  assert.deepEqual(
    items.map((one: { service: string; percent: number }) => [one.service, one.percent]),
    [
      ["card", 6],
      ["p2p_card", 6],
      ["p2p_sbp", 4],
    ],
  );
  const all = await mine.get("tariffs");
  const shops = new Set(all.items.map((one: { shop_id: string }) => one.shop_id));
  assert.ok(shops.has(SHOP.id) && shops.has(URLS_SHOP.id) && !shops.has(OTHER_SHOP.id));
});
