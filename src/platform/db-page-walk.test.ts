// Page after page against the whole list: whatever is asked for, in whatever way in, each row is told exactly once and
// in order, with rows that come and go in between.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import fc from "fast-check";
import {
  onOneEngine,
  openTestDatabase,
  type TestDatabase,
  testConfig,
} from "../../test/gateway.ts";
import { SEED_VARIABLE } from "../../test/property.ts";
import type { Db } from "./db.ts";
import { type PageSource, type PageWish, page } from "./db-page.ts";
import { firstIdAt } from "./id.ts";
import { openLog } from "./log.ts";
import { openDb } from "./open-db.ts";

interface Row {
  readonly id: string;
  readonly order_id: string;
  readonly shop_id: string;
  readonly user_id: string | null;
  readonly state: string;
  readonly amount: number;
}

const seed = process.env[SEED_VARIABLE];
const SEED = seed === undefined ? {} : { seed: Number(seed) };

const START = Date.parse("2026-01-01T00:00:00Z");
const ROWS = 5_000;
const STEP_MS = 1000;
/** Each moment has three rows, whose ids have no order. */
const MOMENTS = Math.ceil(ROWS / 3);
const momentOf = (n: number): number => START + Math.floor(n / 3) * STEP_MS;
const shop = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

function idAt(ms: number, tail: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  const end = ((tail * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${end.slice(0, 3)}-8${end.slice(3, 6)}-${end}0000`;
}

function rowOf(n: number): Row {
  // Half of all is of the first shop.
  const owner = n % 2 === 0 ? 0 : (n * 7919) % 20;
  return {
    id: idAt(momentOf(n), n),
    // What the order is of was up to a minute before.
    order_id: idAt(momentOf(n) - ((n * 37) % 60) * STEP_MS, n),
    shop_id: shop(owner),
    user_id: owner % 3 === 0 ? null : shop(owner % 5),
    state: n % 1000 < 3 ? "rare" : n % 3 === 0 ? "expired" : "paid",
    amount: n % 7,
  };
}

const ALL = Array.from({ length: ROWS }, (_, n) => rowOf(n));

interface Asked {
  readonly way: string;
  readonly shops: readonly number[];
  readonly state: string | undefined;
  readonly amount: number | undefined;
  readonly isDated: boolean;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly limit: number | undefined;
  readonly after: number | undefined;
  readonly key: readonly string[] | undefined;
}

/** Half of the time it is left out. */
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });

const asked: fc.Arbitrary<Asked> = fc.record({
  way: fc.constantFrom("all", "shop", "user", "state", "each", "each", "each by", "by"),
  shops: fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 9 }),
  state: maybe(fc.constantFrom("paid", "rare", "rare", "none")),
  amount: maybe(fc.integer({ min: 0, max: 7 })),
  isDated: fc.boolean(),
  from: maybe(fc.integer({ min: -5, max: MOMENTS + 5 })),
  to: maybe(fc.integer({ min: -5, max: MOMENTS + 5 })),
  limit: maybe(fc.constantFrom(49, 50, 51, 199, 200)),
  after: maybe(fc.integer({ min: 0, max: ROWS - 1 })),
  key: fc.constantFrom(undefined, ["id"], ["id", "order_id"]),
});

/** As it is said to the list, and which of the rows that are. */
function wishOf(one: Asked): { wish: PageWish; source: PageSource; fits(row: Row): boolean } {
  const { way, shops, state, amount, isDated, key } = one;
  const at = (n: number | undefined) =>
    n === undefined ? undefined : new Date(START + n * STEP_MS).toISOString();
  const [from, to] = [at(one.from), at(one.to)];
  const first = shops[0] ?? 1;
  const source: PageSource = {
    columns: "row.*",
    from: "page_rows",
    ...(way === "shop" && { leads: { shop_id: shop(first), state, user_id: undefined } }),
    ...(way === "user" && { leads: { user_id: shop(first % 5), state } }),
    ...(way === "state" && { leads: { state } }),
    ...(way === "each" && { each: { column: "shop_id", ids: shops.map(shop) }, leads: { state } }),
    ...(way === "each by" && {
      each: { column: "shop_id", ids: shops.map(shop) },
      by: { "amount = any(?::integer[])": [1, 2] },
      leads: { state },
    }),
    ...(way === "by" && { by: { "amount < ?": 5 } }),
    filters: { amount, ...((way === "all" || way === "by") && { state }) },
    ...(isDated && { dated: { column: "order_id", withinMs: 60_000 } }),
    ...(key && { key }),
  };
  const ownShops = new Set(shops.map(shop));
  const start = from === undefined ? "" : firstIdAt(new Date(from));
  const end = to === undefined ? "g" : firstIdAt(new Date(to));
  return {
    wish: { limit: one.limit, from, to },
    source,
    fits(row) {
      const dated = isDated ? row.order_id : row.id;
      return (
        dated >= start &&
        dated < end &&
        (amount === undefined || row.amount === amount) &&
        (state === undefined || row.state === state) &&
        (way !== "shop" || row.shop_id === shop(first)) &&
        (way !== "user" || row.user_id === shop(first % 5)) &&
        (!way.startsWith("each") || ownShops.has(row.shop_id)) &&
        (way !== "each by" || row.amount === 1 || row.amount === 2) &&
        (way !== "by" || row.amount < 5)
      );
    },
  };
}

const descending = (a: string, b: string): number => (a < b ? 1 : -1);

onOneEngine("page after page", (engine) => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await openTestDatabase(engine);
    db = await openDb(testConfig(database.config), openLog("silent"));
    await db.query(`create table page_rows (id uuid primary key, order_id uuid not null, shop_id uuid not null,
      user_id uuid, state text not null, amount integer not null)`);
    await db.query("create index on page_rows (shop_id, id)");
    await db.query("create index on page_rows (state, id)");
    await db.query("create index on page_rows (user_id, id) where user_id is not null");
    await insert(ALL);
    await db.query("analyze page_rows");
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const insert = (rows: readonly Row[]) =>
    db.query("insert into page_rows select * from json_populate_recordset(null::page_rows, $1)", [
      JSON.stringify(rows),
    ]);

  async function walk(one: Asked, between = async () => {}) {
    const { wish, source, fits } = wishOf(one);
    const told: string[] = [];
    const cursor = one.after === undefined ? undefined : ALL[one.after];
    const placeOf = (row: Row | undefined) =>
      row && (one.key?.length === 2 ? `${row.id}.${row.order_id}` : row.id);
    let place: string | null | undefined = placeOf(cursor);
    for (let pages = 0; place !== null; pages += 1) {
      assert.ok(pages < ROWS + 100, "it ends");
      const { rows, next }: { rows: readonly Row[]; next: string | null } = await page<Row>(
        db,
        { ...wish, after: place ?? undefined },
        source,
      );
      assert.ok(rows.length <= (one.limit ?? 50));
      told.push(...rows.map(({ id }) => id));
      if (next !== null) await between();
      place = next;
    }
    const wanted = ALL.filter((row) => fits(row) && (cursor === undefined || row.id < cursor.id));
    return { told, wanted: wanted.map(({ id }) => id).toSorted(descending) };
  }

  it("tells every row that was asked for once, in order", async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (one) => {
        const { told, wanted } = await walk(one);
        assert.deepEqual(told, wanted);
      }),
      { numRuns: 60, ...SEED },
    );
  });

  it("tells whatever stays once, and nothing twice, while rows come and go", async () => {
    // Other ids than those that are there from the start.
    let made = 0;
    await fc.assert(
      fc.asyncProperty(
        asked,
        fc.infiniteStream(fc.integer({ min: 0, max: ROWS + 50 })),
        async (one, places) => {
          const fresh: string[] = [];
          const { told, wanted } = await walk({ ...one, limit: one.limit ?? 20 }, async () => {
            made += 1;
            const n = places.next().value ?? 0;
            const row = { ...rowOf(n), id: idAt(momentOf(n), ROWS * 3 + made) };
            await insert([row]);
            fresh.push(row.id);
            if (fresh.length % 3 === 0)
              await db.query("delete from page_rows where id = $1", [fresh.shift()]);
          });
          await db.query("delete from page_rows where id = any($1::uuid[])", [fresh]);
          assert.equal(new Set(told).size, told.length);
          assert.deepEqual(told, told.toSorted(descending));
          const own = new Set(ALL.map(({ id }) => id));
          assert.deepEqual(
            told.filter((id) => own.has(id)),
            wanted,
          );
        },
      ),
      { numRuns: 20, ...SEED },
    );
  });
});
