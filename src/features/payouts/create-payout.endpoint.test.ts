// POST /payoff/create: money is set aside once for an order, never more than is there, in whatever form existing
// clients write their wish.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { CARD, pauseRail, payouts, SBER } from "../../../test/payouts.ts";

const { gateway, own, trade } = await openOneGateway();
const user = payouts(gateway, trade);
await pauseRail(gateway);
await user.earn(10);
await pauseRail(gateway);
afterEach(() => assertBooksAreRight(gateway));

const sum = (kopecks: number | undefined): string => ((kopecks ?? 0) / 100).toFixed(2);

it("200: texts as the official client reads them; the money leaves the balance at once", async () => {
  const [balance = 0, available = 0, frozen] = await trade.balance();
  const { status, body } = await user.create({ amount: 10, subtract: 1 });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    data: {
      payoff_id: body.data.payoff_id,
      amount_withdraw_rub: "10.20",
      balance: sum(balance - 1_020),
    },
    status: 200,
    status_check: true,
  });
  assert.deepEqual(await trade.balance(), [balance - 1_020, available - 1_020, frozen]);
});

it('case 2: 100, 100.00 and "100.00" of one order are the same wish, and get the same bytes', async () => {
  const wishes = [100, "100", "100.00", "100.0"].map((amount) => ({ amount, order_id: "same" }));
  const answers = await Promise.all(wishes.map((wish) => user.create(wish)));
  assert.equal(answers[0]?.status, 200, answers[0]?.text);
  assert.deepEqual(new Set(answers.map(({ text }) => text)).size, 1);
  await user.made();
  assert.equal((await user.create(wishes[0])).text, answers[0]?.text, "also after other payouts");
});

it("case 2: an order id may be a number, to its last digit", async () => {
  const one = await user.made({ order_id: 1_742_000_000 });
  assert.equal(await user.made({ order_id: "1742000000" }), one);
  const text =
    '{"order_id":12345678901234567890,"service":"card","wallet_to":"' +
    CARD +
    '","amount":50,"user_id":"' +
    USER.id +
    '"}';
  const headers = { "x-api-signature-sha256": USER.secret, "content-type": "application/json" };
  const long = await gateway.call("/payoff/create", { headers, body: text });
  assert.equal(long.status, 200, long.text);
  const info = await user.info(long.body.data.payoff_id);
  assert.equal(info.body.data.order_id, "12345678901234567890");
});

it("case 3: the same order id with another wallet, amount, bank or address is refused, and nothing is set aside", async () => {
  const order = {
    order_id: "content",
    service: "sbp",
    wallet_to: "+79161234567",
    payoff_data: { sbp_bank_type: SBER },
  };
  await user.made(order);
  const before = await trade.balance();
  const taken = [422, "The order id field belongs to another payout with other content."];
  for (const other of [
    { wallet_to: "+79161234568" },
    { amount: 101 },
    { payoff_data: { sbp_bank_type: "100000000001" } },
    { service: "card", wallet_to: CARD, payoff_data: {} },
    { hook_url: "https://shop.example/hook" },
    { comment: "other" },
    { subtract: 1 },
  ]) {
    assert.deepEqual(await user.refused({ ...order, ...other }), taken, JSON.stringify(other));
  }
  assert.deepEqual(await trade.balance(), before);
});

it("cases 6, 7: a fee that leaves nothing, and a balance that covers the amount but not the fee", async () => {
  const [, available = 0] = await trade.balance();
  assert.deepEqual(await user.refused({ amount: available / 100, subtract: 1 }), [
    422,
    "The available balance is too small.",
  ]);
  const sbp = { service: "sbp", wallet_to: "79161234567", payoff_data: { sbp_bank_type: SBER } };
  assert.deepEqual(await user.refused({ ...sbp, amount: 10 }), [
    422,
    "The commission would leave nothing of the amount.",
  ]);
  assert.deepEqual(await trade.balance(), [available, available, 0]);
});

it("case 8: a fee of half a kopeck is rounded up, and what leaves is what arrives and the fee", async () => {
  const { body } = await user.info(await user.made({ amount: 10.25 }));
  const { amount_withdraw_rub, amount_receive, commission_rub } = body.data;
  assert.deepEqual([amount_withdraw_rub, amount_receive, commission_rub], [10.25, "10.04", 0.21]);
});

it("case 9: sbp asks for a bank of the directory; a card takes no notice of payoff_data", async () => {
  const sbp = { service: "sbp", wallet_to: "+79161234567" };
  for (const payoff_data of [undefined, null, {}, [], { sbp_bank_type: "nobody" }]) {
    const [status, error] = await user.refused({ ...sbp, payoff_data });
    assert.deepEqual(
      [status, error],
      [
        422,
        "The payoff data.sbp bank type field is required for sbp, and must be a bank of the directory.",
      ],
    );
  }
  for (const payoff_data of [undefined, null, {}, [], { sbp_bank_type: SBER }]) {
    await user.made({ amount: 11, payoff_data });
  }
});

it("payout_bank_required: the same order again is its payout, though its bank has left the directory", async () => {
  const order = { service: "sbp", wallet_to: "+79161234568", payoff_data: { sbp_bank_type: SBER } };
  const first = await user.create({ ...order, order_id: "bank left" });
  assert.equal(first.status, 200, first.text);
  const { items: banks } = await own.get("sbp-banks");
  await own.post("sbp-banks", { banks: banks.filter(({ id }: { id: string }) => id !== SBER) });
  assert.equal((await user.create({ ...order, order_id: "bank left" })).text, first.text);
  const other = await user.create({ ...order, order_id: "bank left", amount: 77 });
  assert.equal(other.headers.get("x-kopeck-error"), "payout_order_taken");
  for (const order_id of [undefined, "of today"]) {
    const today = await user.create({ ...order, order_id });
    assert.equal(today.headers.get("x-kopeck-error"), "payout_bank_required");
  }
  await own.post("sbp-banks", { banks });
});

it("case 10: a phone is one destination, however it is written", async () => {
  const bank = { service: "sbp", payoff_data: { sbp_bank_type: SBER }, order_id: "phone" };
  const [first, ...others] = [
    "+7 (916) 123-45-67",
    "8 916 123 45 67",
    "89161234567",
    "9161234567",
    "7-916-123-45-67",
  ];
  const id = await user.made({ ...bank, wallet_to: first });
  for (const wallet_to of others)
    assert.equal(await user.made({ ...bank, wallet_to }), id, wallet_to);
});

it("case 11: what is no number is an invalid wallet", async () => {
  const cards = [
    "2200000000000401",
    "220220000000004",
    "4",
    "card",
    "0",
    "2202 2000",
    "+79161234567",
    "２２０２２００００００００００７",
  ];
  for (const wallet_to of cards) {
    assert.deepEqual(await user.refused({ wallet_to }), [422, "The wallet is invalid."], wallet_to);
  }
  const bank = { service: "sbp", payoff_data: { sbp_bank_type: SBER } };
  for (const wallet_to of ["+380501234567", "+89161234567", "12345", CARD, "+7 495 123-45-67"]) {
    assert.deepEqual(
      await user.refused({ ...bank, wallet_to }),
      [422, "The wallet is invalid."],
      wallet_to,
    );
  }
  const headers = { "x-api-signature-sha256": USER.secret, "accept-language": "ru" };
  const body = { user_id: USER.id, service: "card", wallet_to: "1", amount: 1 };
  const { body: answer } = await gateway.call("/payoff/create", { headers, body });
  assert.equal(answer.error, "Недействительный кошелёк.");
});

it("case 12: money that is still frozen does not leave", async () => {
  const [, available = 0] = await trade.balance();
  await trade.pay(await trade.order({ amount: 5000 }));
  const [, same, frozen] = await trade.balance();
  assert.deepEqual([same, frozen], [available, 480_000]);
  const [status, error] = await user.refused({ amount: available / 100 + 1 });
  assert.deepEqual([status, error], [422, "The available balance is too small."]);
});

it("422: amounts outside of the tariff, services that are none, and what is no amount", async () => {
  const before = await trade.balance();
  assert.deepEqual(await user.refused({ amount: 9.99 }), [
    422,
    "The amount field must be at least 10.00 for card.",
  ]);
  assert.deepEqual(await user.refused({ amount: 100_000.01 }), [
    422,
    "The amount field must be at most 100000.00 for card.",
  ]);
  const dollars = await user.create({ currency: "USD" });
  assert.equal(dollars.body.error, "Payouts by card in USD are not available.");
  assert.deepEqual(
    ["error", "field"].map((name) => dollars.headers.get(`x-kopeck-${name}`)),
    ["payout_unavailable", "currency"],
  );
  const wrong = [
    ...[0, -1, 1.005, "1.005", "1e3", "-5", "", " 5", null, true, [5], {}, 1e20].map((amount) => ({
      amount,
    })),
    ...["qiwi", "", null, 7].map((service) => ({ service })),
    ...[0, 3, "3", "both", 1.5, true].map((subtract) => ({ subtract })),
    ...[{}, [], true, "x".repeat(256), "a\0b"].map((order_id) => ({ order_id })),
    ...["x".repeat(256), 7].map((comment) => ({ comment })),
    ...["ftp://x", "nonsense", 7].map((hook_url) => ({ hook_url })),
  ];
  for (const changes of wrong) {
    const { status, text } = await user.create(changes);
    assert.equal(status, 422, `${JSON.stringify(changes)}: ${text}`);
  }
  assert.deepEqual(await trade.balance(), before);
});

it("200: as PHP writes 20.1 with 17 digits, and a card as a number", async () => {
  const headers = { "x-api-signature-sha256": USER.secret, "content-type": "application/json" };
  for (const amount of ["20.100000000000001", "20.099999999999998", "20.1"]) {
    const body = `{"user_id":"${USER.id}","service":"card","wallet_to":${CARD},"amount":${amount},"order_id":"php"}`;
    const answer = await gateway.call("/payoff/create", { headers, body });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.data.amount_withdraw_rub, "20.10");
  }
});
