// /my: what needs somebody, what happened last, and three steps for who has sold nothing yet.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_USER } from "../../../test/cast.ts";
import { hire, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, trade } = await openOneGateway();

it("200: the balance, what was not heard, the last invoices, each a way to its rows", async () => {
  const order = await trade.order();
  await trade.pay(order);
  const text = await (await anna(gateway)).open("/my");
  assert.match(text, new RegExp(`href="/my/invoices/${order.id}"`));
  assert.match(wordsIn(text), /Frozen 960\.00/);
  assert.match(text, /href="\/my\/balance\/entries"/);
  await trade.pass(2 * MINUTE);
  const [, received, credited] =
    /Received<\/dt><dd><b>(.*?)<\/b>.*Credited<\/dt><dd><b>(.*?)<\/b>/s.exec(
      await (await anna(gateway)).open("/my"),
    ) ?? [];
  assert.match(received ?? "", /^<span[^>]*>1.020\.00/, "in the statement it is 960.00");
  assert.match(credited ?? "", /^<a href="\/my\/balance\/entries\?.*960\.00/);
});

it("200: an empty shop is shown three steps; who sees no money sees none", async () => {
  const owner = await signedInAs(gateway, await hire(gateway, "owner", OTHER_USER.id));
  const words = wordsIn(await owner.open("/my"));
  assert.match(words, /Three steps to the first payment/);
  assert.match(words, /✓ Make a key.*○ Make a first invoice.*○ Set a webhook/);
  const developer = await signedInAs(gateway, await hire(gateway, "developer"));
  assert.doesNotMatch(wordsIn(await developer.open("/my")), /Frozen|Received/);
});
