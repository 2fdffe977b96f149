// History in months: divided while the gateway works, a month taken out when everything in it is over, and what is
// left of it. All through the command line and the front door, on the machine's own clock, which is what commands have.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import pg from "pg";
import type { LocalWork } from "../src/cli/command.ts";
import { archive } from "../src/cli/local/archive.ts";
import { partition } from "../src/cli/local/partition.ts";
import { verify } from "../src/cli/local/verify.ts";
import { monthText, startOfMonth } from "../src/domain/month.ts";
import { makePartitionsJob } from "../src/features/history/make-partitions.job.ts";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { eventually } from "../torture/eventually.ts";
import { createInvoice, SHOP } from "./cast.ts";
import { feedOf } from "./feed.ts";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "./gateway.ts";
import { liveALittle } from "./little-life.ts";
import { manage } from "./manage.ts";
import { DAY, HOUR, orders, passTime, templateOrigin, through } from "./orders.ts";
import { insistent } from "./patience.ts";
import { cardEndingIn, payouts } from "./payouts.ts";

const TABLES = ["invoices", "payments", "events", "ledger_postings"];

onPostgres("history in months", () => {
  let database: TestDatabase;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let client: pg.Client;
  before(async () => {
    database = await openTestDatabase("postgres", templateOrigin());
    gateway = await startGateway({ config: testConfig(database.config), log: openLog("error") });
    client = new pg.Client({ connectionString: database.config.databaseUrl });
    await client.connect();
  });
  /** A database is copied, and dropped, while nobody is connected to it. */
  let isLeft = false;
  const leave = async (): Promise<void> => {
    if (isLeft) return;
    isLeft = true;
    await client.end();
    await gateway.stop();
  };
  after(async () => {
    await leave();
    await database.drop();
  });

  const caller = () => insistent(gateway);
  /** Not asked again: time would pass twice. */
  const pass = (seconds: number) => passTime(through(gateway), seconds);
  const own = () => manage(caller());
  /** The clock is the machine's: what happens in a row has a moment of its own. */
  const trade = () => orders({ ...caller(), app: gateway.app, clock: { advance() {} } as never });

  async function run(
    work: LocalWork,
    input: Record<string, unknown> = {},
    url = database.config.databaseUrl,
  ) {
    const parts: string[] = [];
    const env = { DATABASE_URL: url, LOG_LEVEL: "error" };
    const code = await work
      .run({ input, env, print: (text) => parts.push(text) })
      .catch((error: Error) => {
        parts.push(error.message);
        return 1;
      });
    return { code, printed: parts.join("") };
  }
  const booksAreRight = async (): Promise<void> => {
    const { code, printed } = await run(verify);
    assert.equal(code, 0, printed);
  };
  const rowsIn = async (table: string): Promise<number> =>
    Number((await client.query(`select count(*) from ${table}`)).rows[0].count);
  const partsOf = async (table: string): Promise<string[]> =>
    (await client.query("select name from partitions_of($1)", [table])).rows.map(
      ({ name }) => name,
    );

  /** The end of what is in use is set while nothing can reach it: in a month's last day, that of the next month. */
  const isNearEnd = (): boolean => {
    const now = gateway.app.clock.now();
    return startOfMonth(now, 1).getTime() - now.getTime() <= DAY * 1000;
  };
  /** Whoever runs it: where the gateway's own run is at it, another one leaves it alone. */
  const makeMonths = () =>
    eventually("the months ahead", async () => {
      await makePartitionsJob.run(gateway.app);
      const last = monthText(startOfMonth(gateway.app.clock.now(), 2)).replace("-", "_");
      const parts = await Promise.all(TABLES.map(partsOf));
      return parts.every((names, index) => names.includes(`${TABLES[index]}_${last}`));
    });

  const schemaOf = (name: string): string => `archive_${name.replace("-", "_")}`;

  const told: Record<string, unknown> = {};
  const storiesOf = (ids: readonly string[]): Promise<string[][]> =>
    Promise.all(
      ids.map(async (id) => {
        const { timeline } = await own().get(`payouts/${id}`);
        return timeline.map(
          ({ what, detail }: { what: string; detail: string }) => `${what}: ${detail}`,
        );
      }),
    );
  let month: string;

  it("whole tables can be divided while the gateway works", async () => {
    await liveALittle(caller());
    const paid = await trade().order({ order_id: "paid-order" });
    await trade().pay(paid, { reference: "told once" });
    const asked: string[] = [];
    for (const digits of ["01", "02", "06"]) {
      asked.push(await payouts(caller(), trade()).made({ wallet_to: cardEndingIn(digits) }));
    }
    await pass(2 * HOUR);
    Object.assign(told, { paid, asked, stories: await storiesOf(asked) });
    const rows = await Promise.all(TABLES.map(rowsIn));

    assert.deepEqual(
      (await run(archive, { month: "2020-01" })).printed.includes("kopeck partition"),
      true,
    );
    const partsBefore = isNearEnd() ? 3 : 4;
    const { code, printed } = await run(partition);
    assert.equal(code, 0, printed);
    // That day may have begun, or ended, meanwhile.
    const expected = [partsBefore, isNearEnd() ? 3 : 4];

    assert.deepEqual(await Promise.all(TABLES.map(rowsIn)), rows);
    for (const table of TABLES) {
      const parts = await partsOf(table);
      assert.ok(expected.includes(parts.length), `${parts}`);
      assert.equal(parts.at(-1), `${table}_ahead`);
      const known = await rowsIn(`pg_stats where tablename = '${table}' and inherited`);
      assert.ok(known > 0, `the planner knows nothing of ${table}`);
    }
    assert.equal((await run(partition)).code, 0);
    assert.ok(expected.includes((await partsOf("invoices")).length));
    await booksAreRight();
  });

  it("an order stays one invoice, a reference one transfer, and what nobody used can be ordered anew", async () => {
    const paid = told["paid"] as Awaited<ReturnType<ReturnType<typeof orders>["order"]>>;
    const again = await createInvoice(caller(), { order_id: "paid-order" });
    assert.equal(again.body.data.id, paid.id);
    const other = await createInvoice(caller(), { order_id: "paid-order", amount: 7 });
    assert.equal(other.status, 422, other.text);
    const many = await Promise.all(
      Array.from({ length: 20 }, () => createInvoice(caller(), { order_id: "at once" })),
    );
    assert.equal(new Set(many.map(({ body }) => body.data.id)).size, 1);
    const known = await client.query("select count(*) from orders where order_id = 'at once'");
    assert.equal(known.rows[0].count, "1");

    await assert.rejects(client.query("delete from ledger_postings"), /append-only/);
    await assert.rejects(client.query("update events set sequence = 9"), /append-only/);
    await assert.rejects(client.query("delete from payments"), /pointed to/);
  });

  it("a month with something open in it is refused, and nothing changes", async () => {
    const started = gateway.app.clock.now();
    const isNear = isNearEnd();
    const last = startOfMonth(started, isNear ? 1 : 0);
    month = monthText(last);
    assert.match((await run(archive, { month })).printed, /3 days after its end/);
    await pass((isNear ? 80 : 45) * DAY);
    await makeMonths();

    const parts = await partsOf("payments");
    const refused = await run(archive, { month });
    assert.equal(refused.code, 1);
    assert.match(refused.printed, /nothing was changed/);
    assert.match(refused.printed, /transfers wait in suspense: 1, [0-9a-f-]{36} among them/);
    assert.equal((await run(archive, { month, dry_run: true })).printed, refused.printed);
    assert.deepEqual(await partsOf("payments"), parts);
    const left = await client.query(
      "select from pg_trigger where tgname = 'closed' union all select from pg_namespace where nspname like 'archive%'",
    );
    assert.equal(left.rowCount, 0);
    await booksAreRight();
  });

  it("a month that is over leaves, and balances stay", async () => {
    const { items } = await own().get("transfers?state=suspense");
    await own().post(`transfers/${items[0].transfer_id}/return`, { reason: "nobody's" });
    const later = await trade().order({ order_id: "later" });
    await trade().pay(later);
    const payout = await payouts(caller(), trade()).create();
    assert.equal(payout.status, 200, payout.text);
    await pass(DAY);

    const accounts = async () => {
      const list = (await own().get("accounts?limit=100")).items;
      const ids = list.map((one: { account_id: string }) => one.account_id);
      return Promise.all(ids.map((id: string) => own().get(`accounts/${id}`)));
    };
    const had = async () => (await accounts()).map(({ archived: _, ...one }) => one);
    const balances = [await trade().balance(), await had()];
    const invoices = await rowsIn("invoices");
    assert.equal((await run(archive, { month, dry_run: true })).printed, "nothing is in the way\n");
    const done = await run(archive, { month });
    assert.equal(done.code, 0, done.printed);
    assert.match(
      done.printed,
      /^archived \d+ invoices, \d+ payments, \d+ postings, \d+ events in the schema archive_/,
    );

    assert.deepEqual([await trade().balance(), await had()], balances);
    // What left and what a statement still tells are the balance.
    for (const { account_id: id, balance, archived } of await accounts()) {
      const { items } = await own().get(`accounts/${id}/entries?limit=200`);
      const told = [{ amount: archived }, ...items].map(({ amount }) => Math.round(amount * 100));
      assert.equal(
        told.reduce((sum, minor) => sum + minor, 0),
        Math.round(balance * 100),
        id,
      );
    }
    assert.equal(await rowsIn("invoices"), 1);
    assert.ok(invoices > 5);
    assert.match((await run(archive, { month })).printed, /archived already/);
    await booksAreRight();
  });

  it("what is in the archive is not found, and is not done twice", async () => {
    const paid = told["paid"] as Awaited<ReturnType<ReturnType<typeof orders>["order"]>>;
    const again = await createInvoice(caller(), { order_id: "paid-order" });
    assert.equal(again.status, 422, again.text);
    assert.match(again.text, /is in the archive/);
    const { wallet, amount } = paid;
    const repeated = await own().post("transfers", { wallet, amount, reference: "told once" });
    assert.equal(repeated.state, "matched");
    assert.equal((await own().get("transfers?limit=100")).items.length > 0, true);

    const answers = await Promise.all([
      caller().call(`/invoice/info?shop_id=${SHOP.id}&order_id=paid-order`, {
        headers: { "x-api-key": SHOP.key },
      }),
      caller().call("/invoice/h2h", {
        headers: { "x-api-key": SHOP.key },
        body: { shop_id: SHOP.id, invoice_id: paid.id, payment_data: { bank: "sber" } },
      }),
      own().ask(`invoices/${paid.id}`),
      own().ask("refunds", { invoice_id: paid.id, amount: 1, reason: "late" }),
      caller().call(`/pay/${paid.id}`),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 404, 404, 404, 404],
    );
    for (const list of [
      "invoices",
      "payments",
      "events",
      "transfers",
      "refunds",
      "payouts",
      "accounts",
      "audit",
      "waiting",
      "health",
    ]) {
      const { status, text } = await own().ask(list);
      assert.equal(status, 200, `${list}: ${text}`);
    }
    const { items } = await own().get("transfers?limit=100");
    for (const { transfer_id } of items) {
      assert.equal((await own().ask(`transfers/${transfer_id}`)).status, 200);
    }
    // Who reads the feed from its beginning hears what is left of it.
    const page = await feedOf(caller()).read({ limit: 1 });
    assert.equal(page.events.length, 1);
    while ((await makePartitionsJob.run(gateway.app)) > 0);
    const left = await rowsIn(`event_feed where shop_id = '${SHOP.id}'`);
    assert.equal((await feedOf(caller()).read()).events.length, left);
    // A posting may still come for it.
    await client.query("begin");
    const late = await client.query(`insert into ledger_postings
      select * from ${schemaOf(month)}.ledger_postings_first where kind = 'refund' limit 1
      returning tableoid::regclass::text as part`);
    assert.equal(late.rows[0].part, "ledger_postings_late");
    await client.query("rollback");
    await booksAreRight();
  });

  it("the story of a payout has its end, though its postings are in the archive", async () => {
    const { asked, stories } = told as { asked: string[]; stories: string[][] };
    assert.deepEqual(
      stories.map((one) => one.at(-1)?.split(":")[0]),
      ["done", "money given back", "returned"],
    );
    for (const id of asked) assert.deepEqual((await own().get(`payouts/${id}`)).postings, []);
    assert.deepEqual(await storiesOf(asked), stories);
  });

  it("money that comes for a month while it is taken out waits, and is nobody's then", async () => {
    const order = await trade().order({ order_id: "late" });
    const madeAt = trade().now();
    const next = monthText(new Date(madeAt));
    await pass(80 * DAY);
    await makeMonths();
    // As long as somebody reads, nothing leaves.
    await client.query("begin; select from invoices limit 1");
    const archiving = run(archive, { month: next });
    const closed = "select from pg_trigger where tgname = 'closed'";
    while ((await client.query(closed)).rowCount === 0);
    const { wallet, amount } = order;
    const telling = own().ask("transfers", { wallet, amount, made_at: madeAt, reference: "late" });
    await client.query("select pg_sleep(0.2); commit");
    const [done, answer] = await Promise.all([archiving, telling]);
    assert.equal(done.code, 0, done.printed);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.data.state, "suspense", answer.text);
    await booksAreRight();
    const right = await run(verify, { archive: next });
    assert.equal(right.code, 0, right.printed);
  });

  it("an archive can be checked, and what is wrong with it is found", async () => {
    const right = await run(verify, { archive: month });
    assert.equal(right.code, 0, right.printed);
    assert.match(right.printed, /the books are right/);
    const schema = schemaOf(month);
    const planted = {
      "a posting is gone": `delete from ${schema}.ledger_postings_first where kind = 'transfer_matched'`,
      "a posting says more": `update ${schema}.ledger_postings_first
        set fees_minor = fees_minor + 1, bank_minor = bank_minor - 1 where kind = 'transfer_matched'`,
      "a payment is gone": `delete from ${schema}.payments_first where state = 'paid'`,
      "an invoice is another's": `update ${schema}.invoices_first set state = 'expired', paid_at = null
        where state = 'paid'`,
      "an event is gone": `delete from ${schema}.events_first`,
      "an order is another": `update ${schema}.invoices_first set order_id = 'mine'
        where order_id = 'paid-order'`,
      "an event says something else": `alter table ${schema}.events_first disable trigger all;
        update ${schema}.events_first set body = replace(body, '"', ' "')`,
      "attempts are gone": `drop table ${schema}.deliveries`,
      "an opening is larger": `set session_replication_role = replica;
        update ledger_openings set amount_minor = amount_minor + 1 where account = 'fees'`,
    };
    await leave();
    for (const [what, sql] of Object.entries(planted)) {
      const templateUrl = database.config.databaseUrl ?? "";
      const broken = await openTestDatabase("postgres", { templateUrl });
      const url = broken.config.databaseUrl ?? "";
      const hand = new pg.Client({ connectionString: url });
      await hand.connect();
      await hand.query(sql);
      await hand.end();
      const { code, printed } = await run(verify, { archive: month }, url);
      await broken.drop();
      assert.equal(code, 1, `${what}: ${printed}`);
      assert.match(printed, /violation/, what);
    }
  });
});
