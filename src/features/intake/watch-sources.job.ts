// Silent phones: logged once, shown as a figure; their requisites rest. Only a source with
// heartbeats is watched.

import { addSeconds } from "../../domain/moment.ts";
import { job } from "../../platform/job.ts";
import { setResting } from "../requisites/queries.ts";
import { countBlocked, countMessages } from "./report-messages.endpoint.ts";
import {
  markSilent,
  requisitesHeard,
  requisitesUnheard,
  silentWithPayments,
} from "./source-queries.ts";

const SILENCE_SECONDS = 10 * 60;

export const watchSourcesJob = job({
  name: "watch-sources",
  everyMs: 15_000,
  async run(app) {
    const { db, clock, log, metrics } = app;
    const now = clock.now();
    const since = addSeconds(now, -SILENCE_SECONDS);
    const silent = await silentWithPayments(db, since);
    const unheard = await requisitesUnheard(db, since);
    const heard = await requisitesHeard(db, since);
    const unknown = silent.filter(({ silent_since }) => silent_since === null);
    if (unknown.length + unheard.length + heard.length > 0) {
      const told = await db.transaction(async (tx) => {
        const ids = unknown.map(({ id }) => id);
        const fresh = await markSilent(tx, ids, since, now);
        await setResting(tx, unheard, now);
        await setResting(tx, heard, null);
        return fresh;
      });
      for (const { id, name, last_heard_at } of unknown) {
        if (!told.has(id)) continue;
        const about = { source: id, name, lastHeardAt: last_heard_at };
        log.warn(about, "a phone is silent while payments are under way");
      }
      if (unheard.length > 0) {
        log.warn(
          { requisites: unheard },
          "requisites rest: the phones that tell of them are silent",
        );
      }
    }
    const help = "Phones that are silent while payments are under way on their requisites.";
    metrics.gauge("kopeck_sources_silent", help, silent.length);
    countMessages(app, []);
    countBlocked(app, 0);
    return 0;
  },
});
