// The desk: an operator takes a payout, sees the whole number, sends it and says so. Nobody else has it meanwhile,
// and what nobody speaks of is unknown, not free.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { freshAmount, freshReference, openDesk } from "../../../test/desk.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, everyRow, MINUTE, NOBODY } from "../../../test/orders.ts";
import { CARD, pauseRail, payouts, resumeRail, SBER } from "../../../test/payouts.ts";

const reason = "The bank refused it";

const { gateway, own, trade } = await openOneGateway();
const { anna, boris } = await openDesk(gateway);
const user = payouts(gateway, trade);
await user.earn(3);
afterEach(() => assertBooksAreRight(gateway));

const taken = async (changes: Record<string, unknown> = {}): Promise<string> => {
  const id = await user.made({ amount: freshAmount(), ...changes });
  await anna.post(`payouts/${id}/take`);
  return id;
};

it("200: the whole number for who has taken it, each look in the audit log, and never in the database", async () => {
  const sbp = { service: "sbp", wallet_to: "89161234567", payoff_data: { sbp_bank_type: SBER } };
  const [card, phone] = [await user.made(), await user.made(sbp)];
  for (const [id, wallet, bank_name, receive] of [
    [card, CARD, null, 98],
    [phone, "79161234567", "Сбербанк", 89.5],
  ]) {
    for (const _look of ["first", "again"]) {
      const { answer, logged } = await trade.audited(() => anna.post(`payouts/${id}/take`));
      const { payout, lease_until, ...rest } = answer;
      assert.deepEqual(rest, { wallet, bank_name, receive });
      assert.deepEqual([payout.state, payout.attempts], ["sending", 1]);
      assert.deepEqual(logged, ["payout.take", id, null, { attempt: 1 }]);
      assert.ok(Date.parse(lease_until) > Date.parse(trade.now()));
    }
    const refused = [422, ["Somebody else has this payout in their hands."]];
    assert.deepEqual(await boris.refused(`payouts/${id}/take`, {}), refused);
    const said = { bank_reference: freshReference() };
    assert.deepEqual(await boris.refused(`payouts/${id}/sent`, said), refused);
    assert.deepEqual(await boris.refused(`payouts/${id}/not-sent`, { reason }), refused);
    assert.equal((await user.cancel(id as string)).status, 422);
  }
  const rows = await everyRow(gateway);
  for (const number of [CARD, "79161234567", "9161234567"]) assert.ok(!rows.includes(number));
});

it("200: sent ends it with its proof, and tells the user; said again it is refused", async () => {
  const [balance = 0] = await trade.balance();
  const id = await taken({ amount: 100 });
  const bank_reference = freshReference();
  const said = { bank_reference: bank_reference.toLowerCase() };
  const { answer, logged } = await trade.audited(() => anna.post(`payouts/${id}/sent`, said));
  assert.deepEqual([answer.state, answer.bank_reference], ["done", bank_reference]);
  assert.equal(logged[0], "payout.sent");
  assert.equal((await trade.balance())[0], balance - 10_000);
  assert.equal((await anna.refused(`payouts/${id}/sent`, said))[0], 422);
  assert.equal((await anna.refused(`payouts/${id}/not-sent`, { reason }))[0], 422);
  assert.equal((await user.info(id)).body.data.status, "success");
});

it("case 25: the same reference on a second payout is refused, and that one stays as it is", async () => {
  const [one, other] = [await taken(), await taken()];
  const said = { bank_reference: freshReference() };
  await anna.post(`payouts/${one}/sent`, said);
  const refused = [422, ["The bank reference field proves another payout already."]];
  for (const written of [said.bank_reference, said.bank_reference.toLowerCase()]) {
    const again = { bank_reference: written };
    assert.deepEqual(await anna.refused(`payouts/${other}/sent`, again), refused);
  }
  assert.equal(await user.state(other), "sending");
  const [left, right] = [await taken(), await taken()];
  const race = { bank_reference: freshReference() };
  const answers = await Promise.all(
    [left, right].map((id) => anna.ask(`payouts/${id}/sent`, race)),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422]);
});

it("200: not-sent gives the money back, or puts it in line again for somebody's next attempt", async () => {
  const [balance] = await trade.balance();
  const id = await taken();
  const again = await anna.post(`payouts/${id}/not-sent`, { reason, retry: true });
  assert.equal(again.state, "queued");
  await trade.pass(MINUTE);
  await boris.post(`payouts/${id}/take`);
  const { answer, logged } = await trade.audited(() =>
    boris.post(`payouts/${id}/not-sent`, { reason }),
  );
  assert.deepEqual([answer.state, answer.error, answer.attempts], ["failed", reason, 2]);
  assert.equal(logged[0], "payout.not_sent");
  assert.deepEqual((await trade.balance())[0], balance);
  const { attempts } = await own.get(`payouts/${id}`);
  assert.deepEqual(
    attempts.map((one: Record<string, unknown>) => [one["author"], one["state"], one["detail"]]),
    [
      ["Anna", "not_sent", reason],
      ["Boris", "not_sent", reason],
    ],
  );
});

it("case 24: whoever took it says nothing for 30 minutes: unknown, not back in line, for ever", async () => {
  const id = await taken();
  const [, available] = await trade.balance();
  await trade.pass(30 * MINUTE);
  for (const days of [0, 1, 30]) {
    await trade.pass(days * DAY);
    assert.equal(await user.state(id), "unknown");
    assert.equal((await user.info(id)).body.data.status, "wait");
    assert.equal((await trade.balance())[1], available);
  }
  assert.equal((await boris.refused(`payouts/${id}/take`, {}))[0], 422);
  assert.equal(
    (await anna.refused(`payouts/${id}/take`, {}))[0],
    422,
    "the number is seen no more",
  );
  assert.equal((await user.cancel(id)).status, 422);
  assert.equal((await anna.refused(`payouts/${id}/refuse`, { reason }))[0], 422);
  const { attempts, timeline } = await own.get(`payouts/${id}`);
  assert.deepEqual(timeline.at(-1), {
    at: attempts[0].lease_until,
    what: "unknown",
    detail: "attempt 1 may have left, and nobody knows",
  });
  assert.match(String((await anna.refused(`payouts/${id}/not-sent`, { reason }))[1]), /two/);
  // Who has the receipt may say so, whoever had taken it.
  const done = await boris.post(`payouts/${id}/sent`, { bank_reference: freshReference() });
  assert.equal(done.state, "done");
});

it("422: a paused desk takes nothing, and what is taken already is said to the end", async () => {
  const [id, before] = [await user.made({ amount: freshAmount() }), await taken()];
  await pauseRail(gateway, "desk");
  assert.deepEqual(await anna.refused(`payouts/${id}/take`, {}), [
    422,
    ["The rail desk is paused."],
  ]);
  await anna.post(`payouts/${before}/sent`, { bank_reference: freshReference() });
  await resumeRail(gateway, "desk");
  await anna.post(`payouts/${id}/take`);
});

it("404 and 422: what is not there, not so, and not said, without a trace", async () => {
  const over = await user.made({ amount: freshAmount() });
  await user.cancel(over);
  const id = await taken();
  await trade.refusedWithoutTrace(404, [
    [`payouts/${NOBODY}/take`, {}],
    [`payouts/${NOBODY}/sent`, { bank_reference: "B1" }],
    [`payouts/${NOBODY}/not-sent`, { reason }],
  ]);
  await trade.refusedWithoutTrace(422, [
    [`payouts/${over}/take`, {}],
    [`payouts/${over}/sent`, { bank_reference: "B1" }],
    [`payouts/${over}/not-sent`, { reason }],
    ...[undefined, "", " ", 7, CARD, "x".repeat(256)].map(
      (bank_reference) => [`payouts/${id}/sent`, { bank_reference }] as const,
    ),
    ...[undefined, "", 7].map((wrong) => [`payouts/${id}/not-sent`, { reason: wrong }] as const),
    [`payouts/${id}/not-sent`, { reason, retry: "yes" }],
  ]);
});
