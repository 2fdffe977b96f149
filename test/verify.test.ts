// kopeck verify: a healthy database passes, what is wrong is named, and nothing is written. That each kind of
// corruption is found is shown in violations.test.ts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import pg from "pg";
import { verify } from "../src/cli/local/verify.ts";
import { INVARIANTS } from "../src/features/ledger/manage-books.endpoint.ts";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { createH2h, createInvoice } from "./cast.ts";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "./gateway.ts";
import { liveALittle } from "./little-life.ts";
import { manage } from "./manage.ts";
import { templateOrigin, through } from "./orders.ts";
import { killLeftovers, runKopeck } from "./process.ts";

after(killLeftovers);

/** What SQL alone cannot see. */
const SEALED = {
  "a sealed number was damaged":
    "update requisite_numbers set sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1)",
  "two sealed numbers were exchanged": `update requisite_numbers number set sealed = other.sealed
    from requisite_numbers other where other.digest <> number.digest and other.kind = number.kind`,
  "a number's digest is another's":
    "update requisite_numbers set digest = sha256(digest) where kind = 'card'",
  "a webhook key does not open": "update webhook_keys set key_sealed = secret_sealed",
  "a message does not open": `insert into messages (id, source_id, text_digest, day, sender, channel,
      text_sealed, kind, fate, told_at, received_at)
    select gen_random_uuid(), id, '\\x00', '2026-03-01', '900', 'sms', token_digest, 'blocked',
      'noted', created_at, created_at from sources`,
};

it("the names of what must hold are those of docs/money.md", () => {
  const text = readFileSync(join(import.meta.dirname, "../docs/money.md"), "utf8");
  const listed = [...text.matchAll(/^(\d+)\. (.*?)\.?$/gm)].map(([, ...row]) => row);
  assert.deepEqual(listed, Object.entries(INVARIANTS));
});

onPostgres("kopeck verify", () => {
  let template: TestDatabase;
  let templateUrl: string;
  before(async () => {
    template = await openTestDatabase("postgres", templateOrigin());
    templateUrl = template.config.databaseUrl ?? "";
    // On the machine's own clock, which is what the command has; the sandbox's is a day ahead of it.
    const config = testConfig(template.config);
    const gateway = await startGateway({ config, log: openLog("error") });
    await liveALittle(through(gateway));
    await gateway.stop();
  });
  after(() => template.drop());

  /** A database of its own, as the template is but for these statements. */
  async function planted<Result>(
    sql: string,
    work: (url: string) => Promise<Result>,
  ): Promise<Result> {
    const database = await openTestDatabase("postgres", { templateUrl });
    const url = database.config.databaseUrl ?? "";
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(sql);
    await client.end();
    try {
      return await work(url);
    } finally {
      await database.drop();
    }
  }

  async function run(url: string, json = false): Promise<{ code: number; text: string }> {
    let text = "";
    const print = (more: string): void => {
      text += more;
    };
    return { code: await verify.run({ input: { json }, env: { DATABASE_URL: url }, print }), text };
  }

  it("says as a process that the books are right, and what it checked", async () => {
    const { code, stdout, stderr } = await runKopeck({ DATABASE_URL: templateUrl }, ["verify"])
      .ended;
    assert.equal(code, 0, stdout + stderr);
    assert.equal(
      stdout,
      "checked 5 invoices, 4 payments, 3 transfers, 5 postings, 3 events\nthe books are right\n",
    );
  });

  it("prints the same as JSON, and writes nothing", async () => {
    const readOnly = `do $$ begin execute format(
      'alter database %I set default_transaction_read_only = on', current_database()); end $$`;
    const { code, text } = await planted(readOnly, (url) => run(url, true));
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(text), {
      violations: [],
      overdue: [],
      checked: { invoices: 5, payments: 4, transfers: 3, postings: 5, events: 3 },
    });
  });

  for (const [name, sql] of Object.entries(SEALED)) {
    it(`finds that ${name} (26)`, async () => {
      const { code, text } = await planted(sql, (url) => run(url, true));
      assert.equal(code, 1, text);
      const { violations } = JSON.parse(text) as { violations: Record<string, unknown>[] };
      const kinds = new Set(violations.map((one) => `${one["invariant"]} ${one["name"]}`));
      assert.deepEqual(kinds, new Set([`26 ${INVARIANTS[26]}`]));
    });
  }

  it("ends with a short answer and exit code 1 however many violations there are, and counts all", async () => {
    const many = 200_000;
    const lost = `set session_replication_role = replica;
      insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor,
        currency, services, success_url, created_at, expires_at)
      select overlay(gen_random_uuid()::text placing 'f' from 1)::uuid, shop_id, user_id, 'lost-' || n, content_digest, type, 'expired',
        amount_minor, currency, services, success_url, created_at, expires_at
      from (select * from invoices limit 1) one, generate_series(1, ${many}) n`;
    await planted(lost, async (url) => {
      // Less memory than the findings take, which the process as a whole would have at its disposal.
      const env = { DATABASE_URL: url, NODE_OPTIONS: "--max-old-space-size=64" };
      const { code, stdout, stderr } = await runKopeck(env, ["verify"]).ended;
      assert.equal(code, 1, stderr.slice(-2_000));
      assert.match(stdout, /^18 {2}A change of state and its event are there together +invoice /m);
      assert.equal(stdout.match(/ invoice \S+ is expired and its shop /g)?.length, 100);
      const rest = `^18  A change of state .*  and ${many - 100} more$`;
      assert.match(stdout, new RegExp(rest, "m"));
      // On a slow machine something falls due meanwhile, and is told between these lines.
      assert.match(stdout, new RegExp(`^checked ${many + 5} invoices, `, "m"));
      assert.match(stdout, new RegExp(`^${many} violations$`, "m"));
      const { violations } = JSON.parse((await run(url, true)).text);
      assert.deepEqual([violations.length, violations[99].found], [100, many]);
    });
  });

  it("holds what fell due against a running gateway only", async () => {
    const late = `update invoices set created_at = created_at - interval '60 s',
      expires_at = created_at - interval '30 s' where state = 'created'`;
    await planted(late, async (url) => {
      const alone = await run(url);
      assert.equal(alone.code, 0, alone.text);
      assert.match(alone.text, /the next start sees to:\n {2}invoice .* past its end\n/);
      const gateway = new pg.Client({ connectionString: url, application_name: "kopeck" });
      await gateway.connect();
      const beside = await run(url);
      await gateway.end();
      assert.equal(beside.code, 1);
      assert.match(beside.text, /Nothing stays live more than 5 s after its end/);
    });
  });

  it("finds the books right while money moves, piece by piece", async () => {
    const database = await openTestDatabase("postgres", { templateUrl });
    const config = testConfig(database.config);
    const gateway = await startGateway({ config, log: openLog("error") });
    const till = through(gateway);
    let paid = 0;
    let verified = false;
    const trade = async (): Promise<void> => {
      while (!verified) {
        paid += 1;
        const { id } = (await createInvoice(till, { amount: 1_000 + paid })).body.data;
        const { wallet, amount } = (await createH2h(till, id)).body.data;
        const money = { wallet, amount: Number(amount), reference: id };
        assert.equal((await manage(till).post("transfers", money)).state, "matched");
      }
    };
    const trading = Promise.all([trade(), trade(), trade(), trade()]);
    for (let looks = 0; looks < 3 || paid < 20; looks += 1) {
      const { code, text } = await run(config.databaseUrl ?? "");
      assert.equal(code, 0, text);
    }
    verified = true;
    await trading;
    await gateway.stop();
    await database.drop();
  });

  it("refuses another secret key, an empty database and one that lacks migrations", async () => {
    const env = { DATABASE_URL: templateUrl, KOPECK_SECRET_KEY: "cd".repeat(32) };
    const print = (): void => {};
    await assert.rejects(verify.run({ input: {}, env, print }), /another KOPECK_SECRET_KEY/);
    for (const [sql, message] of [
      ["delete from schema_migrations where version = 6", /run "kopeck migrate" first/],
      ["drop schema public cascade; create schema public", /run "kopeck migrate" first/],
      ["delete from installation", /no installation in this database yet/],
    ] as const) {
      await planted(sql, (url) => assert.rejects(run(url), message));
    }
  });
});
