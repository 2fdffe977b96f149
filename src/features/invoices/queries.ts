// Every statement about invoices.

import type { Dialect } from "../../domain/dialect.ts";
import { statesBefore } from "../../domain/edge.ts";
import { INVOICE_EDGES, type InvoiceState, type InvoiceType } from "../../domain/invoice.ts";
import type { LatePolicy } from "../../domain/transfer.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { dropDues, fallsDue } from "../../platform/db-dues.ts";

export interface NewInvoice {
  readonly id: string;
  readonly shopId: string;
  readonly userId: string;
  readonly orderId: string;
  /** In hexadecimal digits. */
  readonly contentDigest: string;
  readonly type: InvoiceType;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly services: readonly string[];
  readonly successUrl: string | null;
  readonly failUrl: string | null;
  readonly hookUrl: string | null;
  readonly email: string | null;
  readonly comment: string | null;
  readonly customFields: string | null;
  readonly expiresAt: Date;
}

/** How many were new; an order that exists already is left as it is. */
export async function addInvoices(
  db: Queryable,
  invoices: readonly NewInvoice[],
  now: Date,
): Promise<number> {
  if (invoices.length === 0) return 0;
  const [row] = await db.query<{ added: number }>(
    `with added as (
     insert into invoices (id, shop_id, user_id, order_id, content_digest, type, state, amount_minor,
       currency, services, success_url, fail_url, hook_url, email, comment, custom_fields,
       created_at, expires_at)
     select id, "shopId", "userId", "orderId", decode("contentDigest", 'hex'), type, 'created',
            "amountMinor", currency, services, "successUrl", "failUrl", "hookUrl", email, comment,
            "customFields", $2, "expiresAt"
     from json_to_recordset($1) as fresh(id uuid, "shopId" uuid, "userId" uuid, "orderId" text,
       "contentDigest" text, type text, "amountMinor" bigint, currency text, services text[],
       "successUrl" text, "failUrl" text, "hookUrl" text, email text, comment text,
       "customFields" text, "expiresAt" timestamptz)
     order by "shopId", "orderId"
     on conflict (shop_id, order_id) do nothing
     returning id, expires_at as due_at), due as (${fallsDue("added", EXPIRE_INVOICES)})
     select count(*)::integer as added from added`,
    [rowsOf(invoices), now],
  );
  return row?.added ?? 0;
}

/** Whose balance it is paid to; undefined where there is no such invoice. */
export async function merchantOfInvoice(db: Queryable, id: string): Promise<string | undefined> {
  const sql = "select user_id from invoices where id = $1";
  return (await db.query<{ user_id: string }>(sql, [id]))[0]?.user_id;
}

export type Order = Pick<
  NewInvoice,
  | ("id" | "shopId" | "orderId" | "contentDigest" | "type")
  | ("amountMinor" | "currency" | "expiresAt" | "customFields")
>;

export function findOrders(
  db: Queryable,
  orders: readonly { shopId: string; orderId: string }[],
): Promise<Order[]> {
  return db.query<Order>(
    `select invoice.id, "shopId", "orderId", encode(invoice.content_digest, 'hex') as "contentDigest",
            invoice.type, invoice.amount_minor as "amountMinor", invoice.currency,
            invoice.expires_at as "expiresAt", invoice.custom_fields as "customFields"
     from json_to_recordset($1) as wanted("shopId" uuid, "orderId" text)
     cross join lateral (
       select * from invoices where shop_id = wanted."shopId" and order_id = wanted."orderId"
       limit 1) invoice`,
    [rowsOf(orders)],
  );
}

export interface LockedInvoice {
  readonly id: string;
  readonly shop_id: string;
  readonly type: InvoiceType;
  readonly state: InvoiceState;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly services: readonly string[];
  readonly expires_at: Date;
  /** How often it was given details. */
  readonly details: number;
}

/** What an open invoice falls due for. */
export const EXPIRE_INVOICES = "expire-invoices";

/** Locked in the order of their ids; of the shops that ask, but it is for the caller to see which. */
export function lockInvoices(
  tx: Tx,
  wanted: readonly { invoiceId: string; shopId: string }[],
): Promise<LockedInvoice[]> {
  return tx.query<LockedInvoice>(
    `select id, shop_id, type, state, amount_minor, currency, services, expires_at, details
     from invoices where id = any($1::uuid[]) and shop_id = any($2::uuid[])
     order by id for no key update`,
    [wanted.map(({ invoiceId }) => invoiceId), wanted.map(({ shopId }) => shopId)],
  );
}

/**
 * A part of a statement: the invoices of the named part were given details, once more or for the first time; one
 * that is pending stays so.
 */
export function countsDetails(part: string): string {
  const states = [...statesBefore(INVOICE_EDGES, "pending"), "pending"];
  return `update invoices set state = 'pending', details = details + 1
    where id = any(array(select "invoiceId" from ${part}))
      and state in (${states.map((state) => `'${state}'`).join(", ")})
    returning id`;
}

export interface PayableInvoice {
  readonly id: string;
  readonly shopId: string;
  readonly userId: string;
  readonly latePolicy: LatePolicy;
  readonly dialect: Dialect;
  readonly orderId: string;
  readonly state: InvoiceState;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Its own; null where it goes to what its shop has. */
  readonly hookUrl: string | null;
  readonly customFields: string | null;
  /** The number of the event that tells of what happens to it now; each change below counts one. */
  readonly nextEvent: number;
  readonly expiresAt: Date;
}

/** What an event says of it. */
export type ToldInvoice = Omit<PayableInvoice, "userId" | "latePolicy" | "dialect" | "expiresAt">;

const PAYABLE = `invoice.id, invoice.shop_id as "shopId", invoice.order_id as "orderId",
            invoice.state, invoice.amount_minor as "amountMinor", invoice.currency,
            invoice.hook_url as "hookUrl",
            invoice.custom_fields as "customFields"`;

/** Locked in the order of their ids, whatever shop they are of: money does not say. */
export async function lockPayable(tx: Tx, ids: readonly string[]): Promise<PayableInvoice[]> {
  if (ids.length === 0) return [];
  return tx.query<PayableInvoice>(
    `select ${PAYABLE}, invoice.user_id as "userId", shop.late_policy as "latePolicy", shop.dialect,
            invoice.events + 1 as "nextEvent", invoice.expires_at as "expiresAt"
     from invoices invoice join shops shop on shop.id = invoice.shop_id
     where invoice.id = any($1::uuid[])
     order by invoice.id
     for no key update of invoice`,
    [ids],
  );
}

export async function markPaid(
  tx: Tx,
  invoices: readonly PayableInvoice[],
  now: Date,
): Promise<void> {
  const open = invoices.filter(({ state }) => state === "pending");
  await Promise.all([
    tx.query(
      `update invoices set state = 'paid', paid_at = $2, events = events + 1
       where id = any($1::uuid[]) and state = any($3::text[])`,
      [invoices.map(({ id }) => id), now, statesBefore(INVOICE_EDGES, "paid")],
    ),
    dropDues(
      tx,
      EXPIRE_INVOICES,
      open.map(({ id, expiresAt }) => ({ id, dueAt: expiresAt })),
    ),
  ]);
}

/** It counts as refunded once nothing of the credit is left. */
export async function markRefunded(tx: Tx, id: string, isWhole: boolean): Promise<void> {
  await tx.query(
    `update invoices set state = case when $3 then 'refunded' else state end, events = events + 1
     where id = $1 and state = any($2::text[])`,
    [id, statesBefore(INVOICE_EDGES, "refunded"), isWhole],
  );
}

/** Ends these where their time is over; they are locked by the caller. */
export function expireInvoices(tx: Tx, ids: readonly string[], now: Date): Promise<ToldInvoice[]> {
  return tx.query(
    `update invoices invoice set state = 'expired', events = events + 1
     where id = any($1::uuid[]) and state = any($3::text[]) and expires_at <= $2
     returning ${PAYABLE}, events as "nextEvent"`,
    [ids, now, statesBefore(INVOICE_EDGES, "expired")],
  );
}

/** Its row is locked by the caller. */
export async function failInvoice(tx: Tx, { id, expiresAt }: PayableInvoice): Promise<void> {
  await Promise.all([
    tx.query(
      `update invoices set state = 'failed', events = events + 1
       where id = $1 and state = any($2::text[])`,
      [id, statesBefore(INVOICE_EDGES, "failed")],
    ),
    dropDues(tx, EXPIRE_INVOICES, [{ id, dueAt: expiresAt }]),
  ]);
}

const OVER = "state not in ('created', 'pending')";

/** Of these invoices, of those that are over, the payers' addresses; how many is the answer. */
export async function removeEmails(tx: Tx, ids: readonly string[]): Promise<number> {
  const gone = await tx.query(
    `update invoices set email = null where id = any(array(
       select id from invoices where id = any($1::uuid[]) and email is not null and ${OVER}
       order by id for no key update skip locked))
     returning id`,
    [ids],
  );
  return gone.length;
}

/** Of these invoices those that ended unpaid and never had details; nobody else is at them. */
export async function lockUnused(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from invoices where id = any($1::uuid[]) and state in ('expired', 'failed') and details = 0
     order by id for update skip locked`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Locked by the caller, and nothing points to them. */
export async function removeInvoices(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query("delete from invoices where id = any($1::uuid[])", [ids]);
}
