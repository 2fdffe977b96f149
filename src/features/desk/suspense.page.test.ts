// /desk/suspense: what waits, whose it may be, and a person's word; the next one stands there then.

import assert from "node:assert/strict";
import { it } from "node:test";
import { approveByOther } from "../../../test/approvals.ts";
import { HOSTILE_TEXTS } from "../../../test/hostile-texts.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, wordsIn } from "../../../test/people.ts";

const { gateway, own, trade } = await openOneGateway();
const hostile = HOSTILE_TEXTS.filter((text) => text.includes("<"))
  .slice(0, 4)
  .join(" ");

const waiting = async (amount: number, payer = "Иван П.") => {
  const order = await trade.order({ amount });
  const { transfer_id } = await trade.pay(order, { amount, payer });
  return { order, transfer_id, address: `/desk/suspense?transfer=${transfer_id}` };
};

it("200: nothing waits, and the page says what will", async () => {
  assert.match(wordsIn(await (await anna(gateway)).open("/desk/suspense")), /Nothing waits/);
});

it("303: assigned by the radio of a candidate, with the one thing that is off; the next is chosen, its reason is empty", async () => {
  const [next, one] = [await waiting(1_200, hostile), await waiting(1_490)];
  const visit = await anna(gateway);
  const page = await visit.open(one.address);
  assert.match(wordsIn(page), /1 amount −29\.80 .*1 519\.80/);
  assert.ok(!page.includes(hostile));
  assert.match(page, /data-bench/);
  const said = { payment_id: one.order.paymentId, reason: "The payer called" };
  const done = await visit.fill(one.address, one.address, { ...said, act: "assign" });
  assert.equal(done.status, 303, wordsIn(done.text));
  assert.ok(done.location.includes(next.transfer_id));
  assert.match(await visit.open(done.location), /name="reason"[^>]* value=""/);
  const settled = await own.get(`transfers/${one.transfer_id}`);
  assert.deepEqual([settled.state, settled.settled_by], ["matched", "Anna"]);
  assert.match(wordsIn(await visit.open(one.address)), /This one waits no more/);
});

it("422: without a choice nothing moves, and what was typed stays; then it is returned", async () => {
  const { address, transfer_id } = await waiting(1_600);
  const visit = await anna(gateway);
  const refused = await visit.fill(address, address, { act: "assign", reason: "Why not" });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /role="alert".*Choose a payment first.*value="Why not"/s);
  assert.equal((await own.get(`transfers/${transfer_id}`)).state, "suspense");
  const said = { act: "return", reason: "Nobody knows it", sure: "yes" };
  await visit.fill(address, address, said);
  assert.equal((await own.get(`transfers/${transfer_id}`)).state, "returned");
});

it("200: a return is asked about first, with its reason; only the answer moves money", async () => {
  const { address, transfer_id } = await waiting(1_610);
  const visit = await anna(gateway);
  const said = { act: "return", reason: "Nobody knows it" };
  const asked = await visit.fill(address, address, said);
  assert.equal(asked.status, 200);
  assert.match(
    wordsIn(asked.text),
    /Return this money to its sender\? .*Return 1 610\.00 ₽ r No, go back/,
  );
  assert.match(asked.text, /name="sure" value="yes".*value="Nobody knows it"/s);
  assert.equal((await own.get(`transfers/${transfer_id}`)).state, "suspense");
  const done = await visit.post(address, { ...said, sure: "yes" });
  assert.equal(done.status, 303);
  const { state, settled_reason } = await own.get(`transfers/${transfer_id}`);
  assert.deepEqual([state, settled_reason], ["returned", said.reason]);
});

it("200: no link of the bench carries a reason to another transfer", async () => {
  const [next, one] = [await waiting(1_620), await waiting(1_630)];
  const page = await (await anna(gateway)).open(`${one.address}&reason=The+payer+called`);
  assert.doesNotMatch(page, /called/);
  for (const { transfer_id } of [next, one]) {
    await own.post(`transfers/${transfer_id}/return`, { reason: "done" });
  }
});

const approved = async (amount: number) => {
  const one = await waiting(amount);
  await approveByOther(gateway, one.transfer_id, one.order.paymentId);
  return one;
};

it("303: what another person approved is approved by a choice, or withdrawn, with a reason; Enter alone moves nothing", async () => {
  const [one, other] = [await approved(1_300), await approved(1_350)];
  const visit = await anna(gateway);
  const page = await visit.open(one.address);
  const words = wordsIn(page);
  assert.match(words, /Waits for a second approval/);
  assert.match(
    words,
    /One person has approved this assignment .*canary-m-other .*1 Paper and Ink order-/,
  );
  assert.match(page, /data-bench.*data-act="a".*data-act="d"/s);
  assert.equal(page.match(/name="payment_id"/g)?.length, 1, "nobody assigns it past that");
  const home = wordsIn(await visit.open("/desk"));
  assert.match(home, /Assignments that wait for a second approval .*2 2 650\.00/);
  // As Enter in a field, or the key a without a choice, would send it.
  const refused = await visit.fill(one.address, one.address, { act: "assign", reason: "x" });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /role="alert".*Choose a payment first/s);
  const said = { act: "assign", payment_id: one.order.paymentId, reason: "theirs" };
  assert.equal((await visit.fill(one.address, one.address, said)).status, 303);
  const settled = await own.get(`transfers/${one.transfer_id}`);
  assert.deepEqual([settled.state, settled.settled_by], ["matched", "canary-m-other + Anna"]);
  const story = wordsIn(await visit.open(`/desk/transfers/${one.transfer_id}`));
  assert.match(story, /Approvals .*canary-m-other canary-m .*Anna theirs/);
  const why = { act: "withdraw", reason: "" };
  assert.equal((await visit.fill(other.address, other.address, why)).status, 422);
  const done = await visit.fill(other.address, other.address, { ...why, reason: "not theirs" });
  assert.equal(done.status, 303);
  const { state, approvals } = await own.get(`transfers/${other.transfer_id}`);
  assert.deepEqual([state, approvals[0].withdrawn_reason], ["suspense", "not theirs"]);
  assert.match(await visit.open(other.address), /name="payment_id"/);
  await own.post(`transfers/${other.transfer_id}/return`, { reason: "done" });
});

it("303: one's own approval is shown as that, and can be withdrawn, not repeated", async () => {
  const one = await waiting(1_400);
  const { config } = gateway.app;
  const visit = await anna(gateway);
  const alone = wordsIn(await visit.open(one.address));
  assert.match(alone, /Neither can be undone\. The shop is told of what is assigned/);
  Object.assign(config, { fourEyesFrom: 1_400 });
  const before = wordsIn(await visit.open(one.address));
  assert.match(
    before,
    /Assigning this amount needs two people: the money moves when another person approves/,
  );
  assert.doesNotMatch(before, /Neither can be undone/, "said before anybody presses");
  const said = { act: "assign", payment_id: one.order.paymentId, reason: "The payer called" };
  assert.equal((await visit.fill(one.address, one.address, said)).status, 303);
  Object.assign(config, { fourEyesFrom: undefined });
  const page = await visit.open(one.address);
  assert.match(
    wordsIn(page),
    /You have approved this assignment: another person has to approve it/,
  );
  assert.doesNotMatch(page, /value="assign"/);
  assert.equal((await visit.fill(one.address, one.address, said)).status, 422);
  const done = await visit.fill(one.address, one.address, { act: "withdraw", reason: "a slip" });
  assert.equal(done.status, 303);
  const { state, approvals } = await own.get(`transfers/${one.transfer_id}`);
  assert.deepEqual([state, approvals[0].withdrawn_by_name], ["suspense", "Anna"]);
  await own.post(`transfers/${one.transfer_id}/return`, { reason: "done" });
});

it("422: what two settle at once is the first one's; the other's choice and reason are not left to the next transfer", async () => {
  const [next, one] = [await waiting(1_710), await waiting(1_720)];
  const [visit, other] = [await anna(gateway), await anna(gateway)];
  await visit.open(one.address);
  const returned = { act: "return", reason: "Nobody knows it", sure: "yes" };
  assert.equal((await other.fill(one.address, one.address, returned)).status, 303);
  const said = { act: "assign", other: one.order.paymentId, reason: "The payer called" };
  const late = await visit.post(one.address, said);
  assert.equal(late.status, 422);
  assert.match(late.text, /role="alert"/);
  assert.match(wordsIn(late.text), /settled before: what you sent has moved nothing/);
  assert.ok(late.text.includes(`action="${next.address}"`), "the next one stands there");
  assert.match(late.text, /name="other" value=""/);
  assert.doesNotMatch(late.text, /The payer called|value="[^"]*" checked/);
  await own.post(`transfers/${next.transfer_id}/return`, { reason: "done" });
  const last = await visit.post(next.address, said);
  assert.equal(last.status, 422, "also where nothing waits any more");
  assert.match(last.text, /role="alert".*not waiting in suspense/s);
});
