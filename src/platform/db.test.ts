// The contract of the database, the same on both engines.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { after, before, beforeEach, it } from "node:test";
import {
  onEachEngine,
  onPostgres,
  openTestDatabase,
  type TestDatabase,
  testConfig,
} from "../../test/gateway.ts";
import { type Db, databaseFailure, type Tx } from "./db.ts";
import { LockTimeout } from "./db-failure.ts";
import { openPostgres } from "./db-postgres.ts";
import { openLog } from "./log.ts";
import { openDb } from "./open-db.ts";

const logged: string[] = [];
const log = openLog("error", { write: (line) => logged.push(line) });

onEachEngine("the database", (engine) => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await openTestDatabase(engine);
    db = await openDb(testConfig(database.config), log);
    await db.query("create table pieces (id integer primary key, note text)");
    await db.query(
      `create function pieces_race(lost boolean) returns void language plpgsql as
       $$ begin if lost then raise exception 'lost' using errcode = '40001'; end if; end $$`,
    );
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const count = async (): Promise<number> => {
    const [row] = await db.query<{ n: number }>("select count(*)::integer as n from pieces");
    return row?.n ?? -1;
  };

  it("gives bigint, moments, bytes, days and lists the same on both engines", async () => {
    const moment = new Date("2026-03-01T09:00:00.123Z");
    const [row] = await db.query(
      `select 7::bigint as small, 9007199254740993::bigint as large, $1::timestamptz as moment,
              '\\x00ff'::bytea as bytes, date '2026-03-01' as day, array['a', null] as list,
              null::bigint as nothing, 1::integer as number, 1.50::numeric as decimal`,
      [moment],
    );
    assert.deepEqual(row, {
      small: 7n,
      large: 9007199254740993n,
      moment,
      bytes: Buffer.from([0, 255]),
      day: "2026-03-01",
      list: ["a", null],
      nothing: null,
      number: 1,
      decimal: "1.50",
    });
  });

  it("keeps no plan that reads a whole table because it was small when the plan was made", async () => {
    await db.query(
      "create table young (id integer primary key, note text); insert into young values (1, 'a')",
    );
    await db.query("analyze young");
    const text = "select note from young where id = any($1::integer[])";
    const plan = await db.transaction(async (tx) => {
      await tx.query(text, [[1]]);
      const [{ name } = assert.fail("it was not prepared")] = await tx.query<{ name: string }>(
        "select name from pg_prepared_statements where statement = $1",
        [text],
      );
      const lines = await tx.query<Record<string, string>>(`explain execute "${name}"(null)`);
      return lines.flatMap((line) => Object.values(line)).join("\n");
    }, "one plan");
    assert.match(plan, /young_pkey/);
    assert.doesNotMatch(plan, /Seq Scan/);
    await db.query("drop table young");
  });

  it("calls a database whose disk is full or fails away, and goes on with the next", async () => {
    for (const code of ["53100", "53200", "58030"]) {
      const fail = `do $$ begin raise exception using errcode = '${code}'; end $$`;
      await assert.rejects(db.query(fail), { status: 503 });
      await assert.rejects(
        db.transaction((tx) => tx.query(fail)),
        { status: 503 },
      );
      assert.equal(await count(), 0);
    }
  });

  it("rolls back when the work throws or a statement fails, and goes on with the next", async () => {
    const insert = (tx: Tx) => tx.query("insert into pieces values ($1, $2)", [1, "gone"]);
    const changedMind = db.transaction(async (tx) => {
      await insert(tx);
      throw new Error("changed my mind");
    });
    await assert.rejects(changedMind, /changed my mind/);
    const twice = db.transaction(async (tx) => {
      await insert(tx);
      await insert(tx);
    });
    await assert.rejects(twice, { code: "23505" });
    await assert.rejects(db.query("select $1::integer / 0", [1]), { code: "22012" });
    assert.equal(await count(), 0);
  });

  it("a part of the work that goes on after another has failed changes nothing", async () => {
    const failed = Promise.withResolvers<void>();
    let late: Promise<unknown> = Promise.resolve();
    const work = async (tx: Tx): Promise<void> => {
      late = tx
        .query("insert into pieces values ($1, $2)", [1, "first"])
        .then(() => failed.promise)
        .then(() => tx.query("insert into pieces values ($1, $2)", [2, "too late"]));
      await Promise.all([late, tx.query("select $1::integer / 0", [1])]);
    };
    await assert.rejects(db.transaction(work), { code: "22012" });
    failed.resolve();
    await assert.rejects(late);
    assert.equal(await count(), 0);
  });

  // The others only hear that the transaction is aborted, and may be heard first.
  const farAway = async (tx: Tx, text: string) => {
    const nested = async () => await tx.query(text);
    return await nested();
  };

  it("never takes a rollback for a commit where the work has swallowed a failure", async () => {
    const work = async (tx: Tx) => {
      await tx.query("select 1 / 0").catch(() => {});
      return "done";
    };
    await assert.rejects(db.transaction(work), /answered by a rollback/);
  });

  it("tells why the first of statements that travel together failed, not that others did", async () => {
    const work = (tx: Tx) =>
      Promise.all([farAway(tx, "select 1 / 0"), tx.query("select $1::integer", [1])]);
    await assert.rejects(db.transaction(work), { code: "22012" });
  });

  const add = (tx: Tx, id: number) =>
    tx.query("insert into pieces values ($1, $2)", [id, "closing"]);

  it("what a transaction closes with happens with it, after all else and in its order", async () => {
    const seen = await db.transaction(async (tx) => {
      assert.deepEqual(await add(tx.closing, 1), []);
      await add(tx.closing.closing, 2);
      await tx.closing.query("update pieces set id = id + 10 where id = $1", [2]);
      return (await tx.query("select id from pieces")).length;
    });
    assert.equal(seen, 0);
    assert.deepEqual(await db.query("select id from pieces order by id"), [{ id: 1 }, { id: 12 }]);
    await db.query("delete from pieces");
  });

  it("where what it closes with fails, nothing happened, it says why, and the next goes on", async () => {
    const work = async (tx: Tx) => {
      await add(tx, 1);
      for (const id of [2, 1, 3]) await add(tx.closing, id);
      tx.onCommit(() => assert.fail("it was not committed"));
    };
    await assert.rejects(db.transaction(work), { code: "23505" });
    assert.equal(await count(), 0);
    await db.transaction((tx) => add(tx.closing, 1));
    assert.equal(await count(), 1);
    await db.query("delete from pieces");
  });

  it("an error after the commit is logged, and neither fails the call nor skips what follows", async () => {
    logged.length = 0;
    let later = 0;
    const made = await db.transaction(async (tx) => {
      await add(tx, 1);
      tx.onCommit(() => {
        throw new Error("a counter that failed");
      });
      tx.onCommit(() => {
        later += 1;
      });
      return "made";
    });
    assert.deepEqual([made, later, await count()], ["made", 1, 1]);
    assert.match(logged.join(""), /a counter that failed/);
    await db.query("delete from pieces");
  });

  it("a race that is lost at the close is run again, and what comes after the end is refused", async () => {
    let tries = 0;
    let kept: Tx | undefined;
    await db.transaction(async (tx) => {
      tries += 1;
      kept = tx.closing;
      await add(tx.closing, tries);
      await tx.closing.query("select pieces_race($1)", [tries === 1]);
    });
    // Once more where a busy machine let it stand still.
    assert.ok(tries >= 2, `${tries} tries`);
    assert.deepEqual(await db.query("select id from pieces"), [{ id: tries }]);
    await assert.rejects(add(kept ?? assert.fail(), 3), /is over/);
    await db.query("delete from pieces");
  });

  it("refuses the outer handle inside a transaction instead of waiting for ever", async () => {
    const work = (): Promise<unknown> => db.query("select 1", []);
    await assert.rejects(db.transaction(work), /use its tx/);
  });

  it("repeats a transaction that lost a race, with its effects once", async () => {
    let tries = 0;
    const result = await db.transaction(async (tx) => {
      tries += 1;
      await tx.query("insert into pieces values ($1, $2)", [tries, "kept"]);
      const lost = "do $$ begin raise exception using errcode = '40001'; end $$";
      await Promise.all([
        farAway(tx, tries < 3 ? lost : "select 1"),
        tx.query("select $1::integer", [1]),
      ]);
      return "done";
    });
    assert.ok(result === "done" && tries >= 3, `${result} after ${tries} tries`);
    assert.deepEqual(await db.query("select id from pieces"), [{ id: tries }]);
    await db.query("delete from pieces");
  });

  it("gives up on a transaction that always loses", async () => {
    let tries = 0;
    const work = async (tx: Tx): Promise<void> => {
      tries += 1;
      await tx.query("do $$ begin raise exception 'lost' using errcode = '40P01'; end $$");
    };
    await assert.rejects(db.transaction(work), { code: "40P01" });
    assert.equal(tries, 5);
  });
});

onPostgres("a connection that breaks", () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await openTestDatabase("postgres");
    db = await openDb(testConfig(database.config), log);
  });
  beforeEach(async () => {
    await db.query("drop table if exists pieces; create table pieces (id integer primary key)");
  });
  after(async () => {
    await db.close();
    await database.drop();
  });
  const unavailable = { status: 503 };

  it("before COMMIT: the transaction is repeated and happens once", async () => {
    let tries = 0;
    await db.transaction(async (tx) => {
      tries += 1;
      await tx.query("insert into pieces values ($1)", [1]);
      if (tries === 1) {
        await tx.query("select pg_terminate_backend(pg_backend_pid())").catch((error: unknown) => {
          throw Object.assign(new Error("broken", { cause: error }), { code: "ECONNRESET" });
        });
      }
    });
    assert.ok(tries >= 2, `${tries} tries`);
    assert.deepEqual(await db.query("select id from pieces"), [{ id: 1 }]);
  });

  it("while its transaction thinks: the process lives on, and the work is repeated", async () => {
    let tries = 0;
    const [row] = await db.transaction(async (tx) => {
      tries += 1;
      const own = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
      if (tries === 1) {
        const killer = await openDb(testConfig(database.config), log);
        await killer.query("select pg_terminate_backend($1)", [own[0]?.pid]);
        await killer.close();
        // Until the connection has noticed.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return tx.query<{ one: number }>("select 1 as one", []).catch((error: unknown) => {
        throw Object.assign(new Error("broken", { cause: error }), { code: "ECONNRESET" });
      });
    });
    assert.ok(row?.one === 1 && tries >= 2, `${row?.one} after ${tries} tries`);
  });

  it("between two statements, noticed before the second one: unavailable, and not a bug", async () => {
    const work = async (tx: Tx): Promise<void> => {
      await tx.query("select pg_terminate_backend(pg_backend_pid())").catch(() => {});
      // What is asked before the driver has noticed fails with the connection; what comes after it is
      // refused by the driver itself, in words of its own.
      for (;;) {
        await tx.query("select 1", []).catch((error: Error) => {
          if (/queryable/.test(error.message)) throw error;
        });
      }
    };
    await assert.rejects(db.transaction(work), unavailable);
  });

  const SILENT_MS = 100;
  /** Nothing of this process goes on meanwhile, as if it were frozen. */
  const standStill = (): void => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10 * SILENT_MS);
  };

  it("because the process stood still in the midst of a transaction: the work is repeated", async () => {
    const connectionString = database.config.databaseUrl ?? "";
    const limits = { idle_in_transaction_session_timeout: SILENT_MS };
    const db = openPostgres({ connectionString, ...limits }, log);
    // Without another statement it is COMMIT that meets the end of the connection, or what leaves with it.
    for (const [id, next] of ["commit", "closing", "statement"].entries()) {
      let tries = 0;
      await db.transaction(async (tx) => {
        tries += 1;
        await tx.query("insert into pieces values ($1)", [id]);
        if (tries === 1) standStill();
        if (next === "statement") await tx.query("select 1", []);
        if (next === "closing") await tx.closing.query("select 1", []);
      });
      // On a busy machine it stands still by itself as well.
      assert.ok(tries >= 2, next);
    }
    const kept = await db.query<{ id: number }>("select id from pieces order by id");
    assert.deepEqual(
      kept.map(({ id }) => id),
      [0, 1, 2],
    );
    await db.close();
  });

  it("keeps what the address sets by options, and its own settings beside and above it", async () => {
    const wish = encodeURIComponent("-c work_mem=7MB -c TimeZone=Asia/Tokyo");
    const url = database.config.databaseUrl ?? "";
    const db = openPostgres({ connectionString: `${url}?options=${wish}` }, log);
    const names = ["work_mem", "TimeZone", "random_page_cost"];
    const rows = await db.query<{ set: string }>(
      "select current_setting(name) as set from unnest($1::text[]) name",
      [names],
    );
    assert.deepEqual(
      rows.map(({ set }) => set),
      ["7MB", "UTC", "1.1"],
    );
    await db.close();
  });

  it("is not used where it cannot be set to wait for the disk", async () => {
    const url = database.config.databaseUrl ?? "";
    const hand = openPostgres({ connectionString: url }, log);
    await hand.query(`create schema trap;
      create function trap.set_config(text, text, boolean) returns text language plpgsql as
        $$ begin raise 'cancelled' using errcode = '57014'; end $$`);
    await hand.close();
    const wish = encodeURIComponent("-c synchronous_commit=off -c search_path=trap,pg_catalog");
    const db = openPostgres({ connectionString: `${url}?options=${wish}` }, log);
    await assert.rejects(
      db.transaction((tx) => tx.query("show synchronous_commit", [])),
      unavailable,
    );
    await db.close();
  });

  it("to a server that is not there: a failure that says unavailable", async () => {
    const db = await openDb(testConfig({ databaseUrl: "postgresql://nobody@127.0.0.1:1/x" }), log);
    await assert.rejects(db.query("select 1", []), unavailable);
    assert.equal((await databaseFailure(db))?.status, 503);
    await db.close();
  });

  it("a BEGIN that fails while its connection lives leaves nothing behind of what follows", async () => {
    const url = new URL(database.config.databaseUrl ?? "");
    const { port, hostname } = url;
    const through = createServer((client) => {
      const server = connect(Number(port), hostname);
      server.pipe(client);
      // A text of the same length that the server does not understand.
      client.on("data", (bytes) =>
        server.write(
          bytes.toString("latin1").replaceAll("begin isolation", "begun isolation"),
          "latin1",
        ),
      );
      client.on("close", () => server.destroy());
    });
    await once(through.listen(0, "127.0.0.1"), "listening");
    url.port = String((through.address() as AddressInfo).port);
    const misheard = await openDb(testConfig({ databaseUrl: url.href }), log);
    const insert = (tx: Tx, id: number) => tx.query("insert into pieces values ($1)", [id]);
    const works: ((tx: Tx) => Promise<unknown>)[] = [
      (tx) => insert(tx, 1),
      (tx) => tx.query("insert into pieces values (2)"),
      (tx) => Promise.all([tx.query("select $1::integer", [1]), insert(tx, 3), insert(tx, 4)]),
      async (tx) => {
        await tx.query("select from pieces where id = $1 for no key update", [1]);
        await insert(tx, 5);
      },
    ];
    for (const work of works) await assert.rejects(misheard.transaction(work), { code: "42601" });
    assert.deepEqual(await db.query("select id from pieces", []), []);
    await misheard.close();
    through.close();
  });

  it("a row that another session holds is waited for as long as lock_timeout, then refused", async () => {
    // A command has no limit on how long a transaction idles.
    const holder = await openDb(testConfig(database.config), log, { attended: true });
    await db.query("insert into pieces values (1)");
    const work = (tx: Tx) => tx.query("select from pieces for update");
    await holder.transaction(async (tx) => {
      await work(tx);
      await assert.rejects(db.transaction(work), (error) => error instanceof LockTimeout);
    });
    await db.transaction(work);
    await holder.close();
  });
});
