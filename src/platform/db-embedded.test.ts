// The embedded engine's promises: one opener at a time, a first start that may be interrupted, syncs
// that really happen, and a way back after the engine died.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../test/gateway.ts";
import { openEmbedded, startEngine } from "./db-embedded.ts";
import { openPostgres } from "./db-postgres.ts";
import { openLog } from "./log.ts";

const log = openLog("silent");

const HOLDER = `
  import { openEmbedded } from ${JSON.stringify(join(import.meta.dirname, "db-embedded.ts"))};
  const db = await openEmbedded({ dataDir: process.argv[1], log: { info() {}, warn() {} } });
  await db.query("create table if not exists kept (id integer primary key)");
  await db.query("insert into kept values ($1)", [Number(process.argv[2])]);
  console.log("open");
`;

/** A process that holds the directory until it is killed. */
async function holder(dataDir: string, id: number) {
  const child = spawn(
    process.execPath,
    ["--input-type=module", "--eval", HOLDER, dataDir, String(id)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  assert.equal(String(line), "open\n");
  return child;
}

let database: TestDatabase;
let dataDir: string;
before(async () => {
  database = await openTestDatabase("embedded");
  dataDir = database.config.dataDir ?? "";
});
after(() => database.drop());

it("refuses a second process in one clear line, and never trips over a dead one's lock", async () => {
  const child = await holder(dataDir, 1);
  await assert.rejects(openEmbedded({ dataDir, log }), /Another Kopeck process is using/);
  child.kill("SIGKILL");
  await once(child, "exit");
  const db = await openEmbedded({ dataDir, log });
  assert.deepEqual(await db.query("select id from kept"), [{ id: 1 }]);
  await assert.rejects(openEmbedded({ dataDir, log }), /Another Kopeck process is using/);
  const settings = await db.query(
    `select name, setting from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method')
     order by name`,
  );
  assert.deepEqual(
    settings.map((row) => Object.values(row as object).join()),
    ["fsync,on", "full_page_writes,on", "synchronous_commit,on", "wal_sync_method,fsync"],
    "the log is synced for each commit",
  );
  await db.close();
});

it("starts again by itself after the engine died, with everything committed", async (t) => {
  const engine = await startEngine(join(dataDir, "postgres"));
  const options = { user: "postgres", database: "postgres", connectionTimeoutMillis: 15_000 };
  const db = openPostgres({ stream: () => engine.connect(), max: 1, ...options }, log);
  // Also where something is wrong: else nothing would say so, for the process would go on for ever.
  t.after(async () => {
    await db.close();
    await engine.stop();
  });
  await db.query("insert into kept values ($1)", [2]);
  engine.kill();
  await assert.rejects(db.query("select id from kept"), { status: 503 });
  assert.deepEqual(await db.query("select id from kept order by id"), [{ id: 1 }, { id: 2 }]);
  // In the middle of a transaction: that one fails, and exactly one engine follows.
  const work = db.transaction(async (tx) => {
    await tx.query("insert into kept values ($1)", [3]);
    engine.kill();
    await new Promise((resolve) => setTimeout(resolve, 100));
    throw new Error("given up");
  });
  await assert.rejects(work, /given up/);
  const waiting = Array.from({ length: 5 }, () => db.query("select from kept where id = 3", []));
  assert.deepEqual(await Promise.all(waiting), [[], [], [], [], []]);
});

it("opens what a first start left that was cut off, beside what an earlier one left", async () => {
  const fresh = mkdtempSync(join(tmpdir(), "kopeck-first-"));
  mkdirSync(join(fresh, "postgres.unfinished"));
  writeFileSync(join(fresh, "postgres.unfinished", "PG_VERSION"), "18\n");
  const args = ["--input-type=module", "--eval", HOLDER, fresh, "1"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  // The moment that the database gets its name: it is whole by then.
  const named = join(fresh, "postgres");
  while (!existsSync(named)) await new Promise(setImmediate);
  child.kill("SIGKILL");
  await once(child, "exit");
  const madeAt = statSync(join(named, "PG_VERSION")).mtimeMs;
  const db = await openEmbedded({ dataDir: fresh, log });
  assert.deepEqual(await db.query("select 1 as one", []), [{ one: 1 }]);
  await db.close();
  assert.equal(statSync(join(named, "PG_VERSION")).mtimeMs, madeAt, "opened, not made again");
  rmSync(fresh, { recursive: true });
});

it("says in one line when the directory cannot be used", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "kopeck-file-")), "file");
  writeFileSync(file, "");
  await assert.rejects(openEmbedded({ dataDir: file, log }), /KOPECK_DATA_DIR .* cannot be used/);
});
