// What people decide about payouts through /manage: who may approve, what is refused, what came back, and what
// had left after all.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { USER } from "../../../test/cast.ts";
import { freshReference, openDesk, tokenOf } from "../../../test/desk.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";
import { CARD, payouts } from "../../../test/payouts.ts";

const reason = "The bank has closed the account";

const { gateway, own, trade } = await openOneGateway();
const { anna, boris } = await openDesk(gateway);
const user = payouts(gateway, trade);
await user.earn(10, 100_000);
afterEach(() => assertBooksAreRight(gateway));

const stateOf = async (id: string) => (await own.get(`payouts/${id}`)).payout.state;
const sent = async (changes: Record<string, unknown> = {}): Promise<string> => {
  const id = await user.made(changes);
  await anna.post(`payouts/${id}/take`);
  await anna.post(`payouts/${id}/sent`, { bank_reference: freshReference() });
  return id;
};
const failed = async (changes: Record<string, unknown> = {}): Promise<string> => {
  const id = await user.made(changes);
  await anna.post(`payouts/${id}/take`);
  await anna.post(`payouts/${id}/not-sent`, { reason });
  return id;
};

it("case 29: who asked does not approve, one operator counts once, and four eyes are two people", async () => {
  const wish = { user_id: USER.id, service: "card", wallet_to: CARD };
  const { payout_id: large } = await anna.post("payouts", { ...wish, amount: 80_001 });
  const own422 = [422, ["You cannot approve your own request: another person has to."]];
  assert.deepEqual(await anna.refused(`payouts/${large}/approve`, {}), own422);
  const { answer, logged } = await trade.audited(() => boris.post(`payouts/${large}/approve`));
  assert.deepEqual([answer.state, answer.approvals, answer.approvals_needed], ["held", 1, 2]);
  assert.deepEqual(logged, [
    "payout.approve",
    large,
    { state: "held", approvals: 0 },
    { state: "held", approvals: 1 },
  ]);
  const twice = [422, ["You have approved this already: another person has to as well."]];
  assert.deepEqual(await boris.refused(`payouts/${large}/approve`, {}), twice);
  assert.equal((await anna.refused(`payouts/${large}/take`, {}))[0], 422, "held is not sent");
  trade.tick();
  assert.equal((await own.post(`payouts/${large}/approve`)).state, "queued");
  const held = [422, ["The payout is queued: this is no longer, or not yet, possible."]];
  assert.deepEqual(await boris.refused(`payouts/${large}/approve`, {}), held);
  const { approvals, timeline } = await own.get(`payouts/${large}`);
  assert.deepEqual(
    approvals.map((one: { by_name: string }) => one.by_name),
    ["Boris", "sandbox"],
  );
  assert.equal(timeline.filter((one: { what: string }) => one.what === "approved").length, 2);
});

/** All tokens that somebody has made here. */
const revokeSeconds = async (): Promise<void> => {
  const { items } = await own.get("operators?limit=200");
  for (const one of items) {
    if (one.name !== "Second" || one.revoked_at !== null) continue;
    await anna.post(`operators/${one.operator_id}/revoke`);
  }
};

const SAME_PERSON = /^Your token and the first one belong to one person.* Another person has to/;

it("case 29: a token that somebody has made is no second person, by whatever of theirs they begin", async () => {
  const wish = { user_id: USER.id, service: "card", wallet_to: CARD, amount: 80_001 };
  const hers = await tokenOf(gateway, anna);
  const third = await tokenOf(gateway, hers);
  const refused = async (id: string, who: typeof hers): Promise<void> => {
    const [status, [words]] = (await who.refused(`payouts/${id}/approve`, {})) as [
      number,
      [string],
    ];
    assert.equal(status, 422);
    assert.match(words, SAME_PERSON);
  };
  const { payout_id: asked } = await anna.post("payouts", wish);
  for (const who of [hers, third]) await refused(asked, who);
  const { payout_id: askedByToken } = await third.post("payouts", wish);
  for (const who of [anna, hers]) await refused(askedByToken, who);
  const large = await user.made({ amount: 80_001 });
  assert.equal((await hers.post(`payouts/${large}/approve`)).approvals, 1);
  for (const who of [anna, third]) await refused(large, who);
  assert.equal((await boris.post(`payouts/${large}/approve`)).state, "queued");
  for (const id of [asked, askedByToken]) await own.post(`payouts/${id}/refuse`, { reason });
});

it("case 29: two tokens of one person approve at once: one of them counts, and the database itself says so", async () => {
  const hers = await tokenOf(gateway, anna);
  const id = await user.made({ amount: 80_001 });
  const answers = await Promise.all(
    [anna, hers, anna, hers].map((who) => who.ask(`payouts/${id}/approve`, {})),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422, 422, 422]);
  assert.equal(await user.state(id), "held");
  const approve = (operator: string, action: string, payoutId = id) =>
    gateway.app.db.query(
      `insert into approvals (id, subject_type, subject_id, action, attempt, by, reason, at)
       select gen_random_uuid(), 'payout', $1, $3, 0, id, 'x', now() from operators
       where name = $2 and revoked_at is null order by created_at desc limit 1`,
      [payoutId, operator, action],
    );
  await approve("Anna", "not_sent");
  await assert.rejects(approve("Second", "not_sent"), /approvals_once/);
  const wish = { user_id: USER.id, service: "card", wallet_to: CARD, amount: 90 };
  const { payout_id: asked } = await hers.post("payouts", wish);
  await assert.rejects(approve("Anna", "approve", asked), /cannot approve a payout of their own/);
  await own.post(`payouts/${asked}/refuse`, { reason });
  await own.post(`payouts/${id}/refuse`, { reason });
});

it("case 29: whose token was revoked has had no say, and says it by another one", async () => {
  const first = await tokenOf(gateway, anna);
  const id = await user.made({ amount: 80_001 });
  assert.equal((await first.post(`payouts/${id}/approve`)).approvals, 1);
  await revokeSeconds();
  assert.equal((await anna.post(`payouts/${id}/approve`)).approvals, 1);
  assert.equal((await boris.post(`payouts/${id}/approve`)).state, "queued");
});

it("case 29: the same approval twice at once is one row of the audit log and one change of state", async () => {
  const id = await user.made({ amount: 50_001 });
  assert.equal(await user.state(id), "held");
  const from = trade.now();
  const answers = await Promise.all([1, 2, 3, 4].map(() => anna.ask(`payouts/${id}/approve`, {})));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422, 422, 422]);
  const { items } = await own.get(`audit?from=${from}&subject=${id}`);
  assert.equal(items.length, 1);
  assert.equal(await user.state(id), "queued");
});

/** What its story says of something. */
const story = async (id: string, about: string): Promise<string[]> => {
  const { timeline } = await own.get(`payouts/${id}`);
  return timeline
    .filter(({ what }: { what: string }) => what === about)
    .map(({ detail }: { detail: string }) => detail);
};

it("case 30: nobody looks at it in time, and it is canceled; a year changes nothing else", async () => {
  const id = await user.made({ amount: 50_002 });
  const queued = await user.made();
  const [, available = 0] = await trade.balance();
  await trade.pass(3 * DAY - 1);
  assert.equal(await user.state(id), "held");
  await trade.pass(1);
  assert.equal(await user.state(id), "canceled");
  assert.equal((await user.info(id)).body.data.error_message, "not_approved_in_time");
  assert.equal((await trade.balance())[1], available + 5_000_200);
  assert.deepEqual(await story(id, "held"), ["it is large"]);
  assert.deepEqual(await story(id, "canceled"), ["not_approved_in_time"]);
  assert.equal((await anna.refused(`payouts/${id}/approve`, {}))[0], 422);
  await trade.pass(365 * DAY);
  assert.equal(await user.state(queued), "queued");
});

it("200: refuses what is held or queued: the money is the user's again, and they are told why", async () => {
  const [, available = 0] = await trade.balance();
  for (const amount of [100, 50_003]) {
    const id = await user.made({ amount });
    const wish = { reason: `${reason} ${CARD}` };
    const { logged } = await trade.audited(() => anna.post(`payouts/${id}/refuse`, wish));
    const [act, subject, before, after] = logged;
    assert.deepEqual([act, subject], ["payout.refuse", id]);
    assert.equal(before.state, amount === 100 ? "queued" : "held");
    assert.equal(after.state, "canceled");
    const { error_message } = (await user.info(id)).body.data;
    assert.equal(error_message, `${reason} 220000******0400`);
    assert.equal((await boris.refused(`payouts/${id}/refuse`, wish))[0], 422);
  }
  assert.equal((await trade.balance())[1], available);
});

it("case 27: money that came back is the user's again, once, also where the account was emptied since", async () => {
  const id = await sent({ amount: 1000 });
  const [, available = 0] = await trade.balance();
  const rest = await user.made({ amount: available / 100 > 50_000 ? 50_000 : available / 100 });
  const [, left = 0] = await trade.balance();
  const { answer, logged } = await trade.audited(() =>
    boris.post(`payouts/${id}/return`, { reason }),
  );
  assert.deepEqual([answer.state, answer.error], ["returned", reason]);
  assert.equal(logged[0], "payout.return");
  assert.equal((await trade.balance())[1], left + 98_000, "the commission stays");
  const answers = await Promise.all([1, 2].map(() => anna.ask(`payouts/${id}/return`, { reason })));
  for (const { status, text } of answers) assert.equal(status, 422, text);
  assert.equal((await trade.balance())[1], left + 98_000);
  const wire = (await user.info(id)).body.data;
  assert.deepEqual([wire.status, wire.state], ["fail", "returned"]);
  assert.deepEqual(await story(id, "returned"), [`980.00 RUB: ${reason}`]);
  await anna.post(`payouts/${rest}/refuse`, { reason });
});

it("money that came back with its fee is told of as what the balance got", async () => {
  const of = { user_id: USER.id, service: "card" };
  const terms = { percent: 2, fix: 5.5, min_sum: 10, max_sum: 100_000, hold_first: false };
  await own.post("payout-tariffs", { ...of, ...terms, refunds_fee: true });
  for (const [subtract, amount, back] of [
    [1, 1000, 1025.5],
    [2, 1010, 1010],
  ] as const) {
    const [, available = 0] = await trade.balance();
    const id = await sent({ amount, subtract });
    const [, left = 0] = await trade.balance();
    await boris.post(`payouts/${id}/return`, { reason });
    assert.equal((await trade.balance())[1], available);
    assert.equal(available - left, back * 100);
    assert.deepEqual(await story(id, "returned"), [`${back.toFixed(2)} RUB: ${reason}`]);
  }
  await own.post("payout-tariffs/remove", of);
});

it("case 28: what failed and had left after all is booked with its proof, where what is available covers it", async () => {
  const [, all = 0] = await trade.balance();
  const id = await failed({ amount: 1000 });
  assert.equal((await trade.balance())[1], all, "given back");
  const proof = { bank_reference: freshReference(), reason: "a line of the statement" };
  // Emptied: what is left does not cover it.
  const rests: string[] = [];
  for (let left = all / 100; left >= 1000; left = ((await trade.balance())[1] ?? 0) / 100) {
    rests.push(await user.made({ amount: Math.min(left, 100_000) }));
  }
  assert.deepEqual(await anna.refused(`payouts/${id}/recover`, proof), [
    422,
    ["The available balance is too small."],
  ]);
  assert.equal(await stateOf(id), "failed");
  for (const rest of rests) await user.cancel(rest);
  const { answer, logged } = await trade.audited(() => anna.post(`payouts/${id}/recover`, proof));
  assert.deepEqual([answer.state, answer.error], ["done", null]);
  assert.deepEqual(await story(id, "had left after all"), ["1000.00 RUB"]);
  assert.deepEqual([logged[0], logged[3].reason], ["payout.recover", proof.reason]);
  assert.equal((await trade.balance())[1], all - 100_000);
  const again = { ...proof, bank_reference: freshReference() };
  assert.equal((await anna.refused(`payouts/${id}/recover`, again))[0], 422);
  const other = await failed();
  assert.deepEqual(await anna.refused(`payouts/${other}/recover`, proof), [
    422,
    ["The bank reference field proves another payout already."],
  ]);
});

it("422: what too few had approved has not left: one person alone does not book it as gone", async () => {
  const wish = { user_id: USER.id, service: "card", wallet_to: CARD };
  const proof = () => ({ bank_reference: freshReference(), reason: "a line of the statement" });
  const { payout_id: refused } = await anna.post("payouts", { ...wish, amount: 300 });
  await anna.post(`payouts/${refused}/refuse`, { reason });
  const [status, [words]] = (await anna.refused(`payouts/${refused}/recover`, proof())) as [
    number,
    string[],
  ];
  assert.deepEqual([status, words?.slice(0, 28)], [422, "Too few have approved this p"]);
  assert.equal(await stateOf(refused), "canceled");
  const half = await user.made({ amount: 80_001 });
  await anna.post(`payouts/${half}/approve`);
  await boris.post(`payouts/${half}/refuse`, { reason });
  assert.equal((await anna.refused(`payouts/${half}/recover`, proof()))[0], 422);
  const remade = await user.made({ amount: 80_001 });
  for (const _ of [1, 2]) {
    const hers = await tokenOf(gateway, anna);
    assert.equal((await hers.post(`payouts/${remade}/approve`)).approvals, 1);
    await revokeSeconds();
  }
  await anna.post(`payouts/${remade}/refuse`, { reason });
  assert.equal((await anna.refused(`payouts/${remade}/recover`, proof()))[0], 422, "one person");
  const { payout_id: approved } = await anna.post("payouts", { ...wish, amount: 301 });
  await boris.post(`payouts/${approved}/approve`);
  await anna.post(`payouts/${approved}/take`);
  await anna.post(`payouts/${approved}/not-sent`, { reason });
  assert.equal((await anna.post(`payouts/${approved}/recover`, proof())).state, "done");
});

it("422: what nobody ever had to send has not left, whatever reference somebody makes up", async () => {
  const id = await user.made({ amount: 302 });
  await user.cancel(id);
  const [, available] = await trade.balance();
  const proof = { bank_reference: "invented", reason };
  const [status, [words]] = (await anna.refused(`payouts/${id}/recover`, proof)) as [
    number,
    string[],
  ];
  assert.deepEqual([status, words?.slice(0, 26)], [422, "Nobody has ever had this p"]);
  assert.equal((await trade.balance())[1], available);
});

it("404 and 422: what is not there, not so, and not said, without a trace", async () => {
  const done = await sent();
  const held = await user.made({ amount: 50_004 });
  const gone = await failed();
  const proof = { bank_reference: "B1", reason };
  const doors = { approve: {}, refuse: { reason }, return: { reason }, recover: proof };
  await trade.refusedWithoutTrace(
    404,
    Object.entries(doors).map(([door, body]) => [`payouts/${NOBODY}/${door}`, body]),
  );
  await trade.refusedWithoutTrace(422, [
    ...[done, gone].map((id) => [`payouts/${id}/approve`, {}] as const),
    ...[done, gone].map((id) => [`payouts/${id}/refuse`, { reason }] as const),
    ...[held, gone].map((id) => [`payouts/${id}/return`, { reason }] as const),
    ...[held, done].map((id) => [`payouts/${id}/recover`, proof] as const),
    ...[undefined, "", 7, "x".repeat(256), "a\0b"].map(
      (wrong) => [`payouts/${held}/refuse`, { reason: wrong }] as const,
    ),
    ...[undefined, "", " ", "a  b", " a", CARD, "x".repeat(256), "a\0b"].map(
      (wrong) => [`payouts/${gone}/recover`, { reason, bank_reference: wrong }] as const,
    ),
  ]);
});
