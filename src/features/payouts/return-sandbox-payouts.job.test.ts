// In the sandbox a bank sends money back that had left: once, and also to a user who has emptied the account.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
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
  await trade.pass(HOUR);
  assert.deepEqual(
    [await user.state(id), await trade.balance()],
    ["returned", [94_080, 94_080, 0]],
  );
  await trade.pass(HOUR);
  assert.deepEqual(await trade.balance(), [94_080, 94_080, 0]);
  await assertBooksAreRight(gateway);
});
