// /desk/suspense: what waits, whose it may be, and a person's word; the next one stands there then.

import assert from "node:assert/strict";
import { it } from "node:test";
import { HOSTILE_TEXTS } from "../../../test/hostile-texts.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { anna, setAnnasRole, wordsIn } from "../../../test/people.ts";

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

it("303: assigned by the radio of a candidate, with the one thing that is off; the next is chosen, the reason stays", async () => {
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
  assert.match(await visit.open(done.location), /value="The payer called"/);
  const settled = await own.get(`transfers/${one.transfer_id}`);
  assert.deepEqual([settled.state, settled.settled_by], ["matched", "Anna"]);
  assert.match(wordsIn(await visit.open(one.address)), /This one waits no more/);
});

it("422: without a choice nothing moves, and what was typed stays; then it is returned", async () => {
  const { address, transfer_id } = await waiting(1_600);
  const visit = await anna(gateway);
  const refused = await visit.fill(address, address, { act: "assign", reason: "Why not" });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /role="alert".*value="Why not"/s);
  assert.equal((await own.get(`transfers/${transfer_id}`)).state, "suspense");
  await visit.fill(address, address, { act: "return", reason: "Nobody knows it" });
  assert.equal((await own.get(`transfers/${transfer_id}`)).state, "returned");
});

it("403: a viewer sees it and is offered nothing", async () => {
  const { address, transfer_id } = await waiting(1_700);
  const visit = await anna(gateway);
  await setAnnasRole(own, "viewer");
  assert.doesNotMatch(await visit.open(address), /data-bench/);
  const refused = await visit.post(address, { act: "return", reason: "x" });
  assert.equal(refused.status, 403);
  assert.equal((await own.get(`transfers/${transfer_id}`)).state, "suspense");
});
