// Events on their way to the shops and users: at least once, by a schedule, until delivered or exhausted
// (invariant 19). The job starts attempts and waits for none, so a slow one holds up no other.

import { setTimeout as sleep } from "node:timers/promises";
import { type App, perApp } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";
import { type Deliverer, openDeliverer } from "./deliverer.ts";
import { DELIVERIES, isAnythingDue, nextClaimAt } from "./queries.ts";

const FINISH_WITHIN_MS = 3_000;
/** Another process may hold the lock of what is due: looking again is all that helps. */
const LOOK_AGAIN_MS = 100;

const delivererOf = perApp(openDeliverer);

export const deliverEventsJob = job({
  name: DELIVERIES,
  everyMs: 250,
  run: (app) => delivererOf(app).start(app.clock.now()),
  due: { nextAt: nextDeliveryAt, settle: deliverDue },
  async finish(app) {
    const deliverer = delivererOf(app);
    await deliverer.close();
    await Promise.race([idle(deliverer), sleep(FINISH_WITHIN_MS, undefined, { ref: false })]);
    deliverer.abandon();
    await idle(deliverer);
  },
});

/**
 * Delivers everything that is due now, whoever has started it, and resolves when all those attempts
 * have ended; the answer is how many were started meanwhile. What falls due later is left to the job.
 */
export async function deliverDue(app: App): Promise<number> {
  const deliverer = delivererOf(app);
  const dueBy = app.clock.now();
  const startedBefore = deliverer.started;
  while (!deliverer.closed) {
    const end = deliverer.nextEnd();
    if ((await deliverer.start(dueBy)) > 0) continue;
    if (!(await isAnythingDue(app.db, dueBy, [...deliverer.underWay.keys()]))) break;
    await Promise.race([end, sleep(LOOK_AGAIN_MS)]);
  }
  const awaited = new Set(deliverer.underWay.keys());
  while (awaited.values().some((id) => deliverer.underWay.has(id))) await deliverer.nextEnd();
  return deliverer.started - startedBefore;
}

/** When something next falls due, so that a clock that is moved can stop there. */
export function nextDeliveryAt(app: App): Promise<Date | undefined> {
  return nextClaimAt(app.db, [...delivererOf(app).underWay.keys()]);
}

async function idle({ underWay, nextEnd }: Deliverer): Promise<void> {
  while (underWay.size > 0) await nextEnd();
}
