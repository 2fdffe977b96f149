// Payouts through /manage: listed, shown with all that became of one, and asked for in a user's name.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { freshReference, openDesk } from "../../../test/desk.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { NOBODY } from "../../../test/orders.ts";
import { CARD, payouts, SBER } from "../../../test/payouts.ts";

const { gateway, own, trade } = await openOneGateway();
const { anna, boris } = await openDesk(gateway);
const user = payouts(gateway, trade);
await user.earn(3);
afterEach(() => assertBooksAreRight(gateway));

const made = (changes: Record<string, unknown> = {}): Promise<string> => {
  trade.tick();
  return user.made(changes);
};

it("200: the newest first, by state, user, order and period, page by page", async () => {
  const from = trade.now();
  const ids = [await made({ order_id: "one" }), await made(), await made()].toReversed();
  const found = async (query: string) =>
    (await own.get(`payouts?from=${from}${query}`)).items.map(
      (one: { payout_id: string }) => one.payout_id,
    );
  assert.deepEqual(await found(""), ids);
  assert.deepEqual(await found(`&user_id=${USER.id.toUpperCase()}`), ids);
  assert.deepEqual(await found(`&user_id=${OTHER_USER.id}`), []);
  assert.deepEqual(await found("&order_id=one"), ids.slice(2));
  assert.deepEqual(await found(`&order_id=one&user_id=${OTHER_USER.id}`), []);
  assert.deepEqual(await found("&order_id=two"), []);
  await user.cancel(ids[1] ?? "");
  assert.deepEqual(await found("&state=canceled"), ids.slice(1, 2));
  assert.deepEqual(await found(`&state=canceled&user_id=${USER.id}&order_id=one`), []);
  assert.deepEqual(await found("&state=queued"), [ids[0], ids[2]]);
  const { items, next } = await own.get(`payouts?from=${from}&limit=2`);
  assert.equal(items.length, 2);
  assert.deepEqual(await found(`&limit=2&after=${next}`), ids.slice(2));
  assert.deepEqual(await found(`&to=${from}`), []);
});

it("200: shows one with its attempts, approvals, postings and story, and no whole number", async () => {
  const payout_id = await made({ order_id: "shown", comment: "for March" });
  await anna.post(`payouts/${payout_id}/take`);
  trade.tick();
  const bank_reference = freshReference();
  await anna.post(`payouts/${payout_id}/sent`, { bank_reference });
  const { text } = await own.ask(`payouts/${payout_id}`);
  assert.ok(!text.includes(CARD), text);
  const { payout, attempts, approvals, postings, timeline } = await own.get(`payouts/${payout_id}`);
  const { created_at, settled_at, ...rest } = payout;
  assert.deepEqual(rest, {
    payout_id,
    user_id: USER.id,
    order_id: "shown",
    state: "done",
    service: "card",
    wallet: "220000******0400",
    bank_id: null,
    currency: "RUB",
    amount: 100,
    receive: 98,
    fee: 2,
    withdraw: 100,
    subtract: "amount",
    comment: "for March",
    origin: "api",
    author_id: null,
    held_reason: null,
    approvals_needed: 0,
    attempts: 1,
    error: null,
    bank_reference,
  });
  assert.equal(Date.parse(settled_at) - Date.parse(created_at), 1000);
  const [attempt] = attempts;
  assert.deepEqual(
    [attempt.number, attempt.rail, attempt.state, attempt.author, attempt.claimed_at],
    [1, "desk", "sent", "Anna", created_at],
  );
  assert.deepEqual(approvals, []);
  const figures = ({ kind, available, reserved, bank_out, fees }: Record<string, unknown>) => [
    kind,
    available,
    reserved,
    bank_out,
    fees,
  ];
  assert.deepEqual(postings.map(figures), [
    ["payout_reserved", -100, 100, 0, 0],
    ["payout_done", 0, -100, 98, 2],
  ]);
  assert.deepEqual(
    timeline.map(({ what, detail }: Record<string, unknown>) => [what, detail]),
    [
      ["asked for", "100.00 RUB to 220000******0400"],
      ["taken to be sent", "attempt 1, desk by Anna, sent"],
      ["money set aside", "100.00 RUB"],
      ["done", bank_reference],
    ],
  );
  assert.equal((await own.refused(`payouts/${NOBODY}`))[0], 404);
});

it("200: what an operator asks for waits for another one, whatever the amount; once for an order", async () => {
  const [, available = 0] = await trade.balance();
  const wish = {
    user_id: USER.id,
    service: "sbp",
    wallet_to: "8 (916) 123-45-67",
    amount: 10,
    bank_id: SBER,
    subtract: 1,
    order_id: "by hand",
  };
  const { answer, logged } = await trade.audited(() => anna.post("payouts", wish));
  const { payout_id, state, origin, author_id, held_reason, approvals_needed, bank_id } = answer;
  assert.deepEqual(
    [state, origin, author_id, held_reason, approvals_needed, bank_id],
    ["held", "payoff", anna.id, "by_hand", 1, SBER],
  );
  assert.deepEqual(logged, ["payout.create", payout_id, null, answer]);
  assert.equal((await trade.balance())[1], available - 2_005, "10.00, 0.05 and 10.00 of fee");
  const row = await own.lastAudit();
  trade.tick();
  assert.deepEqual(await boris.post("payouts", wish), answer);
  assert.deepEqual(await own.lastAudit(), row, "a repeated call leaves no row");
  assert.equal((await user.info(payout_id)).body.data.type, "payoff");
});

it("404 and 422 for whom and what there is not, without a trace", async () => {
  const good = { user_id: USER.id, service: "card", wallet_to: CARD, amount: 10 };
  await trade.refusedWithoutTrace(404, [["payouts", { ...good, user_id: NOBODY }]]);
  const wrong = [
    { amount: 9.99 },
    { amount: 99_999 },
    { amount: "10" },
    { wallet_to: "1" },
    { service: "sbp" },
    { service: "qiwi" },
    { currency: "USD" },
    { user_id: "me" },
    { subtract: 3 },
    { hook_url: "ftp://x" },
    { payoff_data: { sbp_bank_type: SBER } },
    { service: "sbp", wallet_to: "89161234567", bank_id: "nobody" },
    { user_id: OTHER_USER.id },
  ];
  await trade.refusedWithoutTrace(
    422,
    wrong.map((changes) => ["payouts", { ...good, ...changes }] as const),
  );
});
