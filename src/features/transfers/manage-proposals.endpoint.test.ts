// What one person assigns by hand and another confirms: who may, what moves when, and every way past it.

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { cancelInvoice } from "../../../test/cast.ts";
import { applyImports } from "../../../test/imports.ts";
import { manage, ownHand } from "../../../test/manage.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY, type Order } from "../../../test/orders.ts";
import { killLeftovers, runKopeck } from "../../../test/process.ts";
import { statement1c } from "../../../test/statement-file.ts";

const reason = "the payer called";
const OTHERS = [422, ["Whoever has proposed it does not confirm it: it takes somebody else."]];

const { gateway, own, trade } = await openOneGateway({ fourEyesFrom: 1000 });
const anna = await ownHand(gateway, "Anna");
const boris = await ownHand(gateway, "Boris");
beforeEach(() => trade.pass(2 * DAY));
afterEach(() => assertBooksAreRight(gateway));

/** Money that nobody expected: it came by a bank's program, and is the first kopeck that takes two. */
const bank = manage(gateway, (await own.post("operators", { name: "Bank", role: "bank" })).token);
let references = 0;
const stray = async ({ wallet }: Order, amount = 1000): Promise<string> => {
  trade.tick();
  references += 1;
  const told = await bank.post("transfers", { wallet, amount, reference: `stray-${references}` });
  assert.equal(told.state, "suspense");
  return told.transfer_id;
};
const waiting = async (amount?: number, ordered = 1000) => {
  const order = await trade.order({ amount: ordered });
  const transferId = await stray(order, amount);
  const path = `transfers/${transferId}/assign`;
  return { order, transferId, path, wish: { payment_id: order.paymentId, reason } };
};
const proposed = async () => {
  const one = await waiting();
  const { proposal } = await anna.post(one.path, one.wish);
  return { ...one, id: proposal.proposal_id as string };
};
const stateOf = async (transferId: string) => (await own.get(`transfers/${transferId}`)).state;
const proposalsOf = async (transferId: string): Promise<string[]> =>
  (await own.get(`transfers/${transferId}`)).proposals.map((one: { state: string }) => one.state);
/** As a hand with the database itself would try it. */
const bySql = (text: string, values: unknown[]) => gateway.app.db.query(text, values);

it("200: a kopeck below the sum is assigned by one", async () => {
  const { path, wish } = await waiting(999.99, 900);
  const { state, proposal } = await anna.post(path, wish);
  assert.deepEqual([state, proposal], ["matched", null]);
});

it("200: a small sum for an order at the sum is a proposal as well: to the shop it is paid", async () => {
  const { path, wish } = await waiting(100);
  const { state, proposal } = await anna.post(path, wish);
  assert.deepEqual([state, proposal.state], ["suspense", "open"]);
  await anna.post(`proposals/${proposal.proposal_id}/decline`, { reason });
});

it("200: returned, what a person alone has told of was never there", async () => {
  const { requisite_id } = (await own.get("requisites?enabled=true")).items[0];
  const bankOut = async () => {
    const { items } = await own.get("accounts");
    const out = items.find(({ kind }: { kind: string }) => kind === "bank_out");
    return out === undefined ? 0 : (await own.get(`accounts/${out.account_id}`)).balance;
  };
  const before = await bankOut();
  const ghost = { requisite_id, amount: 50_000, reference: "ghost" };
  const { transfer_id } = await anna.post("transfers", ghost);
  await anna.post(`transfers/${transfer_id}/return`, { reason });
  assert.equal(await bankOut(), before, "nothing stands there to be explained by money that left");
});

it("200: at the sum it is a proposal, which moves nothing; another one confirms it, and the log names both", async () => {
  const { order, transferId, path, wish } = await waiting();
  const old = await trade.balance();
  const { answer, logged } = await trade.audited(() => anna.post(path, wish));
  assert.deepEqual([answer.state, answer.payment_id, answer.settled_by], ["suspense", null, null]);
  const { proposal } = answer;
  assert.deepEqual(proposal, {
    proposal_id: proposal.proposal_id,
    transfer_id: transferId,
    payment_id: order.paymentId,
    invoice_id: order.id,
    order_id: order.orderId,
    shop_id: proposal.shop_id,
    to_pay: 1020,
    amount: 1000,
    currency: "RUB",
    state: "open",
    reason,
    proposed_by: anna.id,
    proposed_by_name: "Anna",
    created_at: trade.now(),
    ended_by: null,
    ended_by_name: null,
    ended_reason: null,
    ended_at: null,
  });
  assert.deepEqual(logged, ["transfer.propose", transferId, null, proposal]);
  assert.deepEqual(await trade.balance(), old);
  assert.deepEqual((await own.get("proposals?state=open")).items, [proposal]);
  assert.deepEqual((await own.get(`proposals?transfer_id=${transferId}`)).items, [proposal]);

  const confirm = `proposals/${proposal.proposal_id}/confirm`;
  assert.deepEqual(await anna.refused(confirm, {}), OTHERS);
  const { answer: done, row } = await trade.audited(() => boris.post(confirm));
  assert.deepEqual(
    [done.state, done.payment_id, done.settled_by, done.settled_reason],
    ["matched", order.paymentId, "Anna + Boris", reason],
  );
  const ended = { state: "confirmed", ended_by: boris.id, ended_by_name: "Boris" };
  assert.deepEqual(done.proposal, { ...proposal, ...ended, ended_at: trade.now() });
  assert.deepEqual(
    [row.act, row.subject, row.operator_name, row.after.proposal.proposed_by_name],
    ["transfer.confirm", transferId, "Boris", "Anna"],
  );
  assert.deepEqual(await trade.balance(), [(old[0] ?? 0) + 94_000, old[1], (old[2] ?? 0) + 94_000]);
  assert.deepEqual((await own.get("proposals?state=open")).items, []);
  assert.equal((await own.get("proposals?state=confirmed")).items.length, 1);
  const { timeline } = await own.get(`invoices/${order.id}`);
  assert.ok(
    timeline.some(({ detail }: { detail: string }) => detail === `by Anna + Boris: ${reason}`),
  );
});

it("200: the same wish again is the same proposal, and leaves no second row; what is left is to confirm", async () => {
  const { path, wish, id } = await proposed();
  trade.tick();
  const from = trade.now();
  assert.equal((await anna.post(path, wish)).proposal.proposal_id, id);
  assert.deepEqual((await own.get(`audit?from=${from}`)).items, []);
});

it("422: while it is open nobody assigns it otherwise, nor for another payment, its author neither", async () => {
  const { path, wish } = await proposed();
  const other = await trade.order();
  const words = "Anna proposes a payment for this transfer: confirm that, or decline it first.";
  for (const [who, payment_id] of [
    [boris, wish.payment_id],
    [boris, other.paymentId],
    [anna, other.paymentId],
  ] as const) {
    assert.deepEqual(await who.refused(path, { payment_id, reason }), [422, [words]]);
  }
});

it("200: withdrawn by its author, declined by anybody else; then it can be proposed anew, and what is over is over", async () => {
  const { transferId, path, wish, id } = await proposed();
  assert.equal((await anna.refused(`proposals/${id}/decline`, {}))[0], 422, "why?");
  const withdrawn = await anna.post(`proposals/${id}/decline`, { reason: "a slip" });
  assert.deepEqual(
    [withdrawn.state, withdrawn.proposal.state, withdrawn.proposal.ended_reason],
    ["suspense", "withdrawn", "a slip"],
  );
  const over = [422, ["The proposal is withdrawn: nobody decides about it any more."]];
  assert.deepEqual(await boris.refused(`proposals/${id}/confirm`, {}), over);
  assert.deepEqual(await boris.refused(`proposals/${id}/decline`, { reason }), over);
  trade.tick();
  const again = (await anna.post(path, wish)).proposal.proposal_id;
  const { row } = await trade.audited(() =>
    boris.post(`proposals/${again}/decline`, { reason: "not theirs" }),
  );
  assert.deepEqual([row.act, row.after.proposal.state], ["transfer.decline", "declined"]);
  assert.deepEqual(await proposalsOf(transferId), ["withdrawn", "declined"]);
  assert.equal(await stateOf(transferId), "suspense");
});

it("422: judged when it is proposed, and anew when it is confirmed; then it stays open, to be declined", async () => {
  const { order, transferId, path, id } = await proposed();
  assert.equal((await boris.refused(`proposals/${NOBODY}/confirm`, {}))[0], 404);
  await bank.post("transfers", { wallet: order.wallet, amount: order.amount, reference: "own" });
  const words = "The payment or its invoice can no longer be paid";
  const decline = [422, [`${words}: decline the proposal, and choose anew.`]];
  assert.deepEqual(await boris.refused(`proposals/${id}/confirm`, {}), decline);
  assert.deepEqual(await proposalsOf(transferId), ["open"]);
  await boris.post(`proposals/${id}/decline`, { reason: "paid since" });
  const again = { payment_id: order.paymentId, reason };
  assert.deepEqual(await anna.refused(path, again), [422, [`${words}.`]]);
  const canceled = await proposed();
  await cancelInvoice(gateway, canceled.order.id);
  assert.deepEqual(await boris.refused(`proposals/${canceled.id}/confirm`, {}), decline);
  const nobody = { payment_id: NOBODY, reason };
  assert.deepEqual(await anna.refused(path, nobody), [404, "The payment was not found."]);
});

it("200: returned meanwhile, the proposal is over", async () => {
  const { transferId, id } = await proposed();
  await boris.post(`transfers/${transferId}/return`, { reason });
  assert.deepEqual(await proposalsOf(transferId), ["over"]);
  const words = "The proposal is over: nobody decides about it any more.";
  assert.deepEqual(await boris.refused(`proposals/${id}/confirm`, {}), [422, [words]]);
});

it("422: another token of the same hand is the same person, made by them or by whoever made theirs", async () => {
  const clara = await ownHand(gateway, "Clara", "operator");
  const make = async (who: typeof clara, role = "operator") => {
    const { token, operator } = await who.post("operators", { name: "Second", role });
    return { ...manage(gateway, token), token, id: operator.operator_id };
  };
  const second = await make(clara);
  const third = await make(second);
  const sister = await make(clara, "cashier");
  for (const [first, confirmer] of [
    [clara, second],
    [clara, third],
    [third, clara],
    [second, sister],
  ] as const) {
    const { path, wish } = await waiting();
    const { proposal_id: id } = (await first.post(path, wish)).proposal;
    const [status, words] = await confirmer.refused(`proposals/${id}/confirm`, {});
    assert.deepEqual([status, String(words).slice(0, 10)], [422, "Your token"]);
    const confirm =
      "update transfer_proposals set state = 'confirmed', ended_by = $2, ended_at = $3 where id = $1";
    await assert.rejects(
      bySql(confirm, [id, confirmer.id, gateway.app.clock.now()]),
      /not confirmed by the hand that made it/,
    );
    assert.equal((await boris.post(`proposals/${id}/confirm`)).state, "matched");
  }
});

it("422: what somebody proposed who is gone is declined, not confirmed", async () => {
  const gone = await ownHand(gateway, "Gone");
  const { path, wish } = await waiting();
  const { proposal } = await gone.post(path, wish);
  await own.post(`operators/${gone.id}/revoke`);
  const id = proposal.proposal_id;
  const words = "Whoever has proposed it may do so no longer: decline it, and propose it anew.";
  assert.deepEqual(await boris.refused(`proposals/${id}/confirm`, {}), [422, [words]]);
  assert.equal(
    (await boris.post(`proposals/${id}/decline`, { reason })).proposal.state,
    "declined",
  );
});

it("200: told of by hand, so much waits though somebody expects it, one by one and in a list; by a bank it does not", async () => {
  const [order, listed, small] = [
    await trade.order(),
    await trade.order(),
    await trade.order({ amount: 500 }),
  ];
  const tell = ({ wallet, amount }: Order, reference: string) => ({ wallet, amount, reference });
  const told = await anna.post("transfers", tell(order, "forged"));
  assert.deepEqual([told.state, told.suspense_reason], ["suspense", "told_by_hand"]);
  const items = [tell(listed, "forged too"), tell(small, "small")];
  const list = await anna.post("transfers", { items });
  assert.deepEqual(
    list.items.map(({ state }: { state: string }) => state),
    ["suspense", "matched"],
  );
  const wish = { payment_id: order.paymentId, reason };
  const { proposal } = await anna.post(`transfers/${told.transfer_id}/assign`, wish);
  assert.deepEqual(await anna.refused(`proposals/${proposal.proposal_id}/confirm`, {}), OTHERS);
  assert.equal((await boris.post(`proposals/${proposal.proposal_id}/confirm`)).state, "matched");
  const other = await trade.order();
  assert.equal((await bank.post("transfers", tell(other, "real"))).state, "matched");
  const { why } = await own.get(`transfers/${list.items[0].transfer_id}`);
  assert.match(why, /it takes a second one, or a statement that shows it/);
});

it("200: a statement that shows it is the second voice: it is matched by the rule, and the proposal is over", async () => {
  const order = await trade.order();
  const { transfer_id, requisite_id } = await anna.post("transfers", {
    wallet: order.wallet,
    amount: order.amount,
    reference: "seen",
    made_at: trade.now(),
  });
  const wrong = await trade.order();
  const { proposal } = await anna.post(`transfers/${transfer_id}/assign`, {
    payment_id: wrong.paymentId,
    reason,
  });
  const account = "40817810000000000777";
  await own.post(`requisites/${requisite_id}`, { account });
  const day = new Date(gateway.app.clock.now().getTime() + 3 * 3_600_000)
    .toISOString()
    .slice(0, 10);
  const content = Buffer.from(
    statement1c([{ account, days: { [day]: [{ sum: order.amount }] } }]),
  ).toString("base64");
  await own.post("imports", { filename: "day.txt", content });
  await applyImports(gateway);
  const { state, payment_id, settled_by, proposals } = await own.get(`transfers/${transfer_id}`);
  assert.deepEqual(
    [state, payment_id, settled_by, proposals[0].state, proposals[0].proposal_id],
    ["matched", order.paymentId, "kopeck", "over", proposal.proposal_id],
  );
});

it("200: a bank's program that names the same reference is the second voice; a moment that a person made up is not believed", async () => {
  const order = await trade.order();
  const tell = { wallet: order.wallet, amount: order.amount, reference: "typed first" };
  const { transfer_id } = await anna.post("transfers", tell);
  await anna.post(`transfers/${transfer_id}/assign`, { payment_id: order.paymentId, reason });
  assert.equal((await boris.post("transfers", tell)).state, "suspense");
  const { state, fresh, payment_id, settled_by } = await bank.post("transfers", tell);
  assert.deepEqual(
    [state, fresh, payment_id, settled_by],
    ["matched", false, order.paymentId, "kopeck"],
  );
  assert.deepEqual(await proposalsOf(transfer_id), ["over"]);

  const wished = await trade.order();
  const forged = { wallet: wished.wallet, amount: wished.amount, reference: "of another day" };
  await anna.post("transfers", { ...forged, made_at: trade.now() });
  const day = new Date(gateway.app.clock.now().getTime() - 1000 * DAY).toISOString();
  const heard = await bank.post("transfers", { ...forged, made_at: day });
  assert.deepEqual([heard.state, heard.payment_id], ["suspense", null]);
});

it("200: told of at the same moment by a person and by a bank's program, it is the program's word that counts", async () => {
  const orders = [await trade.order(), await trade.order(), await trade.order()];
  const tell = ({ wallet, amount, id }: Order) => ({ wallet, amount, reference: id });
  const calls = orders.flatMap((one) => [anna, bank].map((by) => by.post("transfers", tell(one))));
  await Promise.all(calls);
  const paid = orders.map(async (one) => (await anna.post("transfers", tell(one))).payment_id);
  assert.deepEqual(
    await Promise.all(paid),
    orders.map(({ paymentId }) => paymentId),
  );
});

it("a person's word does not prove what a phone has told: it stays frozen until somebody else tells", async () => {
  // With the sum set, a hand that joins a phone's telling is heard and proves nothing.
  const order = await trade.order();
  const { requisite_id } = await own
    .get(`payments?invoice_id=${order.id}`)
    .then((all) => all.items[0]);
  const id = gateway.app.newId();
  await bySql(
    `insert into transfers (id, requisite_id, reference, currency, amount_minor, state, suspense_reason,
       channel, teller, needs_proof, received_at)
     values ($1, $2, 'sms:1', 'RUB', 150000, 'suspense', 'nobody_expected', 'sms', 'sms:x', true, $3)`,
    [id, requisite_id, gateway.app.clock.now()],
  );
  await bySql(
    `insert into ledger_postings (id, source_id, kind, currency, requisite_id, created_at, bank_minor,
       suspense_minor) values ($1, $2, 'transfer_suspense', 'RUB', $3, $4, -150000, 150000)`,
    [gateway.app.newId(), id, requisite_id, gateway.app.clock.now()],
  );
  const told = await anna.post("transfers", { requisite_id, amount: 1500, reference: "mine" });
  assert.deepEqual([told.joined, told.transfer_id, told.needs_proof], [true, id, true]);
  const heard = await bank.post("transfers", { requisite_id, amount: 1500, reference: "mine" });
  assert.deepEqual([heard.fresh, heard.transfer_id, heard.needs_proof], [false, id, false]);
});

it("the database knows it, too: no second open one, none that changes or goes, none past it", async () => {
  const { transferId, order, id } = await proposed();
  const now = gateway.app.clock.now();
  await assert.rejects(
    bySql(
      `insert into transfer_proposals select gen_random_uuid(), transfer_id, payment_id, reason,
         proposed_by, created_at from transfer_proposals where id = $1`,
      [id],
    ),
    /transfer_proposals_open/,
  );
  const set = (what: string) => bySql(`update transfer_proposals set ${what} where id = $1`, [id]);
  await assert.rejects(set(`proposed_by = '${boris.id}'`), /stays as it was/);
  await assert.rejects(
    set(`state = 'confirmed', ended_by = proposed_by, ended_at = created_at`),
    /hand that made it/,
  );
  await assert.rejects(
    set(`state = 'withdrawn', ended_by = '${boris.id}', ended_at = created_at, ended_reason = 'x'`),
    /withdrawn_by_their_own/,
  );
  await assert.rejects(bySql("delete from transfer_proposals", []), /append-only/);
  const match = (by: string) =>
    bySql(
      `update transfers set state = 'matched', payment_id = $2, settled_at = $3, settled_by = $4,
         settled_reason = 'x' where id = $1`,
      [transferId, order.paymentId, now, by],
    );
  await assert.rejects(match("Anna"), /takes two is matched by one/);
  await anna.post(`proposals/${id}/decline`, { reason });
  await assert.rejects(set("state = 'open', ended_by = null, ended_at = null"), /ends once/);
  await bySql("update transfers set suspense_reason = 'told_by_hand' where id = $1", [transferId]);
  await assert.rejects(match("Anna"), /takes two is matched by one/);
});

it("200: with the sum taken away, what a person alone has told of still takes two", async () => {
  const order = await trade.order();
  const told = await anna.post("transfers", {
    wallet: order.wallet,
    amount: order.amount,
    reference: "before",
  });
  const { config } = gateway.app;
  Object.assign(config, { fourEyesFrom: undefined });
  const wish = { payment_id: order.paymentId, reason };
  const { state, proposal } = await anna.post(`transfers/${told.transfer_id}/assign`, wish);
  Object.assign(config, { fourEyesFrom: 1000 });
  assert.deepEqual([state, proposal.state], ["suspense", "open"]);
});

after(killLeftovers);

it("kopeck suspense assign asks for what will really happen: a proposal where it takes two", async () => {
  const env = { KOPECK_URL: gateway.url, KOPECK_TOKEN: "sandbox_operator_token" };
  for (const [amount, isProposal] of [
    [1000, true],
    [999.99, false],
  ] as const) {
    const { transferId, wish } = await waiting(amount, 900);
    assert.equal((await own.get(`transfers/${transferId}`)).takes_two, isProposal);
    const words = ["suspense", "assign", transferId, "--payment-id", wish.payment_id];
    const { code, stderr } = await runKopeck(env, [...words, "--reason", reason]).ended;
    const [now, then] = [/credited with what arrived, and the shop is told/, /takes two people/];
    assert.equal(code, 2, stderr);
    assert.match(stderr, isProposal ? then : now);
    assert.doesNotMatch(stderr, isProposal ? now : then);
    assert.match(stderr, /Say --yes if that is meant/);
    assert.equal(await stateOf(transferId), "suspense");
    await anna.post(`transfers/${transferId}/assign`, wish);
    assert.equal((await own.get(`transfers/${transferId}`)).takes_two, isProposal);
  }
});
