// An upgrade without a stop: what this code does on tables that are one version newer, and that it stops
// at tables which have lost what it asks for.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { verify } from "../src/cli/local/verify.ts";
import { postLinesJob } from "../src/features/intake/post-lines.job.ts";
import { findViolations } from "../src/features/ledger/queries.ts";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { openDb } from "../src/platform/open-db.ts";
import { eventually } from "../torture/eventually.ts";
import { assertBooksAreRight } from "./books.ts";
import {
  migrateTestDatabase,
  onPostgres,
  openTestDatabase,
  openTestGateway,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { manage } from "./manage.ts";
import { orders } from "./orders.ts";
import { freePort, killLeftovers, runKopeck } from "./process.ts";

const OWN = join(import.meta.dirname, "../migrations");
const KNOWN = readdirSync(OWN).length;

function fileName(version: number, rest: string): string {
  return `${String(version).padStart(4, "0")}_${rest}.sql`;
}

/** The next two versions: one that adds, and one that takes away what the first made needless. */
function nextVersions(many: 1 | 2): string {
  const directory = mkdtempSync(join(tmpdir(), "kopeck-migrations-"));
  cpSync(OWN, directory, { recursive: true });
  const expand = `alter table invoices add column remark text default 'none' not null;
    alter table payments add column remark text;
    create table remarks (id uuid primary key, invoice_id uuid references invoices);
    create index invoices_by_remark on invoices (remark);`;
  const contract = `-- needs code ${KNOWN + 1}\nalter table invoices drop column remark;`;
  const files = [expand, contract].slice(0, many);
  for (const [index, text] of files.entries()) {
    const name = fileName(KNOWN + 1 + index, index === 0 ? "expand" : "contract");
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

onPostgres("tables of a newer version", () => {
  let gateway: Awaited<ReturnType<typeof openTestGateway>>;
  let database: TestDatabase;
  before(async () => {
    gateway = await openTestGateway("postgres");
    database = { config: gateway.app.config, drop: async () => {} };
  });
  after(async () => {
    killLeftovers();
    await gateway.stop();
  });

  /** What merchants do, from the first call to money that is there; and a look of an operator at all columns. */
  const pay = async (): Promise<void> => {
    const { order, pay: arrive, balance } = orders(gateway);
    const [old = 0] = await balance();
    const placed = await order();
    assert.equal((await arrive(placed)).state, "matched");
    assert.equal((await balance())[0], old + 96_000);
    const { invoice } = await manage(gateway).get(`invoices/${placed.id}`);
    assert.equal(invoice.state, "paid");
  };
  const environment = async () => ({
    DATABASE_URL: gateway.app.config.databaseUrl ?? "",
    PORT: String(await freePort()),
  });

  it("that only add are as good as its own, for one that runs and for one that starts", async () => {
    await pay();
    const expanded = fileName(KNOWN + 1, "expand");
    assert.deepEqual(await migrateTestDatabase(database, nextVersions(1)), [expanded]);
    await pay();
    await assertBooksAreRight(gateway);
    const env = await environment();
    assert.equal(await verify.run({ input: {}, env, print: () => {} }), 0);
    const migrated = await runKopeck(env, ["migrate"]).ended;
    assert.equal(migrated.stdout, "all migrations were there already\n", migrated.stderr);
    const copied = await runKopeck({ ...env, KOPECK_COPY_TO: env.DATABASE_URL }, ["copy"]).ended;
    assert.match(copied.stderr, /This Kopeck does not know .*expand/, "a copy would lose it");
  });

  it("that have lost something are refused by code that may ask for it, in one line", async () => {
    await migrateTestDatabase(database, nextVersions(2));
    const { code, stderr } = await runKopeck(await environment()).ended;
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(
        `^kopeck: The database has ${fileName(KNOWN + 2, "contract")}, which needs [^\\n]+\\n$`,
      ),
    );
  });
});

onPostgres("money that had left before it was booked", () => {
  /** What version 18 has left behind: two returns, one of money that nobody had proven, and a line. */
  const OLD = `
    insert into requisites (id, bank, receiver_name, currency, card_sealed, card_digest, min_minor,
        max_minor, created_at)
      values ('00000000-0000-4000-8000-0000000000aa', 'sber', 'A', 'RUB', '\\x00', '\\x00', 1, 2,
        '2026-01-01Z');
    insert into transfers (id, requisite_id, reference, currency, amount_minor, state, suspense_reason,
        received_at, settled_at, settled_by, settled_reason, needs_proof)
      select ('00000000-0000-7000-8000-00000000000' || n)::uuid, requisites.id, 'r' || n, 'RUB',
        100 * n, 'returned', 'nobody_expected', at, at, 'a', 'b', n = 2
      from requisites, generate_series(1, 2) n, (values (timestamptz '2026-01-01Z')) moment(at);
    insert into ledger_postings (id, source_id, kind, currency, requisite_id, created_at, bank_minor,
        suspense_minor)
      select gen_random_uuid(), id, kind, 'RUB', requisite_id, received_at, sign * amount_minor,
        -sign * amount_minor
      from transfers, (values ('transfer_suspense', -1), ('suspense_returned', 1)) of(kind, sign);
    insert into imports (id, digest, filename, format, lines, pending_lines, done_lines, created_at,
        created_by, applied_at)
      values ('00000000-0000-7000-8000-0000000000cc', '\\x00', 'f', '1c', 1, 0, 1, '2026-01-01Z', 'a',
        '2026-01-01Z');
    insert into statement_lines (id, requisite_id, format, key, ordinal, import_id, row_number, seen_in,
        direction, day, amount_minor, fate)
      select '00000000-0000-7000-8000-0000000000dd', requisites.id, '1c', 'k', 1, imports.id, 1,
        imports.id, 'out', '2026-01-01', 100, 'outflow' from requisites, imports`;

  it("stands where it would, had it been booked from the start", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kopeck-migrations-"));
    for (const name of readdirSync(OWN).filter((one) => one < "0019"))
      cpSync(join(OWN, name), join(directory, name));
    const database = await openTestDatabase("postgres");
    await migrateTestDatabase(database, directory);
    const db = await openDb(testConfig(database.config), openLog("error"));
    await db.query(OLD).finally(() => db.close());
    const gateway = await startGateway({
      config: testConfig(database.config),
      log: openLog("error"),
    });
    try {
      await postLinesJob.due?.settle(gateway.app);
      // A job of the gateway may have them in hand.
      const count = "select count(*)::integer as n from ledger_postings";
      await eventually(
        "six postings",
        async () => (await gateway.app.db.query<{ n: number }>(count))[0]?.n === 6,
      );
      const [sums] = await gateway.app.db.query(
        `select sum(bank_minor)::integer as bank, sum(bank_out_minor)::integer as out,
                count(distinct id)::integer as ids, count(*)::integer as postings from ledger_postings`,
      );
      // The return was seen by the line: nothing is on its way, and nothing on the card.
      assert.deepEqual(sums, { bank: 0, out: 0, ids: 6, postings: 6 });
      assert.deepEqual(
        (await findViolations(gateway.app.db, gateway.app.clock.now())).filter(
          ({ invariant }) => invariant === 34 || invariant === 6,
        ),
        [],
      );
    } finally {
      await gateway.stop();
      await database.drop();
    }
  });
});
