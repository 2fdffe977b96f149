// Many actors at once on a real PostgreSQL, over connections and memories of several gateways: what the
// code promises, the database has to keep. Two at a time, in every order: torture/races.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { acceptTransfers } from "../src/features/transfers/transfers.ts";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { assertBooksAreRight } from "./books.ts";
import { createH2h, createInvoice } from "./cast.ts";
import {
  type Answer,
  onPostgres,
  openTestDatabase,
  TestClock,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { OPERATOR_TOKEN } from "./manage.ts";
import { insistent, mayTakeLong } from "./patience.ts";

// Each has two sets of h2h calls on their way at a time, on connections of their own.
const GATEWAYS = 8;

onPostgres("several gateways on one PostgreSQL", () => {
  let database: TestDatabase;
  let gateways: Awaited<ReturnType<typeof startGateway>>[] = [];
  const clock = new TestClock();
  before(async () => {
    database = await openTestDatabase("postgres");
    // The slots themselves are what is tried here: one shop may have them all.
    const shares = { shop: 100, user: 100, payer: 100 };
    const config = testConfig({ ...database.config, shares });
    // All start at the same moment on an empty database: the migrations and the cast race too.
    gateways = await Promise.all(
      Array.from({ length: GATEWAYS }, () =>
        startGateway({ config, clock, log: openLog("silent") }),
      ),
    );
  });
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.drop();
  });

  const entrance = (index: number) =>
    insistent(gateways[index % GATEWAYS] ?? assert.fail("no gateway"));
  const sql = <Row>(text: string): Promise<Row[]> =>
    gateways[0]?.app.db.query<Row>(text) ?? Promise.reject(new Error("no gateway"));
  const all = (count: number, one: (index: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => one(index)));

  it("eight first starts at once make one schema and one cast", async () => {
    const [row] = await sql<Record<string, number>>(
      `select (select count(*)::integer from schema_migrations) as migrations,
              (select count(*)::integer from users) as users,
              (select count(*)::integer from api_keys) as keys,
              (select count(*)::integer from ledger_balances) as balances,
              (select count(*)::integer from requisites) as requisites`,
    );
    assert.deepEqual(row, {
      migrations: readdirSync("migrations").filter((name) => name.endsWith(".sql")).length,
      users: 2,
      keys: 8,
      balances: 2,
      requisites: 6,
    });
  });

  it("500 h2h calls at once for one amount never share a (requisite, amount)", async () => {
    const invoices = await all(500, (index) => createInvoice(entrance(index), { amount: 777 }));
    const ids = invoices.map(({ body }) => body.data.id as string);
    const answers = await all(500, (index) => createH2h(entrance(index), ids[index]));
    const good = answers.filter(({ status }) => status === 200);
    const statuses = Map.groupBy(answers, ({ status }) => status);
    // Three requisites of the bank, each with the base amount and 99 nudged ones.
    assert.deepEqual(
      Object.fromEntries([...statuses].map(([status, all]) => [status, all.length])),
      { 200: 300, 422: 200 },
    );
    const slots = good.map(({ body }) => `${body.data.wallet} ${body.data.amount}`);
    assert.equal(new Set(slots).size, 300);
    const [row] = await sql<Record<string, number>>(
      `select (select count(*)::integer from payments where state = 'live') as live,
              (select count(*)::integer from slots) as slots,
              (select sum(live_payments)::integer from requisite_usage) as counted,
              (select count(*)::integer from invoices where state = 'pending') as pending`,
    );
    assert.deepEqual(row, { live: 300, slots: 300, counted: 300, pending: 300 });
  });

  it("two amounts under one reference at once: the first is stored, the other one is refused", async () => {
    const [first, second] = gateways;
    assert.ok(first && second);
    const { body } = await createInvoice(entrance(1), { amount: 5432 });
    const details = (await createH2h(entrance(1), body.data.id)).body.data;
    const [requisite] = await sql<{ id: string }>(
      `select requisite_id as id from payments where invoice_id = '${body.data.id}'`,
    );
    const shared = {
      requisiteId: requisite?.id ?? "",
      reference: "one reference",
      payer: null,
      channel: "api" as const,
    };
    let answer: Promise<Answer> | undefined;
    await first.app.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      // Nobody holds a slot for this amount: it goes to suspense, and is not committed yet.
      const unclaimed = { ...shared, currency: "RUB", amountMinor: 77n };
      await acceptTransfers(tx, first.app, [unclaimed]);
      const transfer = { wallet: details.wallet, amount: Number(details.amount) };
      answer = entrance(1).call("/sandbox/transfers", {
        body: { ...transfer, reference: shared.reference },
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
      });
      await somebodyWaits();
    });
    assert.equal((await answer)?.status, 422);
    const rows = await sql<{ amount_minor: bigint }>(
      "select amount_minor from transfers where reference = 'one reference'",
    );
    assert.deepEqual(rows, [{ amount_minor: 77n }]);
    const [invoice] = await sql<{ state: string }>(
      `select state from invoices where id = '${body.data.id}'`,
    );
    assert.equal(invoice?.state, "pending");
    await assertBooksAreRight(first);
  });

  /** Until a statement of this database waits for another transaction; the test's own limit ends it. */
  async function somebodyWaits(): Promise<void> {
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await gateways[2]?.app.db.query(waiting, []))?.length === 0) await sleep(5);
  }
});
