// /my/payouts: asked for by who may, with what it costs in words; what nobody knows of is explained.

import assert from "node:assert/strict";
import { it } from "node:test";
import { USER } from "../../../test/cast.ts";
import { manage } from "../../../test/manage.ts";
import { hire, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR } from "../../../test/orders.ts";
import { CARD, pauseRail, payouts } from "../../../test/payouts.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, trade } = await openOneGateway();
await pauseRail(gateway);
const paying = payouts(gateway, trade);
await paying.earn(2);

it("303: an owner's leaves by itself, an accountant's waits; both say what it costs", async () => {
  const accountant = await signedInAs(gateway, await hire(gateway, "accountant"));
  for (const [visit, state] of [
    [await anna(gateway), /In line/],
    [accountant, /Held/],
  ] as const) {
    const path = "/my/payouts/new";
    assert.match(wordsIn(await visit.open(path)), /What it costs.*%/);
    const wish = { service: "card", wallet_to: CARD, amount: "100" };
    const { status, location } = await visit.fill(path, path, wish);
    assert.equal(status, 303);
    const words = wordsIn(await visit.open(location));
    assert.match(words, state);
    assert.match(words, /What happened.*Asked for/);
  }
});

it("200: an outcome that nobody knows is explained", async () => {
  const id = await paying.made({ amount: 60 });
  await manage(gateway).post(`payouts/${id}/take`);
  await trade.pass(HOUR);
  const words = wordsIn(await (await anna(gateway)).open(`/my/payouts/${id}`));
  assert.match(words, /Outcome unknown.*do not ask for it a second time/);
});

it("303: one that nobody has begun to send is canceled; afterwards it is offered no more", async () => {
  const before = await trade.balance();
  const { payout_id: id } = await (await hire(gateway, "accountant")).own.post("payouts", {
    service: "card",
    wallet_to: CARD,
    amount: 20,
  });
  const visit = await anna(gateway);
  const path = `/my/payouts/${id}/cancel`;
  assert.ok((await visit.open(`/my/payouts/${id}`)).includes(`${path}"`));
  assert.equal((await visit.fill(path, path, {})).status, 303);
  const page = await visit.open(`/my/payouts/${id}`);
  assert.match(wordsIn(page), /It was canceled; the money is on your balance again/);
  assert.ok(!page.includes(`${path}"`));
  assert.deepEqual(await trade.balance(), before);
});

it("200: in Russian its story, its fee and its bank are told in Russian", async () => {
  const accountant = await hire(gateway, "accountant");
  const visit = await signedInAs(gateway, accountant);
  await visit.post("/security/settings", { language: "ru" });
  await manage(gateway).post("payout-tariffs", {
    user_id: USER.id,
    service: "sbp",
    percent: 1.5,
    min_sum: 1,
    max_sum: 1000,
  });
  const path = "/my/payouts/new";
  const form = await visit.open(path);
  assert.match(wordsIn(form), /1,5 %/);
  const banks = [...form.matchAll(/<option value="\d{12}">([^<]*)/g)].map(([, name = ""]) => name);
  assert.deepEqual(
    banks,
    banks.toSorted((left, right) => left.localeCompare(right)),
  );
  const wish = {
    service: "sbp",
    wallet_to: "+79990000001",
    amount: "100",
    bank_id: "100000000111",
  };
  const words = wordsIn(await visit.open((await visit.fill(path, path, wish)).location));
  assert.match(words, /Банк Сбербанк/);
  assert.match(words, /Задержан запрошен вручную, одобрить должен другой/);
});

it("422: what a payout in dollars costs is told in dollars, and is asked for in dollars, which roubles are not", async () => {
  const visit = await anna(gateway);
  const path = "/my/payouts/new";
  assert.doesNotMatch(await visit.open(path), /name="currency"/, "of one currency nobody is asked");
  const rates = { user_id: USER.id, service: "card", currency: "USD", percent: 1 };
  await manage(gateway).post("payout-tariffs", { ...rates, min_sum: 5, max_sum: 700 });
  const words = wordsIn(await visit.open(path));
  assert.match(words, /, USD 1 %, from 5\.00 \$ to 700\.00 \$/);
  assert.doesNotMatch(words, /700\.00 ₽/);
  const wish = { service: "card", wallet_to: CARD, amount: "10", currency: "USD" };
  const refused = await visit.fill(path, path, wish);
  assert.equal(refused.status, 422);
  assert.match(wordsIn(refused.text), /balance/i, "roubles are not dollars");
});
