// /my/balance: three parts, when what is frozen is released, and what moved them.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, trade } = await openOneGateway();

it("200: frozen money says when it is released; the statement is a file, too", async () => {
  const owner = await anna(gateway);
  assert.match(wordsIn(await owner.open("/my/balance")), /Nothing is frozen/);
  const order = await trade.order();
  await trade.pay(order);
  const words = wordsIn(await owner.open("/my/balance"));
  assert.match(words, /Available 0\.00/);
  assert.match(words, /What becomes available on each day, RUB.*2.Mar 960\.00/);
  assert.match(await owner.open("/my/balance/entries.csv"), /transfer_matched,0,960,0/);
});
