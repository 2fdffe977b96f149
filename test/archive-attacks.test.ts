// What attacks from outside have found at archives, each by its name: money that comes at the worst moment, what an
// archived month hid, and who stops, dumps, pools or has a wrong clock.

import assert from "node:assert/strict";
import { after, before, it, mock } from "node:test";
import pg from "pg";
import type { LocalWork } from "../src/cli/command.ts";
import { archive } from "../src/cli/local/archive.ts";
import { partition } from "../src/cli/local/partition.ts";
import { verify } from "../src/cli/local/verify.ts";
import { monthText, startOfMonth } from "../src/domain/month.ts";
import { makePartitionsJob } from "../src/features/history/make-partitions.job.ts";
import { changingPartitions, inOneStep } from "../src/features/history/partitions.ts";
import { findAccount } from "../src/features/ledger/account-queries.ts";
import { lookAt } from "../src/features/ledger/check-books.ts";
import { startGateway } from "../src/gateway.ts";
import type { Queryable } from "../src/platform/db.ts";
import { openLog } from "../src/platform/log.ts";
import { eventually } from "../torture/eventually.ts";
import { createH2h, createInvoice, SHOP } from "./cast.ts";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, HOUR, orders, passTime, templateOrigin, through } from "./orders.ts";
import { payouts } from "./payouts.ts";
import { openCard, openPhone } from "./phone.ts";
import { proposeByOther } from "./proposals.ts";
import { forget, keeping } from "./retention.ts";
import { statement1c } from "./statement-file.ts";

onPostgres("archives under attack", () => {
  let database: TestDatabase;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let client: pg.Client;
  let month: string;
  /** Of the first month: a payout for each test that has one come back. */
  let paidOut: string[];
  /** What a statement of the next month says beside the books, before the first is archived. */
  let reconciled: unknown;
  let requisite: string;
  before(async () => {
    database = await openTestDatabase("postgres", templateOrigin());
    gateway = await startGateway({ config: testConfig(database.config), log: openLog("error") });
    client = new pg.Client({ connectionString: database.config.databaseUrl });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await gateway.stop();
    await database.drop();
  });

  const own = () => manage(through(gateway));
  const trade = () =>
    orders({ ...through(gateway), app: gateway.app, clock: { advance() {} } as never });
  const pass = (seconds: number): Promise<void> => passTime(through(gateway), Math.floor(seconds));

  async function run(work: LocalWork, input: Record<string, unknown> = {}) {
    const parts: string[] = [];
    const env = { DATABASE_URL: database.config.databaseUrl, LOG_LEVEL: "error" };
    const print = (text: string): unknown => parts.push(text);
    const code = await work.run({ input, env, print }).catch((error: Error) => {
      parts.push(error.message);
      return 1;
    });
    return { code, printed: parts.join("") };
  }
  const booksAreRight = async (...months: string[]): Promise<void> => {
    for (const input of [{}, ...months.map((one) => ({ archive: one }))]) {
      const { code, printed } = await run(verify, input);
      assert.equal(code, 0, printed);
    }
  };
  /** Once the gateway's own job, which makes the months ahead, is not at it. */
  const alone = async <Row>(work: (session: Queryable) => Promise<Row[]>): Promise<Row[]> => {
    let rows: Row[] = [];
    await eventually("nobody else changes the partitions", async () => {
      rows = (await changingPartitions(gateway.app.db, work)) ?? [];
      return rows.length > 0;
    });
    return rows;
  };
  const count = async (sql: string): Promise<number> =>
    Number((await client.query(`select count(*) from ${sql}`)).rows[0].count);
  const inOrder = async (orderId: string): Promise<string> => {
    const { body, text } = await createInvoice(through(gateway), { order_id: orderId });
    assert.ok(body.data?.id, text);
    return body.data.id;
  };

  it("what an operator has made on the tables is named, and nothing is divided", async () => {
    const made = {
      "create schema bi; create view bi.sales as select id from invoices": "drop schema bi cascade",
      "create materialized view sums as select count(*) from payments":
        "drop materialized view sums",
      "create table notes (invoice_id uuid references invoices)": "drop table notes",
      "create publication sold for table ledger_postings": "drop publication sold",
      "alter table events enable row level security":
        "alter table events disable row level security",
      "grant select (id) on invoices to pg_monitor":
        "revoke select (id) on invoices from pg_monitor",
    };
    for (const [make, drop] of Object.entries(made)) {
      await client.query(make);
      const { code, printed } = await run(partition);
      assert.equal(code, 1, make);
      assert.match(printed, /^What you have made on these tables would stay behind: the /, make);
      await client.query(drop);
    }
    assert.equal(await count("pg_class where relkind = 'p'"), 0);
    assert.equal(await count("pg_trigger where tgname = 'invoices_claim_order'"), 0);
  });

  it("a clock that is wrong, or a schema that is somebody's own, is refused in one line", async () => {
    await client.query("grant select on event_states, invoices to pg_monitor");
    assert.equal((await run(partition)).code, 0);
    const mayRead = "has_table_privilege('pg_monitor', name, 'select')";
    assert.equal(await count(`unnest('{event_states,invoices}'::text[]) name where ${mayRead}`), 2);
    const order = await trade().order({ order_id: "first" });
    await trade().pay(order, { payer: "Иван П." });
    await client.query("insert into payer_words (payment_id, paid_said_at) values ($1, now())", [
      order.paymentId,
    ]);
    const clock = { advance() {} } as never;
    const phone = await openPhone({ ...through(gateway), clock });
    await phone.hears(openCard(gateway, order.wallet).income(333.33));
    const [unproven] = (await own().get("transfers?state=suspense")).items;
    await own().post(`transfers/${unproven.transfer_id}/return`, { reason: "it never came" });
    Object.assign(gateway.app.config, { fourEyesFrom: 300 });
    const told = { wallet: order.wallet, amount: 555.55, reference: "by hand" };
    const madeUp = await own().post("transfers", told);
    assert.equal(madeUp.suspense_reason, "told_by_hand");
    requisite = madeUp.requisite_id;
    await own().post(`transfers/${madeUp.transfer_id}/return`, { reason: "it never came" });
    Object.assign(gateway.app.config, { fourEyesFrom: undefined });
    await pass(DAY);
    const made = await Promise.all([1, 2].map(() => payouts(through(gateway), trade()).create()));
    paidOut = made.map(({ body }) => body.data.payoff_id);
    await pass(5);
    // The last minute of the month, and the first of the next.
    const now = gateway.app.clock.now();
    const end = startOfMonth(now, 1);
    month = monthText(now);
    await pass((end.getTime() - now.getTime()) / 1000 - 60);
    const across = await inOrder("across");
    const late = await trade().order({ order_id: "late", amount: 700 });
    const early = { wallet: order.wallet, amount: 444, reference: "too early" };
    const { transfer_id } = await own().post("transfers", early);
    await pass(120);
    const next = await trade().order({ order_id: "next", amount: 444 });
    const { paymentId: payment_id } = next;
    await own().post(`transfers/${transfer_id}/assign`, { payment_id, reason: "the payer called" });
    const { body } = await createH2h(through(gateway), across);
    const { wallet, amount } = body.data;
    await own().post("transfers", { wallet, amount: Number(amount), reference: "across" });
    // The next month has begun when this money comes; it waits for somebody, as its shop wants it.
    await own().post(`shops/${SHOP.id}`, { late_policy: "hold" });
    await pass(2 * HOUR);
    assert.equal((await trade().pay(late)).suspense_reason, "late_held");
    await pass(5 * DAY);
    await own().post("refunds", { invoice_id: order.id, amount: 1, reason: "a broken cup" });
    await pass(4 * DAY);
    await makePartitionsJob.run(gateway.app);
    const { account } = await own().post(`requisites/${requisite}/reveal`);
    const yesterday = new Date(gateway.app.clock.now().getTime() - DAY * 1000).toISOString();
    const days = { [yesterday.slice(0, 10)]: [{ sum: -9.99 }] };
    const content = Buffer.from(statement1c([{ account, opening: 100, days }])).toString("base64");
    await own().post("imports", { filename: "kl_to_1c.txt", content });
    await pass(1);
    reconciled = await own().get(`reconciliation?requisite_id=${requisite}`);

    mock.timers.enable({ apis: ["Date"], now: Date.now() + 3_600_000 });
    const ahead = await run(archive, { month }).finally(() => mock.timers.reset());
    assert.match(ahead.printed, /clock is 3\d{3}\.\d s ahead of the database/);
    const schema = `archive_${month.replace("-", "_")}`;
    await client.query(`create schema ${schema}; create table ${schema}.mine ()`);
    const mine = await run(archive, { month });
    assert.match(mine.printed, /is none that was begun here/);
    await client.query(`drop schema ${schema} cascade`);
    assert.equal(await count("archives"), 0);
  });

  it("money that waits, and was meant for what would leave, keeps it here", async () => {
    const look = () => run(archive, { month, dry_run: true });
    const waiting = /^not archived, nothing was changed:\n {2}transfers wait in suspense.*: 1, /;
    const refused = await look();
    assert.match(refused.printed, waiting);
    const [money] = (await own().get("transfers?state=suspense")).items;
    assert.ok(refused.printed.includes(money.transfer_id));
    const { payment_id, off } = (await own().get(`transfers/${money.transfer_id}/candidates`))
      .items[0];
    assert.equal(off, "ended");
    assert.equal((await run(archive, { month })).code, 1, "nor without the dry run");
    const to = { payment_id, reason: "the payer called" };
    const settled = await own().post(`transfers/${money.transfer_id}/assign`, to);
    assert.equal(settled.state, "matched");
    await pass(2 * DAY);
    assert.equal((await look()).printed, "nothing is in the way\n");
    // Money of much later is nobody's there, unless somebody says that it is.
    const { requisite_id } = money;
    const told = { requisite_id, amount: 12.34, reference: "much later" };
    const { transfer_id } = await own().post("transfers", told);
    assert.equal((await look()).printed, "nothing is in the way\n");
    const desk = { ...through(gateway), app: gateway.app };
    const proposal = await proposeByOther(desk, transfer_id, payment_id);
    assert.match((await look()).printed, /proposals wait for somebody.*: 1, /);
    await own().post(`proposals/${proposal}/decline`, { reason: "it is another payer's" });
    await own().post(`transfers/${transfer_id}/return`, { reason: "nobody's" });
  });

  it("what was given back and never proven stands in no archive's way", async () => {
    assert.equal(await count("transfers where needs_proof and state = 'returned'"), 1);
    assert.equal((await run(archive, { month, dry_run: true })).printed, "nothing is in the way\n");
  });

  it("who is stopped in the last step does not keep everything locked", async () => {
    const [limit] = await alone((session) =>
      inOneStep(session, (tx) =>
        tx.query<{ idle_in_transaction_session_timeout: string }>(
          "show idle_in_transaction_session_timeout",
        ),
      ),
    );
    assert.equal(limit?.idle_in_transaction_session_timeout, "3s");
  });

  it("no archive is made without the word of who made it", async () => {
    await client.query(`create function no_word() returns trigger language plpgsql as
      $$ begin raise 'no word of it' using errcode = '42501'; end $$;
      create trigger no_word before insert on audit_log for each row
        when (new.act = 'history.archive') execute function no_word()`);
    const refused = await run(archive, { month });
    await client.query("drop trigger no_word on audit_log");
    assert.match(refused.printed, /no word of it/);
    assert.equal(await count("archives"), 0);
    assert.equal(await count("pg_trigger where tgname = 'closed' and tgenabled <> 'D'"), 0);
  });

  it("what is looked at at one moment keeps its months: neither verify nor copy loses one in between", async () => {
    await lookAt(gateway.app.db, async (tx) => {
      await tx.query("select from users limit 1");
      await assert.rejects(
        client.query("begin; lock table ledger_postings in access exclusive mode nowait"),
        /could not obtain lock/,
      );
    });
    await client.query("rollback");
  });

  it("who was stopped in the midst loses the session, and the months are opened by others", async () => {
    const [limit] = await alone((session) =>
      session.query<{ idle_session_timeout: string }>("show idle_session_timeout"),
    );
    assert.equal(limit?.idle_session_timeout, "30s");
  });

  it("what is booked between the first look and the closing is in the opening", async () => {
    const bank = (await own().get("accounts?limit=100")).items.find(
      ({ kind }: { kind: string }) => kind === "bank",
    );
    const shown = await own().get(`accounts/${bank.account_id}`);
    // Somebody writes, so that the month cannot be closed yet.
    await client.query("begin; lock table payments in row exclusive mode");
    let isOn = true;
    const giveBack = async (): Promise<void> => {
      const closing =
        "pg_stat_activity where query like 'select close_months%' and datname = current_database()";
      while (isOn && (await count(closing)) === 0) {
        await client.query("select pg_stat_clear_snapshot()");
      }
      if (isOn) await own().post(`payouts/${paidOut[0]}/return`, { reason: "no such card" });
      await client.query("commit");
    };
    const archiving = run(archive, { month }).finally(() => {
      isOn = false;
    });
    const [done] = await Promise.all([archiving, giveBack()]);
    assert.equal(done.code, 0, done.printed);
    assert.equal((await own().get(`payouts/${paidOut[0]}`)).payout.state, "returned");
    assert.equal((await own().get(`accounts/${bank.account_id}`)).balance, shown.balance);
    await booksAreRight(month);
  });

  it("a payout that comes back when its month is archived is no fault of the archive", async () => {
    await own().post(`payouts/${paidOut[1]}/return`, { reason: "no such card" });
    assert.equal(await count("ledger_postings_late"), 1);
    await booksAreRight(month);
  });

  it("money that was assigned to a payment of the next month is no fault of the archive", async () => {
    const { items } = await own().get("transfers?reference=too early");
    assert.deepEqual([items[0].state, items[0].invoice_id === null], ["matched", false]);
    const { before_id } = (await client.query("select before_id from archives")).rows[0];
    assert.ok(items[0].transfer_id < before_id && items[0].payment_id > before_id);
    await booksAreRight(month);
  });

  it("money that was never there is not counted beside a statement when its month is archived", async () => {
    assert.deepEqual(await own().get(`reconciliation?requisite_id=${requisite}`), reconciled);
  });

  it("what a payer has said of an archived payment goes with its time", async () => {
    assert.equal(await count("payer_words"), 1);
    const { app } = gateway;
    const config = { ...app.config, ...keeping({ payers: 1 }) };
    await forget({ app: { ...app, config } }, "forget-words");
    assert.equal(await count("payer_words"), 0);
  });

  it("who sent the money of an archived payment is removed in its time", async () => {
    const { app } = gateway;
    const config = { ...app.config, ...keeping({ payers: 1 }) };
    await forget({ app: { ...app, config } }, "forget-payers");
    const { items } = await own().get("transfers?state=matched");
    const payers = items.map(({ payer }: { payer: string | null }) => payer);
    assert.equal(payers.filter(Boolean).join(), "removed");
  });

  it("refunds and payments of what is archived are listed, without what is not here", async () => {
    const { items: refunds } = await own().get("refunds");
    assert.deepEqual(
      refunds.map(({ invoice_id, amount, currency }: Record<string, unknown>) => [
        ...[invoice_id, amount, currency],
      ]),
      [[null, 1, "RUB"]],
    );
    const { items: payments } = await own().get("payments");
    assert.deepEqual(
      payments.map(({ order_id, state }: Record<string, unknown>) => [order_id, state]),
      [
        [null, "paid"],
        ["next", "paid"],
      ],
    );
  });

  it("an account that is read while a month leaves has its balance", async () => {
    const next = monthText(gateway.app.clock.now());
    await pass(80 * DAY);
    await makePartitionsJob.run(gateway.app);
    const fees = { kind: "fees", currency: "RUB", ownerId: null } as const;
    const { db } = gateway.app;
    const before = await findAccount(db, fees);
    let isGone = false;
    const slow: Queryable = {
      async query<Row>(...asked: Parameters<Queryable["query"]>) {
        const rows = await db.query<Row>(...asked);
        if (isGone) return rows;
        isGone = true;
        const done = await run(archive, { month: next });
        assert.equal(done.code, 0, done.printed);
        return rows;
      },
    };
    for (const read of [slow, db])
      assert.equal((await findAccount(read, fees))?.balanceMinor, before?.balanceMinor);
    await booksAreRight(month, next);
  });
});
