// Whatever somebody has in hand leads to what it is of.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP, USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";
import { documentOf } from "../../domain/payout-file.ts";

const { gateway, own, trade } = await openOneGateway();

interface Found {
  readonly kind: string;
  readonly id: string;
}
const find = async (q: string): Promise<Found[]> =>
  (await own.get(`find?q=${encodeURIComponent(q)}`)).items;
const names = async (q: string): Promise<string[]> =>
  (await find(q)).map(({ kind, id }) => `${kind} ${id}`);

const order = await trade.order({ amount: 1500, order_id: "Заказ 17" });
const { transfer_id } = await trade.pay(order);

it("200: an id, of whatever it is, also inside a longer text", async () => {
  const { requisite_id } = (await own.get("requisites")).items[0];
  const { operator_id } = await own.get("me");
  const ids = {
    invoice: order.id,
    payment: order.paymentId,
    transfer: transfer_id,
    user: USER.id,
    shop: SHOP.id,
    requisite: requisite_id,
    operator: operator_id,
    event: (await own.get(`events?invoice_id=${order.id}`)).items[0].event_id,
    key: (await own.get(`keys?shop_id=${SHOP.id}`)).items[0].key_id,
  };
  for (const [kind, id] of Object.entries(ids)) {
    // Some of the cast share an id.
    assert.ok((await names(id)).includes(`${kind} ${id}`), kind);
  }
  assert.deepEqual(await names(`available.RUB.${USER.id.toUpperCase()}`), [`user ${USER.id}`]);
  assert.deepEqual(await find(NOBODY), []);
});

it("200: an order, and what a bank calls money, exactly", async () => {
  assert.deepEqual(await find("Заказ 17"), [
    { kind: "invoice", id: order.id, title: "Заказ 17", detail: "paid, 1500.00 RUB" },
  ]);
  assert.deepEqual(await find("Заказ 1"), []);
  const { transfer_id: other } = await trade.pay(order, { amount: 7, reference: "bank 7" });
  assert.deepEqual(await names(" bank 7 "), [`transfer ${other}`]);
});

it("200: a payout by its order, and by what its file calls it", async () => {
  await trade.pass(DAY);
  const id = await payouts(gateway, trade).made({ amount: 20, order_id: "payroll" });
  assert.deepEqual(await names("payroll"), [`payout ${id}`]);
  for (const document of [id.slice(-12), documentOf(id), documentOf(id).toLowerCase()])
    assert.deepEqual(await names(document), [`payout ${id}`]);
});

it("200: a payout by the bank's number of its fast payment, in small letters as well", async () => {
  const bank_reference = "B60721203517031F0B10110011700501";
  await pauseRail(gateway);
  const id = await payouts(gateway, trade).made({ amount: 21 });
  await own.post(`payouts/${id}/take`);
  await own.post(`payouts/${id}/sent`, { bank_reference });
  for (const written of [bank_reference, bank_reference.toLowerCase()])
    assert.deepEqual(await names(written), [`payout ${id}`]);
});

it("200: money by the number of its fast payment, whoever wrote which of them in small letters", async () => {
  const [capitals, small] = [
    "A60721203517031F0B10110011700502",
    "a60721203517031f0b10110011700503",
  ];
  for (const reference of [capitals, small]) {
    const { transfer_id: id } = await own.post("transfers", {
      wallet: order.wallet,
      amount: 3,
      reference,
    });
    for (const written of [reference.toUpperCase(), reference.toLowerCase()]) {
      assert.deepEqual(await names(written), [`transfer ${id}`]);
      const { items } = await own.get(`transfers?reference=${written}`);
      assert.deepEqual(
        items.map((one: { transfer_id: string }) => one.transfer_id),
        [id],
      );
    }
  }
});

it("200: the end of a card: the card; with an amount, what is of it there", async () => {
  const end = order.wallet.slice(-4);
  assert.deepEqual(
    (await find(`…${end}`)).map(({ kind }) => kind),
    ["requisite"],
  );
  const money = [`payment ${order.paymentId}`, `transfer ${transfer_id}`];
  assert.deepEqual(await names(`${end} ${order.amount}`), money);
  assert.deepEqual(await names(`${end} ${order.amount.toFixed(2).replace(".", ",")}`), money);
  assert.deepEqual(await find(`${end} 3.21`), []);
});

it("200: merchants and shops by how their names begin, in whatever letters", async () => {
  const { user } = await own.post("users", { name: "Ёлка_50%" });
  const { shop } = await own.post("shops", { user_id: user.user_id, name: "ёлка опт" });
  const both = [`user ${user.user_id}`, `shop ${shop.shop_id}`];
  assert.deepEqual(await names("ёЛ"), both);
  assert.deepEqual(await names("ёлка_"), both.slice(0, 1));
  assert.deepEqual(await names("%"), []);
});
