// Finding whatever somebody has in hand: every look-up goes by a key or an index, and brings back little.

import type { Queryable } from "../../platform/db.ts";

export const FOUND_KINDS = [
  ...(["invoice", "payment", "transfer", "refund", "payout", "event", "user", "shop"] as const),
  ...(["requisite", "key", "operator", "import", "line", "source", "message"] as const),
  ...(["payout_batch", "own_move", "audit"] as const),
] as const;

type FoundKind = (typeof FOUND_KINDS)[number];

export interface FoundRow {
  readonly kind: FoundKind;
  readonly id: string;
  readonly title: string;
  /** Whatever says more of it, in a word. */
  readonly word: string | null;
  readonly amount_minor: bigint | null;
  readonly currency: string | null;
}

export const MOST_FOUND = 20;

/** Of a table: its title, a word, its amount and its currency, as columns of it. */
function found(
  kind: FoundKind,
  table: string,
  [title, word, amount = "null::bigint", currency = "null::text"]: readonly string[],
): string {
  return `select '${kind}' as kind, row.id, ${title} as title, ${word} as word,
            ${amount} as amount_minor, ${currency} as currency from ${table} row`;
}

const INVOICE = found("invoice", "invoices", [
  "row.order_id",
  "row.state",
  "row.amount_minor",
  "row.currency",
]);
const PAYMENT = found("payment", "payments", [
  "(select order_id from invoices where id = row.invoice_id)",
  "row.state",
  "row.to_pay_minor",
  "row.currency",
]);
const TRANSFER = found("transfer", "transfers", [
  "row.reference",
  "row.state",
  "row.amount_minor",
  "row.currency",
]);
const PAYOUT = found("payout", "payouts", [
  "coalesce(row.order_id, row.id::text)",
  "row.state",
  "row.amount_minor",
  "row.currency",
]);
const USER = found("user", "users", ["row.name", "null::text"]);
const SHOP = found("shop", "shops", [
  "row.name",
  "(select name from users where id = row.user_id)",
]);
const REQUISITE = found("requisite", "requisites", ["row.receiver_name", "row.bank"]);

const BY_ID = [
  INVOICE,
  PAYMENT,
  TRANSFER,
  PAYOUT,
  USER,
  SHOP,
  REQUISITE,
  found("refund", "refunds", ["row.reason", "row.author", "row.amount_minor"]),
  found("event", "events", ["'event ' || row.sequence", "row.status"]),
  found("key", "api_keys", [
    "case when row.shop_id is null then 'key of a user' else 'key of a shop' end",
    "case when row.ends_at is not null then 'ends' end",
  ]),
  found("operator", "operators", ["row.name", "row.role"]),
  found("import", "imports", ["row.filename", "row.format"]),
  found("line", "statement_lines", [
    "coalesce(row.party, row.number, row.day::text)",
    "row.outcome",
    "row.amount_minor",
  ]),
  found("source", "sources", ["row.name", "row.adapter"]),
  found("message", "messages", ["row.sender", "row.fate", "row.amount_minor"]),
  found("payout_batch", "payout_batches", [
    "row.format || ' of ' || row.payouts",
    "row.created_by",
    "row.sum_minor",
    "row.currency",
  ]),
  found("own_move", "own_moves", ["row.reference", "row.kind", "row.amount_minor", "row.currency"]),
  found("audit", "audit_log", ["row.act", "row.operator_name"]),
];

/** Which noun an id is of. */
export function foundById(db: Queryable, id: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(
    BY_ID.map((select) => `(${select} where row.id = $1 limit 1)`).join("\nunion all\n"),
    [id],
  );
}

/** What a merchant, or a bank, calls an order or money: exactly so, whoever it is of. */
export function foundByName(db: Queryable, name: string): Promise<FoundRow[]> {
  // One look-up for each owner: an index of all orders would cost every new one a write.
  const each = (owners: string, select: string, key: string) =>
    `(select found.* from ${owners} owner(id) cross join lateral (
        ${select} where ${key} = $1 limit 1) found limit ${MOST_FOUND})`;
  return db.query<FoundRow>(
    `${each("(select id from shops)", INVOICE, "row.shop_id = owner.id and row.order_id")}
     union all
     (${PAYOUT} where row.order_id = $1 limit ${MOST_FOUND})
     union all
     ${each(
       "(select distinct currency from requisites)",
       PAYOUT,
       "row.currency = owner.id and row.bank_reference",
     )}
     union all
     ${each(
       "(select id from requisites)",
       TRANSFER,
       "row.requisite_id = owner.id and row.reference",
     )}`,
    [name],
  );
}

/** What a payout is called in files for the bank's client: the end of its id. */
export function foundByDocument(db: Queryable, document: string): Promise<FoundRow[]> {
  return db.query<FoundRow>(
    `${PAYOUT} where upper(right(row.id::text, 12)) = upper($1::text) limit ${MOST_FOUND}`,
    [document],
  );
}

/** Merchants and shops whose names begin so. The last character there is ends the range. */
export function foundByBeginning(db: Queryable, beginning: string): Promise<FoundRow[]> {
  const begins = `lower(row.name) ~>=~ lower($1::text)
                  and lower(row.name) ~<~ (lower($1::text) || chr(1114111))`;
  return db.query<FoundRow>(
    `(${USER} where ${begins} order by lower(row.name) using ~<~ limit ${MOST_FOUND})
     union all
     (${SHOP} where ${begins} order by lower(row.name) using ~<~ limit ${MOST_FOUND})`,
    [beginning],
  );
}

/** Cards and phones, by their ids. */
export function foundRequisites(db: Queryable, ids: readonly string[]): Promise<FoundRow[]> {
  return db.query<FoundRow>(
    `${REQUISITE} where row.id = any($1::uuid[]) order by row.id limit ${MOST_FOUND}`,
    [ids],
  );
}

/** What was to be paid to these, and what arrived there, of this very amount; the newest first. */
export function foundMoney(
  db: Queryable,
  requisiteIds: readonly string[],
  amountMinor: bigint,
): Promise<FoundRow[]> {
  const of = (select: string, key: string, order: string) =>
    `(select found.* from unnest($1::uuid[]) card(id) cross join lateral (
        ${select} where row.requisite_id = card.id and row.${key} = $2
        order by ${order} desc limit ${MOST_FOUND / 2}) found limit ${MOST_FOUND / 2})`;
  return db.query<FoundRow>(
    `${of(PAYMENT, "to_pay_minor", "row.created_at")}
     union all
     ${of(TRANSFER, "amount_minor", "coalesce(row.made_from, row.received_at)")}`,
    [requisiteIds, amountMinor],
  );
}
