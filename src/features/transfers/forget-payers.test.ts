// Who paid is forgotten after its time, and said to be: what waits in suspense keeps it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { forget, keeping } from "../../../test/retention.ts";

const { gateway, own, trade } = await openOneGateway(keeping({ payers: 30 }));
const order = await trade.order();
await trade.pay(order, { reference: "known", payer: "Ivan P." });
await trade.pay(order, { reference: "waits", amount: 1, payer: "Anna K." });
await trade.pay(order, { reference: "nameless", amount: 2 });

const payers = async () =>
  Object.fromEntries(
    (await own.get("transfers")).items.map(
      ({ reference, payer }: { reference: string; payer: string | null }) => [reference, payer],
    ),
  );
const told = async (): Promise<string> => {
  const headers = { "x-api-key": SHOP.key };
  const query = `shop_id=${SHOP.id}&invoice_id=${order.id}`;
  return (await gateway.call(`/invoice/info?${query}`, { headers })).body.data.payer_details;
};

it("says that the payer was removed, of what waits for nobody", async () => {
  await trade.pass(29 * DAY);
  await forget(gateway, "forget-payers");
  assert.deepEqual(await payers(), { known: "Ivan P.", waits: "Anna K.", nameless: null });
  assert.equal(await told(), "Ivan P.");
  await trade.pass(2 * DAY);
  await forget(gateway, "forget-payers");
  assert.deepEqual(await payers(), { known: "removed", waits: "Anna K.", nameless: null });
  assert.equal(await told(), "removed");
  await assertBooksAreRight(gateway);
});

it("still refunds, and takes the same transfer once", async () => {
  const again = await trade.pay(order, { reference: "known", payer: "Ivan P." });
  assert.equal(again.fresh, false);
  await own.post("refunds", { invoice_id: order.id, amount: 1, reason: "test" });
  await assertBooksAreRight(gateway);
});
