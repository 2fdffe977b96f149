// Pages of a table: in order, each row once, however many rows have to be looked through.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  onEachEngine,
  openTestDatabase,
  type TestDatabase,
  testConfig,
} from "../../test/gateway.ts";
import type { Db, Queryable } from "./db.ts";
import { type PageSource, type PageWish, page } from "./db-page.ts";
import { openLog } from "./log.ts";
import { openDb } from "./open-db.ts";

interface Row {
  readonly id: string;
  readonly n: number;
}

const START = Date.parse("2026-01-01T00:00:00Z");

/** As ids are made: the moment first. Row n is of the nth second. */
function idOf(n: number, tail = 0): string {
  const hex = (START + n * 1000).toString(16).padStart(12, "0");
  const last = String(tail).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${last}`;
}

const momentOf = (n: number): string => new Date(START + n * 1000).toISOString();

onEachEngine("a page", (engine) => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await openTestDatabase(engine);
    db = await openDb(testConfig(database.config), openLog("silent"));
    await db.query(`create table page_rows (id uuid primary key, owner uuid not null, n integer not null);
      create index page_rows_of_owner on page_rows (owner, id)`);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });
  beforeEach(() => db.query("truncate page_rows"));

  /** Rows from … to, of owners that take turns. */
  const fill = async (from: number, to: number, owners = 1): Promise<void> => {
    const rows = Array.from({ length: to - from + 1 }, (_, index) => ({
      id: idOf(from + index),
      owner: idOf(0, (from + index) % owners),
      n: from + index,
    }));
    await db.query(
      `insert into page_rows select * from json_to_recordset($1)
         as fresh(id uuid, owner uuid, n integer)`,
      [JSON.stringify(rows)],
    );
  };
  const read = (wish: PageWish, source: Partial<PageSource> = {}, queryable: Queryable = db) =>
    page<Row>(queryable, wish, { columns: "row.id, row.n", from: "page_rows", ...source });
  const numbers = async (wish: PageWish, source: Partial<PageSource> = {}): Promise<number[]> =>
    (await read(wish, source)).rows.map(({ n }) => n);
  /** All pages one after the other, with something happening between them. */
  const walk = async (
    wish: PageWish,
    source: Partial<PageSource>,
    between: (turn: number) => Promise<void> = async () => {},
  ): Promise<number[][]> => {
    const pages: number[][] = [];
    let after: string | undefined;
    do {
      const { rows, next } = await read({ ...wish, after }, source);
      pages.push(rows.map(({ n }) => n));
      after = next ?? undefined;
      await between(pages.length);
    } while (after !== undefined);
    return pages;
  };

  describe("in order", () => {
    it("the newest first, 50 or as many as asked for, with a next while something is left", async () => {
      assert.deepEqual(await read({}), { rows: [], next: null });
      await fill(1, 51);
      const { rows, next } = await read({});
      assert.deepEqual([rows.length, rows[0]?.n, rows[49]?.n, next], [50, 51, 2, idOf(2)]);
      assert.deepEqual(await numbers({ after: next ?? "" }), [1]);
      assert.deepEqual(await numbers({ limit: 3 }), [51, 50, 49]);
      assert.equal((await read({ limit: 51 })).next, null, "nothing is left after the last row");
      assert.deepEqual(await walk({ limit: 20 }, {}), [
        Array.from({ length: 20 }, (_, index) => 51 - index),
        Array.from({ length: 20 }, (_, index) => 31 - index),
        Array.from({ length: 11 }, (_, index) => 11 - index),
      ]);
    });

    it("from a moment on, before another one, and both", async () => {
      await fill(1, 5);
      assert.deepEqual(await numbers({ from: momentOf(3) }), [5, 4, 3]);
      assert.deepEqual(await numbers({ to: momentOf(3) }), [2, 1]);
      assert.deepEqual(await numbers({ from: momentOf(2), to: momentOf(4) }), [3, 2]);
      assert.deepEqual(await numbers({ from: momentOf(4), to: momentOf(2) }), []);
      assert.deepEqual(await walk({ from: momentOf(2), limit: 3 }, {}), [[5, 4, 3], [2]]);
      assert.deepEqual(await numbers({ to: "9999-12-31T23:59:59.999Z", limit: 1 }), [5]);
    });

    it("by conditions of an index and filters; what is undefined is left out", async () => {
      await fill(1, 12, 3);
      const source = {
        by: { "owner = ?": idOf(0, 1) },
        filters: { "n > ?": 3, "n < ?": undefined },
      };
      assert.deepEqual(await numbers({}, source), [10, 7, 4]);
      assert.deepEqual(await walk({ limit: 2 }, source), [[10, 7], [4]]);
      // Both name the same condition: it is checked once, by the index.
      const twice = { by: { "n = ?": 7 }, filters: { "n = ?": 7 } };
      assert.deepEqual(await numbers({}, twice), [7]);
    });

    it("by two ids, where the first one repeats", async () => {
      await fill(1, 6, 2);
      const key = ["owner", "id"];
      assert.deepEqual(await walk({ limit: 2 }, { key }), [
        [5, 3],
        [1, 6],
        [4, 2],
      ]);
      const { next } = await read({ limit: 2 }, { key });
      assert.equal(next, `${idOf(0, 1)}.${idOf(3)}`);
    });

    it("for each of several ids, in one order", async () => {
      await fill(1, 12, 4);
      const each = { column: "owner", ids: [idOf(0, 1), idOf(0, 3)] };
      assert.deepEqual(await walk({ limit: 4 }, { each }), [
        [11, 9, 7, 5],
        [3, 1],
      ]);
      assert.deepEqual(await numbers({ from: momentOf(4) }, { each }), [11, 9, 7, 5]);
      assert.deepEqual(await numbers({}, { each, filters: { "n < ?": 6 } }), [5, 3, 1]);
      assert.deepEqual(await read({}, { each: { column: "owner", ids: [] } }), {
        rows: [],
        next: null,
      });
    });
  });

  describe("with a filter, over more rows than one page looks through", () => {
    it("finds the oldest of 5,000, after empty pages that say where to go on", async () => {
      await fill(1, 5000);
      const oldest = { filters: { "n = ?": 1 } };
      assert.deepEqual(await walk({}, oldest), [[], [], [1]]);
      assert.deepEqual(await walk({ to: momentOf(2001) }, oldest), [[1], []]);
    });

    it("skips nothing and tells nothing twice while rows are made between the pages", async () => {
      await fill(1, 11_000);
      let last = 11_000;
      const grow = async () => {
        await fill(last + 1, last + 700);
        last += 700;
      };
      const pages = await walk({ limit: 4 }, { filters: { "n % 1000 = ?": 0 } }, grow);
      const wanted = Array.from({ length: 11 }, (_, index) => 11_000 - index * 1000);
      assert.deepEqual(pages.flat(), wanted);
    });

    it("looks through a bounded number of rows for several ids, too", async () => {
      await fill(1, 2080, 2);
      const each = { column: "owner", ids: [idOf(0, 0), idOf(0, 1)] };
      const pages = await walk({}, { each, filters: { "n <= ?": 2 } });
      assert.deepEqual(pages, [[], [], [2, 1]]);
    });

    /** Before a page's second or third statement something happens to other rows. */
    const disturbed = (at: number, happens: () => Promise<void>): Queryable => {
      let statements = 0;
      return {
        async query<Found>(text: string, values?: readonly unknown[]) {
          statements += 1;
          if (statements === at) await happens();
          return db.query<Found>(text, values);
        },
      };
    };

    for (const at of [2, 3]) {
      it(`tells nothing twice when rows come before statement ${at} of one page`, async () => {
        await fill(1, 2001);
        // Only row 2 is told, the last one that the first page looks at.
        const filters = { "n % 2000 = ?": 2 };
        const busy = disturbed(at, () => fill(3000, 3003));
        const first = await read({}, { filters }, busy);
        const second = await read({ after: first.next ?? "" }, { filters });
        const told = [...first.rows, ...second.rows].map(({ n }) => n);
        assert.deepEqual(told, [2]);
      });

      it(`skips nothing when a row goes before statement ${at} of one page`, async () => {
        await fill(1, 3000);
        const filters = { "n = ?": 1000 };
        const busy = disturbed(at, async () => {
          await db.query("delete from page_rows where n = $1", [2999]);
        });
        const first = await read({}, { filters }, busy);
        const second = await read({ after: first.next ?? "" }, { filters });
        assert.deepEqual(
          [...first.rows, ...second.rows].map(({ n }) => n),
          [1000],
        );
      });
    }
  });

  it("refuses a place with another number of ids than the list has", async () => {
    for (const [after, key] of [
      [`${idOf(1)}.${idOf(2)}`, ["id"]],
      [idOf(1), ["owner", "id"]],
      ["", ["owner", "id"]],
    ] as const) {
      await assert.rejects(read({ after }, { key }), { status: 400 });
    }
  });
});
