// For each house rule, trees that break it and trees that keep it: a rule that nobody saw biting may have no teeth.
// Words that are true for one machine only are put together from halves, so that this file keeps the rules it shows.

export type Tree = Record<string, string>;

/** `at` is the one violation that the rule must find, as "path:line". */
type BadTree = { at: string; tree: Tree };

/** At least one of each kind. */
type Examples = Record<string, { bad: [BadTree, ...BadTree[]]; good: [Tree, ...Tree[]] }>;

const HANDLER = "src/features/payments/create-payment.endpoint.ts";
const PAYMENTS = "src/features/payments/queries.ts";
const LEDGER = "src/features/ledger/queries.ts";
const POST = "src/features/ledger/post.ts";
const FEE = "src/domain/fee.ts";

/** A tree of one file with its one violation on the line given. */
function bad(path: string, text: string, line = 1): BadTree {
  return at(path, line, { [path]: text });
}

function at(path: string, line: number, tree: Tree): BadTree {
  return { at: `${path}:${line}`, tree };
}

function imports(path: string, ...specifiers: string[]): Tree {
  return { [path]: specifiers.map((specifier) => `import { x } from "${specifier}";\n`).join("") };
}

function badImport(path: string, specifier: string): BadTree {
  return at(path, 1, imports(path, specifier));
}

/** What stands in the queries of two rooms. */
function rooms(ledger: string, payments: string): Tree {
  return { [LEDGER]: ledger, [PAYMENTS]: payments };
}

/** What is drawn, in the sixth line of the document and after it, and the files that there are. */
function drawn(lines: readonly string[], ...files: string[]): Tree {
  const document = ["# Architecture", "```", "no tree", "```", "```text", ...lines, "```", ""];
  const tree = Object.fromEntries(files.map((file) => [file, ""]));
  return { "ARCHITECTURE.md": document.join("\n"), ...tree };
}

export const EXAMPLES = {
  "imports follow the floors, the order of the rooms and the entrances": {
    bad: [
      badImport("src/features/desk/show-transfers.page.ts", "../transfers/queries.ts"),
      badImport(FEE, "node:crypto"),
      badImport(FEE, "../platform/app.ts"),
      badImport("src/platform/server.ts", "../features/index.ts"),
      badImport(POST, "../payments/queries.ts"),
      badImport(POST, "../index.ts"),
      badImport(POST, "../../gateway.ts"),
      badImport(POST, "../../../sdk/client.ts"),
      badImport(POST, "../../../test/server.ts"),
      badImport("src/gateway.ts", "./cli/list.ts"),
      badImport("src/main.ts", "./platform/app.ts"),
      badImport("src/cli/pay.ts", "../platform/db.ts"),
      badImport("sdk/src/client.ts", "node:crypto"),
      badImport("test/races.test.ts", "./crashes.test.ts"),
      bad("src/features/loyalty/queries.ts", "export const x = 1;"),
      bad(FEE, 'import {\n  a,\n  b,\n} from "../platform/app.ts";', 4),
      bad("src/platform/app.ts", 'const x = await import("../domain/money.ts");'),
      bad("src/platform/app.ts", 'new URL("../features/ledger/post.ts", import.meta.url);'),
    ],
    good: [
      imports("src/features/desk/show.page.ts", "../transfers/manage-transfers.endpoint.ts"),
      imports("src/domain/fee.test.ts", "node:test", "./fee.ts", "../../test/a.ts"),
      imports("src/platform/server.ts", "./app.ts", "fastify", "../../package.json"),
      imports(HANDLER, "../../domain/fee.ts", "../ledger/post.ts", "../../platform/app.ts"),
      imports("src/cli/local/serve.ts", "../list.ts", "../../gateway.ts"),
      imports("src/cli/pay.ts", "./print.ts", "../../sdk/client.ts"),
      imports("torture/crash.ts", "../src/gateway.ts", "../test/server.ts"),
      { [FEE]: '// import { x } from "node:fs";\nexport const x = `import "node:fs"`;' },
    ],
  },

  "SQL stands only in a room's queries": {
    bad: [
      bad(HANDLER, "\n\nawait tx.query(`select id from payment`);", 3),
      bad(HANDLER, "await tx.query(`update ${table} set status = $1`);"),
      bad(HANDLER, "await tx.query(`\n  with due as (select 1) select * from due`);"),
      bad(HANDLER, "f(`${g(`/* due */ select 1`)}`);"),
      bad("src/domain/payment.ts", "export const sql = `truncate payment`;"),
    ],
    good: [
      { [PAYMENTS]: "tx.query(`select 1`)" },
      { "src/platform/db-postgres.ts": "tx.query(`select 1`)" },
      { [HANDLER]: '// select 1\nlog("updated: with care"); f("selected", "with a as");' },
    ],
  },

  "a table has one writer": {
    bad: [
      at(PAYMENTS, 2, rooms("q(`insert into hold`)", '\nq(`delete from "Hold"`)')),
      at(
        PAYMENTS,
        1,
        rooms("q(`insert into hold`)", "q(`with a as (update only hold set b = 1)`)"),
      ),
      bad(PAYMENTS, "q(`insert into ledger_entry (id) values ($1)`)"),
      bad(PAYMENTS, "q(`insert into ${table} (id) values ($1)`)"),
    ],
    good: [
      rooms("q(`insert into hold`)", "q(`select a from hold for update of hold`)"),
      rooms(
        "q(`insert into hold`)",
        "// update hold set a = 1\nq(`-- delete from hold\nselect 1`)",
      ),
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
    ],
  },

  "SQL reads no clock": {
    bad: [
      bad(PAYMENTS, "q(`select 1 where at < NOW ( )`)"),
      bad(PAYMENTS, "\nq(`select current_date`)", 2),
      bad(PAYMENTS, "const due = `at < clock_timestamp()`;"),
    ],
    good: [{ [PAYMENTS]: "// now()\nq(`select 1 -- not now()\nwhere at < ${now()} and known()`)" }],
  },

  "the domain and the rooms read no clock, environment or chance": {
    bad: [
      bad(FEE, "export const at = Date.now();"),
      bad(HANDLER, "\nexport const at = new Date( );", 2),
      bad(HANDLER, "const at = Date();"),
      bad(HANDLER, 'const url = process["env"];'),
      bad(HANDLER, "const id = `${crypto.randomUUID()}`;"),
    ],
    good: [
      { [FEE]: "const at = new Date(atMs); // Not Date.now()\nthis.process.run(`Date.now()`);" },
      { [HANDLER]: "const at = app.clock.now(); const validDate = toDate(at); reprocess.env;" },
      { "src/platform/app.ts": "const clock = { now: () => Date.now() };" },
    ],
  },

  "money is divided only in domain/money.ts": {
    bad: [
      bad(FEE, "const half = price.minor / two;"),
      bad(HANDLER, "const half = BigInt(row.fee_minor) / two;"),
      bad(FEE, "const share = whole / (a.feeMinor + b);"),
      bad(FEE, "const roubles = kopecks / 100n;"),
      bad(FEE, "\nconst share = parseFloat(text);", 2),
      bad("src/domain/money.ts", "const words = amount.toFixed(2);"),
    ],
    good: [
      { "src/domain/money.ts": "return minor / divisor + minor / 100n;" },
      { [FEE]: "const fee = divCeil(priceMinor * rate, million); // feeMinor / two" },
      { [FEE]: "const r = /minor / 2/.test(`feeMinor / two`);" },
    ],
  },

  "a door has its test beside it": {
    bad: [bad(HANDLER, ""), bad("src/features/checkout/pay.page.ts", "")],
    good: [{ "src/features/a/b.job.ts": "", "src/features/a/b.job.test.ts": "" }],
  },

  "names say something": {
    bad: [bad("src/platform/helpers/clock.ts", ""), bad("test/payment-service.ts", "")],
    good: [{ "src/platform/base-url.ts": "", "src/platform/database.ts": "", LICENSE: "" }],
  },

  "a file opens with a comment": {
    bad: [bad(FEE, "\n// Too late.\n"), bad("bin/kopeck.mjs", "#!/usr/bin/env node\nimport x;")],
    good: [{ [FEE]: "// Fees.\n", "bin/kopeck.mjs": "#!/usr/bin/env node\n// The launcher.\n" }],
  },

  "no file is too long": {
    bad: [bad(FEE, "// A line.\n".repeat(601), 601)],
    good: [{ [FEE]: "// A line.\n".repeat(600), "test/a.ts": "// A line.\n".repeat(700) }],
  },

  "the tree in ARCHITECTURE.md is true": {
    bad: [
      at("ARCHITECTURE.md", 1, { "ARCHITECTURE.md": "# No tree" }),
      at("ARCHITECTURE.md", 1, drawn(["src/", "  domain/", "    fee.ts"], FEE, "src/domain/a.ts")),
      at("ARCHITECTURE.md", 8, drawn(["src/", "  domain/", "    fee.ts  money.ts"], FEE)),
      at("ARCHITECTURE.md", 9, drawn(["src/", "  domain/", "    fee.ts", "    fee.ts"], FEE)),
      at("ARCHITECTURE.md", 1, drawn(["src/", "  main.ts"], "src/main.ts", "migrations/01_a.sql")),
    ],
    good: [
      drawn(
        ["docs/  api.md", "src/", "  domain/     pure", "    fee.ts    rates, see money.ts"],
        "docs/api.md",
        FEE,
        "src/domain/fee.test.ts",
      ),
    ],
  },

  "nothing of one machine leaks into the tree": {
    bad: [
      bad("README.md", `\nSee ${"/wo"}rk/main.`, 2),
      bad(".ci/run", `cd ${"/ro"}ot/kopeck`),
      bad("package-lock.json", `"https://registry.${"npm"}js.org/pg"`),
    ],
    good: [{ "README.md": "See /var/lib/kopeck and https://kopeck.example/work/root/." }],
  },
} satisfies Examples;
