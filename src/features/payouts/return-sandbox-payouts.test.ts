// In the sandbox a bank sends money back that had left: once, and also to a user who has emptied the account.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { manage } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR } from "../../../test/orders.ts";
import { cardEndingIn, payouts } from "../../../test/payouts.ts";

const { gateway, trade } = await openOneGateway();
const user = payouts(gateway, trade);

it("case 27: what comes back is the user's again, but for the fee", async () => {
  await user.earn();
  const id = await user.made({ wallet_to: cardEndingIn("06"), amount: 960 });
  await trade.pass(0);
  assert.deepEqual([await user.state(id), await trade.balance()], ["done", [0, 0, 0]]);
  const { paid_at } = (await user.info(id)).body.data;
  await trade.pass(HOUR);
  assert.deepEqual(
    [await user.state(id), await trade.balance()],
    ["returned", [94_080, 94_080, 0]],
  );
  await trade.pass(HOUR);
  assert.deepEqual(await trade.balance(), [94_080, 94_080, 0]);
  assert.equal((await user.info(id)).body.data.paid_at, paid_at, "when it left, not when it came");
  const told = (await manage(gateway).get(`events?payout_id=${id}`)).items;
  const { body } = await manage(gateway).get(`events/${told[0].event_id}`);
  assert.deepEqual([JSON.parse(body).code, JSON.parse(body).paid_at], [43, paid_at]);
  await assertBooksAreRight(gateway);
});
