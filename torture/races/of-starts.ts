// Two first starts on one empty database: one of them makes the tables, both find them made.

import assert from "node:assert/strict";
import { prepareInstallation } from "../../src/features/merchants/installation.ts";
import { createCast } from "../../src/features/sandbox/cast.ts";
import type { App } from "../../src/platform/app.ts";
import { movableClock } from "../../src/platform/clock.ts";
import { openLog } from "../../src/platform/log.ts";
import { migrate } from "../../src/platform/migrate.ts";
import { openApp } from "../../src/platform/open-app.ts";
import { openDb } from "../../src/platform/open-db.ts";
import { openTestDatabase, TestClock, type TestDatabase, testConfig } from "../../test/gateway.ts";
import { runKopeck } from "../../test/process.ts";
import { type Pair, type Race, race, SYMMETRIC, several } from "./pair.ts";

/** A start of a process takes most of a second: the others are starts inside this one. */
const EVERY_NTH_IS_A_PROCESS = 25;

async function openStart({ config }: TestDatabase): Promise<App> {
  const full = testConfig(config);
  const log = openLog("silent", { write() {} });
  const clock = movableClock(new TestClock());
  return openApp({ config: full, clock, log, db: await openDb(full, log) });
}

async function start(app: App): Promise<number> {
  const applied = await migrate(app);
  await app.db.transaction(async (tx) => {
    await prepareInstallation(tx, app);
    await createCast(tx, app);
  });
  return applied.length;
}

async function startProcess({ config }: TestDatabase): Promise<number> {
  const { ended } = runKopeck({ DATABASE_URL: config.databaseUrl ?? "" }, ["migrate"]);
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  return stdout.match(/^applied /gm)?.length ?? 0;
}

/** The tables, what guards them, and how much is in them. */
async function printOf(app: App, withCast: boolean): Promise<string> {
  const [row] = await app.db.query<{ print: string }>(
    `select concat_ws(' ',
       (select md5(string_agg(concat_ws(' ', table_name, column_name, data_type), ','
               order by table_name, column_name))
        from information_schema.columns where table_schema = 'public'),
       (select md5(string_agg(concat_ws(' ', conrelid::regclass, pg_get_constraintdef(oid)), ','
               order by conrelid::regclass::text, pg_get_constraintdef(oid))) from pg_constraint),
       (select md5(string_agg(indexdef, ',' order by indexdef)) from pg_indexes
        where schemaname = 'public'),
       (select count(*) from pg_trigger), (select count(*) from schema_migrations),
       (select count(*) from users), (select count(*) from api_keys),
       (select count(*) from requisites), (select count(*) from installation)) as print`,
    [],
  );
  return `${withCast} ${row?.print}`;
}

/** How a database looks that was started once, or only migrated, by nobody else meanwhile. */
const expected = new Map<boolean, string>();

async function expectedPrint(withCast: boolean): Promise<string> {
  const known = expected.get(withCast);
  if (known !== undefined) return known;
  const database = await openTestDatabase("postgres");
  const app = await openStart(database);
  await (withCast ? start(app) : migrate(app));
  const print = await printOf(app, withCast);
  await close(app, database);
  expected.set(withCast, print);
  return print;
}

async function close(app: App, database: TestDatabase): Promise<void> {
  app.http.close();
  await app.db.close();
  await database.drop();
}

async function firstStarts(isProcess: boolean): Promise<Race> {
  const wanted = await expectedPrint(!isProcess);
  let database: TestDatabase | undefined;
  const apps: App[] = [];
  const one = async (index: number): Promise<number> =>
    isProcess ? startProcess(database ?? assert.fail()) : start(apps[index] ?? assert.fail());
  return race({
    async ready() {
      database = await openTestDatabase("postgres");
      apps.push(await openStart(database), await openStart(database));
      // Connected already, so that nobody waits for a connection.
      if (!isProcess) await Promise.all(apps.map(({ db }) => db.query("select", [])));
    },
    left: () => one(0),
    right: () => one(1),
    async judge(left, right) {
      const [app, other] = [apps[0] ?? assert.fail(), apps[1] ?? assert.fail()];
      const applied = [left, right].toSorted((less, more) => less - more);
      assert.equal(applied[0], 0, `both have applied migrations: ${applied}`);
      assert.equal(await printOf(app, !isProcess), wanted);
      other.http.close();
      await other.db.close();
      await close(app, database ?? assert.fail());
      return left > 0 ? "left first" : "right first";
    },
  });
}

const migrations: Pair = {
  ...SYMMETRIC,
  name: "first start ‖ first start",
  inCrowds: false,
  prepare: (_scene, count) =>
    several(count, (index) => firstStarts(index % EVERY_NTH_IS_A_PROCESS === 0)),
};

export const START_PAIRS: readonly Pair[] = [migrations];
