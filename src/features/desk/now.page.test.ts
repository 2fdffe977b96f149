// /desk/now: money that waits by its age, requisites by how full they are, and the way to each.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE } from "../../../test/orders.ts";
import { cardEndingIn, pauseRail, payouts } from "../../../test/payouts.ts";
import { anna, unescaped, wordsIn } from "../../../test/people.ts";
import { noteDetails } from "../payments/details-count.ts";

const { gateway, own, trade } = await openOneGateway();
const visit = await anna(gateway);

it("200: where nothing waits it says so, and leads to the figures of days", async () => {
  const page = await visit.open("/desk/now");
  assert.match(wordsIn(page), /Nothing waits/);
  assert.match(wordsIn(page), /None was given up/);
  assert.match(wordsIn(page), /Why details were refused, by hour Nothing to draw yet/);
  assert.match(page, /href="\/desk\/figures"/);
});

it("200: what waits is in the bar of its age; the requisite that is nearest to a limit stands first", async () => {
  const order = await trade.order({ amount: 2000 });
  await trade.pay(order, { amount: order.amount - 7 });
  const { items } = await own.get("requisites?enabled=true");
  const used = items.find(({ live_payments: live }: { live_payments: number }) => live > 0);
  assert.ok(used !== undefined && items.length > 1);
  const page = await visit.open("/desk/now");
  assert.match(wordsIn(page), /< 1 h: 1/);
  const [, first = ""] = /href="\/desk\/requisites\/([0-9a-f-]{36})"/.exec(page) ?? [];
  assert.equal(first, used.requisite_id);
});

it("200: why details were refused, in the hour that it happened", async () => {
  const paid = await trade.order({ amount: 1000 });
  await trade.pay(paid);
  assert.equal((await createH2h(gateway, paid.id)).status, 422);
  noteDetails(gateway.app, SHOP.id, "limits");
  await trade.pass(2 * MINUTE);
  const words = wordsIn(await (await anna(gateway)).open("/desk/now"));
  assert.match(words, /so far 0 1 0 0.*too often\) and not drawn: 1\./);
});

it("200: money of two currencies is no one sum, and what is old stands there however much came since", async () => {
  const { gateway, own, trade } = await openOneGateway();
  await pauseRail(gateway);
  const dollars = { bank: "sber", receiver_name: "Dollars", currency: "USD" };
  const card = cardEndingIn("0004");
  const { requisite_id } = await own.post("requisites", { ...dollars, card });
  const order = await trade.order();
  const rates = { service: "p2p_card", currency: "USD", shop_percent: 0, user_percent: 0 };
  await own.post("tariffs", { ...rates, min_sum: 1, max_sum: 100_000 });
  await trade.pay(await trade.order({ currency: "USD", amount: 500 }));
  await trade.pass(DAY);
  const policy = { service: "card", percent: 0, min_sum: 1, max_sum: 10_000, hold_over: 1 };
  for (const currency of ["RUB", "USD"]) await own.post("payout-tariffs", { ...policy, currency });
  await payouts(gateway, trade).earn();

  await own.post("transfers", { requisite_id, amount: 44, reference: "old dollars" });
  await trade.pay(order, { amount: 7, reference: "old" });
  await trade.pass(8 * DAY);
  for (let count = 0; count < 55; count += 1) await trade.pay(order, { amount: 10 });
  for (const currency of ["RUB", "USD"])
    await payouts(gateway, trade).made({ amount: 200, currency });

  const words = wordsIn(await (await anna(gateway)).open("/desk/now"));
  const [, roubles = "", usd = ""] = words.split(/Money that waits, by age, (?=RUB|USD)/);
  assert.match(words, /by age, RUB.*by age, USD/);
  assert.match(roubles + usd, /< 1 h: 55 550\.00 .*> 7 d: 1 7\.00/);
  assert.match(words, /> 7 d: 1 44\.00/);
  for (const sum of [/ 1 200\.00 ₽/, / 1 200\.00 \$/])
    assert.match(words.split("Payouts under way").at(-1) ?? "", sum);
  assert.doesNotMatch(words, /51\.00/);
  // And each sum leads to the payouts that it is of, here and from the queue of the first page.
  const visit = await anna(gateway);
  for (const page of ["/desk/now", "/desk"]) {
    const hrefs = (await visit.open(page)).match(/\/desk\/payouts\?state=held[^"]*/g) ?? [];
    const files = [...new Set(hrefs.map(unescaped))].map((href) => href.replace("?", ".csv?"));
    const rows = await Promise.all(files.map(async (file) => (await visit.get(file)).text));
    const told = rows.map((text) => text.trim().split("\r\n").slice(1).join());
    assert.deepEqual(
      told.map((text) => text.match(/,(?:RUB|USD)(?=,|$)/g)?.join("")).toSorted(),
      [",RUB", ",USD"],
      page,
    );
  }
});
