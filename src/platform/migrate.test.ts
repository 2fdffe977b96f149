// Migrations: applied once, in order, each by itself; a database that does not fit is left alone.

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "../../test/gateway.ts";
import { systemClock as clock } from "./clock.ts";
import type { Db } from "./db.ts";
import { openLog } from "./log.ts";
import { migrate, refuseUnmigrated } from "./migrate.ts";
import { openDb } from "./open-db.ts";

const log = openLog("silent");

function folder(files: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), "kopeck-migrations-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

onPostgres("migrations", () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await openTestDatabase("postgres");
    db = await openDb(testConfig(database.config), log);
    await db.query("drop table if exists schema_migrations");
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const first = { "01_one.sql": "create table one (id integer); insert into one values (1)" };
  const second = { ...first, "02_two.sql": "insert into one values (2)" };
  const versions = async () =>
    (
      await db.query<{ version: number }>("select version from schema_migrations order by version")
    ).map((row) => row.version);
  const ids = async () =>
    (await db.query<{ id: number }>("select id from one")).map((row) => row.id);

  it("are applied in order, each once", async () => {
    await migrate({ db, clock, log, directory: folder(first) });
    await migrate({ db, clock, log, directory: folder(second) });
    await migrate({ db, clock, log, directory: folder(second) });
    assert.deepEqual(await ids(), [1, 2]);
  });

  it("are applied whole or not at all, each by itself", async () => {
    const broken = {
      ...second,
      "03_three.sql": "insert into one values (3)",
      "04_broken.sql": "insert into one values (4); select nonsense",
    };
    await assert.rejects(migrate({ db, clock, log, directory: folder(broken) }), /nonsense/);
    assert.deepEqual(await ids(), [1, 2, 3]);
    assert.deepEqual(await versions(), [1, 2, 3]);
  });

  it("refuse a database that is newer than the code", async () => {
    for (const older of [first, second]) {
      const words =
        /The database has 0[23]_\w+.sql, which this Kopeck does not know: run the newer/;
      await assert.rejects(migrate({ db, clock, log, directory: folder(older) }), words);
      await assert.rejects(refuseUnmigrated(db, folder(older)), words);
    }
    assert.deepEqual(await versions(), [1, 2, 3]);
  });

  it("refuse a file that was changed after it had been applied", async () => {
    const changed = {
      "01_one.sql": "create table one (id bigint)",
      "02_two.sql": "insert into one values (2)",
      "03_three.sql": "insert into one values (3)",
    };
    await assert.rejects(
      migrate({ db, clock, log, directory: folder(changed) }),
      /01_one.sql was changed/,
    );
  });

  it("refuse a gap in the numbers", async () => {
    const gap = { ...first, "03_three.sql": "select 1" };
    await assert.rejects(migrate({ db, clock, log, directory: folder(gap) }), /skip a number/);
  });
});

onPostgres("a migration of a table that is in use", () => {
  let database: TestDatabase;
  let db: Db;
  let user: Db;
  const lines: string[] = [];
  const said = openLog("warn", { write: (line) => void lines.push(line) });
  const files = (many: number) =>
    Object.fromEntries(
      Object.entries({
        "01_one.sql": "create table one (id integer)",
        "02_two.sql": "alter table one add column two integer",
      }).slice(0, many),
    );
  const directory = folder(files(2));
  const run = (giveUpAfterMs: number) =>
    migrate({ db, clock, log: said, directory, lockTimeoutMs: 50, giveUpAfterMs });
  before(async () => {
    database = await openTestDatabase("postgres");
    [db, user] = [
      await openDb(testConfig(database.config), log),
      await openDb(testConfig(database.config), log),
    ];
  });
  after(async () => {
    await db.close();
    await user.close();
    await database.drop();
  });

  /** A session that reads the table and does not end its transaction. */
  const whileRead = (work: () => Promise<void>) =>
    user.session(async (session) => {
      await session.query("begin; set local idle_in_transaction_session_timeout = 0");
      await session.query("select from one");
      await work();
      await session.query("rollback");
    });

  it("keeps nobody waiting behind it, gives up in words, and goes on from there", async () => {
    await migrate({ db, clock, log, directory: folder(files(1)) });
    await whileRead(async () => {
      await assert.rejects(run(0), /02_two.sql does not get its locks.*Nothing of it was applied/);
      await db.query("select from one");
    });
    assert.deepEqual(await run(0), ["02_two.sql"]);
  });

  it("tries again until the table is free, and says so", async () => {
    await db.query("alter table one drop column two");
    await db.query("delete from schema_migrations where version = 2");
    let migrating: Promise<string[]> | undefined;
    await whileRead(async () => {
      lines.length = 0;
      migrating = run(60_000);
      while (lines.length === 0) await new Promise((go) => setTimeout(go, 10));
    });
    assert.deepEqual(await migrating, ["02_two.sql"]);
    assert.match(lines.join(""), /others use what a migration has to lock: it tries again/);
  });
});
