// How PostgreSQL would find the rows of every statement that details, money and webhooks are made of, when its
// statistics are of another time: the tables were empty when they were last looked at, and are full now. Each
// is also planned as if looking rows up one by one were dear: what finds its rows by joining a list of them
// becomes a reading of the whole table then, and one day does so by itself.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it, mock } from "node:test";
import pg from "pg";
import { jobs } from "../src/features/jobs.ts";
import { watchPayoutsJob } from "../src/features/payouts/watch-payouts.job.ts";
import { deliverEventsJob } from "../src/features/webhooks/deliver-events.job.ts";
import { tendTablesJob } from "../src/platform/db-tend.ts";
import { createH2h, createInvoice, LINK_SHOP, OTHER_SHOP } from "./cast.ts";
import { feedOf, feedOfUser } from "./feed.ts";
import { onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { scan } from "./house/source.ts";
import { manage } from "./manage.ts";
import { HOUR, MINUTE, orders } from "./orders.ts";
import { cardEndingIn, pauseRail, payouts } from "./payouts.ts";
import { openReceiver } from "./receiver.ts";

const LIVE = 20_000;

/** Tables that grow with the business, and are filled here. */
const LARGE = [
  "invoices",
  "payments",
  "slots",
  "transfers",
  "ledger_postings",
  "ledger_balances",
  "events",
  "outbox",
  "deliveries",
  "receivers",
  "event_feed",
  "evidence",
  "payouts",
  "payout_destinations",
  "payout_attempts",
  "payout_days",
  "dues",
  "ledger_freezes",
  "audit_log",
  "payer_words",
];

/** Every statement that stands here is planned below, or is one of those that are rare. */
const HOT_QUERIES = [
  "invoices/queries",
  "payments/queries",
  "transfers/queries",
  "ledger/queries",
  "requisites/queries",
  "checkout/queries",
  "webhooks/queries",
  "payouts/queries",
  "payouts/attempt-queries",
  "payouts/destination-queries",
].map((name) => `src/features/${name}.ts`);

/** What begins at the left edge: a statement stands in the last of these before it. */
const OWNER = /^(?:export )?(?:async )?(?:function|const) (\w+)/gm;

const STATEMENT = /^\s*(?:select|insert|update|delete|with)\s/;

/** What only a person asks for, or a job now and then: the functions, by their names. */
const RARE: Readonly<Record<string, readonly string[]>> = {
  "a refund": ["markRefunded", "addRefunded", "paidPaymentOf", "lockAvailable", "isUnproven"],
  "a cancel": ["failInvoice"],
  "a transfer that is settled by hand": ["lockTransfer", "settleTransfer", "invoiceIdOf"],
  "a line that a person corrects": ["forgetElsewhere", "dueAgain"],
  "a payout that had left after all, or that somebody looks at": [
    "addToDays",
    "payoutsById",
    "addElsewhere",
  ],
  "money that several tell of": [
    "tellingsInBuckets",
    "addEvidence",
    "proveTransfers",
    "proveFreezes",
    "lockBroken",
    "lockReturned",
    "undoneAmong",
    "transfersOf",
    "waitFor",
    "evidenceOf",
    "slotOf",
  ],
  "of no table": ["lockTelling"],
  "a requisite that a person changes": ["requisitesById", "updateRequisite", "accountStays"],
  "what a person looks at or lists": [
    "paymentsNear",
    "accountsOf",
    "findAccount",
    "releasesOf",
    "balancesOf",
    "postingsOf",
    "operatorNames",
    "sealedBatch",
    "attemptsOfBatch",
  ],
  "a return, a directory, a file of payouts": ["setReturnTransfer", "replaceSbpBanks", "addBatch"],
  "a day that begins, and what a job tidies": [
    "countForToday",
    "usageOfDay",
    "restingAmong",
    "setResting",
    "lockAhead",
    "putBack",
    "sweepSlots",
  ],
  "an event that is sent again": ["lockResendable", "resend"],
  "setting up": ["openBalances"],
  "a page of somebody's own": ["merchantOfInvoice"],
  "kopeck verify": ["firstOfEach"],
  "what is removed after so many days, a little at a time": [
    "removeEmails",
    "lockUnused",
    "removeInvoices",
    "removeAddresses",
    "thoseOver",
    "removePayers",
  ],
  "a sandbox whose time is moved": ["isAnythingDue", "nextClaimAt"],
};

/** These read a partial index from end to end, four times a minute: what waits for a person is little. */
const COUNTS_WHAT_WAITS = /as due_since|as unknown_since|as first_id/;

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Node[];
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
}

interface Explained {
  readonly "Query Text": string;
  readonly Plan: Node;
}

/** So many times each statement is asked again: of several jobs, or for several things. */
const CALLS = 8;

/** A list may look at some for each of its items, a page at two thousand; the tables have ten times as many. */
const MUCH = 5_000;

/**
 * Who is bounded by something else than a key: by what one requisite may have live, by what stands in line for
 * later, by the batch of a job, and, for a first reader of the feed, by what the planner knows of the shop.
 */
const MAY_READ_MUCH =
  /select live\.\*|min\(queued_at\)|select feed\.position - 1|order by id offset/;

function rowsRead(node: Node): number {
  const { "Actual Rows": rows = 0, "Actual Loops": loops = 0 } = node;
  const { "Rows Removed by Filter": filtered = 0, "Rows Removed by Join Filter": joined = 0 } =
    node;
  return (rows + filtered + joined) * loops;
}

onPostgres("plans on stale statistics", () => {
  let gateway: TestGateway;
  let client: pg.Client;
  /**
   * Every statement that the gateway has prepared, on whatever connection, because one may be gone by the end;
   * and what it was first asked with.
   */
  const asked = new Map<string, unknown[][]>();
  before(async () => {
    const { query } = pg.Client.prototype;
    mock.method(pg.Client.prototype, "query", function (this: pg.Client, ...of: unknown[]) {
      const [{ name, text, values = [] }] = of as [
        { name?: string; text?: string; values?: unknown[] },
      ];
      if (name !== undefined && text !== undefined) {
        const calls = asked.get(text) ?? [];
        asked.set(text, calls);
        if (calls.length < CALLS) calls.push(values);
      }
      return Reflect.apply(query, this, of);
    });
    // Whoever looks after the tables may have chosen one before it is filled, and come by after that.
    const others = jobs.filter(({ name }) => name !== tendTablesJob.name);
    const shares = { shop: 50, user: 50, payer: 50 };
    gateway = await openTestGateway("postgres", { shares }, { jobs: others });
    client = new pg.Client({ connectionString: gateway.app.config.databaseUrl });
    await client.connect();
    // Queues have had rows, all of which are gone: their files have pages, and nothing in them.
    await client.query(`set session_replication_role = replica;
      insert into outbox (event_id, shop_id, receiver, next_attempt_at)
      select id, id, id, '2026-01-01' from (select gen_random_uuid() as id
                                            from generate_series(1, 1000)) made;
      insert into receivers (id, shop_id, next_due_at)
      select event_id, shop_id, next_attempt_at from outbox;
      insert into evidence (requisite_id, teller, key, transfer_id, channel, amount_minor, told_at)
      select event_id, 'sms', 'key', event_id, 'sms', 1, next_attempt_at from outbox;
      -- And where one waits, one row is what the planner expects.
      insert into dues (kind, due_at, id) values ('lapse-payments', '2099-01-01', gen_random_uuid());
      delete from outbox; delete from receivers; delete from evidence;
      reset session_replication_role`);
    for (const table of LARGE) {
      await client.query(`alter table ${table} set (autovacuum_enabled = false); analyze ${table}`);
    }
    await fill();
    // Nobody who looks after the tables is to notice.
    await client.query("select pg_stat_force_next_flush()");
    for (const table of LARGE) {
      await client.query("select pg_stat_reset_single_table_counters($1::regclass)", [table]);
    }
    await live();
    await payOnPage();
  });
  after(async () => {
    await client.end();
    await gateway.stop();
    mock.restoreAll();
  });

  /** As many live payments, of as many invoices, over one requisite. */
  async function fill(): Promise<void> {
    const now = gateway.clock.now().toISOString();
    const [shop] = (await client.query("select id, user_id from shops order by id limit 1")).rows;
    const [card] = (await client.query("select id from requisites order by id limit 1")).rows;
    // Uncounted: whoever looks after the tables, every second, would come before the counts are reset.
    await client.query(`
      set track_counts = off;
      set session_replication_role = replica;
      create temp table draft as
        select n, gen_random_uuid() as invoice_id, gen_random_uuid() as payment_id
        from generate_series(1, ${LIVE}) n;
      insert into invoices (id, shop_id, user_id, details, order_id, content_digest, type, state, amount_minor,
        currency, services, success_url, created_at, expires_at)
      select invoice_id, '${shop.id}', '${shop.user_id}', 1, 'filled ' || n, sha256(invoice_id::text::bytea), 'direct',
        case when n % 2 = 0 then 'pending' else 'created' end, 100000 + n, 'RUB',
        array['p2p_card'], 'https://shop.example/ok', '${now}',
        timestamptz '${now}' + interval '5 hours'
      from draft;
      insert into payments (id, invoice_id, number, shop_id, user_id, requisite_id, service, state, currency,
        amount_minor, percent_ppm, user_percent_ppm, fee_minor, payer_fee_minor, nudge_minor,
        to_pay_minor, created_at, created_on, ends_at, slot_until)
      select payment_id, invoice_id, 1, '${shop.id}', '${shop.user_id}', '${card.id}', 'p2p_card', 'live', 'RUB',
        200000 + n, 0, 0, 0, 0, 0, 200000 + n, '${now}', '2026-03-01',
        timestamptz '${now}' + interval '20 minutes', timestamptz '${now}' + interval '1 day'
      from draft;
      insert into slots (requisite_id, amount_minor, payment_id, held_until, shop_id, user_id)
      select '${card.id}', 200000 + n, payment_id, timestamptz '${now}' + interval '1 day',
        '${shop.id}', '${shop.user_id}'
      from draft;
      insert into ledger_postings (id, source_id, kind, currency, created_at, user_id, requisite_id,
        bank_minor, frozen_minor, fees_minor)
      select gen_random_uuid(), gen_random_uuid(), 'transfer_matched', 'RUB', '${now}',
        gen_random_uuid(), '${card.id}', -106, 100, 6
      from draft;
      insert into ledger_balances (user_id, currency, frozen_minor)
      select user_id, 'RUB', frozen_minor from ledger_postings;
      insert into transfers (id, requisite_id, reference, currency, amount_minor, state,
        suspense_reason, received_at)
      select gen_random_uuid(), '${card.id}', 'filled ' || n, 'RUB', 100, 'suspense',
        'nobody_expected', '${now}'
      from draft;
      insert into events (id, shop_id, invoice_id, sequence, body, hook_url, hook_is_own, created_at)
      select payment_id, '${shop.id}', invoice_id, 1, '{}', 'https://a.example', true, '${now}'
      from draft;
      insert into outbox (event_id, shop_id, receiver, next_attempt_at)
      select payment_id, '${shop.id}', payment_id, timestamptz '${now}' + interval '1 day' from draft;
      insert into receivers (id, shop_id, next_due_at)
      select event_id, event_id, next_attempt_at from outbox;
      insert into deliveries (event_id, attempt, started_at) select event_id, 1, '${now}' from outbox;
      insert into event_feed (event_id, shop_id, user_id, position, placed_at)
      select payment_id, '${shop.id}', '${shop.user_id}', n, '${now}' from draft;
      update event_feed_end set position = ${LIVE};
      insert into payout_destinations (id, user_id, service, currency, digest, number_sealed, masked,
        created_at)
      select payment_id, invoice_id, 'card', 'RUB', sha256(payment_id::text::bytea), 'sealed',
        '220000******0400', '${now}' from draft;
      insert into payouts (id, user_id, order_id, service, currency, destination_id,
        amount_minor, withdraw_minor, receive_minor, fee_minor, subtract, refunds_fee,
        balance_after_minor, origin, state, queued_at, attempts, created_at, created_on, settled_at,
        done_at)
      select invoice_id, case when n % 2 = 0 then '${shop.user_id}' else payment_id end, 'filled ' || n,
        'card', 'RUB', payment_id, 100, 100, 100, 0, 'amount', false, 0, 'api',
        case when n % 2 = 0 then 'done' else 'queued' end,
        case when n % 2 = 1 then timestamptz '${now}' + interval '1 year' end, 1 - n % 2, '${now}',
        '2026-03-01', case when n % 2 = 0 then timestamptz '${now}' end,
        case when n % 2 = 0 then timestamptz '${now}' end
      from draft;
      insert into payout_attempts (payout_id, number, rail, state, claimed_at, lease_until, dispatched_at)
      select invoice_id, 1, 'desk', 'sent', '${now}', '${now}', '${now}' from draft;
      insert into dues (kind, due_at, id)
      select kind, timestamptz '${now}' + interval '1 year', invoice_id
      from draft, unnest(array['expire-invoices', 'lapse-payments', 'release-freezes']) kind;
      insert into ledger_freezes (payment_id, user_id, currency, amount_minor, frozen_until)
      select payment_id, '${shop.user_id}', 'RUB', 100, timestamptz '${now}' + interval '1 year' from draft;
      insert into audit_log (id, operator_name, act, subject, created_at)
      select payment_id, 'filled', 'filled', 'filled ' || n, '${now}' from draft;
      insert into payer_words (payment_id, paid_said_at) select payment_id, '${now}' from draft;
      insert into payout_days (user_id, service, currency, day, sum_minor, payouts)
      select payment_id, 'card', 'RUB', '2026-03-01', 100, 1 from draft;
      reset session_replication_role;
      reset track_counts`);
  }

  /** One of everything: new, repeated and replaced details, money in time, late, twice and for nobody. */
  async function live(): Promise<void> {
    const { order, pay, balance } = orders(gateway);
    const receiver = await openReceiver();
    const paid = await order({ hook_url: receiver.url });
    await pay(paid);
    await pay(paid);
    while (receiver.received.length === 0) await deliverEventsJob.run(gateway.app);
    // What is left of its line is cleared away.
    while ((await deliverEventsJob.run(gateway.app)) > 0);
    await receiver.close();
    for (const feed of [feedOf(gateway), feedOfUser(gateway)]) {
      const { next } = await feed.read({ since: "2026-01-01", limit: 500 });
      await feed.read({ after: next });
      await feed.read({ after: "end", wait: 1 });
    }
    const { id } = (await createInvoice(gateway, { amount: 777 })).body.data;
    for (const bank of ["sber", "sber", "tinkoff", "sber"]) {
      const answer = await createH2h(gateway, id, { payment_data: { bank } });
      assert.equal(answer.status, 200, answer.text);
    }
    // Asked again, and where few places are left.
    const again = { amount: 778, order_id: "again" };
    for (const _ of [1, 2]) assert.equal((await createInvoice(gateway, again)).status, 200);
    for (const amount of [556, 557, 558]) await order({ amount });
    await gateway.app.db.query(
      "update requisite_usage set max_live_payments = live_payments + 1 where live_payments > 0",
    );
    await order({ amount: 559 }, OTHER_SHOP);
    await gateway.app.db.query("update requisite_usage set max_live_payments = 1000");
    await balance();
    const late = await order({ amount: 555 });
    await gateway.app.db.query(
      "update payments set ends_at = $1, created_at = $2, slot_until = $3 where id = $4",
      [
        new Date(gateway.clock.now().getTime() - MINUTE * 1000),
        new Date(gateway.clock.now().getTime() - 21 * MINUTE * 1000),
        new Date(gateway.clock.now().getTime() + HOUR * 1000),
        late.paymentId,
      ],
    );
    await pay(late);
    await pay(late, { amount: 13 });
    // By the day, and told again, in a list.
    const { wallet, amount } = await order({ amount: 444 });
    const made_at = gateway.clock.now().toISOString().slice(0, 10);
    const items = [1, 2, 1].map((n) => ({ wallet, amount, reference: `line ${n}`, made_at }));
    const { items: told } = await manage(gateway).post("transfers", { items });
    assert.deepEqual(
      told.map(({ state }: { state: string }) => state),
      ["matched", "suspense", "matched"],
    );
  }

  /** On the payment page, to a phone; and everything that falls due by itself. */
  async function payOnPage(): Promise<void> {
    const { pay, pass } = orders(gateway);
    const changes = { include_service: ["p2p_sbp"], type: "link", amount: 666 };
    const { id } = (await createInvoice(gateway, changes, LINK_SHOP)).body.data;
    const choose = async (bank: string): Promise<string> => {
      const body = new URLSearchParams({ service: "p2p_sbp", bank });
      const chosen = await fetch(`${gateway.url}/pay/${id}`, {
        method: "POST",
        redirect: "manual",
        body,
      });
      assert.equal(chosen.status, 303);
      return (await fetch(`${gateway.url}/pay/${id}`)).text();
    };
    assert.equal((await fetch(`${gateway.url}/pay/${id}`)).status, 200);
    await choose("tinkoff");
    const page = await choose("sber");
    const amount = /class="amount">[^<]*?([\d ]+[.,]\d\d)/.exec(page)?.[1] ?? "666";
    assert.equal((await fetch(`${gateway.url}/pay/${id}/standing`)).status, 200);
    const wallet = /\+7\d{10}/.exec(page.replaceAll(/[\s()-]/g, ""))?.[0] ?? assert.fail(page);
    const order = { id, orderId: "", paymentId: "", wallet, amount: Number(amount) };
    await pay(order);
    await pass(6 * HOUR);
    await sitAtTheDesk(id, wallet.slice(-4));
    const settled = await gateway.app.db.query(
      `select exists (select from payments where state = 'lapsed') as lapsed,
              exists (select from invoices where state = 'expired') as expired,
              exists (select from ledger_freezes where released_at is not null) as free`,
    );
    assert.deepEqual(settled, [{ lapsed: true, expired: true, free: true }]);
    await payOut();
  }

  /** What the desk's pages ask for: what waits, whatever is looked for, slots, a tariff on trial. */
  async function sitAtTheDesk(id: string, digits: string): Promise<void> {
    const own = manage(gateway);
    const rates = "service=p2p_card&shop_percent=1&user_percent=1";
    const [{ requisite_id }] = (await own.get("requisites")).items;
    for (const path of [
      "waiting",
      `find?q=${id}`,
      "find?q=filled",
      `find?q=${digits}`,
      `find?q=${digits}+666`,
      "find?q=0123456789ab",
      `tariffs/try?${rates}`,
      `tariffs/try?${rates}&shop_id=${OTHER_SHOP.id}`,
      `requisites/${requisite_id}/slots?amount=1`,
    ]) {
      await own.get(path);
    }
  }

  /** Sent, failed, asked about, taken back, asked for again; each is read. */
  async function payOut(): Promise<void> {
    const trade = orders(gateway);
    const user = payouts(gateway, trade);
    const ids: string[] = [];
    for (const ending of ["01", "02", "04", "06"]) {
      ids.push(await user.made({ amount: 20, wallet_to: cardEndingIn(ending) }));
    }
    await trade.pass(2 * HOUR);
    const states = await Promise.all(ids.map((id) => user.state(id)));
    assert.deepEqual(states, ["done", "failed", "done", "returned"]);
    await pauseRail(gateway);
    const again = { amount: 21, order_id: "again" };
    for (const _ of [1, 2]) await user.cancel(await user.made(again));
    assert.equal((await user.list()).status, 200);
    await watchPayoutsJob.run(gateway.app);
  }

  /** Statements of money, by what only they say, and the one index each may look into a table by, with its key. */
  const PLACE = ["requisite_id", "to_pay_minor", "created_at"];
  const BY_KEY: readonly [part: string, table: string, index: string, key: readonly string[]][] = [
    ['transfer."issuedBy"', "payments", "payments_expecting", PLACE],
    ['late."issuedAfter"', "payments", "payments_expecting", PLACE],
    // By the requisite alone, all that is held on it was read for each amount that was asked for.
    ['range."fromMinor"', "slots", "slots_pkey", ["requisite_id", "amount_minor"]],
    [
      ...(["wanted.reference", "transfers", "transfers_requisite_id_reference_key"] as const),
      ["requisite_id", "reference"],
    ],
    [
      ...(["bucket.teller", "transfers", "transfers_of_amount"] as const),
      ["requisite_id", "amount_minor", "made_from"],
    ],
  ];

  for (const [part, table, index, key] of BY_KEY) {
    it(`money finds its rows by all of the key: ${part}`, async () => {
      const [statement = "", ...others] = prepared().filter((one) => one.includes(part));
      assert.deepEqual(others, []);
      const own = (await planOf(statement)).filter(
        // One row by its id is what it is. By a bitmap, the key stands at the index.
        ({ "Relation Name": of, "Node Type": type, "Index Name": by }) =>
          (type === "Bitmap Index Scan" ? by?.startsWith(table) : of === table) &&
          type !== "Bitmap Heap Scan" &&
          (by !== `${table}_pkey` || by === index),
      );
      assert.deepEqual(
        own.map((node) => node["Index Name"]),
        [index],
        statement,
      );
      for (const column of key) assert.match(own[0]?.["Index Cond"] ?? "", new RegExp(column));
    });
  }

  it("every statement of the hot rooms is planned here, or is known to be rare", async () => {
    const seen = prepared(() => true);
    const known = hotStatements();
    const missing = known.filter(
      ({ owner, pattern }) => !isRare(owner) && !seen.some((one) => pattern.test(one)),
    );
    assert.deepEqual(
      missing.map(({ path, owner }) => `${path}: ${owner}`),
      [],
    );
    const owners = new Set(known.map(({ owner }) => owner));
    assert.deepEqual(
      Object.values(RARE)
        .flat()
        .filter((name) => !owners.has(name)),
      [],
    );
  });

  it("no index knows a state that changes", async () => {
    const { rows } = await client.query(
      `select indexname from pg_indexes
       where tablename in ('invoices', 'payments', 'ledger_freezes')
         and indexdef ~ '\\m(state|released_at|paid_at|late|details|events)\\M'`,
    );
    assert.deepEqual(rows, []);
  });

  it("the statistics are of another time still", async () => {
    const { rows } = await client.query(
      "select relname from pg_class where relname = any($1) and reltuples > 1000",
      [LARGE],
    );
    assert.deepEqual(rows, []);
  });

  it("no statement of details, money or webhooks reads a table that grows, or an index of it, without a key", async () => {
    const statements = prepared();
    assert.ok(statements.length > 20, `only ${statements.length} statements were seen`);
    const bad: string[] = [];
    for (const joins of ["on", "off"]) {
      await client.query(`set enable_nestloop = ${joins}`);
      for (const statement of statements) {
        for (const node of (await planOf(statement)).filter(isUnbounded)) {
          const what = node["Index Name"] ?? node["Relation Name"];
          bad.push(`${node["Node Type"]} of ${what}, look-ups ${joins}: ${statement}`);
        }
      }
    }
    await client.query("reset enable_nestloop");
    assert.deepEqual(bad, []);
  });

  it("no statement of details, money or webhooks reads much of a table for what it was asked for", async () => {
    const much: string[] = [];
    await client.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0;
      set auto_explain.log_analyze = on; set auto_explain.log_timing = off;
      set auto_explain.log_nested_statements = on; set auto_explain.log_format = json;
      set plan_cache_mode = force_generic_plan; set client_min_messages = log`);
    const told: Explained[] = [];
    client.on("notice", ({ message = "" }) => {
      const plan = /^duration: .* plan:\n(.*)/s.exec(message)?.[1];
      if (plan !== undefined) told.push(JSON.parse(plan));
    });
    const calls = prepared().flatMap((text, index) =>
      (asked.get(text) ?? []).map((values) => ({ name: `again${index}`, text, values })),
    );
    for (const call of calls) {
      await client.query("begin");
      // What was written then cannot be written again; what it looked for is found before that.
      await client.query(call).catch(() => {});
      await client.query("rollback");
    }
    assert.ok(told.length > 50, `only ${told.length} plans were told`);
    for (const { "Query Text": text, Plan } of told) {
      const read = Math.max(...nodesOf(Plan).map(rowsRead));
      if (read > MUCH && !MAY_READ_MUCH.test(text)) much.push(`${read} rows: ${text}`);
    }
    assert.deepEqual([...new Set(much)], []);
  });

  const rare = hotStatements().filter(({ owner }) => isRare(owner));
  const isOfLarge = (text: string): boolean =>
    LARGE.some((table) => text.includes(table)) &&
    !COUNTS_WHAT_WAITS.test(text) &&
    !rare.some(({ pattern }) => pattern.test(text));

  /** What the gateway has prepared, and changes or reads what grows. */
  const prepared = (isWanted = isOfLarge): string[] => [...asked.keys()].filter(isWanted);

  /** Whatever it is asked for. */
  async function planOf(statement: string): Promise<Node[]> {
    await client.query(`set plan_cache_mode = force_generic_plan; prepare looked as ${statement}`);
    const { rows } = await client.query(
      "select cardinality(parameter_types) as n from pg_prepared_statements where name = 'looked'",
    );
    const nulls = Array(rows[0].n).fill("null").join(", ");
    const call = nulls === "" ? "looked" : `looked(${nulls})`;
    const explained = await client.query(`explain (format json) execute ${call}`);
    await client.query("deallocate looked");
    return nodesOf(explained.rows[0]["QUERY PLAN"][0].Plan);
  }
});

interface HotStatement {
  readonly path: string;
  /** The function that it stands in. */
  readonly owner: string;
  /** Matches its text, whatever is put into it. */
  readonly pattern: RegExp;
}

/** As they are written in the hot rooms. */
function hotStatements(): HotStatement[] {
  return HOT_QUERIES.flatMap((path) => {
    const text = readFileSync(join(import.meta.dirname, "..", path), "utf8");
    const { code, literals } = scan(text);
    return literals.flatMap((literal) => {
      if (!STATEMENT.test(literal.text)) return [];
      const names = code.slice(0, literal.at).matchAll(OWNER);
      const owner = [...names].at(-1)?.[1] ?? "";
      const parts = literal.text.split(/\$\{\}/).map((part) => RegExp.escape(part));
      return [{ path, owner, pattern: new RegExp(parts.join("[^]*")) }];
    });
  });
}

function isRare(owner: string): boolean {
  return Object.values(RARE).some((names) => names.includes(owner));
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/**
 * Everything that is due is as much as reading the whole line: only whose line it is bounds it. And one user may
 * have all destinations, and all payouts, that there are: a digest out of a list is no key, for the planner may as
 * well read all of the user's and look at each.
 */
const BOUNDED_BY: Readonly<Record<string, string>> = {
  outbox_waiting: "(receiver = ",
  payout_destinations_user_id_digest_key: "(digest = decode(",
  payouts_of_user: "(id ",
};

function isUnbounded(node: Node): boolean {
  const table = node["Relation Name"];
  if (node["Node Type"] === "Seq Scan") return table !== undefined && LARGE.includes(table);
  const isIndexScan = /^(Bitmap Index|Index( Only)?) Scan$/.test(node["Node Type"]);
  const condition = node["Index Cond"];
  // The head of a queue, up to a limit: what was taken from it is gone.
  if (node["Index Name"]?.endsWith("event_feed_queue_pkey")) return false;
  // What was tried and stands in line again: few, and only for a minute each.
  if (node["Index Name"] === "payouts_tried_again") return false;
  const needed = BOUNDED_BY[node["Index Name"] ?? ""] ?? "";
  return isIndexScan && !condition?.includes(needed);
}
