// Payout tariffs through /manage: what they cost and limit from now on, for one user or for all.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { OTHER_USER, USER } from "../../../test/cast.ts";
import { freshReference, openDesk } from "../../../test/desk.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";
import { cardEndingIn, payouts } from "../../../test/payouts.ts";

const { gateway, own, trade } = await openOneGateway();
const { anna } = await openDesk(gateway);
const user = payouts(gateway, trade);
await user.earn(3);
afterEach(() => assertBooksAreRight(gateway));

const RATES: Readonly<Record<string, unknown>> = {
  service: "card",
  percent: 1.5,
  fix: 1,
  min_sum: 10,
  max_sum: 1000,
};
const LEFT_OUT = {
  currency: "RUB",
  day_sum: null,
  day_count: null,
  destination_day_sum: null,
  destination_day_count: null,
  hold_over: null,
  hold_first: true,
  hold_day_sum: null,
  four_eyes_over: null,
  hold_seconds: 259_200,
  refunds_fee: false,
  enabled: true,
};
const set = (changes: Record<string, unknown>) =>
  own.post("payout-tariffs", { user_id: USER.id, ...RATES, ...changes });

it("200: set for a user as a whole, read as it was set, removed; the one for all is another", async () => {
  const { items: all } = await own.get("payout-tariffs");
  assert.deepEqual(
    all.map(({ service, percent, fix }: Record<string, unknown>) => [service, percent, fix]),
    [
      ["card", 2, 0],
      ["sbp", 0.5, 10],
    ],
  );
  const { answer, logged } = await trade.audited(() => set({}));
  assert.deepEqual(answer, { user_id: USER.id, ...RATES, ...LEFT_OUT });
  assert.deepEqual(logged, ["payout_tariff.set", USER.id, null, answer]);
  const limits = {
    day_sum: 500,
    day_count: 3,
    destination_day_sum: 300,
    destination_day_count: 2,
    hold_over: 100,
    hold_first: false,
    hold_day_sum: 400,
    four_eyes_over: 200,
    hold_seconds: 3600,
    refunds_fee: true,
    enabled: false,
  };
  const next = await trade.audited(() => set(limits));
  assert.deepEqual(next.answer, { ...answer, ...limits });
  assert.deepEqual(next.logged.slice(2), [answer, next.answer]);
  const row = await own.lastAudit();
  trade.tick();
  await set(limits);
  assert.deepEqual(await own.lastAudit(), row, "what changes nothing leaves no row");
  const mine = `payout-tariffs?user_id=${USER.id.toUpperCase()}`;
  assert.deepEqual((await own.get(mine)).items, [next.answer]);
  assert.deepEqual((await own.get(`payout-tariffs?user_id=${OTHER_USER.id}`)).items, []);
  const place = { user_id: USER.id, service: "card" };
  const gone = await trade.audited(() => own.post("payout-tariffs/remove", place));
  assert.deepEqual(gone.logged, ["payout_tariff.remove", USER.id, next.answer, null]);
  assert.deepEqual(await own.get("payout-tariffs"), { items: all });
  assert.equal((await own.refused("payout-tariffs/remove", place))[0], 404);
});

it("200: holds from now on: fees, bounds, limits of a day, what waits for a person", async () => {
  const payable = { ...RATES, hold_first: false };
  await set(payable);
  const { body } = await user.info(await user.made({ amount: 100 }));
  assert.equal(body.data.commission_rub, 2.5);
  assert.match(String(await user.refused({ amount: 1000.01 })), /at most 1000.00/);
  const rows: [limits: Record<string, unknown>, states: string[]][] = [
    [{ day_count: 2 }, ["queued", "limit"]],
    [{ day_sum: 220 }, ["queued", "limit"]],
    [{ destination_day_count: 2 }, ["queued", "limit"]],
    [{ hold_over: 59 }, ["held", "held"]],
    [{ hold_first: true }, ["held", "held"]],
    [{ hold_day_sum: 170 }, ["queued", "held"]],
    [{ enabled: false }, ["Payouts by card", "Payouts by card"]],
  ];
  for (const [limits, expected] of rows) {
    await trade.pass(DAY);
    await set(payable);
    await user.made({ amount: 100 });
    await set({ ...payable, ...limits });
    const found = [];
    for (const amount of [60, 61]) {
      const answer = await user.create({ amount });
      found.push(
        answer.status === 200 ? await user.state(answer.body.data.payoff_id) : answer.text,
      );
    }
    for (const [place, word] of expected.entries()) {
      assert.match(found[place] ?? "", new RegExp(word), JSON.stringify(limits));
    }
  }
});

it("case 33: a tariff that changes between the wish and its end changes nothing; refunds_fee is the wish's own", async () => {
  await trade.pass(DAY);
  await set({ hold_first: false, refunds_fee: true, percent: 2, fix: 0 });
  const id = await user.made({ amount: 100, wallet_to: cardEndingIn("0401") });
  await set({ hold_first: false, percent: 50, fix: 0 });
  await anna.post(`payouts/${id}/take`);
  await anna.post(`payouts/${id}/sent`, { bank_reference: freshReference() });
  assert.equal((await user.info(id)).body.data.commission_rub, 2);
  const [, available = 0] = await trade.balance();
  await anna.post(`payouts/${id}/return`, { reason: "closed" });
  assert.equal((await trade.balance())[1], available + 10_000, "the commission came back, too");
});

it("hold_first: money that came back has not arrived: the next one is held again, unless another one has", async () => {
  await trade.pass(DAY);
  await set({ hold_first: true });
  const wallet_to = cardEndingIn("0402");
  const reason = "closed";
  const asked = async (amount: number): Promise<[id: string, held: unknown]> => {
    const id = await user.made({ amount, wallet_to });
    const { state, held_reason } = (await own.get(`payouts/${id}`)).payout;
    return [id, state === "held" ? held_reason : state];
  };
  const send = async (id: string): Promise<void> => {
    await anna.post(`payouts/${id}/take`);
    await anna.post(`payouts/${id}/sent`, { bank_reference: freshReference() });
  };
  const [first, held] = await asked(20);
  assert.equal(held, "first");
  await own.post(`payouts/${first}/approve`);
  await send(first);
  await anna.post(`payouts/${first}/return`, { reason });
  const [second, heldAgain] = await asked(21);
  assert.equal(heldAgain, "first");
  await own.post(`payouts/${second}/approve`);
  await send(second);
  const [third, free] = await asked(22);
  assert.equal(free, "queued", "money has arrived there");
  await send(third);
  await anna.post(`payouts/${third}/return`, { reason });
  assert.equal((await asked(23))[1], "queued", "that of the second one is there still");
  await anna.post(`payouts/${second}/return`, { reason });
  assert.equal((await asked(24))[1], "first");
});

it("404 and 422 for whom and what cannot be, without a trace", async () => {
  const good = { user_id: USER.id, ...RATES };
  await trade.refusedWithoutTrace(404, [
    ["payout-tariffs", { ...good, user_id: NOBODY }],
    ["payout-tariffs/remove", { user_id: NOBODY, service: "card" }],
    ["payout-tariffs/remove", { user_id: USER.id, service: "card", currency: "USD" }],
  ]);
  const wrong = [
    { service: "qiwi" },
    { currency: "RUR" },
    { percent: 101 },
    { percent: -1 },
    { percent: 0.00001 },
    { fix: -1 },
    { fix: 0.001 },
    { min_sum: 0 },
    { min_sum: 1001 },
    { fix: 10 },
    { percent: 100 },
    { day_count: 0 },
    { day_sum: 0 },
    { hold_seconds: 59 },
    { hold_first: 1 },
    { four_eyes_over: -1 },
    { max_sum: undefined },
  ];
  await trade.refusedWithoutTrace(
    422,
    wrong.map((changes) => ["payout-tariffs", { ...good, ...changes }] as const),
  );
});
