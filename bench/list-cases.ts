// Every list of /manage with each of its filters and the combinations that somebody will ask for.
// Cursors are computed, not reached by paging: a deep page must not cost more than the first.

import type { Queryable } from "../src/platform/db.ts";
import { firstIdAt } from "../src/platform/id.ts";
import { cardEnd, type Filled, phoneEnd } from "./fill.ts";

export interface ListCase {
  readonly list: string;
  readonly filter: Readonly<Record<string, string>>;
  readonly pages: readonly ListPage[];
}

interface ListPage {
  readonly name: string;
  readonly after?: string;
}

type Filter = Readonly<Record<string, string>>;

const FIRST: ListPage = { name: "first" };

/** An invoice to which everything happened. */
const REFUNDED = `select payment.invoice_id as value
  from refunds refund join payments payment on payment.id = refund.payment_id limit 1`;

export async function listCases(db: Queryable, filled: Filled): Promise<ListCase[]> {
  const { shopIds, userIds, requisiteIds, startsAt, endsAt } = filled;
  const at = (part: number) =>
    new Date(startsAt.getTime() + (endsAt.getTime() - startsAt.getTime()) * part);
  const period = (from: number, to: number): Filter => ({
    from: at(from).toISOString(),
    to: at(to).toISOString(),
  });
  const deep = (): ListPage[] => [
    FIRST,
    { name: "middle", after: firstIdAt(at(0.5)) },
    { name: "near the end", after: firstIdAt(at(0.02)) },
  ];
  const one = async (sql: string): Promise<string> => {
    const [row] = await db.query<{ value: string }>(sql);
    return String(row?.value ?? "");
  };
  /** For tables whose rows were all made at once: the cursor is the row in the middle. */
  const small = async (table: string): Promise<ListPage[]> => {
    const middle = await one(`select id as value from ${table} order by id desc
      offset (select count(*) / 2 from ${table}) limit 1`);
    return [FIRST, { name: "middle", after: middle }];
  };

  const big = { shop_id: shopIds[0] ?? "" };
  const little = { shop_id: shopIds[1] ?? "" };
  const requisite = { requisite_id: requisiteIds[0] ?? "" };
  const alike = { wallet: cardEnd(filled, 0) };
  const single = { wallet: phoneEnd(0) };
  const popular = { amount: "1000" };
  const rare = { amount: "97700" };
  const toPay = { amount: "1020.05" };
  const order = { order_id: `A-${Math.floor(filled.invoices / 4) * 2}` };
  const sharedOrder = { order_id: "12" };
  const month = period(0.3, 0.6);
  const hour = period(0.5, 0.5005);
  const invoiceId = { invoice_id: await one(REFUNDED) };
  const operatorId = await one("select min(id::text) as value from operators");

  const cases = (list: string, pages: readonly ListPage[], filters: readonly Filter[]) =>
    filters.map((filter): ListCase => ({ list, filter, pages }));

  return [
    ...cases("invoices", deep(), [
      {},
      { limit: "200" },
      big,
      little,
      ...["created", "pending", "paid", "expired", "failed", "refunded"].map((state) => ({
        state,
      })),
      order,
      sharedOrder,
      { order_id: "nobody's" },
      { ...sharedOrder, ...little },
      { ...sharedOrder, state: "paid" },
      { ...order, amount: "1" },
      popular,
      rare,
      { amount: "1.23" },
      alike,
      single,
      { wallet: "0000" },
      month,
      hour,
      { ...big, ...month },
      { ...big, state: "failed" },
      { ...big, state: "paid", limit: "200" },
      { ...little, state: "refunded" },
      { ...little, state: "expired", ...month },
      { state: "failed", ...month },
      { state: "paid", ...hour },
      { ...popular, state: "failed" },
      { ...popular, ...little },
      { ...popular, ...big, state: "refunded" },
      { ...rare, state: "failed" },
      { ...popular, ...month },
      { ...alike, state: "failed" },
      { ...alike, ...little },
      { ...alike, ...rare },
      { ...alike, ...popular, ...big, state: "refunded", ...month },
      { ...alike, limit: "200" },
      { ...single, state: "paid" },
      { ...single, ...order },
      { ...alike, ...month },
      { ...big, ...popular, ...alike, ...order, state: "paid", ...month },
    ]),
    ...cases("payments", deep(), [
      {},
      { limit: "200" },
      big,
      little,
      invoiceId,
      order,
      sharedOrder,
      ...["live", "paid", "lapsed"].map((state) => ({ state })),
      toPay,
      { amount: "1.23" },
      requisite,
      alike,
      single,
      { ...big, state: "live" },
      { ...little, state: "lapsed" },
      { ...requisite, state: "live" },
      { ...requisite, ...big },
      { ...alike, state: "lapsed" },
      { ...alike, state: "live", ...little },
      { ...toPay, state: "lapsed" },
      { ...toPay, ...requisite },
      { ...toPay, ...alike },
      { ...alike, ...sharedOrder },
      { ...requisite, ...order },
      { ...sharedOrder, ...little, state: "paid" },
    ]),
    ...cases("transfers", deep(), [
      {},
      { limit: "200" },
      ...["matched", "suspense", "returned"].map((state) => ({ state })),
      { reference: "ref-1234" },
      { reference: "nobody's" },
      toPay,
      requisite,
      alike,
      single,
      month,
      { state: "suspense", ...requisite },
      { state: "suspense", ...month },
      { state: "returned", ...alike },
      { state: "returned", ...month },
      { state: "suspense", ...toPay },
      { ...toPay, ...requisite },
      { ...toPay, ...alike },
      { reference: "ref-1234", ...requisite },
      { reference: "ref-1234", ...alike },
      { ...alike, ...month, state: "matched" },
    ]),
    ...cases("refunds", deep(), [{}, big, little, month, { ...big, ...month }]),
    ...cases("events", deep(), [
      {},
      { limit: "200" },
      big,
      little,
      invoiceId,
      ...["waiting", "delivered", "exhausted", "no_address"].map((state) => ({ state })),
      month,
      { ...big, state: "exhausted" },
      { ...big, state: "waiting" },
      { ...little, state: "no_address" },
      { state: "waiting", ...month },
      { state: "exhausted", ...month },
      { ...invoiceId, state: "delivered" },
    ]),
    ...cases("audit", deep(), [
      {},
      { limit: "200" },
      { operator_id: operatorId },
      { subject: shopIds[0] ?? "" },
      { subject: requisiteIds[0] ?? "" },
      { act: "requisite.update" },
      { act: "tariff.set" },
      { operator_id: operatorId, act: "tariff.set" },
      { subject: shopIds[0] ?? "", act: "shop.update" },
      { subject: shopIds[0] ?? "", operator_id: operatorId },
      month,
      { act: "tariff.set", ...month },
    ]),
    ...cases("accounts/fees.RUB/entries", deep(), [{}, month, hour]),
    ...cases("accounts/suspense.RUB/entries", deep(), [{}, month]),
    ...cases("accounts/bank_out.RUB/entries", deep(), [{}, month]),
    ...cases(`accounts/bank.RUB.${requisiteIds[0]}/entries`, deep(), [
      {},
      { limit: "200", ...month },
    ]),
    ...cases(`accounts/available.RUB.${userIds[0]}/entries`, deep(), [{}, { limit: "200" }, month]),
    ...cases(`accounts/reserved.RUB.${userIds[0]}/entries`, deep(), [{}]),
    ...cases(
      "accounts",
      [
        FIRST,
        { name: "among users'", after: `frozen.RUB.${userIds[2]}` },
        { name: "among banks'", after: `bank.RUB.${requisiteIds[1]}` },
      ],
      [{}, { limit: "200" }, { user_id: userIds[0] ?? "" }, { kind: "bank" }, { kind: "fees" }],
    ),
    ...cases("accounts", [FIRST], [{ kind: "reserved", user_id: userIds[0] ?? "" }]),
    ...cases("users", await small("users"), [{}]),
    ...cases("shops", await small("shops"), [{}, { user_id: userIds[0] ?? "" }]),
    ...cases("keys", await small("api_keys"), [{}, big, { user_id: userIds[0] ?? "" }]),
    ...cases("operators", await small("operators"), [{}]),
    ...cases("requisites", await small("requisites"), [
      {},
      { limit: "200" },
      { bank: "tinkoff" },
      { enabled: "true", bank: "sber" },
      alike,
      { ...single, enabled: "true" },
    ]),
    ...["services", "banks", "sbp-banks", "me"].flatMap((list) => cases(list, [FIRST], [{}])),
    ...cases("tariffs", [FIRST], [{}, big]),
  ];
}

/** Single rows with all that belongs to them. The last is summed up when asked for, and exempt. */
export async function viewPaths(db: Queryable, { shopIds, requisiteIds, userIds }: Filled) {
  const one = async (sql: string): Promise<string> => {
    const [row] = await db.query<{ value: string }>(sql);
    return String(row?.value ?? "");
  };
  return {
    within: [
      `invoices/${await one(REFUNDED)}`,
      `events/${await one("select event_id as value from deliveries where attempt = 3 limit 1")}`,
      `shops/${shopIds[0]}`,
      `requisites/${requisiteIds[0]}`,
      `accounts/available.RUB.${userIds[0]}`,
      `accounts/bank.RUB.${requisiteIds[0]}`,
      "accounts/suspense.RUB",
    ],
    exempt: ["accounts/fees.RUB"],
  };
}
