// Migrations: applied once, in order; a database that does not fit is left alone.

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import {
  onEachEngine,
  openTestDatabase,
  type TestDatabase,
  testConfig,
} from "../../test/gateway.ts";
import { systemClock as clock } from "./clock.ts";
import type { Db } from "./db.ts";
import { openLog } from "./log.ts";
import { migrate } from "./migrate.ts";
import { openDb } from "./open-db.ts";

const log = openLog("silent");

function folder(files: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), "kopeck-migrations-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

onEachEngine("migrations", (engine) => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await openTestDatabase(engine);
    db = await openDb(testConfig(database.config), log);
    await db.query("drop table if exists schema_migrations");
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const first = { "0001_one.sql": "create table one (id integer); insert into one values (1)" };
  const second = { ...first, "0002_two.sql": "insert into one values (2)" };
  const ids = async () =>
    (await db.query<{ id: number }>("select id from one")).map((row) => row.id);

  it("are applied in order, each once", async () => {
    await migrate({ db, clock, log, directory: folder(first) });
    await migrate({ db, clock, log, directory: folder(second) });
    await migrate({ db, clock, log, directory: folder(second) });
    assert.deepEqual(await ids(), [1, 2]);
  });

  it("are applied whole or not at all", async () => {
    const broken = { ...second, "0003_broken.sql": "insert into one values (3); select nonsense" };
    await assert.rejects(migrate({ db, clock, log, directory: folder(broken) }));
    assert.deepEqual(await ids(), [1, 2]);
    assert.equal((await db.query("select version from schema_migrations")).length, 2);
  });

  it("refuse a database that is newer than the code", async () => {
    await assert.rejects(
      migrate({ db, clock, log, directory: folder(first) }),
      /The database is at version 2, this Kopeck knows versions up to 1/,
    );
  });

  it("refuse a file that was changed after it had been applied", async () => {
    const changed = { ...second, "0001_one.sql": "create table one (id bigint)" };
    await assert.rejects(
      migrate({ db, clock, log, directory: folder(changed) }),
      /0001_one.sql was changed/,
    );
  });

  it("refuse a gap in the numbers", async () => {
    const gap = { ...first, "0003_three.sql": "select 1" };
    await assert.rejects(migrate({ db, clock, log, directory: folder(gap) }), /skip a number/);
  });
});
