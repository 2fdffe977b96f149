// GET /payoff/list: a user's own payouts, page by page.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";

const { gateway, trade } = await openOneGateway();
const user = payouts(gateway, trade);
await pauseRail(gateway);
await user.earn(10);
await pauseRail(gateway);

it("200: the newest first, by state and period, in pages, and nobody else's", async () => {
  const ids: string[] = [];
  const from = trade.now();
  for (const amount of [11, 12, 13]) {
    trade.tick();
    ids.unshift(await user.made({ amount }));
  }
  await user.cancel(ids[1] ?? "");
  const found = async (query: string) =>
    (await user.list(query)).body.data.items.map((one: { payoff_id: string }) => one.payoff_id);
  assert.deepEqual(await found(""), ids);
  assert.deepEqual(await found("&state=canceled"), [ids[1]]);
  assert.deepEqual(await found(`&from=${encodeURIComponent(trade.now())}`), [ids[0]]);
  assert.deepEqual(await found(`&to=${encodeURIComponent(from)}`), []);
  const first = (await user.list("&limit=2")).body.data;
  assert.deepEqual(
    first.items.map((one: { payoff_id: string }) => one.payoff_id),
    ids.slice(0, 2),
  );
  assert.deepEqual(await found(`&limit=2&after=${first.next}`), [ids[2]]);
  assert.deepEqual(first.items[0], (await user.info(ids[0] ?? "")).body.data);
  const other = payouts(gateway, trade, OTHER_USER);
  assert.deepEqual((await other.list()).body.data, { items: [], next: null });
  assert.equal((await user.list("&state=lost")).status, 422);
});
