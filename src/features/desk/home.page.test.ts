// /desk: what waits for a person comes first, with the way to it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY } from "../../../test/orders.ts";
import { cardEndingIn, pauseRail, payouts } from "../../../test/payouts.ts";
import { anna, linkIn, unescaped, visitor, wordsIn } from "../../../test/people.ts";
import { openCard, openPhone } from "../../../test/phone.ts";

const { gateway, trade } = await openOneGateway();

it("303: only for who has signed in; 200: nothing waits, and then money does", async () => {
  const stranger = await visitor(gateway).get("/desk");
  assert.deepEqual([stranger.status, stranger.location], [303, "/sign-in?then=%2Fdesk"]);
  const visit = await anna(gateway);
  assert.match(wordsIn(await visit.open("/desk")), /Nothing waits for you/);
  const order = await trade.order();
  const { transfer_id } = await trade.pay(order, { amount: 987.65, payer: "<b>x</b>" });
  const page = await visit.open("/desk");
  assert.match(wordsIn(page), /Waiting for you Transfers without a payment .* 1 987\.65 ₽/);
  assert.ok(page.includes(`/desk/suspense?transfer=${transfer_id}`) && !page.includes("<b>x"));
  assert.match(wordsIn(page), /Last invoices .* Paper and Ink .* Last transfers .* In suspense/);
});

it("200: what no statement proves leads to the transfers that it counts, and not to this minute's", async () => {
  const { wallet } = await trade.order();
  const phone = await openPhone(gateway);
  const card = openCard(gateway, wallet);
  await phone.hears(card.income(11));
  await trade.pass(3 * DAY);
  await phone.hears(card.income(12));
  const visit = await anna(gateway);
  const page = await visit.open("/desk");
  assert.match(wordsIn(page), /Transfers that no statement proves .* 1 11\.00/);
  const rows = await visit.open(linkIn(page, "/desk/transfers", "needs_proof=true"));
  assert.match(wordsIn(rows), / 11\.00/);
  assert.doesNotMatch(wordsIn(rows), / 12\.00/);
});

it("200: held payouts of two currencies are two sums, and each leads to its own payouts", async () => {
  const { gateway, own, trade } = await openOneGateway();
  await pauseRail(gateway);
  const rates = { service: "p2p_card", currency: "USD", shop_percent: 0, user_percent: 0 };
  await own.post("tariffs", { ...rates, min_sum: 1, max_sum: 100_000 });
  const dollars = { bank: "sber", receiver_name: "Dollars", currency: "USD" };
  await own.post("requisites", { ...dollars, card: cardEndingIn("0004") });
  await trade.pay(await trade.order({ currency: "USD", amount: 500 }));
  await trade.pass(DAY);
  const policy = { service: "card", percent: 0, min_sum: 1, max_sum: 10_000, hold_over: 1 };
  for (const currency of ["RUB", "USD"]) await own.post("payout-tariffs", { ...policy, currency });
  const user = payouts(gateway, trade);
  await user.earn();
  for (const currency of ["RUB", "USD"]) await user.made({ amount: 200, currency });

  const visit = await anna(gateway);
  const hrefs = (await visit.open("/desk")).match(/\/desk\/payouts\?state=held[^"]*/g) ?? [];
  const files = [...new Set(hrefs.map(unescaped))].map((href) => href.replace("?", ".csv?"));
  const rows = await Promise.all(files.map(async (file) => (await visit.get(file)).text));
  const told = rows.map((text) => text.trim().split("\r\n").slice(1).join());
  assert.deepEqual(told.map((text) => text.match(/,(?:RUB|USD)(?=,|$)/g)?.join("")).toSorted(), [
    ",RUB",
    ",USD",
  ]);
});
