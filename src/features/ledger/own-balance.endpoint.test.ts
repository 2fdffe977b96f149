// /cabinet/balance, /cabinet/entries: three parts that add up to what the entries have moved.

import assert from "node:assert/strict";
import { it } from "node:test";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";

const { gateway, trade } = await openOneGateway();
const { mine, theirs } = await owners(gateway);

type Parts = { available: number; frozen: number; reserved: number };

it("200: available, frozen and reserved, and each posting that made them", async () => {
  await pauseRail(gateway);
  await trade.pay(await trade.order());
  await trade.pass(DAY);
  trade.tick();
  await payouts(gateway, trade).made({ amount: 100 });
  await trade.pay(await trade.order());
  const { items } = await mine.get("balance");
  assert.deepEqual(items, [{ currency: "RUB", available: 860, frozen: 960, reserved: 100 }]);
  const entries: { items: (Parts & { kind: string })[] } = await mine.get("entries?currency=RUB");
  assert.deepEqual(
    entries.items.map(({ kind }) => kind),
    ["transfer_matched", "payout_reserved", "freeze_over", "transfer_matched"],
  );
  const sum = (part: keyof Parts) => entries.items.reduce((all, one) => all + one[part], 0);
  assert.deepEqual([sum("available"), sum("frozen"), sum("reserved")], [860, 960, 100]);
});

it("200: of another merchant nothing, page by page", async () => {
  assert.deepEqual((await theirs.get("entries")).items, []);
  const first = await mine.get("entries?limit=3");
  const rest = await mine.get(`entries?limit=3&after=${first.next}`);
  assert.deepEqual([first.items.length, rest.items.length, rest.next], [3, 1, null]);
});
