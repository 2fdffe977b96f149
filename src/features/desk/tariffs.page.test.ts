// Tariffs and payment methods at the desk: set, tried on the last month, removed.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);

it("sets a default and removes it; exceptions stand beside it", async () => {
  assert.match(wordsIn(await visit.open("/desk/tariffs")), /No default tariff.*Exceptions.*СБП/);
  const set = {
    service: "p2p_card",
    shop_percent: "3,5",
    user_percent: "0",
    min_sum: "100",
    max_sum: "50 000",
  };
  assert.equal(
    (await visit.fill("/desk/tariffs/set", "/desk/tariffs/set", set)).location,
    "/desk/tariffs",
  );
  const [{ shop_percent, max_sum }] = (await own.get("tariffs")).items;
  assert.deepEqual([shop_percent, max_sum], [3.5, 50_000]);
  await visit.fill("/desk/tariffs/remove", "/desk/tariffs/remove", { service: "p2p_card" });
  assert.deepEqual((await own.get("tariffs")).items, []);
  assert.ok((await own.get("tariffs?of_shops=true")).items.length > 0);
});

it("tries a tariff on what was paid", async () => {
  await trade.pay(await trade.order({ amount: 1000 }));
  const page = await visit.open(
    "/desk/tariffs/try?service=p2p_card&shop_percent=10&user_percent=0",
  );
  assert.match(wordsIn(page), /With this tariff 100\.00/);
});

it("changes how long a method's money is frozen", async () => {
  const path = "/desk/methods/p2p_card";
  await visit.fill(path, path, { freeze_seconds: "7200" });
  assert.match(wordsIn(await visit.open("/desk/methods")), /Card 7200/);
});
