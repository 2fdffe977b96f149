// Young tables get their statistics, and rows that are gone make room where nobody else sees to it.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import {
  onEachEngine,
  openTestDatabase,
  type TestDatabase,
  testConfig,
} from "../../test/gateway.ts";
import type { Db } from "./db.ts";
import { tendTable } from "./db-tend.ts";
import { openLog } from "./log.ts";
import { openDb } from "./open-db.ts";

onEachEngine("tending tables", (engine) => {
  // No gateway, whose own job would tend the tables in the midst of this.
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await openTestDatabase(engine);
    db = await openDb(testConfig(database.config), openLog("silent"));
    // The server has a vacuum of its own, which would come when it likes.
    await db.query(
      "create table field (id integer primary key, crop text) with (autovacuum_enabled = off)",
    );
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  /** What a transaction did is told to others at its end, and not some seconds later. */
  const change = (text: string) =>
    db.transaction(async (tx) => {
      await tx.query(text);
      await tx.query("select pg_stat_force_next_flush()");
    });
  const tendAll = async (nobodyElseDoes: boolean): Promise<string[]> => {
    const tended: string[] = [];
    for (;;) {
      const name = await tendTable(db, nobodyElseDoes);
      if (name === undefined) return tended;
      tended.push(name);
    }
  };
  const tuples = async () => {
    const [row] = await db.query<{ reltuples: number }>(
      "select reltuples from pg_class where relname = 'field'",
    );
    return row?.reltuples;
  };

  it("counts a table once it has grown, and not again while it stands still", async () => {
    await change("insert into field select n, 'rye' from generate_series(1, 1000) n");
    await tendAll(false);
    assert.equal(await tuples(), 1000);
    assert.deepEqual(await tendAll(false), []);
    await change("insert into field select n, 'rye' from generate_series(1001, 2000) n");
    assert.deepEqual(await tendAll(false), []);
  });

  it("frees the room of rows that are gone only where nobody else does", async () => {
    const dead = async () => {
      const [row] = await db.query<{ n: number }>(
        "select n_dead_tup::integer as n from pg_stat_user_tables where relname = 'field'",
      );
      return row?.n ?? 0;
    };
    await change("update field set crop = 'oats'; update field set crop = 'wheat'");
    await tendAll(false);
    assert.ok((await dead()) >= 2000, String(await dead()));
    await change("update field set crop = 'barley'; update field set crop = 'millet'");
    await tendAll(true);
    assert.equal(await dead(), 0);
  });
});
