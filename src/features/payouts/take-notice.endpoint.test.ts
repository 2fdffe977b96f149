// POST /rails/:code/notice: a rail tells by itself what became of a payout, before and after the gateway knows.

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE, NOBODY, printOf } from "../../../test/orders.ts";
import { pauseRail, payouts, resumeRail, SBER } from "../../../test/payouts.ts";
import { notice, openRail } from "../../../test/rails.ts";

const { gateway, trade } = await openOneGateway({ logLevel: "error" });
const user = payouts(gateway, trade);
await user.earn(2);
await pauseRail(gateway);
const other = await openRail(gateway, "other", { services: ["sbp"] });
const rail = await openRail(gateway, "acquirer", { services: ["card"] });
await pauseRail(gateway, "other");
after(() => Promise.all([rail.close(), other.close()]));
beforeEach(() => rail.says(({ key }) => ({ state: "sent", id: key })));
afterEach(() => assertBooksAreRight(gateway));

const TO_SBER = { payoff_data: { sbp_bank_type: SBER } };
const sent = (id: string, more: object = {}) => ({ key: `${id}.1`, state: "sent", ...more });
const notSent = (id: string) => ({ key: `${id}.1`, state: "not_sent", reason: "no" });
const booked = async (id: string): Promise<string[]> => {
  const rows = await gateway.app.db.query<{ kind: string }>(
    "select kind from ledger_postings where source_id = $1 order by kind desc",
    [id],
  );
  return rows.map(({ kind }) => kind);
};

it("case 19: the bank's notice came before our own commit, booked 2–3 times (gumroad #6193): 200: it comes before the answer, and the payout is done once", async () => {
  const heard: string[] = [];
  rail.says(async ({ key }) => {
    const { body } = await rail.notice({ key, state: "sent", bank_reference: "bank-19" });
    heard.push(body.data.result);
    return { state: "sent", bank_reference: "bank-19" };
  });
  const id = await user.made();
  await trade.pass(0);
  assert.deepEqual([await user.state(id), heard], ["done", ["taken"]]);
  assert.deepEqual(await booked(id), ["payout_reserved", "payout_done"]);
});

it("case 19: 200: it says more than the answer that gets lost after it, or contradicts it", async () => {
  for (const answer of ["lost", "not_sent"] as const) {
    rail.says(async ({ key }) => {
      await rail.notice({ key, state: "sent" });
      if (answer === "lost") throw new Error("The bank hung up.");
      return { state: "not_sent", reason: "no" };
    });
    const id = await user.made({ amount: answer === "lost" ? 20 : 21 });
    await trade.pass(0);
    assert.equal(await user.state(id), "done", answer);
    assert.deepEqual(await booked(id), ["payout_reserved", "payout_done"]);
  }
  assert.match(gateway.log.join(""), /a rail says not_sent of a payout that is sent/);
});

it("cases 20, 21: 200: again it changes nothing, and the contrary of what is done is a conflict", async () => {
  const id = await user.made({ amount: 30 });
  await trade.pass(0);
  const before = await printOf(gateway);
  for (const [body, result] of [
    [sent(id), "known"],
    [sent(id, { bank_reference: "later" }), "known"],
    [{ key: `${id}.1`, state: "accepted" }, "known"],
    [notSent(id), "conflict"],
    [notSent(id), "conflict"],
  ] as const) {
    const { status, body: answer } = await rail.notice(body);
    assert.deepEqual([status, answer.data], [200, { result }]);
  }
  assert.deepEqual(await printOf(gateway), before);
  const { text } = await gateway.call("/metrics");
  assert.match(text, /^kopeck_payout_conflicts_total\{rail="acquirer"\} 3$/m);
});

it("200: not sent, then sent, then the first notice once more: nobody knows, and it is not sent a second time", async () => {
  rail.says(() => ({ state: "accepted" }));
  const id = await user.made({ amount: 31 });
  await trade.pass(0);
  const first = { ...notSent(id), retry: true };
  const told: [object, string, string][] = [
    [first, "taken", "queued"],
    [sent(id, { bank_reference: "left-31" }), "conflict", "unknown"],
    [first, "conflict", "unknown"],
    [notSent(id), "conflict", "unknown"],
  ];
  for (const [body, result, state] of told) {
    const { body: answer } = await rail.notice(body);
    assert.deepEqual([answer.data.result, await user.state(id)], [result, state]);
  }
  // Asked by the gateway, it says so, too.
  rail.fails((response) => {
    response.end(JSON.stringify({ state: "not_sent", reason: "no", retry: true }));
  });
  const looks = rail.looked.length;
  await trade.pass(2 * MINUTE);
  rail.fails(undefined);
  assert.ok(rail.looked.length > looks);
  assert.equal(await user.state(id), "unknown");
  const { db } = gateway.app;
  await assert.rejects(
    db.query("update payout_attempts set state = 'not_sent' where payout_id = $1", [id]),
    /two people/,
  );
  await rail.notice(sent(id, { bank_reference: "left-31" }));
  assert.equal(await user.state(id), "done");
  assert.deepEqual(await booked(id), ["payout_reserved", "payout_done"]);
});

it("200: a receipt that proves another payout proves nothing, with letters that nobody sees in it as well", async () => {
  rail.says(() => ({ state: "accepted" }));
  const [one, other] = [await user.made({ amount: 35 }), await user.made({ amount: 36 })];
  await trade.pass(0);
  await rail.notice(sent(one, { bank_reference: "seen-1" }));
  await rail.notice(sent(other, { bank_reference: "seen\u200b-1" }));
  assert.deepEqual([await user.state(one), await user.state(other)], ["done", "unknown"]);
  await rail.notice(sent(other, { bank_reference: "\u200bseen-2" }));
  assert.equal(await user.state(other), "done");
});

it("200: not sent, then sent by another's receipt: it leaves the line, and nobody sends it again", async () => {
  rail.says(() => ({ state: "accepted" }));
  const [one, id] = [await user.made({ amount: 32 }), await user.made({ amount: 33 })];
  await trade.pass(0);
  await rail.notice(sent(one, { bank_reference: "seen-3" }));
  const first = { ...notSent(id), retry: true };
  const told: [object, string, string][] = [
    [first, "taken", "queued"],
    [sent(id, { bank_reference: "seen-3" }), "conflict", "unknown"],
    [first, "conflict", "unknown"],
  ];
  for (const [body, result, state] of told) {
    const { body: answer } = await rail.notice(body);
    assert.deepEqual([answer.data.result, await user.state(id)], [result, state]);
  }
  await trade.pass(2 * MINUTE);
  assert.deepEqual(
    rail.asked.filter((key) => key.startsWith(id)),
    [`${id}.1`],
  );
  await rail.notice(sent(id, { bank_reference: "seen-4" }));
  assert.deepEqual(await booked(id), ["payout_reserved", "payout_done"]);
});

it("200: one receipt for two at once, of one rail or of two: one is done, of the other nobody knows", async () => {
  rail.says(() => ({ state: "sent", bank_reference: "seen-7" }));
  other.says(() => ({ state: "sent", bank_reference: "seen-7" }));
  await resumeRail(gateway, "other");
  const ids = await Promise.all([
    user.made({ amount: 41 }),
    user.made({ amount: 42 }),
    user.made({ amount: 43 }),
    user.made({ amount: 44, service: "sbp", wallet_to: "79161234567", ...TO_SBER }),
  ]);
  await trade.pass(0);
  await pauseRail(gateway, "other");
  const states = await Promise.all(ids.map((id) => user.state(id)));
  assert.deepEqual(states.toSorted(), ["done", "unknown", "unknown", "unknown"]);
});

it("401: nobody, a wrong secret, another rail's, a moment that is over, a body that was changed", async () => {
  rail.says(() => ({ state: "accepted" }));
  const id = await user.made({ amount: 40 });
  await trade.pass(0);
  const before = await printOf(gateway);
  const now = gateway.app.clock.now();
  const moved = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
  const { headers, body } = notice(rail.secret, now, sent(id));
  const at = (code: string, options: object) => gateway.call(`/rails/${code}/notice`, options);
  const answers = [
    await at("acquirer", { body: sent(id) }),
    await rail.notice(sent(id), now, other.secret),
    await rail.notice(sent(id), now, "whsec_"),
    await rail.notice(sent(id), moved(-5 * MINUTE - 2)),
    await rail.notice(sent(id), moved(5 * MINUTE + 2)),
    await at("acquirer", { headers, body: `${body} ` }),
    await at("acquirer", { headers: { ...headers, "webhook-id": "2" }, body }),
    await at("sandbox", { headers, body }),
    await at("desk", { headers, body }),
    await at("nobody", { headers, body }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(answers.length).fill(401),
  );
  assert.deepEqual(await printOf(gateway), before);
  assert.equal((await rail.notice(sent(id), moved(-4 * MINUTE))).status, 200);
});

it("404: it tells of its own attempts, and of nothing else", async () => {
  const id = await user.made({ amount: 50 });
  await trade.pass(0);
  const keys = [`${id}.2`, `${id}.0`, id, `${NOBODY}.1`, "x", `${id}.1 `];
  for (const key of keys)
    assert.equal((await rail.notice({ key, state: "sent" })).status, 404, key);
  assert.equal((await other.notice(sent(id))).status, 404);
});

it("422: words that are not written down", async () => {
  const id = await user.made({ amount: 60 });
  await trade.pass(0);
  for (const wrong of [
    { state: "not_found" },
    { state: "unknown" },
    { state: "not_sent" },
    { state: "not_sent", reason: "" },
    { state: "sent", id: "x".repeat(256) },
    { state: "sent", bank_reference: 7 },
    {},
  ]) {
    const { status, text } = await rail.notice({ key: `${id}.1`, ...wrong });
    assert.equal(status, 422, `${JSON.stringify(wrong)}: ${text}`);
  }
});

it("422: a notice with two states is not taken", async () => {
  rail.says(({ key }) => ({ state: "accepted", id: key }));
  const id = await user.made({ amount: 27 });
  await trade.pass(0);
  const twice = `{"key":"${id}.1","state":"sent","reason":"no","state":"not_sent"}`;
  assert.equal((await rail.notice(twice)).status, 422);
  assert.equal(await user.state(id), "sending");
});
