// /my/events/test: offered where nothing was told yet and on the shop's page, to who may; the outcome in words.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";
import { openReceiver } from "../../../test/receiver.ts";

const { gateway, own } = await openOneGateway();
const receiver = await openReceiver();
after(() => receiver.close());

it("200: from the empty list and from the shop; heard, refused and without an address are told in words", async () => {
  const owner = await anna(gateway);
  const page = "/my/events/test";
  assert.match(await owner.open("/my/events"), /Nothing was told.*/s);
  assert.ok((await owner.open("/my/events")).includes(`href="${page}"`));
  const ofShop = `${page}?shop_id=${SHOP.id}`;
  assert.ok((await owner.open(`/my/shops/${SHOP.id}`)).includes(`href="${ofShop}"`));
  const send = async () => {
    const { status, text } = await owner.fill(ofShop, page, { shop_id: SHOP.id });
    assert.equal(status, 200);
    return wordsIn(text);
  };
  assert.match(await send(), /has no webhook address/);
  await own.post(`shops/${SHOP.id}`, { hook_url: receiver.url });
  assert.match(await send(), /Heard, 200.*"status":"test"/);
  receiver.answer(404);
  assert.match(await send(), /Answers 404: knows no such path/);
  assert.equal(receiver.received.length, 2);
});
