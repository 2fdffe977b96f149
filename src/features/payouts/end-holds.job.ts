// Payouts that nobody has looked at in time are canceled: their money is the user's again. One that a statement shows
// to have left waits on: the user has that money.

import { dueJob } from "../../platform/job.ts";
import { END_HOLDS, lockPayouts } from "./queries.ts";
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
