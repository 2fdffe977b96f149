// The wall loads itself again, and says what waits.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, trade } = await openOneGateway();

it("shows what is under way and what waits", async () => {
  const order = await trade.order();
  await trade.pay(order, { amount: 7 });
  const { text, headers } = await (await anna(gateway)).get("/desk/wall");
  assert.equal(headers.get("refresh"), "30");
  assert.match(wordsIn(text), /Payments under way 1 .*In suspense 1/);
});
