// Assigning by hand where that needs two people: who may approve, what moves when, and every way past it.

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
const REPEATED = [422, ["You have approved this already: another person has to as well."]];

const { gateway, own, trade } = await openOneGateway({ fourEyesFrom: 1000 });
const anna = await ownHand(gateway, "Anna");
const boris = await ownHand(gateway, "Boris");
beforeEach(() => trade.pass(2 * DAY));
afterEach(() => assertBooksAreRight(gateway));

/** Money that nobody expected: it came by a bank's program, and is the first kopeck that needs two. */
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
const approvedOnce = async () => {
  const one = await waiting();
  assert.equal((await anna.post(one.path, one.wish)).approvals, 1);
  return { ...one, withdraw: `transfers/${one.transferId}/withdraw` };
};
const stateOf = async (transferId: string) => (await own.get(`transfers/${transferId}`)).state;
const approvalsOf = async (transferId: string): Promise<string[]> =>
  (await own.get(`transfers/${transferId}`)).approvals.map(
    (one: { by_name: string; withdrawn_by_name: string | null; counts: boolean }) =>
      `${one.by_name}${one.withdrawn_by_name ? `, withdrawn by ${one.withdrawn_by_name}` : ""}${one.counts ? "" : " -"}`,
  );
/** As somebody with the database itself would try it. */
const bySql = (text: string, values: unknown[]) => gateway.app.db.query(text, values);

it("200: a kopeck below the sum is assigned by one", async () => {
  const { path, wish } = await waiting(999.99, 900);
  const { state, approvals, needed } = await anna.post(path, wish);
  assert.deepEqual([state, approvals, needed], ["matched", 1, 1]);
});

it("200: a small sum for an order at the limit needs two as well: to the shop it is paid", async () => {
  const { path, wish } = await waiting(100);
  const { state, approvals, needed } = await anna.post(path, wish);
  assert.deepEqual([state, approvals, needed], ["suspense", 1, 2]);
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

it("200: from the limit on the first approval moves nothing; another person's assigns it, and the log names both", async () => {
  const { order, transferId, path, wish } = await waiting();
  const old = await trade.balance();
  const { answer, row: first } = await trade.audited(() => anna.post(path, wish));
  assert.deepEqual([answer.state, answer.payment_id, answer.settled_by], ["suspense", null, null]);
  const { items } = await own.get("approvals?waiting=true&subject_type=transfer");
  const [approval] = items.filter((one: { subject_id: string }) => one.subject_id === transferId);
  assert.deepEqual(approval, {
    approval_id: approval.approval_id,
    subject_type: "transfer",
    subject_id: transferId,
    action: "assign",
    attempt: 0,
    payment_id: order.paymentId,
    invoice_id: order.id,
    order_id: order.orderId,
    shop_id: approval.shop_id,
    to_pay: 1020,
    by: anna.id,
    by_name: "Anna",
    reason,
    at: trade.now(),
    withdrawn_at: null,
    withdrawn_by: null,
    withdrawn_by_name: null,
    withdrawn_reason: null,
    counts: true,
  });
  assert.deepEqual(
    [first.act, first.subject, first.after.payment_id, first.after.reason],
    ["transfer.approve", transferId, order.paymentId, reason],
  );
  assert.deepEqual(await trade.balance(), old);
  assert.deepEqual(await anna.refused(path, wish), REPEATED);
  const seen = { ...wish, reason: "seen it" };
  trade.tick();
  const { answer: done, row } = await trade.audited(() => boris.post(path, seen));
  assert.deepEqual(
    [done.state, done.payment_id, done.settled_by, done.settled_reason, done.approvals],
    ["matched", order.paymentId, "Anna + Boris", "seen it", 2],
  );
  assert.deepEqual(
    [row.act, row.subject, row.operator_name, row.after.settled_by],
    ["transfer.assign", transferId, "Boris", "Anna + Boris"],
  );
  assert.deepEqual(await trade.balance(), [(old[0] ?? 0) + 94_000, old[1], (old[2] ?? 0) + 94_000]);
  assert.deepEqual(await approvalsOf(transferId), ["Anna", "Boris"]);
  const path2 = `approvals?waiting=true&subject_id=${transferId}`;
  assert.deepEqual((await own.get(path2)).items, []);
  const { timeline } = await own.get(`invoices/${order.id}`);
  assert.ok(
    timeline.some(({ detail }: { detail: string }) => detail === "by Anna + Boris: seen it"),
  );
});

it("422: the same approval again changes nothing, and leaves no row in the log", async () => {
  const { path, wish, transferId } = await approvedOnce();
  trade.tick();
  const from = trade.now();
  assert.deepEqual(await anna.refused(path, wish), REPEATED);
  assert.deepEqual(await approvalsOf(transferId), ["Anna"]);
  assert.deepEqual((await own.get(`audit?from=${from}`)).items, []);
});

it("422: while one payment is approved, no person assigns the transfer to another one", async () => {
  const { path } = await approvedOnce();
  const other = { payment_id: (await trade.order()).paymentId, reason };
  const words =
    "Anna approved another payment for this transfer. Assign it to that one, or withdraw that approval first.";
  for (const who of [boris, anna]) assert.deepEqual(await who.refused(path, other), [422, [words]]);
});

it("200: anybody withdraws an approval with a reason; then the transfer can be assigned anew", async () => {
  const { transferId, path, wish, withdraw } = await approvedOnce();
  assert.equal((await anna.refused(withdraw, {}))[0], 422, "why?");
  assert.equal((await anna.post(withdraw, { reason: "a slip" })).state, "suspense");
  const none = [422, ["There is no approval to withdraw."]];
  assert.deepEqual(await boris.refused(withdraw, { reason }), none);
  trade.tick();
  assert.equal((await boris.post(path, wish)).approvals, 1, "the first one now");
  const { row } = await trade.audited(() => anna.post(withdraw, { reason: "not theirs" }));
  assert.deepEqual([row.act, row.after.reason], ["transfer.withdraw", "not theirs"]);
  assert.deepEqual(await approvalsOf(transferId), [
    "Anna, withdrawn by Anna -",
    "Boris, withdrawn by Anna -",
  ]);
  assert.equal((await anna.post(path, wish)).approvals, 1);
  assert.equal((await boris.post(path, wish)).state, "matched");
  assert.deepEqual((await boris.refused(withdraw, { reason }))[0], 422, "it is settled");
});

it("422: judged with the first approval, and anew with the second one; then it still waits", async () => {
  const { order, transferId, path, wish } = await approvedOnce();
  await bank.post("transfers", { wallet: order.wallet, amount: order.amount, reference: "own" });
  const unpayable = [422, ["The payment or its invoice can no longer be paid."]];
  assert.deepEqual(await boris.refused(path, wish), unpayable);
  assert.deepEqual(await approvalsOf(transferId), ["Anna"]);
  assert.equal(await stateOf(transferId), "suspense");
  const canceled = await approvedOnce();
  await cancelInvoice(gateway, canceled.order.id);
  assert.deepEqual(await boris.refused(canceled.path, canceled.wish), unpayable);
  const nobody = { payment_id: NOBODY, reason };
  const { path: fresh } = await waiting();
  assert.deepEqual(await anna.refused(fresh, nobody), [404, "The payment was not found."]);
});

it("200: returned meanwhile, it waits for no approval", async () => {
  const { transferId, path, wish } = await approvedOnce();
  await boris.post(`transfers/${transferId}/return`, { reason });
  assert.deepEqual((await own.get(`approvals?waiting=true&subject_id=${transferId}`)).items, []);
  const words = "The transfer is not waiting in suspense.";
  assert.deepEqual(await boris.refused(path, wish), [422, [words]]);
});

it("422: another token of one person is the same person, whichever of them made the other", async () => {
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
    const { path, wish, transferId } = await waiting();
    await first.post(path, wish);
    const [status, words] = await confirmer.refused(path, wish);
    assert.deepEqual([status, String(words).slice(0, 10)], [422, "Your token"]);
    const approve = `insert into approvals (id, subject_type, subject_id, action, payment_id, by, reason, at)
      values ($1, 'transfer', $2, 'assign', $3, $4, 'x', $5)`;
    const values = [gateway.app.newId(), transferId, wish.payment_id, confirmer.id, trade.now()];
    await assert.rejects(bySql(approve, values), /approvals_once/);
    assert.equal((await boris.post(path, wish)).state, "matched");
  }
});

it("200: a revoked operator's approval does not count, and two others assign it", async () => {
  const gone = await ownHand(gateway, "Gone");
  const { path, wish, transferId } = await waiting();
  await gone.post(path, wish);
  await own.post(`operators/${gone.id}/revoke`);
  assert.deepEqual((await own.get(`approvals?waiting=true&subject_id=${transferId}`)).items, []);
  const first = await boris.post(path, wish);
  assert.deepEqual([first.state, first.approvals], ["suspense", 1]);
  const { settled_by } = await anna.post(path, wish);
  assert.equal(settled_by, "Boris + Anna");
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
  const path = `transfers/${told.transfer_id}/assign`;
  await anna.post(path, wish);
  assert.deepEqual(await anna.refused(path, wish), REPEATED);
  assert.equal((await boris.post(path, wish)).state, "matched");
  const other = await trade.order();
  assert.equal((await bank.post("transfers", tell(other, "real"))).state, "matched");
});

it("200: a statement that shows it is the second voice: it is matched by the rule, past an approval of another payment", async () => {
  const order = await trade.order();
  const { transfer_id, requisite_id } = await anna.post("transfers", {
    wallet: order.wallet,
    amount: order.amount,
    reference: "seen",
    made_at: trade.now(),
  });
  const wrong = await trade.order();
  await anna.post(`transfers/${transfer_id}/assign`, { payment_id: wrong.paymentId, reason });
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
  const { state, payment_id, settled_by } = await own.get(`transfers/${transfer_id}`);
  assert.deepEqual([state, payment_id, settled_by], ["matched", order.paymentId, "kopeck"]);
  assert.deepEqual((await own.get(`approvals?waiting=true&subject_id=${transfer_id}`)).items, []);
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

it("the database knows it, too: approvals are withdrawn once, never changed, and one is not enough", async () => {
  const { transferId, order, withdraw } = await approvedOnce();
  const now = gateway.app.clock.now();
  const set = (what: string) =>
    bySql(`update approvals set ${what} where subject_id = $1`, [transferId]);
  await assert.rejects(set(`by = '${boris.id}'`), /never changed/);
  await assert.rejects(set(`reason = 'y', withdrawn_at = at`), /never changed/);
  await assert.rejects(set(`withdrawn_reason = 'x'`), /never changed/);
  await assert.rejects(bySql("delete from approvals", []), /append-only/);
  const match = (by: string) =>
    bySql(
      `update transfers set state = 'matched', payment_id = $2, settled_at = $3, settled_by = $4,
         settled_reason = 'x', invoice_id = (select invoice_id from payments where id = $2)
       where id = $1`,
      [transferId, order.paymentId, now, by],
    );
  await assert.rejects(match("Anna"), /needs two approvals is assigned by one/);
  await anna.post(withdraw, { reason });
  await assert.rejects(set("withdrawn_at = null"), /withdrawn once/);
  await bySql("update transfers set suspense_reason = 'told_by_hand' where id = $1", [transferId]);
  await assert.rejects(match("Anna"), /needs two approvals is assigned by one/);
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
  const { state, approvals, needed } = await anna.post(
    `transfers/${told.transfer_id}/assign`,
    wish,
  );
  Object.assign(config, { fourEyesFrom: 1000 });
  assert.deepEqual([state, approvals, needed], ["suspense", 1, 2]);
});

after(killLeftovers);

it("kopeck suspense assign asks for what will really happen: an approval where it needs two", async () => {
  const env = { KOPECK_URL: gateway.url, KOPECK_TOKEN: "sandbox_operator_token" };
  for (const [amount, isApproval] of [
    [1000, true],
    [999.99, false],
  ] as const) {
    const { transferId, wish } = await waiting(amount, 900);
    assert.equal((await own.get(`transfers/${transferId}`)).needs_two, isApproval);
    const words = ["suspense", "assign", transferId, "--payment-id", wish.payment_id];
    const { code, stderr } = await runKopeck(env, [...words, "--reason", reason]).ended;
    const [now, then] = [/credited with what arrived, and the shop is told/, /needs two people/];
    assert.equal(code, 2, stderr);
    assert.match(stderr, isApproval ? then : now);
    assert.doesNotMatch(stderr, isApproval ? now : then);
    assert.match(stderr, /Say --yes if that is meant/);
    assert.equal(await stateOf(transferId), "suspense");
    await anna.post(`transfers/${transferId}/assign`, wish);
    assert.equal((await own.get(`transfers/${transferId}`)).needs_two, isApproval);
  }
});
