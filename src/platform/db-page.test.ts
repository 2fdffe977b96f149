// Pages of a table while others write to it: each row once, however many rows have to be looked through; and what a
// page reads, wherever it is.
// In which order, by which filters and from which place is asked by db-page-walk.test.ts, and of every list by
// test/lists.test.ts.

import assert from "node:assert/strict";
import { after, before, beforeEach, it } from "node:test";
import {
  onOneEngine,
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

onOneEngine("a page", (engine) => {
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
