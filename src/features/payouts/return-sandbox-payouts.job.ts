// In the sandbox, payouts that the bank sends back an hour after they had left.

import { dueJob } from "../../platform/job.ts";
import { lockPayouts } from "./queries.ts";
import { RETURNS } from "./sandbox-queries.ts";
import { movePayouts } from "./settle.ts";

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
