// What was found in the first version, each by its name. The others stand where they belong: Friday's money
// in book-transfers.endpoint.test.ts, plans in plans.test.ts, receivers that wait in webhook-receivers.test.ts,
// reads of a large account in bulkheads.test.ts.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import pg from "pg";
import { deliverEventsJob } from "../src/features/webhooks/deliver-events.job.ts";
import { eventually } from "../torture/eventually.ts";
import { createH2h, createInvoice } from "./cast.ts";
import { onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { HOUR, orders } from "./orders.ts";
import { insistent } from "./patience.ts";
import { type Cluster, findPostgres, startCluster } from "./postgres.ts";
import { openReceiver } from "./receiver.ts";

onPostgres("what was found", () => {
  let cluster: Cluster;
  let gateway: TestGateway;
  let client: pg.Client;
  before(async () => {
    // One of its own: what a page has room for depends on who else is at work on the same server.
    cluster = await startCluster(findPostgres() ?? "");
    gateway = await openTestGateway("postgres", { databaseUrl: cluster.url("postgres") });
    client = new pg.Client({ connectionString: gateway.app.config.databaseUrl });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await gateway.stop();
    cluster.remove();
  });

  /** An invoice and details for it; the answer is what a payer would be told. */
  async function details(
    changes: Record<string, unknown> = {},
  ): Promise<{ id: string; wallet: string; amount: string }> {
    const { id } = (await createInvoice(insistent(gateway), changes)).body.data;
    const answer = await createH2h(insistent(gateway), id);
    assert.equal(answer.status, 200, answer.text);
    return { id, ...answer.body.data };
  }

  it("few cards or many processes form a convoy", async () => {
    // Whoever froze holds one card of the bank, and the settings of all of them.
    await client.query("begin");
    await client.query("select from requisites for update");
    const { rows } = await client.query(
      `select requisite_id from requisite_usage where requisite_id = (
         select id from requisites where bank = 'sber' order by id limit 1) for update`,
    );
    try {
      const told = await Promise.all(
        Array.from({ length: 40 }, (_, nth) => details({ amount: 1000 + nth })),
      );
      const taken = await gateway.app.db.query<{ requisite_id: string }>(
        "select distinct requisite_id from payments where invoice_id = any($1::uuid[])",
        [told.map(({ id }) => id)],
      );
      const held = rows[0]?.requisite_id;
      assert.ok(held !== undefined && taken.every((one) => one.requisite_id !== held));
    } finally {
      await client.query("rollback");
    }
  });

  it("live money comes one transaction and one audit row each", async () => {
    const { tick, now } = orders(gateway);
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => details({ amount: 2000 + nth })),
    );
    const items = told.map(({ wallet, amount }) => ({
      wallet,
      amount: Number(amount),
      reference: randomUUID(),
    }));
    const transactions = async (): Promise<number> => {
      const references = items.map(({ reference }) => reference);
      const [row] = await gateway.app.db.query<{ n: number }>(
        `select count(distinct xmin::text)::integer as n from transfers
         where reference = any($1::text[]) and state = 'matched'`,
        [references],
      );
      return row?.n ?? 0;
    };
    tick();
    const from = now();
    await manage(insistent(gateway)).post("transfers", { items: items.slice(0, 10) });
    assert.equal(await transactions(), 1);
    assert.equal((await manage(insistent(gateway)).get(`audit?from=${from}`)).items.length, 1);
    await Promise.all(
      items.slice(10).map((one) => manage(insistent(gateway)).post("transfers", one)),
    );
    assert.ok((await transactions()) < 1 + 10, "calls that arrive together share a transaction");
    assert.equal((await manage(insistent(gateway)).get(`audit?from=${from}`)).items.length, 11);
  });

  /** Whole payments: an order, details, money, the webhook told, the freeze over. */
  async function lives(count: number): Promise<void> {
    const receiver = await openReceiver();
    const changes = { hook_url: receiver.url, include_service: ["p2p_sbp"] };
    const told = await Promise.all(
      Array.from({ length: count }, (_, nth) => details({ ...changes, amount: 3000 + nth })),
    );
    const money = told.map(({ wallet, amount }) => ({
      wallet,
      amount: Number(amount),
      reference: randomUUID(),
    }));
    const { items } = await manage(insistent(gateway)).post("transfers", { items: money });
    for (const { state } of items) assert.equal(state, "matched");
    await eventually("every webhook", async () => {
      await deliverEventsJob.run(gateway.app);
      return receiver.received.length >= count;
    });
    await orders(gateway).pass(2 * HOUR);
    await receiver.close();
    const [row] = await gateway.app.db.query<{ released: number }>(
      `select count(*)::integer as released from ledger_freezes
       where released_at is not null and payment_id in (
         select id from payments where invoice_id = any($1::uuid[]))`,
      [told.map(({ id }) => id)],
    );
    assert.equal(row?.released, count);
  }

  /** Entries that went into indexes of ours, by the log that every one of them is written to. */
  async function indexEntries(from: string): Promise<Map<string, number>> {
    const { rows } = await client.query(
      `select class.relname as index, count(*)::integer as entries
       from pg_get_wal_records_info($1, pg_current_wal_flush_lsn()) wal
       join pg_database on datname = current_database()
       join pg_class class on wal.block_ref ~ ('rel \\d+/' || pg_database.oid || '/'
         || pg_relation_filenode(class.oid) || ' ')
       where class.relname !~ 'statistics' and resource_manager = 'Btree'
         and record_type ~ '^(INSERT_LEAF|INSERT_POST|SPLIT)'
         and class.relnamespace = 'public'::regnamespace
       group by 1 order by 1`,
      [from],
    );
    return new Map(rows.map(({ index, entries }) => [index, entries]));
  }

  it("62 index entries are written for one whole payment, and no change of a state stays in its page", async (context) => {
    const COUNT = 64;
    await lives(COUNT);
    const extensions = await client.query(
      "select from pg_available_extensions where name = 'pg_walinspect'",
    );
    if (extensions.rowCount === 0) return context.skip("needs pg_walinspect");
    await client.query("create extension if not exists pg_walinspect");
    const changing = [
      "invoices",
      "payments",
      "requisite_usage",
      "ledger_balances",
      "outbox",
      "ledger_freezes",
    ];
    const measure = async (): Promise<string[]> => {
      await client.query("select pg_stat_reset()");
      const { rows: at } = await client.query("select pg_current_wal_flush_lsn() as lsn");
      await lives(COUNT);
      const entries = await indexEntries(at[0].lsn);
      const sum = [...entries.values()].reduce((all, one) => all + one, 0) / COUNT;
      context.diagnostic(
        `${sum} index entries for a whole payment: ${JSON.stringify([...entries])}`,
      );
      // Whoever ends tells what it has counted.
      await client.query(
        `select pg_terminate_backend(pid, 10000) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      const { rows } = await client.query(
        `select relname, n_tup_upd::integer as all, n_tup_hot_upd::integer as hot
         from pg_stat_user_tables where relname = any($1) order by 1`,
        [changing],
      );
      return [
        // Four are of the feed, one is of counting who tells of the money, one of when it is released, one of how
        // webhooks are heard. What is counted by hours is of no one payment.
        ...(sum > 15 && sum < 37 ? [] : [`${sum} index entries for a whole payment`]),
        ...rows
          .filter(({ all, hot }) => !(all > 0 && hot / all > 0.9))
          .map(
            ({ relname, all, hot }) => `${relname}: ${hot} of ${all} updates stayed in their page`,
          ),
      ];
    };
    // Old versions of rows stay in their pages, and take the room there, while anybody still sees them: a
    // job's look at the tables that takes its time on a busy machine is enough.
    let wrong = await measure();
    for (let again = 0; again < 3 && wrong.length > 0; again += 1) wrong = await measure();
    assert.deepEqual(wrong, []);
  });
});
