// From KOPECK_FOUR_EYES_FROM on, nobody alone gives a payout's money back to its user: neither by saying that it came
// back, nor by having taken it and saying that it has not left.

import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { documentOf } from "../src/domain/payout-file.ts";
import { recordAnswers } from "../src/features/payouts/attempts.ts";
import { assertBooksAreRight } from "./books.ts";
import { USER } from "./cast.ts";
import { freshReference, openDesk, resultsFile, tokenOf } from "./desk.ts";
import { manage, ownHand } from "./manage.ts";
import { openOneGateway } from "./one-gateway.ts";
import { MINUTE } from "./orders.ts";
import { CARD, payouts } from "./payouts.ts";
import { setAnnasRole, anna as signedIn } from "./people.ts";

const FROM = 1000;
const reason = "The bank has closed the account";

const { gateway, own, trade } = await openOneGateway();
const { config } = gateway.app;
const { anna, boris } = await openDesk(gateway);
const user = payouts(gateway, trade);
await user.earn(10, 2000);
beforeEach(() => Object.assign(config, { fourEyesFrom: FROM }));
afterEach(() => assertBooksAreRight(gateway));

const taken = async (amount: number): Promise<string> => {
  const id = await user.made({ amount });
  await anna.post(`payouts/${id}/take`);
  return id;
};
const sent = async (amount: number): Promise<string> => {
  const id = await taken(amount);
  await anna.post(`payouts/${id}/sent`, { bank_reference: freshReference() });
  return id;
};
const AGAIN = { outcome: "not_sent", reason, retry: true };
/** Nobody knew what became of it, and two have said that it has not left. */
const inLineAgain = async (): Promise<string> => {
  const id = await taken(FROM);
  await trade.pass(30 * MINUTE);
  for (const who of [anna, boris]) await who.post(`payouts/${id}/resolve`, AGAIN);
  await trade.pass(MINUTE);
  return id;
};
const available = async (): Promise<number> => (await trade.balance())[1] ?? 0;
const approvalsOf = async (id: string) =>
  (await own.get(`payouts/${id}`)).approvals.map((one: Record<string, unknown>) => [
    one["action"],
    one["by_name"],
    one["reason"],
  ]);
const waiting = async () =>
  (await own.get("waiting")).items.find(
    ({ kind }: { kind: string }) => kind === "payouts_to_return",
  );
const TWICE = [422, ["You have approved this already: another person has to as well."]];

it("one approval that a payout came back gives nothing back; another person's does", async () => {
  const id = await sent(FROM);
  const before = await available();
  const { answer, logged } = await trade.audited(() =>
    anna.post(`payouts/${id}/return`, { reason }),
  );
  assert.deepEqual([answer.state, answer.approvals, answer.needed], ["done", 1, 2]);
  const { state, approvals, reason: why } = logged[3];
  assert.deepEqual([logged[0], state, approvals, why], ["payout.return", "done", 1, reason]);
  assert.equal(await available(), before);
  assert.deepEqual(await waiting(), {
    kind: "payouts_to_return",
    count: 1,
    capped: false,
    amount: 980,
    currency: "RUB",
    oldest_at: trade.now(),
    first_id: id,
  });
  assert.deepEqual(await anna.refused(`payouts/${id}/return`, { reason }), TWICE);
  const second = await tokenOf(gateway, anna);
  const [status] = await second.refused(`payouts/${id}/return`, { reason });
  assert.equal(status, 422, "a token that she has made is her own hand");
  assert.equal(await available(), before);
  trade.tick();
  const done = await boris.post(`payouts/${id}/return`, { reason: "seen it" });
  assert.deepEqual([done.state, done.approvals, done.error], ["returned", 2, "seen it"]);
  assert.equal(await available(), before + 98_000);
  assert.equal(await waiting(), undefined);
  const { timeline } = await own.get(`payouts/${id}`);
  const said = timeline.filter(({ what }: { what: string }) => what === "said to have come back");
  assert.deepEqual(
    said.map(({ detail }: { detail: string }) => detail),
    [`by Anna: ${reason}`, "by Boris: seen it"],
  );
  assert.equal((await own.refused(`payouts/${id}/return`, { reason }))[0], 422, "once");
});

it("a kopeck below the sum, or without one, one person is enough", async () => {
  const below = await sent(FROM - 0.01);
  const small = await anna.post(`payouts/${below}/return`, { reason });
  assert.deepEqual([small.state, small.needed], ["returned", 1]);
  assert.deepEqual(await approvalsOf(below), []);
  Object.assign(config, { fourEyesFrom: undefined });
  const large = await sent(FROM);
  assert.equal((await anna.post(`payouts/${large}/return`, { reason })).state, "returned");
});

it("what one gateway asked two for, no gateway is content with one for", async () => {
  const id = await sent(FROM);
  await anna.post(`payouts/${id}/return`, { reason });
  Object.assign(config, { fourEyesFrom: undefined });
  assert.deepEqual(await anna.refused(`payouts/${id}/return`, { reason }), TWICE);
  assert.equal((await boris.post(`payouts/${id}/return`, { reason })).state, "returned");
});

it("the word of who may act no longer does not count", async () => {
  const id = await sent(FROM);
  const clara = await ownHand(gateway, "Clara", "operator");
  await clara.post(`payouts/${id}/return`, { reason });
  await own.post(`operators/${clara.id}/revoke`);
  assert.equal(await waiting(), undefined, "nobody is asked to confirm what nobody says");
  const first = await anna.post(`payouts/${id}/return`, { reason });
  assert.deepEqual([first.state, first.approvals], ["done", 1]);
  assert.equal((await boris.post(`payouts/${id}/return`, { reason })).state, "returned");
});

it("who has been made a viewer since, or whose token has ended, has said nothing; once they may act, they have", async () => {
  const visit = await signedIn(gateway);
  const [one, other] = [await sent(FROM), await sent(FROM)];
  const say = (id: string) =>
    visit.fill(`/desk/payouts/${id}`, `/desk/payouts/${id}/return`, { reason });
  assert.equal((await say(one)).status, 303);
  assert.equal((await say(other)).status, 303);
  await setAnnasRole(own, "viewer");
  const first = await boris.post(`payouts/${one}/return`, { reason });
  assert.deepEqual([first.state, first.approvals], ["done", 1]);
  await setAnnasRole(own, "cashier");
  assert.equal((await boris.post(`payouts/${other}/return`, { reason })).state, "returned");
  assert.equal((await anna.post(`payouts/${one}/return`, { reason })).state, "returned");

  const held = { user_id: USER.id, service: "card", wallet_to: CARD, amount: 80_001 };
  Object.assign(config, { fourEyesFrom: undefined });
  await user.earn(1, 100_000);
  const { payout_id } = await own.post("payouts", held);
  const clara = await ownHand(gateway, "Clara", "operator");
  await clara.post(`payouts/${payout_id}/approve`);
  await gateway.app.db.query(
    `update operators set ends_at = '${trade.now()}' where id = '${clara.id}'`,
  );
  await trade.pass(MINUTE);
  const { state, approvals } = await anna.post(`payouts/${payout_id}/approve`);
  assert.deepEqual([state, approvals], ["held", 1]);
  assert.equal((await boris.post(`payouts/${payout_id}/approve`)).state, "queued");
  await boris.post(`payouts/${payout_id}/refuse`, { reason });
});

it("money that it came back as waits until the second one says so, and is of the same amount", async () => {
  const [requisite] = (await own.get("requisites?enabled=true")).items;
  const book = async (amount: number): Promise<string> => {
    const { requisite_id } = requisite;
    const told = { requisite_id, amount, reference: freshReference() };
    return (await own.post("transfers", told)).transfer_id;
  };
  const [transfer_id, other] = [await book(980), await book(981)];
  const id = await sent(FROM);
  const refused = await anna.refused(`payouts/${id}/return`, { reason, transfer_id: other });
  assert.equal(refused[0], 422);
  assert.deepEqual(await approvalsOf(id), [], "nothing was said");
  await anna.post(`payouts/${id}/return`, { reason, transfer_id });
  assert.deepEqual(await approvalsOf(id), [
    ["returned", "Anna", `${reason}, as transfer ${transfer_id}`],
  ]);
  assert.equal((await own.get(`transfers/${transfer_id}`)).state, "suspense");
  await boris.post(`payouts/${id}/return`, { reason, transfer_id });
  assert.equal((await own.get(`transfers/${transfer_id}`)).state, "cleared");
});

it("who has taken a payout and says that it has not left is the first of two", async () => {
  const id = await taken(FROM);
  const before = await available();
  const answer = await anna.post(`payouts/${id}/not-sent`, { reason, retry: true });
  assert.equal(answer.state, "unknown");
  assert.equal(await available(), before);
  const { timeline } = await own.get(`payouts/${id}`);
  const unknown = timeline.find(({ what }: { what: string }) => what === "unknown");
  assert.equal(unknown.at, trade.now(), "from her word on, not from the end of her time");
  const wish = { outcome: "not_sent", reason };
  assert.deepEqual(await anna.refused(`payouts/${id}/resolve`, wish), TWICE);
  const second = await boris.post(`payouts/${id}/resolve`, wish);
  assert.deepEqual([second.state, second.approvals], ["failed", 2]);
  assert.equal(await available(), before + 100_000);
});

it("a small one that has not left is its taker's word, as before; and a large one that has is proven", async () => {
  const small = await taken(FROM - 0.01);
  assert.equal((await anna.post(`payouts/${small}/not-sent`, { reason })).state, "failed");
  const large = await taken(FROM);
  await anna.post(`payouts/${large}/not-sent`, { reason });
  await trade.pass(MINUTE);
  const proof = { bank_reference: freshReference() };
  assert.equal((await boris.post(`payouts/${large}/sent`, proof)).state, "done");
});

it("a bank's answer that large payouts of a file have not left is brought by two", async () => {
  const [large, small] = [await user.made({ amount: FROM }), await user.made({ amount: 50 })];
  const wish = { format: "csv", payouts: [large, small] };
  const { batch_id } = await anna.post("payout-batches", wish);
  const before = await available();
  const rows = [large, small].map((id) => `${documentOf(id)};not_sent;;${reason}`);
  const file = { content: resultsFile(...rows) };
  const counts = async (who: typeof anna) => {
    const { settled, to_approve, known } = await who.post(
      `payout-batches/${batch_id}/results`,
      file,
    );
    return { settled, to_approve, known };
  };
  assert.deepEqual(await counts(anna), { settled: 1, to_approve: 1, known: 0 });
  assert.deepEqual(await counts(anna), { settled: 0, to_approve: 0, known: 2 });
  assert.equal(await available(), before + 5_000);
  assert.deepEqual(await counts(boris), { settled: 1, to_approve: 0, known: 1 });
  assert.equal(await available(), before + 105_000);
});

it("a file is not for the bank from one person's word on that a large payout of it has not left", async () => {
  const [large, small] = [await user.made({ amount: FROM }), await user.made({ amount: 51 })];
  const wish = { format: "csv", payouts: [large, small] };
  const { batch_id } = await anna.post("payout-batches", wish);
  const path = `payout-batches/${batch_id}`;
  const file = { content: resultsFile(`${documentOf(large)};retry;;never brought`) };
  const once = { rows: 1, settled: 0, known: 0, conflicts: 0, to_approve: 1 };
  assert.deepEqual(await anna.post(`${path}/results`, file), once);
  const [status, [said = ""]] = await boris.refused(`${path}/file`, {});
  assert.equal(status, 422, said);
  assert.match(said, /^1 payouts of this file/);
  assert.ok(said.includes(documentOf(large)), said);
  const { filename } = await boris.post(`${path}/file`, { not_for_bank: true });
  assert.match(filename, /-not-for-bank\.csv$/);
  assert.deepEqual([await user.state(large), await user.state(small)], ["unknown", "sending"]);
  const again = { ...once, to_approve: 0, known: 1 };
  assert.deepEqual(await anna.post(`${path}/results`, file), again, "her own word again");
  // The second one's word puts it in line, by the same file or at the desk; the next file is the only one for the bank.
  const back = { outcome: "not_sent", reason, retry: true };
  assert.equal((await boris.post(`payouts/${large}/resolve`, back)).state, "queued");
  await trade.pass(MINUTE);
  const next = await anna.post("payout-batches", { format: "csv", payouts: [large] });
  await anna.post(`payout-batches/${next.batch_id}/file`);
  assert.equal((await boris.refused(`${path}/file`, {}))[0], 422);
});

it("a word that was wrong is taken back by anybody, counts no longer, and can be given anew", async () => {
  const id = await sent(FROM);
  const nobody = [422, ["There is no approval to withdraw."]];
  const back = { reason: "It was another payout", withdraw: true };
  assert.deepEqual(await boris.refused(`payouts/${id}/return`, back), nobody);
  await anna.post(`payouts/${id}/return`, { reason });
  trade.tick();
  const { state, approvals } = await boris.post(`payouts/${id}/return`, back);
  assert.deepEqual([state, approvals], ["done", 0]);
  assert.equal(await waiting(), undefined);
  assert.deepEqual(await boris.refused(`payouts/${id}/return`, back), nobody);
  trade.tick();
  const again = await anna.post(`payouts/${id}/return`, { reason });
  assert.deepEqual([again.state, again.approvals], ["done", 1]);
  assert.equal((await boris.post(`payouts/${id}/return`, { reason })).state, "returned");
});

it("a role that was taken and given back stops nobody: enough have said so, and one of them says it again", async () => {
  const visit = await signedIn(gateway);
  const id = await sent(FROM);
  await visit.fill(`/desk/payouts/${id}`, `/desk/payouts/${id}/return`, { reason });
  await setAnnasRole(own, "viewer");
  assert.equal(await waiting(), undefined, "a viewer's word waits for nobody");
  await boris.post(`payouts/${id}/return`, { reason });
  await setAnnasRole(own, "operator");
  assert.equal((await waiting()).count, 1, "one payout is counted once");
  const again = await visit.fill(`/desk/payouts/${id}`, `/desk/payouts/${id}/return`, { reason });
  assert.equal(again.status, 303, again.text);
  assert.equal(await user.state(id), "returned");
});

it("one person stays one, though they approve twice, each time while the other token has no role", async () => {
  const visit = await signedIn(gateway);
  const form = { name: "Hers", role: "operator" };
  const made = await visit.fill("/desk/operators/new", "/desk/operators/new", form);
  const token = /kop_[\w-]+/.exec(made.text)?.[0] ?? assert.fail(made.text);
  const hers = manage(gateway, token);
  const id = await sent(FROM);
  await visit.fill(`/desk/payouts/${id}`, `/desk/payouts/${id}/return`, { reason });
  await setAnnasRole(own, "none");
  const alone = await hers.post(`payouts/${id}/return`, { reason });
  assert.deepEqual([alone.state, alone.approvals], ["done", 1]);
  await setAnnasRole(own, "operator");
  assert.deepEqual(await hers.refused(`payouts/${id}/return`, { reason }), TWICE);
  const second = await boris.post(`payouts/${id}/return`, { reason });
  assert.deepEqual([second.state, second.approvals], ["returned", 2]);
});

it("what was said of an earlier attempt settles the payout, too: nobody is refused for good", async () => {
  Object.assign(config, { fourEyesFrom: undefined });
  const id = await taken(FROM);
  const wish = { outcome: "not_sent", reason, retry: true };
  for (const attempt of [1, 2]) {
    if (attempt === 2) await anna.post(`payouts/${id}/take`);
    await trade.pass(30 * MINUTE);
    for (const who of [anna, boris]) await who.post(`payouts/${id}/resolve`, wish);
    await trade.pass(MINUTE);
  }
  const said = { payoutId: id, number: 1, answer: { kind: "sent", reference: "R" } as const };
  await gateway.app.db.transaction((tx) => recordAnswers(tx, gateway.app, [said]));
  assert.equal(await user.state(id), "unknown");
  const first = await anna.post(`payouts/${id}/resolve`, { ...wish, retry: false });
  assert.deepEqual(
    [first.state, first.approvals],
    ["unknown", 1],
    "at the same moment, and not before",
  );
  const proof = { bank_reference: freshReference() };
  const { state, bank_reference } = await boris.post(`payouts/${id}/sent`, proof);
  assert.deepEqual([state, bank_reference], ["done", proof.bank_reference]);
});

it("an attempt that the bank says has left while the next one is out is not forgotten: nothing is given back", async () => {
  Object.assign(config, { fourEyesFrom: undefined });
  const id = await inLineAgain();
  await anna.post(`payouts/${id}/take`);
  const reference = freshReference();
  const said = { payoutId: id, number: 1, answer: { kind: "sent", reference } as const };
  const hear = () => gateway.app.db.transaction((tx) => recordAnswers(tx, gateway.app, [said]));
  assert.deepEqual(await hear(), ["conflict"]);
  assert.equal(await user.state(id), "sending", "hers is out");
  const before = await available();
  assert.equal((await anna.post(`payouts/${id}/not-sent`, { reason })).state, "unknown");
  assert.equal(await available(), before);
  const { attempts } = await own.get(`payouts/${id}`);
  assert.deepEqual(
    attempts.map((one: { state: string }) => one.state),
    ["unknown", "not_sent"],
  );
  assert.ok(attempts[0].detail.includes(reference), attempts[0].detail);
  for (const who of [boris, anna]) await who.post(`payouts/${id}/resolve`, AGAIN);
  assert.equal(await user.state(id), "queued", "two have looked, and know better");
  await trade.pass(MINUTE);
  await anna.post(`payouts/${id}/take`);
  assert.equal((await anna.post(`payouts/${id}/not-sent`, { reason })).state, "failed");
});

it("what two said does not count once the bank has said otherwise: it takes two anew, the same ones among them", async () => {
  Object.assign(config, { fourEyesFrom: undefined });
  const id = await inLineAgain();
  assert.equal(await user.state(id), "queued");
  // A rail, a file or a notice says so of the first attempt.
  const reference = freshReference();
  const said = { payoutId: id, number: 1, answer: { kind: "sent", reference } as const };
  await gateway.app.db.transaction((tx) => recordAnswers(tx, gateway.app, [said]));
  assert.equal(await user.state(id), "unknown");
  trade.tick();
  const clara = await ownHand(gateway, "Clara", "operator");
  const third = await clara.post(`payouts/${id}/resolve`, { outcome: "not_sent", reason });
  assert.deepEqual([third.state, third.approvals], ["unknown", 1], "alone, whoever spoke before");
  const { attempts } = await own.get(`payouts/${id}`);
  assert.ok(attempts[0].detail.includes(reference), attempts[0].detail);
  const last = await anna.post(`payouts/${id}/resolve`, { outcome: "not_sent", reason });
  assert.deepEqual([last.state, last.approvals], ["failed", 2]);
});
