// What is over is forgotten: sessions, links and forms of long ago, and browsers that nobody came back with. What
// people did stays in the audit log.

import { addSeconds } from "../../domain/moment.ts";
import { job } from "../../platform/job.ts";
import { removeOldVisits } from "./queries.ts";

const DAY_SECONDS = 24 * 60 * 60;
/** Sessions say where somebody came from: as long as an owner may want to look back. */
const KEPT_DAYS = 90;
/** A browser is known for as long as its cookie lives. */
const DEVICE_DAYS = 365;
const SET = 1_000;

export const forgetVisitsJob = job({
  name: "forget-visits",
  everyMs: 3_600_000,
  async run({ db, clock }) {
    const now = clock.now();
    const before = addSeconds(now, -KEPT_DAYS * DAY_SECONDS);
    const devicesBefore = addSeconds(now, -DEVICE_DAYS * DAY_SECONDS);
    const gone = await db.transaction((tx) => removeOldVisits(tx, before, devicesBefore, SET));
    return gone >= SET ? gone : 0;
  },
});
