// A line of a statement that waits, from KOPECK_FOUR_EYES_FROM on: what one person says of it moves nothing, and what two
// say is booked and proves the money, also what only a text had told of.

import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "./books.ts";
import { tokenOf } from "./desk.ts";
import { CHANGED_CARD, changedLine, paidByText } from "./lines.ts";
import { manage, ownHand } from "./manage.ts";
import { openOneGateway } from "./one-gateway.ts";
import { DAY } from "./orders.ts";
import { setAnnasRole, anna as signedIn } from "./people.ts";

const FROM = 700;
const reason = "the bank was asked";
const word = { decision: "book", reason };

const { gateway, own, trade } = await openOneGateway();
const { config } = gateway.app;
const anna = await ownHand(gateway, "Anna", "operator");
const boris = await ownHand(gateway, "Boris");
/** The one card that all orders get here. */
for (const { requisite_id } of (await own.get("requisites?limit=200")).items) {
  if (requisite_id !== CHANGED_CARD)
    await own.post(`requisites/${requisite_id}`, { enabled: false });
}
beforeEach(() => Object.assign(config, { fourEyesFrom: FROM }));
afterEach(() => assertBooksAreRight(gateway));

const waiting = (sum: number) => changedLine(gateway, sum);
const found = async (id: string) =>
  (await own.get("lines?waiting=true")).items.find(
    ({ line_id }: { line_id: string }) => line_id === id,
  );
const queued = async (): Promise<{ kind: string; count: number } | undefined> =>
  (await own.get("waiting")).items.find(
    ({ kind }: { kind: string }) => kind === "lines_to_approve",
  );
const transferOf = ({ transfer_id }: { transfer_id: string }) =>
  own.get(`transfers/${transfer_id}`);
const bySql = (text: string, values: unknown[] = []) => gateway.app.db.query(text, values);

it("one person's word books nothing and waits for another; the log, the list and the queue say so", async () => {
  const { line_id, path } = await waiting(FROM);
  const before = await found(line_id);
  const { answer, logged } = await trade.audited(() => anna.post(path, word));
  const approval = { approved_by: anna.id, approved_by_name: "Anna", approval_reason: reason };
  assert.deepEqual(answer, { ...before, ...approval, approved_at: trade.now() });
  assert.deepEqual(
    [answer.outcome, answer.transfer_id, answer.settled_by],
    ["changed", null, null],
  );
  assert.deepEqual(logged, ["line.approve", line_id, before, answer]);
  assert.deepEqual((await own.get("lines?to_approve=true")).items, [answer]);
  assert.deepEqual(await queued(), {
    kind: "lines_to_approve",
    count: 1,
    capped: false,
    amount: FROM,
    currency: "RUB",
    oldest_at: trade.now(),
    first_id: line_id,
  });
  const { answer: done, row } = await trade.audited(() =>
    boris.post(path, { decision: "book", reason: "seen it on 4111111111111111" }),
  );
  assert.deepEqual(
    [done.outcome, done.settled_by, done.settled_reason, done.approved_by],
    ["new", "Anna + Boris", "seen it on 411111******1111", null],
  );
  assert.deepEqual([row.act, row.operator_name, row.before], ["line.decide", "Boris", answer]);
  const { state, suspense_reason } = await transferOf(done);
  assert.deepEqual([state, suspense_reason], ["suspense", "nobody_expected"]);
  assert.equal(await queued(), undefined);
  assert.deepEqual((await own.get("lines?to_approve=true")).items, []);
  assert.equal((await boris.refused(path, word))[0], 422, "once");
});

it("a kopeck below the sum is booked by one", async () => {
  const { path } = await waiting(FROM - 0.01);
  const { outcome, settled_by } = await anna.post(path, word);
  assert.deepEqual([outcome, settled_by], ["new", "Anna"]);
});

it("what somebody expects is paid with the second one's word, by the rule, and not before", async () => {
  const order = await trade.order({ amount: FROM });
  const [credited = 0] = await trade.balance();
  const { path } = await waiting(order.amount);
  await anna.post(path, word);
  assert.equal((await trade.balance())[0], credited);
  const done = await boris.post(path, word);
  assert.equal((await transferOf(done)).payment_id, order.paymentId);
  assert.ok(((await trade.balance())[0] ?? 0) > credited);
});

it("what only a text had told of is proven by the second, and a refund of it is paid", async () => {
  const { order, line } = await paidByText(gateway, trade, FROM);
  const path = `lines/${line.line_id}/decide`;
  const [payment] = (await own.get(`payments?invoice_id=${order.id}`)).items;
  assert.equal(payment.state, "paid");
  await trade.pass(2 * DAY);
  const refund = { invoice_id: order.id, amount: 1, reason, reference: "r1" };
  assert.equal((await own.refused("refunds", refund))[0], 422);
  await anna.post(path, word);
  assert.equal((await own.refused("refunds", refund))[0], 422, "one word proves nothing");
  const done = await boris.post(path, word);
  assert.equal(done.outcome, "duplicate");
  assert.equal((await transferOf(done)).needs_proof, false);
  await trade.pass(2 * DAY);
  assert.equal((await own.post("refunds", refund)).amount, 1);
});

it("422: nobody is their own second, by whatever token; and the first may not be what a day to come has", async () => {
  const { path, line_id } = await waiting(FROM);
  await anna.post(path, word);
  const twice = "You have approved this already: another person has to as well.";
  assert.deepEqual(await anna.refused(path, word), [422, [twice]]);
  const second = await tokenOf(gateway, anna);
  const [status, [words = ""]] = await second.refused(path, word);
  assert.equal(status, 422);
  assert.match(words, /belong to one person/);
  assert.equal((await found(line_id)).outcome, "changed");
  await boris.post(path, word);
  const ahead = await changedLine(gateway, FROM, "2099-01-02");
  assert.deepEqual(await anna.refused(ahead.path, word), [
    422,
    ["The line is of a moment that has not come yet."],
  ]);
  await anna.post(ahead.path, { decision: "exclude", reason });
});

it("the word of one who may act no longer does not count, and does again with the role", async () => {
  const { path, line_id } = await waiting(FROM);
  const visit = await signedIn(gateway);
  const form = `/desk/imports/${path}`;
  assert.equal((await visit.fill(form, form, word)).status, 303);
  await setAnnasRole(own, "viewer");
  assert.equal(await queued(), undefined);
  assert.deepEqual((await own.get("lines?to_approve=true")).items, []);
  assert.equal((await found(line_id)).approved_by, null);
  assert.equal((await boris.post(path, word)).outcome, "changed", "he is the first");
  assert.equal((await found(line_id)).approved_by_name, "Boris");
  await setAnnasRole(own, "operator");
  assert.equal((await boris.post(path, word)).settled_by, "Anna + Boris");
});

it("a token that is revoked gives its hand's place to another one of it", async () => {
  const { path } = await waiting(FROM);
  const token = await ownHand(gateway, "Vera");
  await token.post(path, word);
  await own.post(`operators/${token.id}/revoke`);
  assert.equal((await anna.post(path, word)).outcome, "changed");
  assert.equal((await boris.post(path, word)).settled_by, "Anna + Boris");
});

it("nor does the word of a token that has run out: the list and the log are of whoever says so then", async () => {
  const { path, line_id } = await waiting(FROM);
  const told = { name: "Vera", role: "cashier", expires_in_days: 1 };
  const { token } = await own.post("operators", told);
  await manage(gateway, token).post(path, word);
  await trade.pass(2 * DAY);
  assert.equal(await queued(), undefined);
  assert.deepEqual((await own.get("lines?to_approve=true")).items, []);
  const { answer, logged } = await trade.audited(() => anna.post(path, word));
  assert.deepEqual([answer.outcome, answer.approved_by_name], ["changed", "Anna"]);
  assert.deepEqual(logged.slice(0, 2), ["line.approve", line_id]);
  assert.deepEqual((await own.get("lines?to_approve=true")).items, [answer]);
  assert.equal((await boris.post(path, word)).settled_by, "Anna + Boris");
});

it("with the sum taken away, what one has said so of still takes two; decided otherwise it is over", async () => {
  const { path, line_id } = await waiting(FROM);
  await anna.post(path, word);
  Object.assign(config, { fourEyesFrom: undefined });
  assert.equal((await anna.refused(path, word))[0], 422);
  const { outcome, settled_by } = await boris.post(path, { decision: "exclude", reason });
  assert.deepEqual([outcome, settled_by], ["excluded", "Boris"]);
  assert.equal(await queued(), undefined);
  assert.equal(await found(line_id), undefined);
});

const decideOtherwise = [{ decision: "exclude" }, { decision: "book", kind: "own" }];
for (const otherwise of decideOtherwise) {
  const name = Object.values(otherwise).join(" as ");
  it(`${name} withdraws an approval: after reopen two people approve anew`, async () => {
    const { path, line_id } = await waiting(FROM);
    await anna.post(path, word);
    await own.post(path, { ...otherwise, reason: "looked wrong" });
    const { items } = await own.get(`approvals?subject_id=${line_id}`);
    assert.deepEqual(
      items.map((one: Record<string, unknown>) => [one.by_name, one.withdrawn_reason]),
      [["Anna", "looked wrong"]],
    );
    if (otherwise.kind !== undefined) await own.post(path, { decision: "exclude", reason });
    const reopened = await own.post(path, { decision: "reopen", reason });
    assert.deepEqual([reopened.outcome, reopened.approved_by], ["reopened", null]);
    assert.equal((await boris.post(path, word)).outcome, "reopened", "he is the first");
    assert.equal((await anna.post(path, word)).settled_by, "Boris + Anna");
  });
}

it("the database itself books no line by one person that one approved, and keeps approvals", async () => {
  const { path, line_id } = await waiting(FROM);
  await anna.post(path, word);
  const book = () =>
    bySql(
      `update statement_lines set outcome = 'duplicate', transfer_id = (select id from transfers limit 1)
       where id = $1`,
      [line_id],
    );
  await assert.rejects(book(), /needs two approvals is booked by one/);
  const { operator: hers } = await anna.post("operators", { name: "Hers", role: "cashier" });
  const approve = `insert into approvals (id, subject_type, subject_id, action, by, reason, at)
    values ($1, 'statement_line', $2, 'book', $3, 'x', $4)`;
  const values = [gateway.app.newId(), line_id, hers.operator_id, trade.now()];
  await assert.rejects(bySql(approve, values), /approvals_once/, "a token that she has made");
  await assert.rejects(bySql("update approvals set reason = 'y'"), /never changed/);
  await assert.rejects(bySql("delete from approvals"), /append-only/);
  await boris.post(path, word);
});
