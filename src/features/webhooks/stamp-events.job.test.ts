// Positions: given by one at a time however many want to, also to what was there before there were any; and
// one look for all who wait.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { SHOP, USER } from "../../../test/cast.ts";
import {
  ENGINES,
  migrateTestDatabase,
  onEachEngine,
  onPostgres,
  openTestDatabase,
  TestClock,
  testConfig,
} from "../../../test/gateway.ts";
import { openRoom } from "../../../test/webhook-room.ts";
import type { App } from "../../platform/app.ts";
import { movableClock } from "../../platform/clock.ts";
import { openLog } from "../../platform/log.ts";
import { openApp } from "../../platform/open-app.ts";
import { openDb } from "../../platform/open-db.ts";
import { stampEventsJob, waitingForEvents } from "./stamp-events.job.ts";

const positions = ({ db }: Pick<App, "db">) =>
  db.query<{ position: bigint; event_id: string }>(
    "select position, event_id from event_feed order by position",
    [],
  );

onPostgres("several processes", () => {
  it("give every event one position, in sets, in the order in which they were written", async () => {
    const room = await openRoom("postgres");
    const written = [];
    for (let batch = 0; batch < 45; batch += 1) written.push(...(await room.record(HUNDRED)));
    const workers = [room.app, await room.openWorker(), await room.openWorker()];
    const sets = await Promise.all(workers.map((app) => stampEventsJob.run(app)));
    assert.ok(sets.includes(2_000), "a full set is told, and the rest comes at once");
    await Promise.all(workers.map((app) => stampEventsJob.due?.settle(app)));
    const placed = await positions(room.app);
    assert.deepEqual(
      placed.map(({ position }) => position),
      written.map((_, at) => BigInt(at + 1)),
    );
    // Of one statement they have no order.
    const batches = (ids: readonly string[]) =>
      Array.from({ length: 45 }, (_, at) => ids.slice(100 * at, 100 * (at + 1)).toSorted());
    assert.deepEqual(batches(placed.map((one) => one.event_id)), batches(written));
    await room.close();
  });
});

const HUNDRED = Array.from({ length: 100 }, () => null);

onEachEngine("the job", (engine) => {
  it("asks once for all who wait, and not at all for none", async () => {
    const room = await openRoom(engine);
    let asked = 0;
    const query: App["db"]["query"] = (text, values) => {
      asked += Number(!text.includes("event_feed_queue"));
      return room.app.db.query(text, values);
    };
    const counting: App = { ...room.app, db: { ...room.app.db, query } };
    const waiting = waitingForEvents(counting);
    const { signal } = new AbortController();
    const shop = { kind: "shop", id: SHOP.id } as const;
    const owners = [shop, { kind: "user", id: USER.id } as const, { ...shop, id: USER.id }];
    const heard: string[] = [];
    const ends = owners.map((owner, at) =>
      waiting.until(owner, 0n, 25, signal).then(() => heard.push(`${owner.kind} ${at}`)),
    );
    await stampEventsJob.run(counting);
    assert.deepEqual([asked, heard], [1, []]);
    await room.record([null]);
    await stampEventsJob.run(counting);
    await Promise.all(ends.slice(0, 2));
    assert.deepEqual([asked, heard.toSorted()], [2, ["shop 0", "user 1"]]);
    await room.close();
  });
});

/** Those before the feed's own. */
function olderMigrations(): string {
  const directory = mkdtempSync(join(tmpdir(), "kopeck-migrations-"));
  cpSync(join(import.meta.dirname, "../../../migrations"), directory, { recursive: true });
  const names = readdirSync(directory).toSorted();
  const own = names.findIndex((name) => name.endsWith("_event_feed.sql"));
  for (const name of names.slice(own)) rmSync(join(directory, name));
  return directory;
}

it("gives positions also to what was told before there were any, the oldest first", async () => {
  const database = await openTestDatabase(ENGINES.at(-1) ?? "embedded", { empty: true });
  await migrateTestDatabase(database, olderMigrations());
  const db = await openDb(testConfig(database.config), openLog("error"));
  await db.query(`insert into users (id, home, name, created_at)
      values ('00000000-0000-4000-8000-000000000001', 0, 'one', '2026-01-01');
    insert into shops (id, user_id, name, h2h_enabled, created_at)
      values ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', 'shop', true, '2026-01-01');
    insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor, currency,
      services, success_url, created_at, expires_at, events)
    select '00000000-0000-4000-8000-000000000009', id, user_id, 'x', decode(repeat('00', 32), 'hex'),
      'direct', 'created', 100, 'RUB', array['p2p_card'], 'https://shop.example/ok', '2026-01-01',
      '2026-01-02', 3 from shops;
    insert into events (id, shop_id, invoice_id, sequence, body, hook_is_own, created_at)
    select gen_random_uuid(), '00000000-0000-4000-8000-000000000002',
      '00000000-0000-4000-8000-000000000009', n, '{}', false, timestamptz '2026-01-02' + n * interval '1 s'
    from unnest(array[3, 1, 2]) n`);
  await db.close();
  await migrateTestDatabase(database);
  const migrated = await openDb(testConfig(database.config), openLog("error"));
  const clock = movableClock(new TestClock());
  const app = openApp({
    ...{ config: testConfig(database.config), db: migrated, clock, log: openLog("error") },
  });
  await stampEventsJob.due?.settle(app);
  const placed = await migrated.query(
    `select position, sequence from event_feed join events on id = event_id order by position`,
  );
  assert.deepEqual(
    placed,
    [1, 2, 3].map((sequence) => ({ position: BigInt(sequence), sequence })),
  );
  app.http.close();
  await migrated.close();
  await database.drop();
});
