// PostgreSQL servers that are set otherwise than ours: one that only reads, other defaults for
// transactions, migrations that take their time, statements of several processes on one connection.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { startGateway } from "../src/gateway.ts";
import { systemClock as clock } from "../src/platform/clock.ts";
import type { Db } from "../src/platform/db.ts";
import { openLog } from "../src/platform/log.ts";
import { migrate } from "../src/platform/migrate.ts";
import { openDb } from "../src/platform/open-db.ts";
import { eventually } from "../torture/eventually.ts";
import { createInvoice } from "./cast.ts";
import {
  onPostgres,
  openTestDatabase,
  openTestGateway,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";

const log = openLog("silent");

onPostgres("a server that is set otherwise", () => {
  let database: TestDatabase;
  const opened: Db[] = [];
  const open = async (query = ""): Promise<Db> => {
    const databaseUrl = `${database.config.databaseUrl}${query}`;
    const db = await openDb(testConfig({ databaseUrl }), log);
    opened.push(db);
    return db;
  };
  /** A setting of the whole database; only connections that are opened later have it. */
  const set = async (setting: string): Promise<void> => {
    const name = database.config.databaseUrl?.split("/").at(-1);
    await (await open()).query(`alter database ${name} ${setting}`);
  };
  before(async () => {
    database = await openTestDatabase("postgres");
  });
  after(async () => {
    for (const db of opened) await db.close();
    await database.drop();
  });

  it("a database that only reads is an outage, and not ready; the gateway goes on by itself", async () => {
    const gateway = await openTestGateway("postgres");
    const other = await openDb(gateway.app.config, log);
    const name = gateway.app.config.databaseUrl?.split("/").at(-1);
    // As after a failover: the old connections are gone, and whoever comes back finds a standby.
    const switchTo = async (only: "on" | "off"): Promise<void> => {
      await other.query(
        `begin read write; alter database ${name} set default_transaction_read_only = ${only}; commit`,
      );
      await other.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    };
    try {
      await switchTo("on");
      const statuses = new Set<number>();
      for (let turn = 0; turn < 20; turn += 1) {
        const answer = await createInvoice(gateway);
        statuses.add(answer.status);
        assert.ok(Number(answer.headers.get("retry-after")) > 0, answer.text);
      }
      assert.deepEqual([...statuses], [503]);
      const unready = await gateway.call("/readyz");
      assert.equal(unready.status, 503, unready.text);
      assert.match((await gateway.call("/metrics")).text, /^kopeck_database_up 0$/m);
      await switchTo("off");
      await eventually("ready", async () => (await gateway.call("/readyz")).status === 200);
      assert.equal((await createInvoice(gateway)).status, 200);
    } finally {
      await other.close();
      await gateway.stop();
    }
  });

  it("a default of another isolation level changes nothing: every statement reads what is committed", async () => {
    await set("set default_transaction_isolation = 'serializable'");
    await set("set default_transaction_deferrable = on");
    const db = await open();
    const show = "select current_setting('transaction_isolation') as level";
    assert.deepEqual(await db.query(show, []), [{ level: "read committed" }]);
    assert.deepEqual(await db.transaction((tx) => tx.query(show, [])), [
      { level: "read committed" },
    ]);
    // Where a pooler in between has dropped the connection's own settings.
    const bare = await open("?options=-c%20search_path%3Dpublic");
    assert.deepEqual(await bare.transaction((tx) => tx.query(show, [])), [
      { level: "read committed" },
    ]);
  });

  it("a role that writes days and moments in another way stops no start and changes no day", async () => {
    const own = await openTestDatabase("postgres");
    const { databaseUrl = "" } = own.config;
    const name = databaseUrl.split("/").at(-1);
    const other = await open();
    for (const setting of ["DateStyle = 'German'", "TimeZone = 'America/New_York'"]) {
      await other.query(`alter database ${name} set ${setting}`);
    }
    await other.query(`alter database ${name} set array_nulls = off`);
    const gateway = await startGateway({ config: testConfig({ databaseUrl }), log });
    try {
      const asked =
        "select $1::timestamptz as at, $2::date as day, $2::date::text as text, $3::text[] as list";
      const at = new Date("2026-03-01T23:30:00.000Z");
      assert.deepEqual(await gateway.app.db.query(asked, [at, "2026-03-01", [null, "a"]]), [
        { at, day: "2026-03-01", text: "2026-03-01", list: [null, "a"] },
      ]);
    } finally {
      await gateway.stop();
      await own.drop();
    }
  });

  it("a connection that the server closed for idling, just as it was taken, is no outage", async () => {
    const own = await openTestDatabase("postgres");
    const db = await openDb(testConfig(own.config), log);
    // On the one connection that there is: the next may idle for as long as a busy machine makes it. Nothing is heard
    // meanwhile: the server's last word lies unread when the next statement is sent.
    const idle = async (): Promise<void> => {
      await db.query("set idle_session_timeout = 50");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    };
    const asked = "select $1::integer as one";
    try {
      await idle();
      assert.deepEqual(await db.query(asked, [1]), [{ one: 1 }]);
      await idle();
      assert.deepEqual(await db.transaction((tx) => tx.query(asked, [1])), [{ one: 1 }]);
    } finally {
      await db.close();
      await own.drop();
    }
  });

  it("a server that answers a commit before it is on a disk: the gateway waits all the same, and warns", async () => {
    const own = await openTestDatabase("postgres");
    const name = own.config.databaseUrl?.split("/").at(-1);
    const lines: string[] = [];
    const said = openLog("warn", { write: (line) => void lines.push(line) });
    for (const level of ["local", "off"]) {
      await (await open()).query(`alter database ${name} set synchronous_commit = ${level}`);
      const gateway = await startGateway({ config: testConfig(own.config), log: said });
      const { db } = gateway.app;
      const asked = await Promise.all(
        [1, 2, 3].map(() => db.transaction((tx) => tx.query("show synchronous_commit", []))),
      );
      await gateway.stop();
      const waits = level === "off" ? "on" : level;
      assert.deepEqual(asked.flat(), Array(3).fill({ synchronous_commit: waits }));
      const told = lines.filter((line) => line.includes("synchronous_commit is off"));
      assert.equal(told.length, level === "off" ? 1 : 0);
    }
    await own.drop();
  });

  it("a role's limit on statements holds for no command: kopeck verify takes as long as it takes", async () => {
    await set("set statement_timeout = 20");
    await set("set idle_in_transaction_session_timeout = 20");
    const config = testConfig(database.config);
    const db = await openDb(config, log, { attended: true });
    opened.push(db);
    await db.transaction(async (tx) => {
      await tx.query("select pg_sleep(0.1)", []);
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.deepEqual(await tx.query("select 1 as one", []), [{ one: 1 }]);
    });
  });

  it("a migration may take longer than the client waits for an answer, and says so meanwhile", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kopeck-migrations-"));
    writeFileSync(join(directory, "01_slow.sql"), "select pg_sleep(4)");
    const lines: string[] = [];
    const said = openLog("info", { write: (line) => void lines.push(line) });
    // Two seconds instead of fifteen, so that nobody waits for long.
    const [first, second] = [await open("?query_timeout=2000"), await open("?query_timeout=2000")];
    const run = (db: Db) => migrate({ db, clock, log: said, directory, sayEveryMs: 200 });
    // The second one waits for the first for as long as it takes, too.
    const applied = await Promise.all([run(first), run(second)]);
    assert.deepEqual(applied.flat(), ["01_slow.sql"]);
    assert.match(lines.join(""), /still applying a migration/);
    assert.match(lines.join(""), /still waiting for another process that migrates/);
    assert.match(lines.join(""), /applied a migration/);
  });

  it("one that is starting, and then too busy to answer, is waited for by a gateway that starts", async (context) => {
    const own = await openTestDatabase("postgres");
    const url = new URL(own.config.databaseUrl ?? "");
    const { port, hostname } = url;
    const manners = [sayStarting, (socket: Socket) => void socket.resume()];
    const front = createServer((socket) => {
      const unable = manners.shift();
      if (unable !== undefined) return unable(socket);
      const server = connect(Number(port), hostname);
      for (const end of [socket, server]) end.on("error", () => {});
      socket.pipe(server).pipe(socket);
    }).listen(0, "127.0.0.1");
    context.after(() => front.close());
    await once(front, "listening");
    url.port = String((front.address() as AddressInfo).port);
    const gateway = await startGateway({ config: testConfig({ databaseUrl: url.href }), log });
    await gateway.stop();
    await own.drop();
    assert.equal(manners.length, 0);
  });
});

/** What a server says to everybody while it recovers, in the language that it was set up in. */
function sayStarting(socket: Socket): void {
  const fields = Buffer.from("SВАЖНО\0C57P03\0Mсистема баз данных запускается\0\0");
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  socket.on("error", () => {}).end(Buffer.concat([head, fields]));
}
