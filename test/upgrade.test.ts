// An upgrade without a stop: what this code does on tables that are one version newer, and that it stops
// at tables which have lost what it asks for.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { verify } from "../src/cli/local/verify.ts";
import { assertBooksAreRight } from "./books.ts";
import { migrateTestDatabase, onPostgres, openTestGateway, type TestDatabase } from "./gateway.ts";
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
