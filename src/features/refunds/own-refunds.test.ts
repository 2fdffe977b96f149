// /cabinet/refunds: by the merchant's own people, once for a reference, never of somebody else's invoice.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";

const { gateway, trade } = await openOneGateway();
const { mine, theirs } = await owners(gateway);
afterEach(() => assertBooksAreRight(gateway));

it("200: once for a reference, with the name of who did it; 404 for another merchant's invoice", async () => {
  const order = await trade.order();
  await trade.pay(order);
  await trade.pass(DAY);
  const wish = { invoice_id: order.id, amount: 100, reason: "A broken cup", reference: "r-1" };
  const other = await theirs.ask("refunds", wish);
  const unknown = await theirs.ask("refunds", { ...wish, invoice_id: NOBODY });
  assert.deepEqual([other.status, other.text], [404, unknown.text]);
  const first = await mine.post("refunds", wish);
  assert.deepEqual(await mine.post("refunds", wish), first);
  const { items } = await mine.get(`refunds?shop_id=${SHOP.id}`);
  assert.deepEqual([items.length, items[0].author], [1, "Anna"]);
  assert.equal((await mine.get("audit?act=refund.create")).items.length, 1);
  assert.deepEqual((await theirs.get("refunds")).items, []);
  const strange = await mine.ask(`refunds?shop_id=${OTHER_SHOP.id}`);
  assert.deepEqual(
    [strange.status, strange.text],
    [404, (await mine.ask(`refunds?shop_id=${NOBODY}`)).text],
  );
});
