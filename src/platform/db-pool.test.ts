// A server that takes fewer connections than the pool may have: whoever needs one waits for one that there is.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, beforeEach, it } from "node:test";
import pg from "pg";
import { onPostgres, openTestDatabase, type TestDatabase } from "../../test/gateway.ts";
import { openPostgres } from "./db-postgres.ts";
import { openLog } from "./log.ts";

const LIMIT = 2;
const unavailable = { status: 503 };
/** Long enough to connect on a busy machine. */
const PATIENCE_MS = 5_000;
/** Whoever holds one stands still meanwhile, which the server would end after two seconds. */
const idle_in_transaction_session_timeout = 60_000;

onPostgres("with fewer connections than are wanted", () => {
  let role: string;
  let database: TestDatabase;
  let server: pg.Client;
  before(async () => {
    database = await openTestDatabase("postgres", {});
    server = new pg.Client({ connectionString: database.config.databaseUrl });
    await server.connect();
  });
  // One of its own for each: a server counts a connection for a moment after it was closed.
  beforeEach(async () => {
    role = `few_${randomUUID().replaceAll("-", "")}`;
    await server.query(`create role ${role} login connection limit ${LIMIT}`);
  });
  afterEach(() => server.query(`drop role ${role}`));
  after(async () => {
    await server.end();
    await database.drop();
  });

  const settingsOf = (connectionTimeoutMillis: number) => {
    const url = new URL(database.config.databaseUrl ?? "");
    url.username = role;
    const limits = { connectionTimeoutMillis, idle_in_transaction_session_timeout };
    return { connectionString: url.href, ...limits, max: 8 };
  };
  const open = (timeoutMs: number) => openPostgres(settingsOf(timeoutMs), openLog("error"));
  /** All that there are, until it is called. */
  const holdAll = async (db: ReturnType<typeof open>): Promise<() => Promise<unknown>> => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const held = Array.from({ length: LIMIT }, () => Promise.withResolvers<void>());
    const work = held.map(({ resolve }) =>
      db.transaction(async (tx) => {
        await tx.query("select 1", []);
        resolve();
        await over;
      }),
    );
    await Promise.all(held.map(({ promise }) => promise));
    return () => {
      end();
      return Promise.all(work);
    };
  };

  it("everybody gets one of those that there are, one after another", async () => {
    const db = open(60_000);
    const release = await holdAll(db);
    let answered = 0;
    const asked = Array.from({ length: 20 }, async () => {
      await db.query("select pg_sleep(0.01)", []);
      answered += 1;
    });
    await server.query("select pg_sleep(0.3)");
    assert.equal(answered, 0);
    await release();
    await Promise.all(asked);
    assert.deepEqual([answered, db.connections?.().open], [20, LIMIT]);
    await db.close();
  });

  it("who has waited for as long as for a full pool is told", async () => {
    const db = open(PATIENCE_MS);
    const release = await holdAll(db);
    await assert.rejects(db.query("select 1", []), unavailable);
    await release();
    await db.query("select 1", []);
    await db.close();
  });

  it("where the pool has none, nobody waits", async () => {
    const others = open(60_000);
    const release = await holdAll(others);
    const db = open(60_000);
    const asked = Array.from({ length: 3 }, () =>
      assert.rejects(db.query("select 1", []), unavailable),
    );
    await Promise.all(asked);
    await Promise.all([release(), db.close()]);
    await others.close();
  });
});
