// Payouts in line go out through rails that are programs: claimed, marked, sent, and what is answered is written
// down. The job begins and waits for no answer, so a slow rail holds up no other.

import { setTimeout as sleep } from "node:timers/promises";
import { type App, perApp } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";
import { programKinds } from "./rail-programs.ts";
import { nextInLineAt, railsWithWork } from "./rail-queries.ts";
import { openSender } from "./sender.ts";

const FINISH_WITHIN_MS = 5_000;

const LOOKS_AGAIN = 100;
const LOOK_AGAIN_MS = 20;

const senderOf = perApp(openSender);

export const sendPayoutsJob = job({
  name: "send-payouts",
  everyMs: 250,
  run: (app) => senderOf(app).start(),
  due: {
    nextAt: (app) => nextInLineAt(app.db, programKinds(app), app.clock.now()),
    settle: sendDue,
  },
  async finish(app) {
    const sender = senderOf(app);
    await sender.close();
    const ends = Promise.all(sender.underWay);
    await Promise.race([ends, sleep(FINISH_WITHIN_MS, undefined, { ref: false })]);
    sender.abandon();
    await ends;
  },
});

/** Everything that stands in line was sent and answered when this ends. */
async function sendDue(app: App): Promise<void> {
  const { start, underWay } = senderOf(app);
  for (let patience = LOOKS_AGAIN; patience > 0; patience -= 1) {
    while ((await start()) > 0 || underWay.size > 0) await Promise.all(underWay);
    if ((await railsWithWork(app.db, programKinds(app), app.clock.now())).length === 0) return;
    // Somebody holds what stands in line: looking again is all that helps.
    await sleep(LOOK_AGAIN_MS);
  }
}
