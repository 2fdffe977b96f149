// Every list of /manage on 20,000 invoices: each page begins inside an index, and page after page tells
// every row that was asked for exactly once, in order.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cardEnd, fill, phoneEnd } from "../bench/fill.ts";
import { type ListCase, listCases, viewPaths } from "../bench/list-cases.ts";
import { GROWING, objections, plansOf, watch } from "../bench/watched-db.ts";
import { assertBooksAreRight } from "./books.ts";
import { ONE_ENGINE, openOneGateway } from "./one-gateway.ts";

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

it("the fill itself obeys every invariant", async () => {
  const { gateway: small } = await openOneGateway();
  await fill(small.app, { ...SIZE, invoices: 2_000 });
  await assertBooksAreRight(small);
});

describe("plans", () => {
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

  it("no list reads a table that grows, on whatever page", async () => {
    const all = await listCases(gateway.app.db, filled);
    // The embedded engine does not hear what an index costs here: it rather reads so small a table
    // than joins 200 rows to it.
    const cases = all.filter(({ filter }) => ONE_ENGINE === "postgres" || !("limit" in filter));
    const wrong: string[] = [];
    for (const path of cases.flatMap(pathsOf)) wrong.push(...(await objectionsTo(path)));
    assert.deepEqual(wrong, []);
    assert.ok(cases.length > 100);
  });

  it("neither does what shows one thing whole", async () => {
    const { within } = await viewPaths(gateway.app.db, filled);
    for (const path of within) assert.deepEqual(await objectionsTo(path), []);
  });

  it("a table that is read from end to end would be noticed", async () => {
    const text = "select * from invoices where comment = $1";
    const plans = await plansOf(gateway.app.db, { text, values: ["Order 1"] });
    const found = plans.flatMap((plan) => objections(plan, GROWING));
    assert.deepEqual(found, ["reads invoices", "reads invoices"]);
  });
});

describe("page by page", () => {
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
    ...{ list: "invoices", filter, id: "invoice_id" },
    // Those of a requisite come in the order of their latest payments there.
    sql: `select invoice.id from invoices invoice ${more}
          where ${where} group by invoice.id
          order by ${more === "" ? "invoice.id" : "max(payment.id::text)"} desc`,
  });
  const payments = (filter: Walk["filter"], where: string): Walk => ({
    ...{ list: "payments", filter, id: "payment_id" },
    sql: `select id from payments where ${where} order by id desc`,
  });
  const rows =
    (list: string, id: string, table: string) =>
    (filter: Walk["filter"], where: string): Walk => ({
      ...{ list, filter, id },
      sql: `select id from ${table} where ${where} order by id desc`,
    });
  const transfers = rows("transfers", "transfer_id", "transfers");
  const events = rows("events", "event_id", "events join event_states on event_id = id");

  /** The requisites whose cards end alike, as the fill made them. */
  const alike = (): string =>
    filled.requisiteIds
      .filter((_, index) => cardEnd(filled, index) === cardEnd(filled, 0))
      .map((id) => `'${id}'`)
      .join(", ");
  const wallet = () => cardEnd(filled, 0);
  const byRequisite = (ids: string): string =>
    `join payments payment on payment.invoice_id = invoice.id and payment.requisite_id in (${ids})`;

  it("everything", async () => {
    await compare(invoices({ limit: "200" }, "true"), SIZE.invoices);
  });

  it("a shop with a state that is spread thin", async () => {
    const [shop_id = ""] = filled.shopIds;
    const where = `shop_id = '${shop_id}' and state = 'refunded'`;
    await compare(invoices({ shop_id, state: "refunded" }, where), 20);
    const other = `shop_id = '${shop_id}' and state = 'expired'`;
    await compare(invoices({ shop_id, state: "expired", limit: "35" }, other), 1000);
  });

  it("an amount, an order, a period", async () => {
    const [, shop_id = ""] = filled.shopIds;
    await compare(invoices({ amount: "1000" }, "amount_minor = 100000"), 100);
    const both = `amount_minor = 100000 and shop_id = '${shop_id}'`;
    await compare(invoices({ amount: "1000", shop_id }, both), 10);
    await compare(invoices({ order_id: "12" }, "order_id = '12'"), SIZE.shops - 1);
    const { startsAt, endsAt } = filled;
    const middle = new Date((startsAt.getTime() + endsAt.getTime()) / 2).toISOString();
    const late = `state = 'paid' and created_at >= '${middle}'`;
    await compare(invoices({ state: "paid", from: middle }, late), 1000);
    await compare(
      invoices({ shop_id, to: middle }, `shop_id = '${shop_id}' and created_at < '${middle}'`),
      100,
    );
  });

  it("a card: an invoice that got details twice is told once", async () => {
    const one = filled.requisiteIds[0] ?? "";
    const filter = { wallet: phoneEnd(0), limit: "10" };
    await compare(invoices(filter, "true", byRequisite(`'${one}'`)), 500);
  });

  it("several cards that end alike, with and without a filter", async () => {
    const ten = byRequisite(alike());
    await compare(invoices({ wallet: wallet() }, "true", ten), 5000);
    await compare(
      invoices({ wallet: wallet(), limit: "3", state: "failed" }, "invoice.state = 'failed'", ten),
      0,
    );
    const expired = { wallet: wallet(), state: "expired", limit: "35" };
    await compare(invoices(expired, "invoice.state = 'expired'", ten), 500);
  });

  it("payments", async () => {
    const one = filled.requisiteIds[3] ?? "";
    const lapsed = `requisite_id = '${one}' and state = 'lapsed'`;
    await compare(payments({ requisite_id: one, state: "lapsed" }, lapsed), 50);
    await compare(
      payments({ wallet: wallet(), limit: "200" }, `requisite_id in (${alike()})`),
      5000,
    );
    await compare(payments({ state: "live" }, "state = 'live'"), 0);
    const order = "invoice_id in (select id from invoices where order_id = '12')";
    await compare(payments({ order_id: "12", limit: "4" }, order), 10);
    const ours = `${order} and requisite_id in (${alike()})`;
    await compare(payments({ order_id: "12", wallet: wallet() }, ours));
  });

  it("transfers and refunds", async () => {
    await compare(transfers({ state: "returned" }, "state = 'returned'"), 20);
    await compare(transfers({ state: "suspense", limit: "5" }, "state = 'suspense'"), 10);
    await compare(
      transfers(
        { wallet: wallet(), state: "suspense" },
        `requisite_id in (${alike()}) and state = 'suspense'`,
      ),
    );
    await compare(transfers({ reference: "ref-12" }, "reference = 'ref-12'"));
    await compare(transfers({ amount: "1020.05" }, "amount_minor = 102005"));
    const [shop_id = ""] = filled.shopIds;
    const refunds = rows("refunds", "refund_id", "refunds");
    await compare(refunds({ shop_id, limit: "9" }, `shop_id = '${shop_id}'`), 50);
  });

  it("events, entries and the audit log", async () => {
    const [shop_id = ""] = filled.shopIds;
    await compare(events({ state: "exhausted", limit: "9" }, "state = 'exhausted'"), 50);
    await compare(events({ state: "no_address" }, "state = 'no_address'"), 100);
    await compare(
      events({ shop_id, state: "waiting" }, `shop_id = '${shop_id}' and state = 'waiting'`),
      0,
    );
    const audit = rows("audit", "audit_id", "audit_log");
    await compare(audit({ act: "tariff.set" }, "act = 'tariff.set'"));
    await compare(
      audit(
        { act: "shop.update", subject: shop_id },
        `act = 'shop.update' and subject = '${shop_id}'`,
      ),
      100,
    );
    const [user] = filled.userIds;
    await compare(
      {
        ...{
          list: `accounts/available.RUB.${user}/entries`,
          filter: { limit: "200" },
          id: "posting_id",
        },
        sql: `select id from ledger_postings where user_id = '${user}' and available_minor <> 0
            order by id desc`,
      },
      1000,
    );
    await compare(
      {
        ...{ list: "accounts/fees.RUB/entries", filter: { limit: "200" }, id: "posting_id" },
        sql: "select id from ledger_postings where fees_minor <> 0 order by id desc",
      },
      1000,
    );
  });

  it("accounts of every kind, each once, wherever a page ends", async () => {
    const accounts = (filter: Walk["filter"], where: string): Walk => ({
      ...{ list: "accounts", filter, id: "account_id" },
      sql: `select concat_ws('.', account, currency, user_id, requisite_id) as id
            from (select account, currency, user_id, requisite_id from ledger_entries
                  union
                  select account, currency, user_id, null from ledger_balances
                  cross join (values ('available'), ('frozen'), ('reserved')) kind(account)) accounts
            where ${where}
            order by array_position(array['available', 'frozen', 'reserved', 'bank', 'bank_out',
              'suspense', 'fees'], account), user_id, requisite_id`,
    });
    for (const limit of ["1", "7", "200"]) await compare(accounts({ limit }, "true"), 50);
    await compare(accounts({ kind: "bank", limit: "3" }, "account = 'bank'"), 30);
    await compare(accounts({ kind: "fees" }, "account = 'fees'"));
    const user_id = filled.userIds[1] ?? "";
    await compare(accounts({ user_id, limit: "2" }, `user_id = '${user_id}'`), 3);
  });
});

function pathsOf({ list, filter, pages }: ListCase): string[] {
  // The first, and the one in the middle.
  return pages.slice(0, 2).map(({ after }) => {
    const query = new URLSearchParams({ ...filter, ...(after === undefined ? {} : { after }) });
    return `${list}?${query}`;
  });
}
