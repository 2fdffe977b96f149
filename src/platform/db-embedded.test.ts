// The embedded engine's promises: one opener at a time, a first start that may be interrupted, syncs
// that really happen, and a way back after the engine died.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
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

const TRIED = "place=$(mktemp -d); mount -t tmpfs none $place && umount $place; rmdir $place";
const mayMount = spawnSync("sh", ["-c", `set -e; ${TRIED}`], { stdio: "ignore" }).status === 0;
it("says that the disk is full, where there is no room for a new one", {
  skip: !mayMount && "needs root who may mount",
}, async (t) => {
  const place = mkdtempSync(join(tmpdir(), "kopeck-small-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "none", place]);
  t.after(() => {
    execFileSync("umount", [place]);
    rmSync(place, { recursive: true });
  });
  await assert.rejects(openEmbedded({ dataDir: join(place, "data"), log }), /ENOSPC, .* full$/);
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
  // One whose log cannot be written is not entered again after its panic: 503 at once, then served.
  if (existsSync("/proc/self/fd")) {
    closeLogUnder(join(dataDir, "postgres"));
    await assert.rejects(db.query("insert into kept values ($1)", [4]), (error: unknown) => {
      const { status, cause } = error as { status?: number; cause?: Error };
      assert.equal(status, 503);
      assert.match(cause?.message ?? "", /the embedded database failed: could not (write|fsync)/);
      return true;
    });
    assert.equal((await db.query("select from kept where id = 2", [])).length, 1);
  }
});

const FOLLOWER = `
  import { setFlagsFromString } from "node:v8";
  import { startEngine } from ${JSON.stringify(join(import.meta.dirname, "db-embedded.ts"))};
  const collectAtOnceAndSaySo = ["--stress-wasm-code-gc", "--trace-wasm-code-gc"];
  for (const flag of collectAtOnceAndSaySo) setFlagsFromString(flag);
  for (let turn = 0; turn < 3; turn += 1) {
    const engine = await startEngine(process.argv[1]);
    await engine.stop();
  }
  console.log("stopped three times");
`;

it("keeps what was read until it is told of a change, whoever changes it, and nothing over a connection that is gone", async () => {
  const db = await openEmbedded({ dataDir, log });
  await db.query("create table told (n integer); insert into told values (1)");
  let reads = 0;
  const kept = (): Promise<number> => {
    const read = async (): Promise<number> => {
      reads += 1;
      const [row] = await db.query<{ n: number }>("select n from told", []);
      return row?.n ?? 0;
    };
    return db.keep?.("settings_changed", read) ?? assert.fail();
  };
  const seen = async (): Promise<[n: number, reads: number]> => [await kept(), reads];
  const change = "update told set n = n + 1; notify settings_changed";
  assert.deepEqual(
    [await seen(), await seen()],
    [
      [1, 1],
      [1, 1],
    ],
  );
  await db.transaction((tx) => tx.query(change));
  assert.deepEqual(await seen(), [2, 2], "whoever hears of the commit knows");
  const undone = db.transaction(async (tx) => {
    await tx.query(change);
    throw new Error("undone");
  });
  await assert.rejects(undone, /undone/);
  assert.deepEqual(await seen(), [2, 2], "nothing has changed");
  await db.query(change);
  assert.deepEqual(await seen(), [3, 3]);
  await db.session((session) => session.query(change));
  assert.deepEqual(await seen(), [4, 4], "over a connection that is thrown away afterwards");
  // What such a one was told last may be lost with it.
  await db.session((session) => session.query("update told set n = 5; unlisten *"));
  await db.query("select 1");
  assert.deepEqual(await seen(), [5, 5], "over one that told nothing");
  await db.query("drop table told; notify settings_changed");
  await assert.rejects(kept(), /told/);
  await db.query("create table told as select 6 as n");
  assert.deepEqual(await seen(), [6, 7], "a failure is not kept");
  await db.close();
});

it("that follows another in the same process meets none of its machine code being freed, which V8 may do twice", async () => {
  const args = ["--input-type=module", "--eval", FOLLOWER, join(dataDir, "postgres")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [words, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  assert.equal(code, 0);
  assert.equal(words, "stopped three times\n");
});

/** The engine's threads share the process's descriptors: closed here, they fail there. */
function closeLogUnder(directory: string): void {
  const log = join(directory, "pg_wal/");
  const targetOf = (descriptor: string): string => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return "";
    }
  };
  const open = readdirSync("/proc/self/fd").filter((one) => targetOf(one).startsWith(log));
  assert.notEqual(open.length, 0);
  const nothing = (): number => openSync("/dev/null", "r");
  for (const descriptor of open.map(Number)) {
    // The number must not become somebody else's meanwhile, nor anything that can be written: what is opened gets
    // the lowest that is free, so that none below it may be.
    const below: number[] = [];
    for (let one = nothing(); ; one = nothing()) {
      below.push(one);
      if (one > descriptor) break;
    }
    closeSync(descriptor);
    assert.equal(nothing(), descriptor);
    for (const one of below) closeSync(one);
  }
}

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
