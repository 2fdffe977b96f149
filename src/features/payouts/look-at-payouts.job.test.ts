// Payouts through a program whose answers get lost, contradict or make no sense: the money is kept until somebody
// knows, nobody is asked to send twice, and only the rail's own word ends it.

import assert from "node:assert/strict";
import { after, afterEach, beforeEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { ownHand } from "../../../test/manage.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE } from "../../../test/orders.ts";
import { pauseRail, payouts, resumeRail } from "../../../test/payouts.ts";
import { openRail } from "../../../test/rails.ts";
import { watchTurns } from "../../../test/thread-time.ts";
import { lookAtPayoutsJob } from "./look-at-payouts.job.ts";
import { sendPayoutsJob } from "./send-payouts.job.ts";

const { gateway, own, trade } = await openQuietGateway();
const user = payouts(gateway, trade);
await user.earn(10);
await pauseRail(gateway);
const rail = await openRail(gateway, "acquirer");
after(() => rail.close());

beforeEach(() => {
  rail.fails(undefined);
  rail.says(({ key }) => ({ state: "sent", id: key, bank_reference: `bank-${key}` }));
  for (const keys of [rail.asked, rail.paid, rail.looked]) keys.length = 0;
});
afterEach(() => assertBooksAreRight(gateway));

const kept = async (): Promise<number> => (await trade.balance())[0] ?? 0;

it("a payout is told once, whole, signed, and what the rail calls it is kept", async () => {
  const before = await kept();
  const sbp = { service: "sbp", wallet_to: "+7 916 123-45-67" };
  const id = await user.made({
    ...sbp,
    payoff_data: { sbp_bank_type: "100000000111" },
    amount: 100,
    comment: "Спасибо",
  });
  await trade.pass(0);
  const { data } = (await user.info(id)).body;
  assert.deepEqual([data.state, data.bank_reference], ["done", `bank-${id}.1`]);
  assert.equal(before - (await kept()), 10_000);
  const [line = ""] = rail.journal().split("\n");
  assert.deepEqual(JSON.parse(JSON.parse(line).order), {
    key: `${id}.1`,
    service: "sbp",
    number: "79161234567",
    bank_id: "100000000111",
    amount: "89.50",
    currency: "RUB",
    comment: "Спасибо",
  });
  assert.deepEqual([rail.asked, rail.looked], [[`${id}.1`], []]);
});

it("case 15: the answer is lost; asked later the rail says that it was sent, and it is done once", async () => {
  const before = await kept();
  rail.fails("after");
  const id = await user.made({ subtract: 1 });
  await trade.pass(0);
  assert.equal(await user.state(id), "unknown");
  rail.fails(undefined);
  await trade.pass(10);
  assert.equal(await user.state(id), "done");
  assert.deepEqual([rail.asked, rail.paid, rail.looked], Array(3).fill([`${id}.1`]));
  assert.equal(before - (await kept()), 10_200);
});

it("a look that falls due while its gateway ends is not used up: who goes on asks at once", async () => {
  rail.fails("after");
  const id = await user.made({ subtract: 1 });
  await trade.pass(0);
  assert.equal(await user.state(id), "unknown");
  rail.fails(undefined);
  gateway.clock.advance(10);
  await lookAtPayoutsJob.run({ ...gateway.app, ending: AbortSignal.abort() });
  await trade.pass(0);
  assert.equal(await user.state(id), "done");
});

it("cases 16, 17, 30: what it has never heard of stays unknown for a year, and its money reserved", async () => {
  const before = await kept();
  rail.fails("before");
  const id = await user.made({ subtract: 1 });
  await trade.pass(0);
  rail.fails(undefined);
  for (const [seconds, looks] of [
    [10, 1],
    [MINUTE, 2],
    [5 * MINUTE, 3],
    [15 * MINUTE, 4],
    [HOUR, 5],
    [HOUR, 6],
  ] as const) {
    await trade.pass(seconds - 1);
    assert.equal(rail.looked.length, looks - 1);
    await trade.pass(1);
    assert.equal(rail.looked.length, looks);
  }
  gateway.clock.advance(365 * DAY);
  await trade.pass(0);
  assert.equal(rail.looked.length, 7);
  assert.equal(await user.state(id), "unknown");
  assert.deepEqual([rail.asked.length, rail.paid.length], [1, 0]);
  assert.equal(before - (await kept()), 10_200);
  // The bank is heard of in the end.
  const { body } = await rail.notice({ key: `${id}.1`, state: "not_sent", reason: "closed" });
  assert.equal(body.data.result, "taken");
  assert.deepEqual([await user.state(id), await kept()], ["failed", before]);
});

it("what is said to have left after all is asked about, and not told again: the rail may be another program by now", async () => {
  await own.post("rails/acquirer", { repeatable_seconds: HOUR });
  rail.fails("before");
  const id = await user.made({ amount: 103 });
  await trade.pass(0);
  const [key, bank_reference] = [`${id}.1`, "it had left"];
  await rail.notice({ key, state: "not_sent", reason: "busy", retry: true });
  await rail.notice({ key, state: "sent", bank_reference });
  rail.fails(undefined);
  await trade.pass(10);
  assert.deepEqual([await user.state(id), rail.looked, rail.paid], ["unknown", [key], []]);
  await rail.notice({ key, state: "sent", bank_reference });
  assert.equal(await user.state(id), "done");
});

it("what two people say has not left while the rail is asked is not told again", async () => {
  const people = [await ownHand(gateway, "Clara"), await ownHand(gateway, "Dora")];
  rail.fails("before");
  const id = await user.made({ amount: 104 });
  await trade.pass(0);
  const wish = { outcome: "not_sent", reason: "not in the bank's list" };
  rail.fails(async (response) => {
    for (const who of people) await who.post(`payouts/${id}/resolve`, wish);
    response.end(JSON.stringify({ state: "not_found" }));
  });
  await trade.pass(10);
  assert.equal(await user.state(id), "failed");
  assert.deepEqual([rail.asked, rail.looked], [[`${id}.1`], [`${id}.1`]]);
});

it("a rail that is paused while it is asked, or takes nothing twice any more, is told nothing again", async () => {
  for (const [place, change] of [{ paused: true }, { repeatable_seconds: 0 }].entries()) {
    await own.post("rails/acquirer", { paused: false, repeatable_seconds: HOUR });
    rail.fails("before");
    const id = await user.made({ amount: 107 + place });
    await trade.pass(0);
    rail.fails(async (response) => {
      await own.post("rails/acquirer", change);
      response.end(JSON.stringify({ state: "not_found" }));
    });
    await trade.pass(10);
    assert.equal(await user.state(id), "unknown");
    assert.deepEqual(
      rail.asked.filter((key) => key.startsWith(id)),
      [`${id}.1`],
    );
    await rail.notice({ key: `${id}.1`, state: "not_sent", reason: "never came" });
  }
  await own.post("rails/acquirer", { paused: false, repeatable_seconds: HOUR });
});

it("a gateway that stood still between its marker and the sending until nobody counts on it sends nothing", async () => {
  const { app, clock } = gateway;
  const query: typeof app.db.query = async (text, values) => {
    const rows = await app.db.query(text, values);
    if (text.includes("set state = 'dispatched'")) clock.advance(MINUTE);
    return rows as never;
  };
  const id = await user.made({ amount: 105 });
  const db = Object.assign(Object.create(app.db) as typeof app.db, { query });
  await sendPayoutsJob.run({ ...app, memory: new Map(), db });
  await trade.pass(0);
  assert.deepEqual([await user.state(id), rail.asked, rail.looked], ["unknown", [], []]);
  await rail.notice({ key: `${id}.1`, state: "not_sent", reason: "never heard of" });
  assert.equal(await user.state(id), "failed");
});

it("case 14: a rail that takes the same request for the same one is told again, under the same key", async () => {
  await own.post("rails/acquirer", { repeatable_seconds: HOUR });
  rail.fails("before");
  const [early, late] = [await user.made(), await user.made({ amount: 101 })];
  await trade.pass(0);
  await trade.pass(10);
  assert.deepEqual([await user.state(early), await user.state(late)], ["unknown", "unknown"]);
  // While it is paused nothing is sent, only asked.
  rail.fails(undefined);
  await pauseRail(gateway, "acquirer");
  await trade.pass(MINUTE);
  assert.equal(rail.paid.length, 0);
  await resumeRail(gateway, "acquirer");
  await trade.pass(5 * MINUTE);
  assert.deepEqual([await user.state(early), await user.state(late)], ["done", "done"]);
  assert.deepEqual(new Set(rail.asked), new Set([`${early}.1`, `${late}.1`]));
  assert.deepEqual(rail.paid.toSorted(), [`${early}.1`, `${late}.1`].toSorted());
  // Past that time another request might be another payout.
  rail.fails("before");
  const over = await user.made({ amount: 102 });
  await trade.pass(0);
  gateway.clock.advance(HOUR);
  rail.fails(undefined);
  await trade.pass(0);
  assert.equal(await user.state(over), "unknown");
  assert.deepEqual(
    rail.asked.filter((key) => key.startsWith(over)),
    [`${over}.1`],
  );
  await own.post("rails/acquirer", { repeatable_seconds: 0 });
});

it("cases 17, 18: an ambiguous error was taken for a failure, and paid again (spree #14500, medusa #16681, open-ethereum-pool #216): whatever is not written down leaves it unknown, and never fails it", async () => {
  const before = await kept();
  const answers: readonly (readonly [status: number, body: string, headers?: object])[] = [
    ...[201, 204, 301, 400, 401, 404, 409, 422, 429, 500, 503].map(
      (status) => [status, '{"state":"not_sent","reason":"no"}'] as const,
    ),
    [307, "", { location: "/elsewhere" }],
    ...["", "ok", "null", "[]", "{}", "<html>", '{"state":"done"}', '{"state":"not_sent"}'].map(
      (body) => [200, body] as const,
    ),
    [200, '{"state":"not_found"}'],
    [200, '{"state":"unknown"}'],
    [200, '{"state":"sent","id":7}'],
    [200, '{"state":"sent","id":""}'],
    [200, '{"state":"sent","bank_reference":"a\\u0000b"}'],
    [200, `{"state":"sent","id":"${"x".repeat(256)}"}`],
    [200, `{"state":"sent"}${" ".repeat(70_000)}`],
    [200, `"${'\\"'.repeat(32_000)}`],
    [200, '{"state":"not_sent","reason":"no","retry":"yes"}'],
  ];
  await pauseRail(gateway, "acquirer");
  const ids: string[] = [];
  for (const _ of answers) {
    // The same once more would wait for a person: it might be the one that nobody knows of.
    ids.push(await user.made({ subtract: 1, amount: 20 + ids.length }));
  }
  rail.fails((response, key) => {
    const [status, body, headers] = answers[ids.indexOf(key.split(".")[0] ?? "")] ?? [200, "lost"];
    response.writeHead(status, { ...headers }).end(body);
  });
  await resumeRail(gateway, "acquirer");
  const turns = watchTurns();
  for (const seconds of [0, 10]) {
    await trade.pass(seconds);
    for (const [index, id] of ids.entries()) {
      const why = `${seconds} s: ${answers[index]?.join(" ").slice(0, 60)}`;
      assert.equal(await user.state(id), "unknown", why);
    }
  }
  assert.ok(turns.longestMs() < 5_000, "nobody else was served while an answer was read");
  const amounts = answers.map((_, index) => 20 + index);
  const sum = amounts.reduce((all, one) => all + one * 102, 0);
  assert.equal(before - (await kept()), sum);
  assert.equal(rail.asked.length, answers.length);
  assert.equal(new Set(rail.looked).isSupersetOf(new Set(rail.asked)), true);
  rail.fails(undefined);
  for (const id of ids) {
    const said = { key: `${id}.1`, state: "not_sent", reason: "nobody" };
    assert.equal((await rail.notice(said)).status, 200);
  }
  assert.equal(await kept(), before);
});

it("one that is accepted and never said to be sent is unknown after an hour, and still asked about", async () => {
  rail.says(() => ({ state: "accepted", id: "op-1" }));
  const id = await user.made();
  await trade.pass(0);
  await trade.pass(22 * MINUTE);
  assert.equal(await user.state(id), "sending");
  await trade.pass(HOUR);
  assert.equal(await user.state(id), "unknown");
  const { body } = await rail.notice({ key: `${id}.1`, state: "sent" });
  assert.equal(body.data.result, "taken");
  assert.equal(await user.state(id), "done");
});

it("what was not sent for certain is tried again under another key, five times at most", async () => {
  const before = await kept();
  rail.says(() => ({ state: "not_sent", reason: "bank_closed", retry: true }));
  const id = await user.made();
  await trade.pass(0);
  assert.equal(await user.state(id), "queued");
  await trade.pass(4 * MINUTE);
  const { data } = (await user.info(id)).body;
  assert.deepEqual([data.state, data.error_message], ["failed", "bank_closed"]);
  assert.deepEqual(
    rail.asked,
    [1, 2, 3, 4, 5].map((number) => `${id}.${number}`),
  );
  assert.equal(await kept(), before);
});

it("case 25: a reference that proves another payout proves nothing", async () => {
  rail.says(() => ({ state: "sent", bank_reference: "the same" }));
  const first = await user.made({ amount: 10 });
  await trade.pass(0);
  const second = await user.made({ amount: 11 });
  await trade.pass(0);
  assert.deepEqual([await user.state(first), await user.state(second)], ["done", "unknown"]);
  const { body } = await rail.notice({ key: `${second}.1`, state: "sent", bank_reference: "own" });
  assert.equal(body.data.result, "taken");
  // Both at once: whoever comes second is found out.
  rail.says(() => ({ state: "sent", bank_reference: "both" }));
  const both = await Promise.all([12, 13].map((amount) => user.made({ amount })));
  await trade.pass(0);
  const states = await Promise.all(both.map((id) => user.state(id)));
  assert.deepEqual(states.toSorted(), ["done", "unknown"]);
});
