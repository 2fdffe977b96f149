// kopeck partition: history in months, from which a month can be taken out one day.

import { setTimeout as sleep } from "node:timers/promises";
import { changingPartitions, divideHistory } from "../../features/history/partitions.ts";
import { openInstallation } from "../../features/operators/installation.ts";
import type { App } from "../../platform/app.ts";
import { systemClock } from "../../platform/clock.ts";
import { openClockWatch } from "../../platform/clock-watch.ts";
import type { Queryable } from "../../platform/db.ts";
import { StartFailure } from "../../platform/failure.ts";
import { refuseUnmigrated } from "../../platform/migrate.ts";
import type { LocalWork } from "../command.ts";
import { withApp } from "./with-app.ts";

export const partition: LocalWork = {
  description: `Divides invoices, payments, events and postings by months, so that "kopeck archive" can take one out. It
is done once, on PostgreSQL, beside running gateways of this version: each table is locked for a
moment, twice, and what it has becomes its first partition without being copied. From then on the
gateways make the months ahead. It takes as long as reading the tables; stopped and run again it goes
on. There is no way back but "kopeck copy" into another database.`,
  options: [],
  example: "DATABASE_URL=$(cat database-url) KOPECK_SECRET_KEY=$(cat secret-key) kopeck partition",
  async run({ env, print }) {
    await withHistory(env, (session, app) =>
      divideHistory(session, app.clock.now(), (line) => print(`${line}\n`)),
    );
    return 0;
  },
};

/** A gateway that makes the months ahead is done in a moment. */
const TRIES = 20;
const TRY_AGAIN_MS = 500;

/** Alone among those who change partitions, on a database that has them. */
export function withHistory<Result>(
  env: Parameters<typeof withApp>[0],
  work: (session: Queryable, app: App) => Promise<Result>,
): Promise<Result> {
  return withApp(env, { existing: true }, async (app) => {
    if (app.config.databaseUrl === undefined) {
      throw new StartFailure("History is divided on PostgreSQL only: set DATABASE_URL.");
    }
    await refuseUnmigrated(app.db);
    // What is over, and which month it is, is judged by this machine's clock.
    const watch = openClockWatch(systemClock);
    await watch.start(app).finally(watch.stop);
    await app.db.transaction((tx) => openInstallation(tx, app));
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const done = await changingPartitions(app.db, async (session) => ({
        result: await work(session, app),
      }));
      if (done !== undefined) return done.result;
      await sleep(TRY_AGAIN_MS);
    }
    throw new StartFailure("Somebody else is changing the partitions: try again later.");
  });
}
