// The embedded engine in this process's own memory: the real driver and the real SQL, no thread, no
// disk. What is simulated here are crashes of the gateway, not of the engine.

import { PGlite } from "@electric-sql/pglite";
import { prepareInstallation } from "../../src/features/operators/installation.ts";
import { createCast } from "../../src/features/sandbox/cast.ts";
import { movableClock } from "../../src/platform/clock.ts";
import type { Db } from "../../src/platform/db.ts";
import { EngineSocket, type Line } from "../../src/platform/db-embedded.ts";
import { openPostgres } from "../../src/platform/db-postgres.ts";
import { openLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrate.ts";
import { openApp } from "../../src/platform/open-app.ts";
import { TestClock, testConfig } from "../../test/gateway.ts";

const log = openLog("silent");
const TERMINATE = "X".charCodeAt(0);
/** What a history begins with; everything else is its own. */
const KEPT = [
  "schema_migrations",
  "installation",
  "services",
  "sbp_banks",
  "settings_version",
  "operators",
  "default_tariffs",
  "event_feed_end",
  "rails",
];

/** Migrated, with an installation and its operator. */
export async function openEngine(): Promise<Db> {
  const engine = await PGlite.create();
  const stream = () => new EngineSocket(lineTo(engine));
  const db = openPostgres({ stream, max: 1, user: "postgres", database: "postgres" }, log);
  const clock = movableClock(new TestClock());
  await migrate({ db, clock, log });
  const app = openApp({ config: testConfig({ databaseUrl: undefined }), db, clock, log });
  await db.transaction(async (tx) => {
    await prepareInstallation(tx, app);
    await createCast(tx, app);
  });
  app.http.close();
  // Planning the check of all invariants takes twenty times as long as running it on small tables.
  await db.query("set plan_cache_mode = force_generic_plan");
  return db;
}

/** Everything of the last history goes; the guards against exactly that are told to look away. */
export async function emptyTables(engine: Db): Promise<void> {
  const tables = await engine.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    [],
  );
  const names = tables.map(({ name }) => name).filter((name) => !KEPT.includes(name));
  await engine.query(
    `set session_replication_role = replica; truncate ${names.join(", ")}; set session_replication_role = origin`,
  );
}

function lineTo(engine: PGlite): Line {
  let tell: Parameters<Line["listen"]>[0] = () => {};
  return {
    listen(listener) {
      tell = listener;
    },
    send(bytes) {
      if (bytes === "open") queueMicrotask(() => tell("opened"));
      else if (bytes[0] !== TERMINATE) {
        const answer = engine.execProtocolRawSync(bytes).slice();
        queueMicrotask(() => tell(answer));
      }
    },
    close() {},
    giveUp() {},
  };
}
