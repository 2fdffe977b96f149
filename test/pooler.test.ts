// Behind a pooler that hands one connection from one client to the next: a statement that is prepared
// there by another process is never taken for our own. An old pooler may make it fail.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Db } from "../src/platform/db.ts";
import { openLog } from "../src/platform/log.ts";
import { openDb } from "../src/platform/open-db.ts";
import { eventually } from "../torture/eventually.ts";
import { ENGINES, openTestDatabase, type TestDatabase, testConfig } from "./gateway.ts";
import { mayTakeLong } from "./patience.ts";
import { freePort, runKopeck } from "./process.ts";

const POOLER = "/usr/sbin/pgbouncer";
const missing =
  (!ENGINES.includes("postgres") && "needs PostgreSQL") ||
  (!existsSync(POOLER) && "needs PgBouncer: apt-get install pgbouncer");

describe("a pooler in transaction mode", { skip: missing }, () => {
  let database: TestDatabase;
  let pooler: ChildProcess;
  const dbs: Db[] = [];
  let databaseUrl = "";
  before(async () => {
    database = await openTestDatabase("postgres");
    const server = new URL(database.config.databaseUrl ?? "");
    const name = server.pathname.slice(1);
    const port = await freePort();
    const directory = mkdtempSync(join(tmpdir(), "kopeck-pooler-"));
    const settings = join(directory, "pgbouncer.ini");
    writeFileSync(
      settings,
      `[databases]
      ${name} = host=${server.hostname} port=${server.port} user=${server.username}
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = ${port}
      unix_socket_dir =
      auth_type = any
      pool_mode = transaction
      default_pool_size = 2
      ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options
      `.replace(/^ +/gm, ""),
    );
    chmodSync(directory, 0o755);
    // It refuses to run as root.
    const asOther = userInfo().uid === 0 ? ["-u", "postgres"] : [];
    pooler = spawn(POOLER, ["-q", ...asOther, settings], { stdio: "ignore" });
    databaseUrl = `postgresql://kopeck@127.0.0.1:${port}/${name}`;
    for (let process = 0; process < 2; process += 1) {
      dbs.push(await openDb(testConfig({ databaseUrl }), openLog("silent")));
    }
    await eventually(
      "the pooler answers",
      () => dbs[0]?.query("select 1").then(Boolean, () => false) ?? false,
    );
  });
  after(async () => {
    for (const db of dbs) await db.close();
    const ended = once(pooler, "exit");
    pooler.kill("SIGKILL");
    await ended;
    await database.drop();
  });

  it("a call is never bound to the statement of another process", async () => {
    const [one, other] = dbs as [Db, Db];
    const mine = () => other.query<{ whose: string }>("select 'mine' as whose, $1::int as n", [1]);
    await one.transaction(async (tx) => {
      await mayTakeLong(tx);
      await tx.query("select 'theirs' as whose, $1::int as n", [1]);
      // The first connection is taken: this is prepared on the second one.
      assert.equal((await mine())[0]?.whose, "mine");
    });
    // The pooler gives what was free last: the first connection, where theirs is prepared.
    const answer = await mine().then(
      ([row]) => row?.whose,
      (error: Error) => error.message,
    );
    assert.match(String(answer), /^mine$|^prepared statement "k\S+" does not exist$/);
  });

  it("a command behind an old one says in one line what is the matter", async () => {
    const env = { DATABASE_URL: databaseUrl, KOPECK_DATA_DIR: tmpdir() };
    const said: string[] = [];
    // The second one finds what the first has prepared.
    for (let run = 0; run < 2; run += 1) {
      const { code, stderr } = await runKopeck(env, ["verify"]).ended;
      assert.equal(code, 1);
      said.push(stderr);
    }
    const words =
      /^kopeck: The database (?:has not got 01_settings.sql|cannot be used: prepared .*Use session mode)[^\n]*\n$/;
    for (const line of said) assert.match(line, words);
  });
});
