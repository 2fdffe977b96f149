// What ends by time: holds without an approval, leases without an answer, and the sandbox's
// returns. After the marker of an attempt, time decides only that its outcome is unknown.

import { addSeconds } from "../../domain/moment.ts";
import { dueJob } from "../../platform/job.ts";
import { attemptsOf, END_LEASES, setAttempts } from "./attempt-queries.ts";
import { earlierReopened, recordAnswers } from "./attempts.ts";
import { END_HOLDS, lockPayouts, RETURNS } from "./queries.ts";
import { movePayouts } from "./settle.ts";
import { shownAmong } from "./shown.ts";

export const endHoldsJob = dueJob({
  name: END_HOLDS,
  everyMs: 1_000,
  setSize: () => 500,
  async work(tx, app, ids) {
    const payouts = await lockPayouts(tx, ids);
    const waiting = payouts.filter(({ state }) => state === "held");
    const shown = await shownAmong(tx, waiting);
    const held = waiting.filter(({ id }) => !shown.has(id));
    await movePayouts(
      tx,
      app,
      held.map((payout) => ({ payout, to: "canceled", error: "not_approved_in_time" })),
    );
    return { over: ids, done: held.length };
  },
});

const NOBODY_SAID = "Nobody said in time what came of it.";
const AGAIN_SECONDS = 1;

export const endLeasesJob = dueJob({
  name: END_LEASES,
  everyMs: 1_000,
  setSize: () => 500,
  async work(tx, app, ids, now) {
    const payouts = new Map((await lockPayouts(tx, ids)).map((one) => [one.id, one]));
    const all = await attemptsOf(tx, ids);
    const attempts = all.filter(({ leaseUntil }) => leaseUntil <= now);
    const claimed = attempts.filter(({ state }) => state === "claimed");
    const silent = attempts.filter(({ state }) => state === "dispatched");
    await setAttempts(
      tx,
      claimed.map(({ payoutId, number }) => ({
        payoutId,
        number,
        from: "claimed",
        to: "not_sent",
        railId: null,
        nextLookAt: null,
        detail: "It was claimed, and nothing was sent.",
      })),
      now,
    );
    const unsent = claimed.flatMap(({ payoutId }) => payouts.get(payoutId) ?? []);
    const earlier = unsent.flatMap((payout) => earlierReopened(all, payout, now) ?? []);
    await setAttempts(tx, earlier, now);
    const doubted = new Set(earlier.map(({ payoutId }) => payoutId));
    const notBefore = addSeconds(now, AGAIN_SECONDS);
    await movePayouts(
      tx,
      app,
      unsent.map((payout) =>
        doubted.has(payout.id) ? { payout, to: "unknown" } : { payout, to: "queued", notBefore },
      ),
    );
    const answer = { kind: "unknown", detail: NOBODY_SAID } as const;
    await recordAnswers(
      tx,
      app,
      silent.map(({ payoutId, number }) => ({ payoutId, number, answer })),
    );
    return { over: ids, done: claimed.length + silent.length };
  },
});

export const returnSandboxPayoutsJob = dueJob({
  name: RETURNS,
  everyMs: 1_000,
  setSize: () => 500,
  async work(tx, app, ids) {
    const payouts = await lockPayouts(tx, ids);
    const done = payouts.filter(({ state }) => state === "done");
    await movePayouts(
      tx,
      app,
      done.map((payout) => ({ payout, to: "returned", error: "returned_by_bank" })),
    );
    return { over: ids, done: done.length };
  },
});
