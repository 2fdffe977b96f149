// Every id says the home of whoever owns its row: what a user's payments leave behind, from the key that
// asked for an invoice to the refund of it, carries the home that the user was given.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { countDetailsJob } from "../src/features/payments/count-details.job.ts";
import { deliverEventsJob } from "../src/features/webhooks/deliver-events.job.ts";
import { homeOf } from "../src/platform/id.ts";
import { type CastShop, createH2h } from "./cast.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, orders } from "./orders.ts";
import { payoutBody } from "./payouts.ts";
import { openReceiver } from "./receiver.ts";

/** Made of digests, or the pool's: money lives where its requisite does until it is somebody's. */
const NOT_THE_OWNERS = [
  // Empty until history lies in months.
  "orders.shop_id",
  ...["requisite_id", "receiver", "receivers.id", "ledger_postings.source_id", "author_id"],
  // Whose rows are gone a moment later: what they were is what the feed has.
  ...["event_feed_queue.event_id", "event_feed_queue.shop_id"],
  ...["user_event_feed_queue.event_id", "user_event_feed_queue.user_id"],
  // People, and what they did, are of the whole gateway: somebody may work for merchants of several homes.
  ...["audit_log.id", "audit_log.operator_id", "audit_log.user_id", "memberships.person_id"],
  ...[
    "memberships.user_id",
    "member_tokens.id",
    "member_tokens.person_id",
    "member_tokens.user_id",
  ],
  ...["sessions.id", "sessions.person_id", "sessions.user_id", "sessions.looks_at"],
  ...["invitations.id", "invitations.person_id", "invitations.user_id"],
];

onOneEngine("homes", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  const query = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    gateway.app.db.query<Row>(text, values);

  /** A user of that home, and in every table that can have one a row of theirs. */
  async function liveAt(home: number | undefined, hookUrl: string): Promise<string> {
    const own = manage(gateway);
    const { order, pay, pass } = orders(gateway);
    const { user, secret } = await own.post("users", { name: `Of ${home}`, home });
    assert.equal(user.home, home ?? 0);
    const wish = { user_id: user.user_id, name: "Shop", h2h_enabled: true, hook_url: hookUrl };
    const { shop, api_key } = await own.post("shops", wish);
    const caller: CastShop = { id: shop.shop_id, key: api_key };
    await own.post("tariffs", {
      ...{ shop_id: shop.shop_id, service: "p2p_card", shop_percent: 4, user_percent: 2 },
      ...{ min_sum: 1, max_sum: 100_000 },
    });
    await order({}, caller);
    const paid = await order({}, caller);
    await pay(paid);
    // Why details were refused is counted by shop.
    assert.equal((await createH2h(gateway, paid.id, {}, caller)).status, 422);
    await countDetailsJob.run(gateway.app);
    await pass(2 * DAY);
    await own.post("refunds", { invoice_id: paid.id, amount: 10, reason: "test" });
    await order({ hook_url: "http://127.0.0.1:1/" }, caller).then(pay);
    const terms = { percent: 1, min_sum: 1, max_sum: 1000, hold_first: false };
    await own.post("payout-tariffs", { user_id: user.user_id, service: "card", ...terms });
    const headers = { "x-api-signature-sha256": secret };
    const body = payoutBody({ user_id: user.user_id, amount: 10, hook_url: hookUrl });
    assert.equal((await gateway.call("/payoff/create", { headers, body })).status, 200);
    await pass(0);
    await deliverEventsJob.run(gateway.app);
    return user.user_id;
  }

  interface Column {
    readonly name: string;
    readonly column: string;
    /** Whose the row is, by what it says of its owner. */
    readonly owner: string;
  }

  /** Columns of merchants' rows that hold an id of theirs, by the catalogue: no table can be forgotten. */
  async function owned(): Promise<Column[]> {
    const columns = await query<Column>(
      `select field.table_name as name, field.column_name as column,
              string_agg(case owner.column_name when 'user_id' then 'row.user_id'
                else '(select user_id from shops where id = row.shop_id)' end, ', ') as owner
       from information_schema.columns field join information_schema.columns owner
         on owner.table_name = field.table_name and owner.column_name in ('shop_id', 'user_id')
       join pg_tables on tablename = field.table_name and schemaname = 'public'
       where field.data_type = 'uuid' and field.table_schema = 'public'
       group by 1, 2 order by 1, 2`,
    );
    return columns.filter(
      ({ name, column }) =>
        ![column, `${name}.${column}`].some((one) => NOT_THE_OWNERS.includes(one)),
    );
  }

  it("the ids of every merchant's row carry its user's home", async () => {
    const receiver = await openReceiver();
    const users: string[] = [];
    for (const home of [undefined, 4095, 42]) users.push(await liveAt(home, receiver.url));
    await receiver.close();
    assert.deepEqual(users.map(homeOf), [0, 4095, 42]);
    for (const { name, column, owner } of await owned()) {
      const rows = await query<{ id: string; own: number; home: number }>(
        `select row.${column} as id, home_of(row.${column}) as own, users.home
         from ${name} row join users on users.id = coalesce(${owner})
         where row.${column} is not null and users.id = any($1::uuid[])`,
        [users],
      );
      const where = `${name}.${column}`;
      assert.ok(
        rows.some(({ home }) => home === 42),
        `no row of ${where}`,
      );
      for (const { id, own, home } of rows)
        assert.deepEqual([own, homeOf(id)], [home, home], where);
    }
    const told = await query<{ home: number }>(
      "select distinct home_of(event_id) as home from deliveries order by 1",
    );
    assert.deepEqual(
      told.map(({ home }) => home),
      [0, 42, 4095],
    );
  });

  it("money that is nobody's lives where its requisite does", async () => {
    const rows = await query<{ home: number; at: number }>(
      `select home_of(id) as home, home_of(requisite_id) as at from transfers`,
    );
    assert.ok(rows.length >= 6);
    for (const { home, at } of rows) assert.equal(home, at);
  });

  it("a home never changes, and no shop lives elsewhere", async () => {
    await assert.rejects(query("update users set home = 7 where home = 42"), { code: "23514" });
    await assert.rejects(query("update users set id = gen_random_uuid() where home = 42"));
    await assert.rejects(
      query(
        "update shops set id = (select id from users where home = 0 limit 1) where home_of(id) = 42",
      ),
    );
    for (const home of [-1, 4096, 1.5]) {
      const [status] = await manage(gateway).refused("users", { name: "Nowhere", home });
      assert.equal(status, 422);
    }
  });
});
