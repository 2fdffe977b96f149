// Payouts that wait for a person: canceled in the end, and by nothing else that time does.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";

const { gateway, trade } = await openOneGateway();
const user = payouts(gateway, trade);
await pauseRail(gateway);
await user.earn(2, 90_000);
await pauseRail(gateway);
afterEach(() => assertBooksAreRight(gateway));

it("case 30: a year later one that was held is canceled with its money back", async () => {
  const before = await trade.balance();
  const held = await user.made({ amount: 50_000.01 });
  assert.deepEqual(
    (({ state, held_reason }) => [state, held_reason])((await user.info(held)).body.data),
    ["held", "large"],
  );
  await trade.pass(3 * DAY - 1);
  assert.equal(await user.state(held), "held");
  await trade.pass(1);
  const { data } = (await user.info(held)).body;
  assert.deepEqual(
    [data.state, data.status, data.error_message],
    ["canceled", "fail", "not_approved_in_time"],
  );
  assert.deepEqual(await trade.balance(), before);
  await trade.pass(365 * DAY);
  assert.deepEqual(await trade.balance(), before);
});

it("a repeat without an order id is held, one with an order id of its own is not", async () => {
  const wish = { amount: 33, order_id: undefined };
  assert.equal(await user.state(await user.made(wish)), "queued");
  trade.tick();
  const again = (await user.info(await user.made(wish))).body.data;
  assert.deepEqual([again.state, again.held_reason], ["held", "repeat"]);
  assert.equal(await user.state(await user.made({ amount: 33 })), "queued");
  assert.equal(await user.state(await user.made({ amount: 34, order_id: undefined })), "queued");
  const both = await Promise.all([1, 2].map(() => user.made({ amount: 35, order_id: undefined })));
  const states = await Promise.all(both.map((id) => user.state(id)));
  assert.deepEqual(states.toSorted(), ["held", "queued"], "also where both come at once");
});
