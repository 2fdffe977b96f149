// The books as the database has them, as one text that can be compared with what the model says.

import type { Queryable } from "../../src/platform/db.ts";
import type { Model } from "./model.ts";

type Row = readonly (string | number | boolean | null)[];

export interface EventRow {
  readonly id: string;
  readonly invoice: string;
  readonly sequence: number;
  readonly state: "waiting" | "delivered" | "exhausted" | "no_address";
  readonly attempts: number;
  readonly body: string;
}

export interface Books {
  readonly invoices: readonly Row[];
  readonly payments: readonly Row[];
  readonly transfers: readonly Row[];
  readonly accounts: readonly Row[];
  readonly balances: readonly Row[];
  readonly freezes: readonly Row[];
  readonly refunds: readonly Row[];
  readonly requisites: readonly Row[];
  readonly events: readonly EventRow[];
  readonly audits: number;
}

const ms = (moment: string): string => `(extract(epoch from ${moment}) * 1000)::bigint`;

const rows = (columns: string, from: string, order: string): string =>
  `coalesce((select json_agg(json_build_array(${columns}) order by ${order}) from ${from}), '[]')`;

const READ = `select json_build_object(
  'invoices', ${rows("id, state", "invoices", "id")},
  'payments', ${rows(
    `id, invoice_id, requisite_id, to_pay_minor, fee_minor, payer_fee_minor, nudge_minor, state, late,
     received_minor, credited_minor, refunded_minor, ${ms("ends_at")}`,
    "payments",
    "id",
  )},
  'transfers', ${rows("id, requisite_id, reference, amount_minor, state, payment_id", "transfers", "id")},
  'accounts', ${rows(
    "account, owner, total",
    `(select account, coalesce(user_id, requisite_id) as owner, sum(amount_minor)::bigint as total
      from ledger_entries group by 1, 2 having sum(amount_minor) <> 0) sums`,
    "account, owner",
  )},
  'balances', ${rows(
    "kind, user_id, minor",
    `ledger_balances cross join lateral (values ('available', available_minor),
       ('frozen', frozen_minor), ('reserved', reserved_minor)) kept(kind, minor) where minor <> 0`,
    "kind, user_id",
  )},
  'freezes', ${rows(
    `payment_id, amount_minor, ${ms("frozen_until")}, ${ms("released_at")}`,
    "ledger_freezes",
    "payment_id",
  )},
  'refunds', ${rows("payment_id, amount_minor, reference", "refunds", "payment_id, id")},
  'requisites', ${rows(
    "requisite_id, enabled, live_payments, coalesce(day::text, ''), day_payments, day_sum_minor",
    "requisite_usage",
    "requisite_id",
  )},
  'events', coalesce((select json_agg(json_build_object('id', id, 'invoice', invoice_id,
     'sequence', sequence, 'state', state, 'attempts', attempts, 'body', body)
     order by invoice_id, sequence)
     from events join event_states on event_id = id), '[]'),
  'audits', (select count(*) from audit_log)) as books`;

export async function readBooks(db: Queryable): Promise<Books> {
  const [row] = await db.query<{ books: Books }>(READ, []);
  if (row === undefined) throw new Error("The books cannot be read.");
  return row.books;
}

/** What a request changes or does not; the log of operators' acts is counted on its own. */
export function essenceOf({ audits: _, ...books }: Books): string {
  return JSON.stringify(books);
}

/** Where the books differ from the model, in words; nothing where they agree. */
export function differences(model: Model, books: Books): string[] {
  learnIds(model, books);
  const expected = expectedBooks(model);
  const lines = Object.entries(expected).flatMap(([name, wanted]) =>
    compare(name, wanted, books[name as keyof typeof expected]),
  );
  if (books.audits !== model.audits) {
    lines.push(`the audit log has ${books.audits} rows for ${model.audits} changes`);
  }
  return lines;
}

function compare(name: string, wanted: readonly Row[], found: readonly Row[]): string[] {
  const wantedTexts = new Set(wanted.map((row) => JSON.stringify(row)));
  const foundTexts = new Set(found.map((row) => JSON.stringify(row)));
  const extra = [...foundTexts].filter((text) => !wantedTexts.has(text));
  const missing = [...wantedTexts].filter((text) => !foundTexts.has(text));
  const lines = [
    ...extra.map((text) => `${name}: the books have ${text}`),
    ...missing.map((text) => `${name}: the model has ${text}`),
  ];
  if (lines.length === 0 && wanted.length !== found.length) {
    return [`${name}: ${found.length} rows instead of ${wanted.length}`];
  }
  return lines;
}

function learnIds(model: Model, books: Books): void {
  const known = new Set(model.payments.map(({ id }) => id));
  for (const payment of model.payments) {
    if (payment.id !== "") continue;
    const row = books.payments.find(
      ([id, invoice, requisite, toPay]) =>
        !known.has(String(id)) &&
        invoice === payment.invoice.id &&
        requisite === payment.requisite.id &&
        toPay === payment.toPay,
    );
    payment.id = String(row?.[0] ?? "");
    known.add(payment.id);
  }
}

function expectedBooks(model: Model) {
  const { users, requisites, invoices, payments, transfers, freezes, refunds } = model;
  const suspense = transfers.filter(({ state }) => state === "suspense");
  const waiting = suspense.reduce((sum, { amount }) => sum + amount, 0);
  const balances: Row[] = users.flatMap((user) => [
    ["available", user.id, user.available],
    ["frozen", user.id, user.frozen],
  ]);
  const accounts: Row[] = [
    ...balances,
    ...requisites.map((one): Row => ["bank", one.id, one.held]),
    ["bank_out", null, model.out],
    ["fees", null, model.fees],
    ["suspense", null, waiting],
  ];
  const isSomething = (row: Row): boolean => row[2] !== 0;
  return {
    invoices: invoices.map(({ id, state }): Row => [id, state]),
    payments: payments.map(
      (one): Row => [
        ...[one.id, one.invoice.id, one.requisite.id, one.toPay, one.fee, one.payerFee, one.nudge],
        ...[one.state, one.late, one.received, one.credited, one.refunded, one.endsAt],
      ],
    ),
    transfers: transfers.map(
      (one): Row => [
        ...[
          one.id,
          one.requisite.id,
          one.reference,
          one.amount,
          one.state,
          one.payment?.id ?? null,
        ],
      ],
    ),
    accounts: accounts.filter(isSomething),
    balances: balances.filter(isSomething),
    freezes: freezes.map(({ payment, until, releasedAt }): Row => {
      return [payment.id, payment.credited, until, releasedAt];
    }),
    refunds: refunds.map(
      ({ payment, amount, reference = null }): Row => [payment.id, amount, reference],
    ),
    requisites: requisites.map(
      (one): Row => [...[one.id, one.enabled, one.live, one.day, one.dayCount, one.daySum]],
    ),
  };
}
