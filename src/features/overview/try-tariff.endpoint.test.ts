// What another tariff would have cost, by what was really paid.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";

const { own, trade } = await openOneGateway();

const tried = (query: string) => own.get(`tariffs/try?service=p2p_card&${query}`);
const rates = "shop_percent=1&user_percent=0&fix=5";

it("200: counts what was paid, of one shop or of all, and changes nothing", async () => {
  await trade.pay(await trade.order({ amount: 1000 }));
  await trade.pay(await trade.order({ amount: 500 }));
  await trade.pay(await trade.order({ amount: 300 }, OTHER_SHOP));
  await trade.order({ amount: 700 });
  const { items } = await own.get(`payments?shop_id=${SHOP.id}&state=paid`);
  const fee = items.reduce((sum: number, one: { fee: number }) => sum + one.fee, 0);
  const { from: _, ...mine } = await tried(`${rates}&shop_id=${SHOP.id}`);
  assert.deepEqual(mine, {
    count: 2,
    capped: false,
    amount: 1500,
    fee,
    payer_fee: mine.payer_fee,
    tried_fee: 25,
    tried_payer_fee: 0,
    difference: 25 - fee,
    refused: 0,
  });
  const all = await tried(rates);
  assert.deepEqual([all.count, all.amount, all.tried_fee], [3, 1800, 33]);
  const dear = await tried("shop_percent=0&user_percent=1&fix=400");
  assert.deepEqual([dear.tried_payer_fee, dear.refused], [18, 1]);
});

it("200: only of the last 30 days", async () => {
  await trade.pass(31 * DAY);
  assert.equal((await tried(rates)).count, 0);
});

it("404: no such shop; 422: more than all of it", async () => {
  const ask = (query: string) => own.ask(`tariffs/try?service=p2p_card&${query}`);
  assert.equal((await ask(`${rates}&shop_id=${NOBODY}`)).status, 404);
  assert.equal((await ask("shop_percent=60&user_percent=60")).status, 422);
});
