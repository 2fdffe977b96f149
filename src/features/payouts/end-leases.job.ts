// Attempts whose holder says nothing any more. Before the marker nothing has left, and the payout stands in line
// again, unless an earlier attempt is said to have left; after it nobody knows, and it is unknown until somebody
// does. Nothing else is decided by time.

import { addSeconds } from "../../domain/moment.ts";
import { dueJob } from "../../platform/job.ts";
import { attemptsOf, END_LEASES, setAttempts } from "./attempt-queries.ts";
import { earlierReopened, recordAnswers } from "./attempts.ts";
import { lockPayouts } from "./queries.ts";
import { movePayouts } from "./settle.ts";

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
