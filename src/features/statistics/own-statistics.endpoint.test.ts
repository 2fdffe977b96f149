// GET /cabinet/statistics: a merchant's statistics are of their own shops alone.

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

const told = ({ total }: { readonly total: Item }) => [total.created, total.received];

it("200: all shops of the merchant together, one of them, and none of another's", async () => {
  assert.deepEqual(told(await own.get("statistics")), [3, 4080]);
  assert.deepEqual(told(await mine.get("statistics")), [2, 1020]);
  assert.deepEqual(told(await mine.get(`statistics?shop_id=${LINK_SHOP.id}`)), [1, 0]);
  assert.deepEqual(told(await theirs.get("statistics")), [1, 3060]);
  const { items } = await mine.get("statistics?by=shop");
  assert.deepEqual(
    items.map(({ key }: Item) => key),
    [SHOP.id, LINK_SHOP.id],
  );
});
