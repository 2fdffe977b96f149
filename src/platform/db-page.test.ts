// Pages of a table while others write to it: each row once, however many rows have to be looked through; and what a
// page reads, wherever it is.
// In which order, by which filters and from which place is asked by db-page-walk.test.ts, and of every list by
// test/lists.test.ts.

import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import pg from "pg";
import {
  onEachEngine,
  onPostgres,
  openTestDatabase,
  type TestDatabase,
  testConfig,
} from "../../test/gateway.ts";
import type { Db, Queryable } from "./db.ts";
import { type PageSource, type PageWish, page } from "./db-page.ts";
import { openLog } from "./log.ts";
import { openDb } from "./open-db.ts";

const START = Date.parse("2026-01-01T00:00:00Z");

/** As ids are made: the moment first. Row n is of the nth second. */
function idOf(n: number): string {
  const hex = (START + n * 1000).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

onEachEngine("a page", (engine) => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await openTestDatabase(engine);
    db = await openDb(testConfig(database.config), openLog("silent"));
    await db.query("create table page_rows (id uuid primary key, n integer not null)");
  });
  after(async () => {
    await db.close();
    await database.drop();
  });
  beforeEach(() => db.query("truncate page_rows"));

  const fill = async (from: number, to: number): Promise<void> => {
    const rows = Array.from({ length: to - from + 1 }, (_, n) => ({
      id: idOf(from + n),
      n: from + n,
    }));
    await db.query(
      "insert into page_rows select * from json_to_recordset($1) as fresh(id uuid, n integer)",
      [JSON.stringify(rows)],
    );
  };
  const read = async (wish: PageWish, filters: PageSource["filters"] = {}, on: Queryable = db) => {
    const source = { columns: "row.id, row.n", from: "page_rows", filters };
    const { rows, next } = await page<{ id: string; n: number }>(on, wish, source);
    return { numbers: rows.map(({ n }) => n), next };
  };
  /** All pages one after the other, with something happening between them. */
  const walk = async (wish: PageWish, filters: PageSource["filters"], between = async () => {}) => {
    const pages: number[][] = [];
    for (let after: string | null | undefined; after !== null; await between()) {
      const { numbers, next } = await read({ ...wish, after }, filters);
      pages.push(numbers);
      after = next;
    }
    return pages;
  };

  it("has 50 rows unless asked otherwise, and a next while something is left", async () => {
    assert.deepEqual(await read({}), { numbers: [], next: null });
    await fill(1, 51);
    const { numbers, next } = await read({});
    assert.deepEqual([numbers.length, numbers[0], numbers[49], next], [50, 51, 2, idOf(2)]);
    assert.deepEqual(await read({ after: next ?? "" }), { numbers: [1], next: null });
    assert.equal((await read({ limit: 51 })).next, null, "nothing is left after the last row");
  });

  it("is empty and says where to go on after so many rows that do not fit", async () => {
    await fill(1, 5000);
    assert.deepEqual(await walk({}, { "n = ?": 1 }), [[], [], [1]]);
  });

  it("skips nothing and tells nothing twice while rows are made between the pages", async () => {
    await fill(1, 11_000);
    let last = 11_000;
    const grow = async () => {
      await fill(last + 1, last + 700);
      last += 700;
    };
    const pages = await walk({ limit: 4 }, { "n % 1000 = ?": 0 }, grow);
    const wanted = Array.from({ length: 11 }, (_, index) => 11_000 - index * 1000);
    assert.deepEqual(pages.flat(), wanted);
  });

  for (const [name, rows, filters, told, happens] of [
    // Only row 2 is told, the last one that the first page looks at.
    ["rows come", 2001, { "n % 2000 = ?": 2 }, 2, () => fill(3000, 3003)],
    [
      ...(["a row goes", 3000, { "n = ?": 1000 }, 1000] as const),
      async () => void (await db.query("delete from page_rows where n = $1", [2999])),
    ],
  ] as const) {
    it(`tells each row once when ${name} before a page is read once more`, async () => {
      await fill(1, rows);
      let statements = 0;
      const disturbed: Queryable = {
        async query<Found>(text: string, values?: readonly unknown[]) {
          statements += 1;
          if (statements === 2) await happens();
          return db.query<Found>(text, values);
        },
      };
      const first = await read({}, filters, disturbed);
      const second = await read({ after: first.next ?? "" }, filters);
      assert.deepEqual([...first.numbers, ...second.numbers], [told]);
    });
  }
});

interface Node {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Node[];
}

function mostRows(node: Node): number {
  const read = (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
  return Math.max(read, ...(node.Plans ?? []).map(mostRows));
}

onPostgres("a page of what is one shop's", () => {
  const ROWS = 60_000;
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await openTestDatabase("postgres");
    client = new pg.Client({ connectionString: database.config.databaseUrl });
    await client.connect();
    // Half of it is the first shop's, as orders are: an index of theirs begins with the shop as well.
    await client.query(`set random_page_cost = 1.1;
      create table page_rows (id uuid primary key, shop_id uuid not null, number text not null,
        user_id uuid, amount integer not null, unique (shop_id, number));
      create index on page_rows (shop_id, id);
      create index on page_rows (user_id, id) where user_id is not null;
      insert into page_rows
      select (lpad(to_hex(${START} + n * 1000), 12, '0') || '70008000000000000000')::uuid, shop, md5(n::text),
        shop, n
      from generate_series(1, ${ROWS}) n cross join lateral (
        select lpad(to_hex(case when n % 2 = 0 then 0 else n % 39 + 1 end), 32, '0')::uuid as shop) of`);
    await client.query("vacuum analyze page_rows");
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  /** What a page reads: blocks in all, and rows at most in one place. */
  async function cost(wish: PageWish, source: Partial<PageSource>) {
    let [blocks, rows] = [0, 0];
    const explained: Queryable = {
      async query<Found>(text: string, values?: readonly unknown[]) {
        const plan = await client.query(
          `explain (analyze, buffers, timing off, format json) ${text}`,
          [...(values ?? [])],
        );
        const top = plan.rows[0]["QUERY PLAN"][0].Plan;
        blocks += top["Shared Hit Blocks"] + top["Shared Read Blocks"];
        rows = Math.max(rows, mostRows(top));
        return (await client.query(text, [...(values ?? [])])).rows as Found[];
      },
    };
    await page(explained, wish, { columns: "row.id", from: "page_rows", ...source });
    return { blocks, rows };
  }

  const shop = (n: number) => `00000000-0000-0000-0000-${n.toString(16).padStart(12, "0")}`;
  const at = (part: number) => new Date(START + ROWS * 1000 * part).toISOString();
  const PLACES: Readonly<Record<string, PageWish>> = {
    "the first": {},
    "in the middle": { after: idOf(ROWS / 2) },
    "near the end": { after: idOf(ROWS / 50) },
    "of an hour": { from: at(0.5), to: at(0.56) },
    "of the last hour": { from: at(0.94) },
    "of an hour, further on": { from: at(0.3), to: at(0.56), after: idOf(ROWS * 0.4) },
  };
  const WAYS: Readonly<Record<string, Partial<PageSource>>> = {
    "the largest shop": { leads: { shop_id: shop(0) } },
    "a small shop": { leads: { shop_id: shop(20) } },
    "several shops": { each: { column: "shop_id", ids: [0, 3, 20].map(shop) } },
    "a user, by an index of those who have one": { leads: { user_id: shop(0) } },
  };
  for (const [who, source] of Object.entries(WAYS)) {
    for (const [where, wish] of Object.entries(PLACES)) {
      it(`costs what the first one does: of ${who}, ${where}`, async () => {
        const plain = await cost(wish, source);
        assert.ok(plain.blocks < 250 && plain.rows <= 200, JSON.stringify(plain));
        const filtered = await cost(wish, { ...source, filters: { amount: -1 } });
        assert.ok(filtered.rows <= 4000, JSON.stringify(filtered));
      });
    }
  }
});
