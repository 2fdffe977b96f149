// The embedded engine in this process's own memory: the real driver and the real SQL, no thread, no
// disk. Ten thousand steps would take minutes longer otherwise, and what is simulated here are crashes of
// the gateway, not of the engine.

import { readFileSync, writeFileSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { prepareInstallation } from "../../src/features/merchants/installation.ts";
import { createCast } from "../../src/features/sandbox/cast.ts";
import { movableClock } from "../../src/platform/clock.ts";
import type { Db } from "../../src/platform/db.ts";
import { EngineSocket, type Line } from "../../src/platform/db-embedded-socket.ts";
import { openPostgres } from "../../src/platform/db-postgres.ts";
import { openLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrate.ts";
import { openApp } from "../../src/platform/open-app.ts";
import { TestClock, testConfig } from "../../test/gateway.ts";

const log = openLog("silent");
const TERMINATE = "X".charCodeAt(0);

let made: Promise<Buffer> | undefined;

/** A migrated database with an installation and its operator, as a file to start from. */
export async function writeTemplate(path: string): Promise<void> {
  made ??= makeTemplate();
  writeFileSync(path, await made);
}

async function makeTemplate(): Promise<Buffer> {
  const engine = await PGlite.create();
  const db = connect(engine);
  const clock = movableClock(new TestClock());
  await migrate({ db, clock, log });
  const app = openApp({ config: testConfig({ databaseUrl: undefined }), db, clock, log });
  await db.transaction(async (tx) => {
    await prepareInstallation(tx, app);
    await createCast(tx, app);
  });
  app.http.close();
  await db.close();
  const dump = await engine.dumpDataDir("none");
  await engine.close();
  return Buffer.from(await dump.arrayBuffer());
}

export async function openMemoryEngine(template: string): Promise<Db> {
  const engine = await PGlite.create({ loadDataDir: new Blob([readFileSync(template)]) });
  const db = connect(engine);
  // Planning the check of all invariants takes twenty times as long as running it on small tables.
  await db.query("set plan_cache_mode = force_generic_plan");
  return {
    ...db,
    async close() {
      await db.close();
      await engine.close();
    },
  };
}

function connect(engine: PGlite): Db {
  const stream = () => new EngineSocket(lineTo(engine));
  return openPostgres({ stream, max: 1, user: "postgres", database: "postgres" }, log);
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
