// Payouts that nobody knows of: what says that money has left needs a reference, what says that it has not needs
// two people.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { freshAmount, freshReference, openDesk, tokenOf } from "../../../test/desk.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE, NOBODY } from "../../../test/orders.ts";
import { CARD, payouts } from "../../../test/payouts.ts";

const { gateway, own, trade } = await openOneGateway();
const { anna, boris } = await openDesk(gateway);
const user = payouts(gateway, trade);
await user.earn(2);
afterEach(() => assertBooksAreRight(gateway));

const reason = "The bank's program shows nothing";
const unknown = async (amount = freshAmount()): Promise<string> => {
  const id = await user.made({ amount });
  await anna.post(`payouts/${id}/take`);
  await trade.pass(30 * MINUTE);
  assert.equal(await user.state(id), "unknown");
  return id;
};

it("payout cancelled after an error, yet it had left (btcpayserver #7144): one person's word gives no money back", async () => {
  const id = await unknown(100);
  const [balance = 0] = await trade.balance();
  const wish = { outcome: "not_sent", reason: `${reason} ${CARD}` };
  const { answer, logged } = await trade.audited(() => anna.post(`payouts/${id}/resolve`, wish));
  assert.deepEqual([answer.state, answer.approvals, answer.needed], ["unknown", 1, 2]);
  assert.deepEqual(logged, [
    "payout.resolve",
    id,
    { state: "unknown" },
    { state: "unknown", outcome: "not_sent", approvals: 1, reason: `${reason} 220000******0400` },
  ]);
  assert.deepEqual(await anna.refused(`payouts/${id}/resolve`, wish), [
    422,
    ["You have approved this already: another person has to as well."],
  ]);
  assert.equal((await trade.balance())[0], balance);
  const second = await boris.post(`payouts/${id}/resolve`, wish);
  assert.deepEqual([second.state, second.approvals], ["failed", 2]);
  assert.equal((await trade.balance())[0], balance + 10_000);
  assert.equal((await own.refused(`payouts/${id}/resolve`, wish))[0], 422);
  const { approvals } = await own.get(`payouts/${id}`);
  assert.deepEqual(
    approvals.map((one: Record<string, unknown>) => [one["action"], one["attempt"], one["reason"]]),
    [1, 2].map(() => ["not_sent", 1, `${reason} 220000******0400`]),
  );
});

it("200: the second one puts it in line again, and its next attempt asks for two anew", async () => {
  const id = await unknown();
  await anna.post(`payouts/${id}/resolve`, { outcome: "not_sent", reason });
  const wish = { outcome: "not_sent", reason, retry: true };
  assert.equal((await boris.post(`payouts/${id}/resolve`, wish)).state, "queued");
  await trade.pass(MINUTE);
  await anna.post(`payouts/${id}/take`);
  assert.equal((await boris.refused(`payouts/${id}/resolve`, wish))[0], 422, "it is Anna's");
  await trade.pass(30 * MINUTE);
  const first = await boris.post(`payouts/${id}/resolve`, wish);
  assert.deepEqual([first.state, first.approvals], ["unknown", 1]);
});

it("200: that it has left is proven by one person with the bank's reference, whatever others have said", async () => {
  const id = await unknown();
  await anna.post(`payouts/${id}/resolve`, { outcome: "not_sent", reason });
  const wish = { outcome: "sent", reason: "a line of the statement" };
  assert.deepEqual(await anna.refused(`payouts/${id}/resolve`, wish), [
    422,
    ["The bank reference field is required: what says that money has left needs a proof."],
  ]);
  const proof = { ...wish, bank_reference: freshReference() };
  const done = await anna.post(`payouts/${id}/resolve`, proof);
  assert.deepEqual(
    [done.state, done.bank_reference, done.approvals, done.needed],
    ["done", proof.bank_reference, 1, 1],
  );
  const other = await unknown();
  assert.deepEqual(await boris.refused(`payouts/${other}/resolve`, proof), [
    422,
    ["The bank reference field proves another payout already."],
  ]);
});

it("422: a token that the first one has made is no second person", async () => {
  const id = await unknown();
  const hers = await tokenOf(gateway, anna);
  await hers.post(`payouts/${id}/resolve`, { outcome: "not_sent", reason });
  const again = { outcome: "not_sent", reason, retry: true };
  const [status, [words]] = (await anna.refused(`payouts/${id}/resolve`, again)) as [
    number,
    string[],
  ];
  assert.deepEqual([status, words?.slice(0, 10)], [422, "Your token"]);
  assert.equal(await user.state(id), "unknown");
  assert.equal((await boris.post(`payouts/${id}/resolve`, again)).state, "queued");
});

it("two at once: one approval each, and one of them decides", async () => {
  const id = await unknown();
  const wish = { outcome: "not_sent", reason };
  const answers = await Promise.all(
    [anna, boris, anna, boris].map((one) => one.ask(`payouts/${id}/resolve`, wish)),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 422, 422]);
  assert.equal(await user.state(id), "failed");
});

it("404 and 422: what is not there, not unknown, and not said, without a trace", async () => {
  const [queued, id] = [await user.made(), await unknown()];
  const good = { outcome: "not_sent", reason };
  await trade.refusedWithoutTrace(404, [[`payouts/${NOBODY}/resolve`, good]]);
  await trade.refusedWithoutTrace(422, [
    [`payouts/${queued}/resolve`, good],
    ...[{ outcome: "done" }, { outcome: undefined }, { reason: "" }, { retry: 1 }].map(
      (wrong) => [`payouts/${id}/resolve`, { ...good, ...wrong }] as const,
    ),
  ]);
});
