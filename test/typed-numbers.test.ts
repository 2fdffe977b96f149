// Numbers that people type. A separator before three digits is a thousand to one reader and a fraction to another:
// "150,000" is never taken for 150, on no page and by no command.

import assert from "node:assert/strict";
import { it } from "node:test";
import { LINK_SHOP } from "./cast.ts";
import { openOneGateway } from "./one-gateway.ts";
import { CARD, pauseRail, payouts } from "./payouts.ts";
import { anna, fieldsIn, wordsIn } from "./people.ts";

const { gateway, own, trade } = await openOneGateway();
await pauseRail(gateway);
await payouts(gateway, trade).earn(2);
const visit = await anna(gateway);

const AMOUNT = /The “Amount” field must be written with spaces or nothing between thousands/;

it("a payment link of 150,000 is refused with how to write it, and nothing is made", async () => {
  const path = "/my/invoices/new";
  for (const amount of ["150,000", "150.000", "1,234.50", "1.234,50", "1,500,000", "150,0000"]) {
    const wish = { shop_id: LINK_SHOP.id, amount, order_id: "typed" };
    const { status, text } = await visit.fill(path, path, wish);
    assert.equal(status, 422, amount);
    assert.match(wordsIn(text), AMOUNT);
    assert.match(wordsIn(text), /1500\.50/);
    assert.deepEqual(fieldsIn(text, path)["amount"], [amount], "what was typed stays");
  }
  assert.deepEqual((await own.get("invoices?order_id=typed")).items, []);
});

it("a space stands between thousands and nowhere else: a payout of 150 50 is refused, and none of 15050 is made", async () => {
  const path = "/my/payouts/new";
  const before = (await own.get("payouts")).items.length;
  for (const amount of [
    "150 50",
    "1500 50",
    "100 000 00",
    "150 , 50",
    "1  500",
    "1 000 000 000 000 000 000",
  ]) {
    const wish = { service: "card", wallet_to: CARD, amount };
    const { status, text } = await visit.fill(path, path, wish);
    assert.equal(status, 422, JSON.stringify(amount));
    assert.match(wordsIn(text), AMOUNT, JSON.stringify(amount));
  }
  assert.equal((await own.get("payouts")).items.length, before);
  const rates = { service: "p2p_card", shop_percent: "1 5", user_percent: "0", min_sum: "100" };
  const tariff = await visit.fill("/desk/tariffs/set", "/desk/tariffs/set", {
    ...rates,
    max_sum: "50 000",
  });
  assert.equal(tariff.status, 422);
  assert.deepEqual((await own.get("tariffs")).items, [], "none of 15 percent");
});

it("limits of 500,000 roubles and 1,000 payments are refused; with spaces of any kind they are taken", async () => {
  const [{ requisite_id: id }] = (await own.get("requisites")).items;
  const page = `/desk/requisites/${id}`;
  const limits = async () => {
    const { max_day_sum, max_day_payments } = await own.get(`requisites/${id}`);
    return [max_day_sum, max_day_payments];
  };
  const before = await limits();
  for (const wish of [
    { max_day_sum: "500,000" },
    { max_day_payments: "1,000" },
    { max_day_payments: "1.000" },
    { max_day_payments: "10,5" },
  ]) {
    const { status, text } = await visit.fill(page, `${page}/change`, wish);
    assert.equal(status, 422, JSON.stringify(wish));
    assert.match(
      wordsIn(text),
      /field must be (?:a whole number, )?written with spaces or nothing/,
    );
    assert.deepEqual(await limits(), before);
  }
  for (const [sum, payments] of [
    ["500\u00a0000,5", "1\u202f000"],
    ["500 000.50", "1 000"],
    ["500000,50", "1000"],
  ] as const) {
    const wish = { max_day_sum: sum, max_day_payments: payments };
    assert.equal((await visit.fill(page, `${page}/change`, wish)).status, 303);
    assert.deepEqual(await limits(), [500_000.5, 1000]);
    await own.post(`requisites/${id}`, { max_day_sum: 7, max_day_payments: 7 });
  }
});

it("a filter that says 1,000 is refused, and is not one for 1", async () => {
  for (const path of ["/desk/invoices?amount=1,000", "/desk/transfers?amount=1.000"]) {
    const { status, text } = await visit.get(path);
    assert.equal(status, 422, path);
    assert.match(wordsIn(text), /written with spaces or nothing between thousands/);
  }
});
