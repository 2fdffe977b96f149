// Trees that keep and that break the rules about SQL.
import type { BadTree, Examples, Tree } from "./example.ts";
import { bad } from "./example.ts";

const PAYMENTS = "src/features/payments/queries.ts";
const LEDGER = "src/features/ledger/queries.ts";
const HANDLER = "src/features/payments/create-payment.endpoint.ts";

/** What stands in the queries of two rooms. */
function rooms(ledger: string, payments: string): Tree {
  return { [LEDGER]: ledger, [PAYMENTS]: payments };
}

function at(path: string, line: number, tree: Tree): BadTree {
  return { at: `${path}:${line}`, tree };
}

export const sqlExamples = {
  "SQL stands only in a room's queries": {
    bad: [
      bad(HANDLER, "\n\nawait tx.query(`select id from payment`);", 3),
      bad(HANDLER, 'await tx.query("INSERT INTO payment values ($1)");'),
      bad(HANDLER, "await tx.query('update payment set status = $1');"),
      bad(HANDLER, "await tx.query(`update payment as p set status = $1`);"),
      bad(HANDLER, "await tx.query(`update ${table} set status = $1`);"),
      bad(HANDLER, "await tx.query(`delete from payment`);"),
      bad(HANDLER, "await tx.query(`merge into payment using due`);"),
      bad(HANDLER, "await tx.query(`\n  with due as (select 1) select * from due`);"),
      bad(HANDLER, "await tx.query(`with recursive due (id) as materialized (select 1)`);"),
      bad(HANDLER, "await tx.query(`/* due */ -- now\n select 1`);"),
      bad(HANDLER, "f(`${g(`select 1`)}`);"),
      bad("src/platform/metrics.ts", "await db.query(`select 1`);"),
      bad("src/features/payments/queries-more.ts", "await db.query(`select 1`);"),
      bad("src/domain/payment.ts", "export const sql = `truncate payment`;"),
      bad("src/main.ts", 'await db.query("lock table payment in exclusive mode");'),
    ],
    good: [
      { [PAYMENTS]: "tx.query(`select 1`)" },
      { "src/features/payments/transfer-queries.ts": "tx.query(`select 1`)" },
      { "src/platform/migrate.ts": "tx.query(`create table migration ()`)" },
      { "src/platform/db-postgres.ts": "tx.query(`select 1`)" },
      { "src/features/payments/create-payment.endpoint.test.ts": "tx.query(`select 1`)" },
      { "migrations/01_start.sql": "insert into bank values (1);" },
      {
        [HANDLER]:
          '// select 1\nlog("updated: with care, delete fromage"); f("selected", "with a as");',
      },
    ],
  },

  "a table has one writer": {
    bad: [
      at(PAYMENTS, 1, rooms("q(`insert into hold`)", "q(`update hold set a = 1`)")),
      at(PAYMENTS, 2, rooms("q(`insert into hold`)", '\nq(`delete from "Hold"`)')),
      at(PAYMENTS, 1, {
        "src/platform/migrate.ts": "q(`insert into migration`)",
        [PAYMENTS]: "q(`with a as (update only migration as m set b = 1 returning c) select 1`)",
      }),
      bad(PAYMENTS, "q(`insert into ledger_entry (id) values ($1)`)"),
      bad(PAYMENTS, "q(`insert into ${table} (id) values ($1)`)"),
      bad(PAYMENTS, "q(`update ${table} set id = $1`)"),
      bad("src/platform/db-page.ts", "q(`insert into ${table} select 1`)"),
    ],
    good: [
      { [LEDGER]: "q(`insert into ledger_entry`); q(`update ledger_entry set a = 1`)" },
      rooms("q(`insert into hold`)", "q(`select a from hold for update of hold`)"),
      rooms(
        "q(`insert into a on conflict do update set b = 1`)",
        "q(`insert into b on conflict do update set b = 1`)",
      ),
      rooms(
        "q(`insert into hold`)",
        "// update hold set a = 1\nq(`-- delete from hold\nselect 1`)",
      ),
      {
        [LEDGER]: "q(`insert into hold`)",
        "src/features/payments/a.job.test.ts": "q(`delete from hold`)",
        [HANDLER]: 'log("we never delete from hold");',
      },
    ],
  },

  "SQL keeps to the order of the rooms": {
    bad: [
      at(LEDGER, 2, rooms("\nq(`select a from hold`)", "q(`insert into hold`)")),
      at(LEDGER, 1, rooms('page({ from: "hold" })', "q(`insert into hold`)")),
      at(LEDGER, 1, {
        "migrations/06_payments.sql": "create view held as select 1;",
        [LEDGER]: "q(`select 1 from a join lateral (select 1 from HELD) b on true`)",
      }),
    ],
    good: [
      rooms("q(`insert into hold`)", "q(`select a from hold join hold b`)"),
      rooms("// from hold\nq(`select hold from due`)", "q(`insert into hold`)"),
      {
        [PAYMENTS]: "q(`insert into hold`)",
        "src/features/ledger/a.test.ts": "q(`select 1 from hold`)",
        "src/features/overview/list-queries.ts": "q(`select 1 from hold`)",
      },
      { "migrations/01_settings.sql": "create table a ();", [LEDGER]: "q(`select 1 from a`)" },
    ],
  },

  "SQL reads no clock": {
    bad: [
      bad(PAYMENTS, "q(`select 1 where at < now()`)"),
      bad(PAYMENTS, "q(`select 1 where at < NOW ( )`)"),
      bad(PAYMENTS, 'q("select current_timestamp")'),
      bad(PAYMENTS, "const due = `at < clock_timestamp()`;"),
      bad(PAYMENTS, "\nq(`select current_date`)", 2),
      bad("src/platform/migrate.ts", "q(`insert into migration (at) values (now())`)"),
      bad(HANDLER, "q(`select now()`)"),
    ],
    good: [
      { [PAYMENTS]: "// now()\nq(`select 1 -- not now()\nwhere at < ${now()} and known()`)" },
      { "migrations/01_start.sql": "select now();" },
      { [HANDLER]: 'log("now() is never called");' },
    ],
  },
} satisfies Examples;
