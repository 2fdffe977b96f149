// Attempts whose holder has died: before the marker the payout stands in line again, after it nobody knows; and
// whoever comes too late writes nothing.

import assert from "node:assert/strict";
import { afterEach, it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, MINUTE } from "../../../test/orders.ts";
import { pauseRail, payouts } from "../../../test/payouts.ts";
import type { Hearing } from "../../domain/payout.ts";
import { attemptsOf, markAttempts } from "./attempt-queries.ts";
import { claimPayouts, recordAnswers } from "./attempts.ts";

const { gateway, own, trade } = await openOneGateway();
const { app } = gateway;
const user = payouts(gateway, trade);
await pauseRail(gateway);
await user.earn(10);
await pauseRail(gateway);
afterEach(() => assertBooksAreRight(gateway));

/** As a rail does it whose process dies afterwards. */
const claim = (payoutId: string, isDispatched: boolean) =>
  app.db.transaction((tx) =>
    claimPayouts(tx, app, {
      rail: "desk",
      payoutIds: [payoutId],
      services: ["card"],
      limit: 1,
      leaseSeconds: MINUTE,
      isDispatched,
    }),
  );
const tell = (
  payoutId: string,
  number: number,
  answer: Parameters<typeof recordAnswers>[2][0]["answer"],
  how: Hearing = "told",
) =>
  app.db.transaction(async (tx) => {
    const attempt = (await attemptsOf(tx, [payoutId])).find((one) => one.number === number);
    const reopenedAt = how === "asked" ? (attempt?.reopenedAt ?? null) : null;
    return recordAnswers(tx, app, [{ payoutId, number, answer, how, reopenedAt }]);
  });

it("claimed, and nothing sent: in line again, and the late holder may not send", async () => {
  const id = await user.made();
  assert.deepEqual(
    (await claim(id, false)).map(({ number }) => number),
    [1],
  );
  assert.deepEqual(await claim(id, false), [], "nobody else gets it");
  assert.equal(await user.state(id), "sending");
  await trade.pass(MINUTE - 1);
  assert.equal(await user.state(id), "sending");
  await trade.pass(2);
  assert.equal(await user.state(id), "queued");
  assert.equal(
    (await markAttempts(app.db, [{ payoutId: id, number: 1 }], app.clock.now())).size,
    0,
  );
  const [again] = await claim(id, false);
  assert.equal(again?.number, 2);
  const now = app.clock.now();
  assert.equal((await markAttempts(app.db, [{ payoutId: id, number: 1 }], now)).size, 0);
  assert.equal((await markAttempts(app.db, [{ payoutId: id, number: 2 }], now)).size, 1);
  assert.equal((await markAttempts(app.db, [{ payoutId: id, number: 2 }], now)).size, 0, "once");
});

it("claimed and never sent, while an earlier attempt is said to have left: unknown, and not in line", async () => {
  const id = await user.made({ amount: 57 });
  await claim(id, true);
  await tell(id, 1, { kind: "not_sent", reason: "busy", retry: true });
  await trade.pass(MINUTE);
  await claim(id, false);
  const first = { kind: "sent", reference: "the first" } as const;
  const twice = [1, 1].map((number) => ({ payoutId: id, number, answer: first }));
  const heard = await app.db.transaction((tx) => recordAnswers(tx, app, twice));
  assert.deepEqual(heard, ["conflict", "known"]);
  const marked = await markAttempts(app.db, [{ payoutId: id, number: 2 }], app.clock.now());
  assert.equal(marked.size, 0, "the holder may not send any more");
  await trade.pass(MINUTE + 1);
  assert.equal(await user.state(id), "unknown");
  assert.deepEqual(await claim(id, true), [], "nobody sends it again");
});

it("an earlier attempt is said to have left: who has taken the next one sees its number no more", async () => {
  const id = await user.made({ amount: 76 });
  await claim(id, true);
  await tell(id, 1, { kind: "not_sent", reason: "busy", retry: true });
  await trade.pass(MINUTE);
  assert.match((await own.post(`payouts/${id}/take`)).wallet, /^\d{16}$/);
  await tell(id, 1, { kind: "sent", reference: "before" });
  const [status, said] = await own.refused(`payouts/${id}/take`, {});
  assert.equal(status, 422);
  assert.match(String(said), /do not send it again/);
  await own.post(`payouts/${id}/not-sent`, { reason: "told in time", retry: true });
  assert.equal(await user.state(id), "unknown");
});

it("case 16: marked, and nobody says: unknown after the lease, and still so a year later, money set aside", async () => {
  const [before = 0] = await trade.balance();
  const id = await user.made({ amount: 50 });
  await claim(id, true);
  await trade.pass(MINUTE);
  assert.equal(await user.state(id), "unknown");
  for (const days of [1, 30, 365]) {
    await trade.pass(days * DAY);
    const { state, status } = (await user.info(id)).body.data;
    assert.deepEqual([state, status], ["unknown", "wait"]);
    assert.deepEqual((await trade.balance())[0], before - 5_000);
  }
  assert.equal((await user.cancel(id)).status, 422, "what may have left is not taken back");
  assert.deepEqual(await claim(id, true), [], "nor sent again");
  assert.deepEqual(await tell(id, 1, { kind: "sent", reference: "late receipt" }), ["taken"]);
  assert.equal(await user.state(id), "done");
});

it("cases 20, 21: told twice is told once, and what has left stays so", async () => {
  const id = await user.made({ amount: 51 });
  await claim(id, true);
  const [before = 0] = await trade.balance();
  assert.deepEqual(await tell(id, 1, { kind: "sent", reference: "receipt" }), ["taken"]);
  assert.deepEqual(await tell(id, 1, { kind: "sent", reference: "receipt" }), ["known"]);
  assert.deepEqual(await tell(id, 1, { kind: "unknown", detail: "500" }), ["known"]);
  assert.deepEqual(await tell(id, 1, { kind: "not_sent", reason: "no", retry: true }), [
    "conflict",
  ]);
  assert.deepEqual(await tell(id, 2, { kind: "sent" }), ["no_attempt"]);
  assert.equal(await user.state(id), "done");
  assert.equal((await trade.balance())[0], before);
});

it("not sent, and then on its way: unknown, and what the rail says next is taken", async () => {
  const id = await user.made({ amount: 58 });
  await claim(id, true);
  const again = { kind: "not_sent", reason: "busy", retry: true } as const;
  await tell(id, 1, again);
  assert.deepEqual(await tell(id, 1, { kind: "accepted", railId: "late" }), ["conflict"]);
  assert.equal(await user.state(id), "unknown");
  await trade.pass(DAY);
  assert.deepEqual(await claim(id, true), [], "nobody sends it again");
  // An old word that came late: the rail is asked, and says the same as before.
  const asked = { payoutId: id, number: 1, answer: again, how: "asked" } as const;
  const before = await app.db.transaction((tx) => recordAnswers(tx, app, [asked]));
  assert.deepEqual(before, ["conflict"], "asked before it was said to be on its way");
  assert.deepEqual(
    await tell(id, 1, again),
    ["conflict"],
    "told once more it may be the first word",
  );
  assert.deepEqual(await tell(id, 1, again, "asked"), ["taken"]);
  assert.equal(await user.state(id), "queued");
  await trade.pass(MINUTE);
  await claim(id, true);
  assert.deepEqual(await tell(id, 1, { kind: "accepted", railId: "late" }), ["conflict"]);
  await tell(id, 2, { kind: "not_sent", reason: "busy", retry: false });
  assert.equal(await user.state(id), "unknown", "the first may leave yet, and is not given back");
  await tell(id, 1, { kind: "sent", reference: "it left late" });
  assert.equal(await user.state(id), "done");
});

it("one receipt is one, however it is written; another one for what has left is told as a conflict", async () => {
  const number = "b60721203517031f0b10110011700501";
  const [one, other] = [await user.made({ amount: 55 }), await user.made({ amount: 56 })];
  await claim(one, true);
  await claim(other, true);
  await tell(one, 1, { kind: "sent", reference: number });
  assert.equal((await user.info(one)).body.data.bank_reference, number.toUpperCase());
  assert.deepEqual(await tell(one, 1, { kind: "sent", reference: `${number} ` }), ["known"]);
  assert.deepEqual(await tell(one, 1, { kind: "sent", reference: "paid twice" }), ["conflict"]);
  assert.deepEqual(await tell(other, 1, { kind: "sent", reference: number.toUpperCase() }), [
    "taken",
  ]);
  assert.equal(await user.state(other), "unknown");
  const card = { kind: "sent", reference: "  ", railId: "2200000000000400" } as const;
  assert.deepEqual(await tell(other, 1, card), ["taken"]);
  const { data } = (await user.info(other)).body;
  assert.deepEqual([data.state, data.bank_reference], ["done", null]);
  const rows = await app.db.query<{ rail_id: string }>(
    "select rail_id from payout_attempts where payout_id = $1",
    [other],
  );
  assert.deepEqual(rows, [{ rail_id: "220000******0400" }]);
});

it("not sent for certain: in line again up to five times where that helps, else failed with the money back", async () => {
  const before = await trade.balance();
  const id = await user.made({ amount: 53 });
  for (const number of [1, 2, 3, 4, 5]) {
    const [got] = await claim(id, true);
    assert.equal(got?.number, number);
    await tell(id, number, { kind: "not_sent", reason: "issuer_unavailable", retry: true });
    await trade.pass(MINUTE);
  }
  const { data } = (await user.info(id)).body;
  assert.deepEqual([data.state, data.error_message], ["failed", "issuer_unavailable"]);
  assert.deepEqual(await trade.balance(), before);
});
