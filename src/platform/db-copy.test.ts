// Copying tables: every page, every digit, in the order of their age as far as foreign keys allow it.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "../../test/gateway.ts";
import type { Db } from "./db.ts";
import { type CopiedTable, copyTables } from "./db-copy.ts";
import { openLog } from "./log.ts";
import { openDb } from "./open-db.ts";

const log = openLog("silent");

/** One child is older than its parents; groups of three must arrive in one statement. */
const TABLES = `
  create table a_values (
    id text primary key, parent_id uuid, big bigint, exact numeric,
    bytes bytea, moment timestamptz, day date, words text[], told json, flag boolean);
  create table z_parents (id uuid primary key, name text);
  alter table a_values add foreign key (parent_id) references z_parents;
  create table m_groups (
    parent_id uuid not null references z_parents, part integer not null, amount bigint not null,
    primary key (parent_id, part));
  create function refuse_part() returns trigger language plpgsql as $$
  begin
    if exists (select from fresh group by parent_id having sum(amount) <> 0) then
      raise exception 'a group came in parts';
    end if;
    return null;
  end $$;
  create trigger whole after insert on m_groups
    referencing new table as fresh for each statement execute function refuse_part();`;

const ROWS = `
  insert into z_parents select gen_random_uuid(), 'parent ' || n from generate_series(1, 2500) n;
  insert into m_groups select id, part, case part when 3 then -2 else 1 end
  from z_parents cross join generate_series(1, 3) part;
  insert into a_values values
    ('one', null, 9223372036854775807, 0.1000000000000000000001, '\\x00ff', '2026-03-01 10:00:00.123456+03',
     '2026-02-28', array['a', 'b "c"', null, 'ё'], '{"b": 1.10, "a": [null]}', true),
    ('quote '' " \\ ' || chr(8232), null, null, null, '', '-infinity', 'infinity', '{}', null, false);`;

onPostgres("copying tables", () => {
  const databases: TestDatabase[] = [];
  const dbs: Db[] = [];
  before(async () => {
    for (const sql of [
      TABLES + ROWS,
      `${TABLES} insert into a_values (id) values ('from before')`,
    ]) {
      const database = await openTestDatabase("postgres");
      const db = await openDb(testConfig(database.config), log);
      await db.query(sql);
      databases.push(database);
      dbs.push(db);
    }
  });
  after(async () => {
    for (const db of dbs) await db.close();
    for (const database of databases) await database.drop();
  });

  it("copies every row as it is, parents first, and replaces what was there", async () => {
    const [source, target] = dbs as [Db, Db];
    const copied: CopiedTable[] = [];
    await source.transaction((from) =>
      target.transaction((to) => copyTables(from, to, (table) => copied.push(table))),
    );
    assert.deepEqual(copied, [
      { table: "z_parents", rows: 2500 },
      { table: "a_values", rows: 2 },
      { table: "m_groups", rows: 7500 },
    ]);
    for (const table of ["z_parents", "m_groups", "a_values"]) {
      const read = `select row::text as text from ${table} row order by 1`;
      assert.deepEqual(await target.query(read), await source.query(read), table);
    }
  });

  it("refuses tables that point to each other in a circle", async () => {
    const [source, target] = dbs as [Db, Db];
    await source.query("alter table z_parents add column value text references a_values");
    const copying = source.transaction((from) =>
      target.transaction((to) => copyTables(from, to, () => {})),
    );
    await assert.rejects(copying, /in a circle/);
  });
});
