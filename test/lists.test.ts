// Every list of /manage on 20,000 invoices: each page begins inside an index, and page after page tells
// every row that was asked for exactly once, in order.

import assert from "node:assert/strict";
import { it } from "node:test";
import { cardEnd, fill, phoneEnd } from "../bench/fill.ts";
import { type ListCase, listCases, viewPaths } from "../bench/list-cases.ts";
import { GROWING, objections, plansOf, watch } from "../bench/watched-db.ts";
import { openOneGateway } from "./one-gateway.ts";

const SIZE = { invoices: 20_000, shops: 20, users: 5, requisites: 30 };
const MOST_PAGES = 500;

/** Walked to the end: the list, what is asked for, and the same in plain SQL. */
interface Walk {
  readonly list: string;
  readonly filter: Readonly<Record<string, string>>;
  readonly id: string;
  readonly sql: string;
}

const { gateway, own } = await openOneGateway();
const filled = await fill(gateway.app, SIZE);
const take = watch(gateway.app.for("operators").db);

const objectionsTo = async (path: string): Promise<string[]> => {
  take();
  await own.get(path);
  const wrong: string[] = [];
  for (const statement of take()) {
    const plans = await plansOf(gateway.app.db, statement);
    wrong.push(...plans.flatMap((plan) => objections(plan, GROWING)));
  }
  return wrong.map((objection) => `${path} ${objection}`);
};

it("plans: no list reads a table that grows, on whatever page", async () => {
  const cases = await listCases(gateway.app.db, filled);
  const wrong: string[] = [];
  for (const path of cases.flatMap(pathsOf)) wrong.push(...(await objectionsTo(path)));
  assert.deepEqual(wrong, []);
  assert.ok(cases.length > 100);
});

it("plans: neither does what shows one thing whole", async () => {
  const { within } = await viewPaths(gateway.app.db, filled);
  for (const path of within) assert.deepEqual(await objectionsTo(path), []);
});

const walk = async ({ list, filter, id }: Walk): Promise<string[]> => {
  const told: string[] = [];
  let after: string | null = null;
  for (let turn = 0; turn < MOST_PAGES; turn += 1) {
    const query = new URLSearchParams({ ...filter, ...(after === null ? {} : { after }) });
    const page: { items: Record<string, string>[]; next: string | null } = await own.get(
      `${list}?${query}`,
    );
    const limit = Number(filter["limit"] ?? 50);
    assert.ok(page.items.length <= limit);
    told.push(...page.items.map((item) => item[id] ?? ""));
    if (page.next === null) return told;
    after = page.next;
  }
  throw new Error(`${list} did not end after ${MOST_PAGES} pages.`);
};

const compare = async (one: Walk, fewest = 1): Promise<void> => {
  const rows = await gateway.app.db.query<{ id: string }>(one.sql);
  const wanted = rows.map(({ id }) => id);
  assert.ok(wanted.length >= fewest, `${one.list} has ${wanted.length} rows to tell`);
  assert.deepEqual(await walk(one), wanted, `${one.list} ${JSON.stringify(one.filter)}`);
};

const invoices = (filter: Walk["filter"], where: string, more = ""): Walk => ({
  list: "invoices",
  filter,
  id: "invoice_id",
  // Those of a requisite come in the order of their latest payments there.
  sql: `select invoice.id from invoices invoice ${more}
        where ${where} group by invoice.id
        order by ${more === "" ? "invoice.id" : "max(payment.id::text)"} desc`,
});
const payments = (filter: Walk["filter"], where: string): Walk => ({
  list: "payments",
  filter,
  id: "payment_id",
  sql: `select id from payments where ${where} order by id desc`,
});
const rows =
  (list: string, id: string, table: string) =>
  (filter: Walk["filter"], where: string): Walk => ({
    list,
    filter,
    id,
    sql: `select id from ${table} where ${where} order by id desc`,
  });
const transfers = rows("transfers", "transfer_id", "transfers");
const refunds = rows("refunds", "refund_id", "refunds");
const audit = rows("audit", "audit_id", "audit_log");
const events = rows("events", "event_id", "events join event_states on event_id = id");

const byRequisite = (ids: string): string =>
  `join payments payment on payment.invoice_id = invoice.id and payment.requisite_id in (${ids})`;

const [shopId = "", otherShopId = ""] = filled.shopIds;
const [requisiteId = "", , , otherRequisiteId = ""] = filled.requisiteIds;
const [userId = ""] = filled.userIds;
const middle = new Date((filled.startsAt.getTime() + filled.endsAt.getTime()) / 2).toISOString();
const wallet = cardEnd(filled, 0);
/** The requisites whose cards end alike, as the fill made them. */
const alike = filled.requisiteIds
  .filter((_, index) => cardEnd(filled, index) === wallet)
  .map((id) => `'${id}'`)
  .join(", ");
const onAlike = byRequisite(alike);
const ofOrder = "invoice_id in (select id from invoices where order_id = '12')";
const entriesOf = (account: string, where: string): Walk => ({
  list: `accounts/${account}/entries`,
  filter: { limit: "200" },
  id: "posting_id",
  sql: `select id from ledger_postings where ${where} order by id desc`,
});

for (const [name, ...walks] of [
  ["everything", [invoices({ limit: "200" }, "true"), SIZE.invoices]],
  [
    "a shop with a state that is spread thin",
    ...(["refunded", "expired"] as const).map((state) => {
      const where = `shop_id = '${shopId}' and state = '${state}'`;
      return [invoices({ shop_id: shopId, state, limit: "35" }, where), 20] as const;
    }),
  ],
  [
    "an amount, an order, a period",
    [invoices({ amount: "1000" }, "amount_minor = 100000"), 100],
    [
      invoices(
        { amount: "1000", shop_id: otherShopId },
        `amount_minor = 100000 and shop_id = '${otherShopId}'`,
      ),
      10,
    ],
    [invoices({ order_id: "12" }, "order_id = '12'"), SIZE.shops - 1],
    [
      invoices({ state: "paid", from: middle }, `state = 'paid' and created_at >= '${middle}'`),
      1000,
    ],
    [
      invoices(
        { shop_id: otherShopId, to: middle },
        `shop_id = '${otherShopId}' and created_at < '${middle}'`,
      ),
      100,
    ],
  ],
  [
    "a card: an invoice that got details twice is told once",
    [invoices({ wallet: phoneEnd(0), limit: "10" }, "true", byRequisite(`'${requisiteId}'`)), 500],
  ],
  [
    "several cards that end alike, with and without a filter",
    [invoices({ wallet }, "true", onAlike), 5000],
    [invoices({ wallet, limit: "3", state: "failed" }, "invoice.state = 'failed'", onAlike), 0],
    [
      invoices({ wallet, limit: "35", state: "expired" }, "invoice.state = 'expired'", onAlike),
      500,
    ],
  ],
  [
    "payments",
    [
      payments(
        { requisite_id: otherRequisiteId, state: "lapsed" },
        `requisite_id = '${otherRequisiteId}' and state = 'lapsed'`,
      ),
      50,
    ],
    [payments({ wallet, limit: "200" }, `requisite_id in (${alike})`), 5000],
    [payments({ state: "live" }, "state = 'live'"), 0],
    [payments({ order_id: "12", limit: "4" }, ofOrder), 10],
    [payments({ order_id: "12", wallet }, `${ofOrder} and requisite_id in (${alike})`), 1],
  ],
  [
    "transfers and refunds",
    [transfers({ state: "returned" }, "state = 'returned'"), 20],
    [transfers({ state: "suspense", limit: "5" }, "state = 'suspense'"), 10],
    [
      transfers({ wallet, state: "suspense" }, `requisite_id in (${alike}) and state = 'suspense'`),
      1,
    ],
    [transfers({ reference: "ref-12" }, "reference = 'ref-12'"), 1],
    [transfers({ amount: "1020.05" }, "amount_minor = 102005"), 1],
    [refunds({ shop_id: shopId, limit: "9" }, `shop_id = '${shopId}'`), 50],
  ],
  [
    "events, entries and the audit log",
    [events({ state: "exhausted", limit: "9" }, "state = 'exhausted'"), 50],
    [events({ state: "no_address" }, "state = 'no_address'"), 100],
    [
      events({ shop_id: shopId, state: "waiting" }, `shop_id = '${shopId}' and state = 'waiting'`),
      0,
    ],
    [audit({ act: "tariff.set" }, "act = 'tariff.set'"), 1],
    [
      audit(
        { act: "shop.update", subject: shopId },
        `act = 'shop.update' and subject = '${shopId}'`,
      ),
      100,
    ],
    [entriesOf(`available.RUB.${userId}`, `user_id = '${userId}' and available_minor <> 0`), 1000],
    [entriesOf("fees.RUB", "fees_minor <> 0"), 1000],
  ],
] as readonly (readonly [string, ...(readonly [Walk, number])[]])[]) {
  it(`page by page: ${name}`, async () => {
    for (const [one, fewest] of walks) await compare(one, fewest);
  });
}

it("page by page: accounts of every kind, each once, wherever a page ends", async () => {
  const accounts = (filter: Walk["filter"], where: string): Walk => ({
    list: "accounts",
    filter,
    id: "account_id",
    sql: `select concat_ws('.', account, currency, user_id, requisite_id) as id
          from (select account, currency, user_id, requisite_id from ledger_entries
                union
                select account, currency, user_id, null from ledger_balances
                cross join (values ('available'), ('frozen'), ('reserved')) kind(account)) accounts
          where ${where}
          order by array_position(array['available', 'frozen', 'reserved', 'bank', 'bank_out',
            'suspense', 'fees', 'own'], account), user_id, requisite_id`,
  });
  for (const limit of ["1", "7", "200"]) await compare(accounts({ limit }, "true"), 50);
  await compare(accounts({ kind: "bank", limit: "3" }, "account = 'bank'"), 30);
  await compare(accounts({ kind: "fees" }, "account = 'fees'"));
  const user_id = filled.userIds[1] ?? "";
  await compare(accounts({ user_id, limit: "2" }, `user_id = '${user_id}'`), 3);
});

function pathsOf({ list, filter, pages }: ListCase): string[] {
  // The first, and the one in the middle.
  return pages.slice(0, 2).map(({ after }) => {
    const query = new URLSearchParams({ ...filter, ...(after === undefined ? {} : { after }) });
    return `${list}?${query}`;
  });
}
