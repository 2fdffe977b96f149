// /my/statistics: a merchant's statistics are of their own shops, and never of another's.

import assert from "node:assert/strict";
import { it } from "node:test";
import { OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { owners } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";
import { anna, wordsIn } from "../../../test/people.ts";
import { moneyText } from "../screens/pieces.ts";

const { gateway, trade } = await openOneGateway();
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
