// kopeck copy: a lived-in embedded sandbox goes on as itself on PostgreSQL; what is not right is undone.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { copy } from "../src/cli/local/copy.ts";
import { verify } from "../src/cli/local/verify.ts";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { openDb } from "../src/platform/open-db.ts";
import { assertBooksAreRight } from "./books.ts";
import { createH2h, createInvoice, SHOP, USER } from "./cast.ts";
import { GUARDED, UNGUARDED } from "./corruptions.ts";
import { feedOf } from "./feed.ts";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "./gateway.ts";
import { liveALittle } from "./little-life.ts";
import { manage } from "./manage.ts";
import { through } from "./orders.ts";
import { killLeftovers, runKopeck } from "./process.ts";

const log = openLog("error");

onPostgres("kopeck copy", () => {
  let embedded: TestDatabase;
  let target: TestDatabase;
  let lived: { refunded: string; live: string };
  let wasAnswered: unknown;
  let wasFed: Awaited<ReturnType<ReturnType<typeof feedOf>["read"]>>;
  let output = "";
  const databases: TestDatabase[] = [];

  const emptyDatabase = async (templateUrl?: string): Promise<TestDatabase> => {
    const origin = templateUrl === undefined ? {} : { templateUrl };
    const database = await openTestDatabase("postgres", origin);
    databases.push(database);
    return database;
  };
  const urlOf = ({ config }: TestDatabase): string => config.databaseUrl ?? "";

  async function run(env: Record<string, string>, to: string | undefined): Promise<string> {
    let text = "";
    const print = (more: string): void => {
      text += more;
    };
    const input = to === undefined ? {} : { to };
    assert.equal(await copy.run({ input, env, print }), 0);
    return text;
  }

  async function withGateway(
    { config }: TestDatabase,
    work: (gateway: Gateway) => Promise<void>,
  ): Promise<void> {
    const gateway = await startGateway({ config: testConfig(config), log });
    await work(gateway).finally(() => gateway.stop());
  }

  async function rowsOf(database: TestDatabase, table: string): Promise<number> {
    const db = await openDb(testConfig(database.config), log);
    const rows = await db.query(`select from ${table}`).finally(() => db.close());
    return rows.length;
  }

  before(async () => {
    embedded = await openTestDatabase("embedded");
    databases.push(embedded);
    target = await emptyDatabase();
    await withGateway(embedded, async (gateway) => {
      lived = await liveALittle(through(gateway));
      wasAnswered = await answersOf(gateway, lived);
      wasFed = await feedOf(through(gateway)).read();
      assert.ok(wasFed.events.length > 2);
    });
    output = await run({ KOPECK_DATA_DIR: embedded.config.dataDir ?? "" }, urlOf(target));
  });
  after(async () => {
    killLeftovers();
    for (const database of databases) await database.drop();
  });

  it("says table by table what it copied, and that it was verified", () => {
    assert.match(output, /^users: 2 rows$/m);
    assert.match(output, /^invoices: 6 rows$/m);
    assert.match(output, /^sbp_banks: \d{2,} rows$/m);
    assert.match(output, /^copied, verified: \d+ rows of \d+ tables\n$/m);
    const order = [...output.matchAll(/^(\w+): \d+ rows$/gm)].map(([, table]) => table);
    for (const [first, second] of [
      ...[["users", "shops"] as const, ["shops", "invoices"] as const],
      ...[["invoices", "payments"] as const, ["users", "ledger_balances"] as const],
    ]) {
      assert.ok(order.indexOf(first) < order.indexOf(second), `${first} before ${second}`);
    }
  });

  it("makes a copy that is right, and answers and goes on as the source did", async () => {
    const print = (): void => {};
    assert.equal(await verify.run({ input: {}, env: { DATABASE_URL: urlOf(target) }, print }), 0);
    await withGateway(target, async (gateway) => {
      assert.deepEqual(await answersOf(gateway, lived), wasAnswered);
      const { wallet, amount } = (await createH2h(through(gateway), lived.live)).body.data;
      const money = { wallet, amount: Number(amount), reference: "after the copy" };
      assert.equal((await manage(through(gateway)).post("transfers", money)).state, "matched");
      await assertBooksAreRight(gateway);
    });
  });

  it("71. keeps every reader of the feed where they were, and goes on from there", async () => {
    await withGateway(target, async (gateway) => {
      const feed = feedOf(through(gateway));
      const { events, next } = await feed.read();
      assert.deepEqual(events.slice(0, wasFed.events.length), wasFed.events);
      for (const [at, { cursor }] of wasFed.events.entries()) {
        assert.deepEqual((await feed.read({ after: cursor })).events, events.slice(at + 1));
      }
      // What happened after the copy comes after what was there.
      const fresh = await feed.read({ after: wasFed.next });
      assert.deepEqual(
        fresh.events.map(({ invoice_id }) => invoice_id),
        [lived.live],
      );
      assert.equal(fresh.next, next);
    });
  });

  it("refuses a target that has an installation, or anything else, and changes nothing", async () => {
    const env = { KOPECK_DATA_DIR: embedded.config.dataDir ?? "" };
    const invoices = await rowsOf(target, "invoices");
    await assert.rejects(run(env, urlOf(target)), /^Error: The target has an installation already/);
    assert.equal(await rowsOf(target, "invoices"), invoices);
    const strangers = await emptyDatabase();
    const db = await openDb(testConfig(strangers.config), log);
    await db.query("create table diary (entry text)");
    await db.close();
    await assert.rejects(
      run(env, urlOf(strangers)),
      /^Error: The target is not empty: .* table diary/,
    );
    await assert.rejects(rowsOf(strangers, "invoices"), /does not exist/);
  });

  it("undoes a copy of books that are not right, and copies them once they are", async () => {
    const source = await emptyDatabase(urlOf(target));
    const db = await openDb(testConfig(source.config), log, { existing: true, attended: true });
    await db.query(`${UNGUARDED} update ledger_balances
      set available_minor = available_minor + 1`);
    const second = await emptyDatabase();
    const env = { DATABASE_URL: urlOf(source) };
    const undone = /^Error: The copy is not like its source, and was undone/;
    await assert.rejects(run(env, urlOf(second)), undone);
    assert.equal(await rowsOf(second, "installation"), 0);
    assert.equal(await rowsOf(second, "invoices"), 0);
    await db.query("update ledger_balances set available_minor = available_minor - 1");
    await db.query(GUARDED);
    await db.close();
    assert.match(await run(env, urlOf(second)), /copied, verified/);
    assert.equal(await rowsOf(second, "invoices"), await rowsOf(source, "invoices"));
  });

  it("refuses a source that a gateway runs on: what it takes meanwhile would be missing", async () => {
    const source = await emptyDatabase(urlOf(target));
    const second = await emptyDatabase();
    const served = await openDb(testConfig(source.config), log);
    await served.query("select 1");
    const copied = run({ DATABASE_URL: urlOf(source) }, urlOf(second));
    await assert.rejects(copied, /^Error: A gateway runs on the source/);
    await served.close();
  });

  it("takes the target from standard input or the environment, where no other process sees it", async () => {
    const second = await emptyDatabase();
    const env = { DATABASE_URL: urlOf(target) };
    const copied = await runKopeck(env, ["copy", "--to", "-"], `${urlOf(second)}\n`).ended;
    assert.equal(copied.code, 0, copied.stderr);
    assert.match(copied.stdout, /copied, verified/);
    const again = await runKopeck({ ...env, KOPECK_COPY_TO: urlOf(second) }, ["copy"]).ended;
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^kopeck: The target has an installation already[^\n]+\n$/);
  });

  it("refuses a password among the arguments in one line that says how else, and does nothing", async () => {
    const second = await emptyDatabase();
    for (const withPassword of [
      urlOf(second).replace("@", ":hidden@"),
      `${urlOf(second)}?password=hidden`,
    ]) {
      const message = /^--to holds a password(?:(?!hidden).)+KOPECK_COPY_TO(?:(?!hidden).)+--to -/;
      await assert.rejects(run({ DATABASE_URL: urlOf(target) }, withPassword), { message });
    }
    await assert.rejects(rowsOf(second, "invoices"), /does not exist/);
  });

  it("asks for a target, and for one that is a PostgreSQL address", async () => {
    const env = { KOPECK_DATA_DIR: embedded.config.dataDir ?? "" };
    await assert.rejects(run(env, undefined), { message: /--to is missing/, exitCode: 2 });
    const mistyped = { message: /--to must look like postgresql:/, exitCode: 2 };
    await assert.rejects(run(env, "mysql://u:hidden@h/d"), mistyped);
    const set = { ...env, KOPECK_COPY_TO: "mysql://u:hidden@h/d" };
    await assert.rejects(run(set, undefined), { message: /KOPECK_COPY_TO must/, exitCode: 1 });
  });
});

/** What a shop and a user see: the same before and after. */
async function answersOf(
  gateway: Gateway,
  { refunded, live }: { readonly refunded: string; readonly live: string },
): Promise<unknown[]> {
  const caller = through(gateway);
  const order = { order_id: "copied-order", amount: 1234.56, comment: "кириллица \u2028 \"'\\" };
  const info = (invoice_id: string) =>
    caller.call(`/invoice/info?shop_id=${SHOP.id}&invoice_id=${invoice_id}`, {
      headers: { "x-api-key": SHOP.key },
    });
  const balance = await caller.call(`/account/users/${USER.id}/balance`, {
    headers: { "x-api-signature-sha256": USER.secret },
  });
  const retried = await createInvoice(caller, order);
  const answers = [retried, await info(refunded), await info(live), balance];
  for (const { status, text } of answers) assert.equal(status, 200, text);
  return answers.map(({ body }) => body);
}
