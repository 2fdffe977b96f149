// /my/statistics: a merchant's statistics are of their own shops, and never of another's.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";
import { moneyText } from "../screens/pieces.ts";

const { gateway, own, trade } = await openOneGateway();
const { mine, theirs } = await owners(gateway);
const visit = await anna(gateway);
const plain = (text: string): string => wordsIn(text).replace(/[\u00a0\u202f]/g, " ");

it("200: nothing yet", async () => {
  const words = plain(await visit.open("/my/statistics"));
  assert.match(words, /Money, RUB Nothing to draw yet/);
});

it("200: the merchant's own money and invoices, of all shops or of one", async () => {
  await trade.pay(await trade.order({ amount: 1000 }));
  await trade.pay(await trade.order({ amount: 7777 }, OTHER_SHOP));
  await trade.pass(2 * MINUTE);
  const { items } = await mine.get("statistics?from=2026-03-01");
  assert.deepEqual([items.at(-1).received, items.at(-1).created], [1020, 1]);
  const { received } = (await theirs.get("statistics?from=2026-03-01")).items.at(-1);
  const foreign = moneyText(received, "en").replace("\u202f", " ");
  assert.ok(received > 7777);
  for (const path of ["/my/statistics?days=7", `/my/statistics?days=7&shop_id=${SHOP.id}`]) {
    const words = plain(await visit.open(path));
    assert.match(words, /Received 1 020\.00 ₽/);
    assert.match(words, /1 Mar so far 960\.00 60\.00 0\.00/);
    assert.match(words, /Card 1 1 1 020\.00 ₽ 60\.00 ₽ 100 %/);
    assert.ok(!words.includes(foreign), "nothing of another merchant's");
  }
});

it("200: money of one shop leads nowhere: it was credited on days when other invoices were created", async () => {
  const ofAll = await visit.open("/my/statistics?days=7");
  const ofOne = await visit.open(`/my/statistics?days=7&shop_id=${SHOP.id}`);
  assert.match(numbersOf(ofAll, "Money"), /href="\/my\/balance\/entries\?from=2026-03-01/);
  assert.doesNotMatch(numbersOf(ofOne, "Money"), /href/);
  assert.match(numbersOf(ofOne, "Money"), /1\sMar/);
  assert.match(numbersOf(ofOne, "Invoices"), /href="\/my\/invoices\?from=2026-03-01[^"]*shop_id/);
});

/** The numbers of a chart as a table. */
function numbersOf(page: string, title: string): string {
  const tables = page.match(/<details class="numbers">.*?<\/details>/gs) ?? [];
  return tables.find((one) => one.includes(`aria-label="${title}`)) ?? "";
}

it("404: the statistics of another merchant's shop", async () => {
  assert.equal((await visit.get(`/my/statistics?shop_id=${OTHER_SHOP.id}`)).status, 404);
});

it("200: dollars have statistics of their own, which lead to dollars alone", async () => {
  const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 1000 };
  await own.post("tariffs", { service: "p2p_card", currency: "USD", ...rates });
  const dollars = { bank: "sber", receiver_name: "Dollars", currency: "USD" };
  await own.post("requisites", { ...dollars, card: "4111111111111111" });
  await trade.pay(await trade.order({ currency: "USD", amount: 50 }));
  await trade.pass(2 * MINUTE);
  const page = await visit.open("/my/statistics?days=7&currency=USD");
  assert.match(plain(page), /Received 51\.00 \$ .*Money, USD/);
  const credited = /href="([^"]*\/my\/balance\/entries\?from=2026-03-01[^"]*currency=USD)"/.exec(
    page,
  );
  const shown = plain(await visit.open((credited?.[1] ?? "").replaceAll("&amp;", "&")));
  assert.ok(shown.includes("48.00") && !shown.includes("960.00"), shown);
});
