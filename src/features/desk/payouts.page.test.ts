// /desk/payouts: the acts that a payout's state allows, and no others; the whole number for who has taken it, once.

import assert from "node:assert/strict";
import { it } from "node:test";
import { USER } from "../../../test/cast.ts";
import { freshAmount, freshReference } from "../../../test/desk.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { HOUR } from "../../../test/orders.ts";
import { CARD, pauseRail, payouts } from "../../../test/payouts.ts";
import { anna, setAnnasRole, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
await pauseRail(gateway);
const user = payouts(gateway, trade);
await user.earn(3);

/** The acts that stand on a page. */
const actsIn = (text: string): string[] =>
  [...text.matchAll(/action="\/desk\/payouts\/[\w-]{36}\/([\w-]+)"/g)].map(([, act = ""]) => act);

it("taken, the number shown once, sent, come back: each page offers what is possible", async () => {
  const id = await user.made({ amount: freshAmount(), comment: "<b>x</b>" });
  const path = `/desk/payouts/${id}`;
  const visit = await anna(gateway);
  const page = await visit.open(path);
  assert.deepEqual(actsIn(page), ["take", "refuse"]);
  assert.ok(!page.includes(CARD) && !page.includes("<b>x"));
  const [, sum = ""] = /Payout of (.+?₽)/.exec(wordsIn(page)) ?? [];
  const form = wordsIn(await visit.open(`${path}/refuse`));
  assert.ok(
    sum !== "" && form.includes(`In line ${sum}`),
    `by itself it says of which payout it is: ${form}`,
  );
  const taken = await visit.fill(path, `${path}/take`);
  assert.ok(taken.text.includes(CARD));
  const mine = await visit.open(path);
  assert.deepEqual(actsIn(mine), ["sent", "not-sent", "take"]);
  assert.ok(!mine.includes(CARD));
  const sent = await visit.fill(path, `${path}/sent`, { bank_reference: freshReference() });
  assert.deepEqual([sent.status, sent.location], [303, path], wordsIn(sent.text));
  const done = await visit.open(path);
  assert.deepEqual(actsIn(done), ["return"]);
  assert.match(wordsIn(done), /What happened .* Taken to be sent attempt 1, desk by Anna, sent/);
  await visit.fill(path, `${path}/return`, { reason: "The account is closed" });
  assert.equal(await user.state(id), "returned");
  const back = wordsIn(await visit.open(path));
  assert.match(back, /Returned \d+\.\d\d\s₽: The account is closed/);
});

it("422: in Russian what is refused names the state, and the page where the fee is taken, as people say it", async () => {
  const id = await user.made({ amount: freshAmount() });
  await own.post(`payouts/${id}/take`);
  const visit = await anna(gateway);
  await visit.post("/security/settings", { language: "ru" });
  const path = `/desk/payouts/${id}`;
  const refused = await visit.fill(`${path}/refuse`, `${path}/refuse`, { reason: "Не тот" });
  const page = wordsIn(await visit.open(path));
  await visit.post("/security/settings", { language: "en", keys: "on" });
  assert.equal(refused.status, 422);
  assert.match(wordsIn(refused.text), /Состояние вывода — «отправляется»/);
  assert.match(page, /Комиссия берётся Из суммы/);
});

it("what nobody knows of stands apart; two people say that it has not left", async () => {
  const id = await user.made({ amount: freshAmount() });
  await own.post(`payouts/${id}/take`);
  await trade.pass(HOUR);
  const visit = await anna(gateway);
  assert.match(wordsIn(await visit.open("/desk/payouts")), /Outcome unknown: may have left/);
  const path = `/desk/payouts/${id}`;
  assert.deepEqual(actsIn(await visit.open(path)), ["resolve"]);
  const form = { outcome: "not_sent", reason: "Not in the list" };
  await visit.fill(path, `${path}/resolve`, form);
  assert.equal((await own.get(`payouts/${id}`)).payout.state, "unknown");
  assert.match(wordsIn(await visit.open(path)), /Approvals .* Anna/);
  await own.post(`payouts/${id}/resolve`, form);
  assert.deepEqual(actsIn(await visit.open(path)), ["recover"]);
});

it("a large one that one person says came back is for somebody else to say so, too", async () => {
  const { config } = gateway.app;
  Object.assign(config, { fourEyesFrom: 0 });
  const id = await user.made({ amount: freshAmount() });
  const [path, visit, reason] = [
    `/desk/payouts/${id}`,
    await anna(gateway),
    "The account is closed",
  ];
  await own.post(`payouts/${id}/take`);
  await own.post(`payouts/${id}/sent`, { bank_reference: freshReference() });
  await visit.fill(path, `${path}/return`, { reason });
  const said = await visit.open(path);
  assert.deepEqual(actsIn(said), ["not-returned"]);
  assert.match(
    wordsIn(said),
    /One person approved that it came back.*another person has to approve it as well/,
  );
  const home = await visit.open("/desk");
  assert.match(wordsIn(home), /Returned payouts that wait for a second approval/);
  assert.ok(home.includes(`href="${path}"`), "it leads there");
  trade.tick();
  await visit.fill(path, `${path}/not-returned`, { reason: "It was another one" });
  assert.deepEqual(actsIn(await visit.open(path)), ["return"]);
  assert.doesNotMatch(wordsIn(await visit.open("/desk")), /Returned payouts that wait/);
  trade.tick();
  await visit.fill(path, `${path}/return`, { reason });
  await own.post(`payouts/${id}/return`, { reason });
  assert.match(wordsIn(await visit.open(path)), /It left and came back/);
  Object.assign(config, { fourEyesFrom: undefined });
});

it("one's own request is for somebody else to approve; a viewer is offered nothing", async () => {
  const visit = await anna(gateway);
  const asked = {
    user_id: USER.id,
    service: "card",
    wallet_to: CARD,
    amount: String(freshAmount()),
  };
  const made = await visit.fill("/desk/payouts/new", "/desk/payouts/new", asked);
  assert.equal(made.status, 303, wordsIn(made.text));
  const page = await visit.open(made.location);
  assert.deepEqual(actsIn(page), ["refuse"]);
  assert.match(wordsIn(page), /waits for approval \(0 \/ 1\).*somebody else has to approve it/);
  const { payout_id: other } = await own.post("payouts", { ...asked, amount: freshAmount() });
  const approved = await visit.fill(`/desk/payouts/${other}`, `/desk/payouts/${other}/approve`);
  assert.equal(approved.status, 303, wordsIn(approved.text));
  assert.equal((await own.get(`payouts/${other}`)).payout.state, "queued");
  await setAnnasRole(own, "viewer");
  assert.deepEqual(actsIn(await visit.open(`/desk/payouts/${other}`)), []);
  assert.equal((await visit.post(`/desk/payouts/${other}/take`)).status, 403);
});

it("of more than ten that nobody knows of, the oldest stand apart, and all are one link away", async () => {
  const { gateway, own, trade } = await openOneGateway();
  await pauseRail(gateway);
  const user = payouts(gateway, trade);
  await user.earn();
  const ids: string[] = [];
  for (let count = 0; count < 12; count += 1) {
    ids.push(await user.made({ amount: freshAmount() }));
    await own.post(`payouts/${ids.at(-1)}/take`);
    trade.tick();
  }
  await trade.pass(HOUR);
  const page = await (await anna(gateway)).open("/desk/payouts");
  const from = page.indexOf("Outcome unknown");
  const apart = page.slice(from, page.indexOf("</section>", from));
  const shown = ids.map((id) => apart.includes(id));
  assert.deepEqual(
    shown,
    ids.map((_, at) => at < 10),
  );
  assert.match(apart, /href="\/desk\/payouts\?state=unknown">All 12</);
});
