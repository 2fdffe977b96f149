// What waits for a person, as GET /manage/waiting counts it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { approveByOther } from "../../../test/approvals.ts";
import { changedLine } from "../../../test/lines.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE } from "../../../test/orders.ts";
import { cardEndingIn, pauseRail, payouts } from "../../../test/payouts.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openQuietGateway();

interface Item {
  readonly kind: string;
  readonly count: number;
  readonly capped: boolean;
}
const waiting = async (kind: string) =>
  (await own.get("waiting")).items.find((item: Item) => item.kind === kind);

const requisite_id = "00000000-0000-4000-8000-000000000101";

it("200: nothing waits, nothing is told", async () => {
  assert.deepEqual(await own.get("waiting"), { items: [] });
});

it("200: money in suspense: how much of it, and the oldest", async () => {
  const oldest_at = trade.now();
  const book = (reference: string) =>
    own.post("transfers", { requisite_id, amount: 12.34, reference });
  const { transfer_id: first_id } = await book("one");
  await trade.pass(HOUR);
  const { transfer_id } = await book("two");
  const item = { kind: "suspense", capped: false, currency: "RUB" };
  assert.deepEqual(await waiting("suspense"), {
    ...item,
    count: 2,
    amount: 24.68,
    oldest_at,
    first_id,
  });
  await own.post(`transfers/${first_id}/return`, { reason: "nobody knows it" });
  assert.equal((await waiting("suspense")).first_id, transfer_id);
});

it("200: what one person has assigned and another has to confirm", async () => {
  const order = await trade.order();
  const { transfer_id } = await trade.pay(order, { amount: 21.5 });
  const oldest_at = trade.now();
  await approveByOther(gateway, transfer_id, order.paymentId);
  assert.deepEqual(await waiting("transfers_to_approve"), {
    kind: "transfers_to_approve",
    count: 1,
    capped: false,
    amount: 21.5,
    currency: "RUB",
    oldest_at,
    first_id: transfer_id,
  });
  await own.post(`transfers/${transfer_id}/withdraw`, { reason: "not theirs" });
  assert.equal(await waiting("transfers_to_approve"), undefined);
});

it("200: lines that one person would book and another has to confirm, until somebody decides", async () => {
  const { line_id, path } = await changedLine(gateway, 33.5);
  assert.equal(await waiting("lines_to_approve"), undefined);
  const { config } = gateway.app;
  Object.assign(config, { fourEyesFrom: 33.5 });
  const oldest_at = trade.now();
  await own.post(path, { decision: "book", reason: "the bank was asked" });
  Object.assign(config, { fourEyesFrom: undefined });
  assert.deepEqual(await waiting("lines_to_approve"), {
    kind: "lines_to_approve",
    count: 1,
    capped: false,
    amount: 33.5,
    currency: "RUB",
    oldest_at,
    first_id: line_id,
  });
  await own.post(path, { decision: "exclude", reason: "not theirs" });
  assert.equal(await waiting("lines_to_approve"), undefined);
});

it("200: counts no further than a thousand, and says so", async () => {
  await gateway.app.db.query(
    `insert into transfers (id, requisite_id, reference, currency, amount_minor, state,
       suspense_reason, received_at)
     select gen_random_uuid(), '${requisite_id}', 'many ' || n, 'RUB', 100, 'suspense',
            'nobody_expected', '2026-03-01' from generate_series(1, 1200) n`,
  );
  const { count, capped } = await waiting("suspense");
  assert.deepEqual([count, capped], [1000, true]);
});

it("200: payouts that nobody but a person sends, approves or knows of", async () => {
  await trade.pay(await trade.order({ amount: 5000 }));
  await trade.pass(DAY);
  const user = payouts(gateway, trade);
  await user.made({ amount: 20, wallet_to: cardEndingIn("01") });
  assert.equal(await waiting("payouts_to_take"), undefined, "a program will");
  await trade.pass(2 * HOUR);
  await pauseRail(gateway);
  const id = await user.made({ amount: 21, order_id: "by hand" });
  const { count, amount, first_id } = await waiting("payouts_to_take");
  assert.deepEqual([count, amount, first_id], [1, 20.58, id]);
  const byHand = (await own.get("payouts?by_hand=true&currency=RUB")).items;
  assert.deepEqual(
    byHand.map((one: { payout_id: string }) => one.payout_id),
    [id],
  );
  const paused = (yes: boolean) =>
    gateway.app.db.query("update rails set paused = $1 where code = 'sandbox'", [yes]);
  await paused(false);
  assert.deepEqual((await own.get("payouts?by_hand=true")).items, [], "a program will");
  await paused(true);
  const home = await (await anna(gateway)).open("/desk");
  assert.match(home, /href="\/desk\/payouts\?by_hand=true&amp;currency=RUB"/);
  await own.post(`payouts/${id}/take`);
  await trade.pass(HOUR);
  assert.equal((await waiting("payouts_unknown")).first_id, id);
  const { user_id } = await own.get(`payouts/${id}`).then(({ payout }) => payout);
  const wish = { user_id, service: "card", wallet_to: cardEndingIn("01"), amount: 22 };
  const { payout_id } = await own.post("payouts", wish);
  assert.equal((await waiting("payouts_to_approve")).first_id, payout_id);
});

it("200: a card that is full, one that is off and still owed, one that nobody's money reaches", async () => {
  const { items } = await own.get("requisites?bank=sber&enabled=true");
  const cards = items.filter(({ card }: { card: string | null }) => card !== null);
  for (const one of cards.slice(2)) {
    await own.post(`requisites/${one.requisite_id}`, { enabled: false });
  }
  let dead: string | undefined;
  for (let turn = 0; turn < 24; turn += 1) {
    const order = await trade.order({ amount: 1000 + turn });
    const [{ requisite_id: given }] = (await own.get(`payments?invoice_id=${order.id}`)).items;
    dead ??= given;
    if (given !== dead) await trade.pay(order);
  }
  assert.equal(await waiting("requisites_dead"), undefined, "its payers still have time");
  await trade.pass(21 * MINUTE);
  assert.equal((await waiting("requisites_dead")).first_id, dead);
  const order = await trade.order({ amount: 900 });
  const [{ requisite_id: used }] = (await own.get(`payments?invoice_id=${order.id}`)).items;
  await own.post(`requisites/${used}`, { max_live_payments: 1 });
  assert.equal((await waiting("requisites_at_limit")).first_id, used);
  await own.post(`requisites/${used}`, { enabled: false });
  assert.equal(await waiting("requisites_at_limit"), undefined);
  assert.equal((await waiting("requisites_off_with_live")).first_id, used);
});

it("200: a requisite with another card stands there for a day, for everybody, and leads to who changed it", async () => {
  const added = { bank: "sber", receiver_name: "Пётр К.", card: cardEndingIn("71") };
  const { requisite_id: id } = await own.post("requisites", added);
  assert.equal(await waiting("requisites_renumbered"), undefined, "its first card is none");
  await trade.pass(MINUTE);
  await own.post(`requisites/${id}`, { receiver_name: "Пётр Л." });
  assert.equal(await waiting("requisites_renumbered"), undefined);
  const oldest_at = trade.now();
  await own.post(`requisites/${id}`, { card: cardEndingIn("72") });
  assert.deepEqual(await waiting("requisites_renumbered"), {
    kind: "requisites_renumbered",
    count: 1,
    capped: false,
    amount: null,
    currency: null,
    oldest_at,
    first_id: id,
  });
  const visit = await anna(gateway);
  const seen = async (): Promise<string> => {
    const home = await visit.open("/desk");
    const [, href = ""] = home.match(/href="([^"]*requisite\.update[^"]*)"/) ?? [];
    return wordsIn(await visit.open(href.replaceAll("&amp;", "&")));
  };
  assert.match(await seen(), /sandbox Requisite changed \S+ Card: \d+\*+\d\d71 → \d+\*+\d\d72 /);
  const { requisite_id: other } = await own.post("requisites", {
    bank: "sber",
    receiver_name: "Пётр М.",
    card: cardEndingIn("73"),
  });
  await own.post(`requisites/${other}`, { card: cardEndingIn("74") });
  assert.equal((await waiting("requisites_renumbered")).count, 2);
  const both = await seen();
  assert.match(both, /\d\d71 → \d+\*+\d\d72 /);
  assert.match(both, /\d\d73 → \d+\*+\d\d74 /, "not the first of them alone");
  await trade.pass(DAY);
  assert.equal(await waiting("requisites_renumbered"), undefined);
});
