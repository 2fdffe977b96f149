// GET /cabinet/tallies, /cabinet/pay-speeds: a merchant's figures are of their own shops and of nobody else's.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createInvoice, LINK_SHOP, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";

const { gateway, own, trade } = await openOneGateway();
const { mine, theirs } = await owners(gateway);
await trade.pay(await trade.order({ amount: 1000 }));
await createInvoice(gateway, { type: "link", amount: 2000 }, LINK_SHOP);
await trade.pay(await trade.order({ amount: 3000 }, OTHER_SHOP));
await trade.pass(2 * MINUTE);

interface Item {
  readonly key: string;
  readonly created: number;
  readonly received: number;
}

const told = ({ items }: { readonly items: readonly Item[] }) =>
  items.filter(({ created }) => created > 0).map(({ created, received }) => [created, received]);

it("200: all shops of the merchant together, one of them, and none of another's", async () => {
  assert.deepEqual(told(await own.get("tallies")), [[3, 4080]]);
  assert.deepEqual(told(await mine.get("tallies")), [[2, 1020]]);
  assert.deepEqual(told(await mine.get(`tallies?shop_id=${LINK_SHOP.id}`)), [[1, 0]]);
  assert.deepEqual(told(await theirs.get("tallies")), [[1, 3060]]);
  const { items } = await mine.get("tallies?by=shop");
  assert.deepEqual(
    items.map(({ key }: Item) => key),
    [SHOP.id, LINK_SHOP.id],
  );
  const speeds = await theirs.get("pay-speeds");
  assert.deepEqual(
    speeds.items.filter(({ paid }: { paid: number }) => paid > 0).length,
    1,
    JSON.stringify(speeds),
  );
});

it("404: a shop of another merchant, as one that nobody has", async () => {
  for (const door of ["tallies", "pay-speeds"]) {
    const [status] = await theirs.refused(`${door}?shop_id=${LINK_SHOP.id}`);
    assert.equal(status, 404);
  }
});
