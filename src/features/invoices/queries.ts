// Every statement about invoices.

import type { InvoiceState, InvoiceType } from "../../domain/invoice.ts";
import type { LatePolicy } from "../../domain/transfer.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

export interface NewInvoice {
  readonly id: string;
  readonly shopId: string;
  readonly orderId: string;
  /** In hexadecimal digits. */
  readonly contentDigest: string;
  readonly type: InvoiceType;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly services: readonly string[];
  readonly successUrl: string;
  readonly failUrl: string | null;
  readonly hookUrl: string | null;
  readonly email: string | null;
  readonly comment: string | null;
  readonly customFields: string | null;
  readonly expiresAt: Date;
}

/**
 * How many were new; an order that exists already is left as it is. Undefined, and nothing is added,
 * where the settings are no longer those that the orders were judged by.
 */
export async function addInvoices(
  db: Queryable,
  invoices: readonly NewInvoice[],
  now: Date,
  settingsVersion: bigint,
): Promise<number | undefined> {
  const [row] = await db.query<{ added: number; settings_version: bigint }>(
    `with settings as materialized (select version from settings_version), added as (
     insert into invoices (id, shop_id, order_id, content_digest, type, state, amount_minor,
       currency, services, success_url, fail_url, hook_url, email, comment, custom_fields,
       created_at, expires_at)
     select id, "shopId", "orderId", decode("contentDigest", 'hex'), type, 'created',
            "amountMinor", currency, services, "successUrl", "failUrl", "hookUrl", email, comment,
            "customFields", $2, "expiresAt"
     from json_to_recordset($1) as fresh(id uuid, "shopId" uuid, "orderId" text,
       "contentDigest" text, type text, "amountMinor" bigint, currency text, services text[],
       "successUrl" text, "failUrl" text, "hookUrl" text, email text, comment text,
       "customFields" text, "expiresAt" timestamptz)
     where (select version from settings) = $3
     order by "shopId", "orderId"
     on conflict (shop_id, order_id) do nothing
     returning true)
     select (select count(*)::integer from added) as added, version as settings_version
     from settings`,
    [rowsOf(invoices), now, settingsVersion],
  );
  return row?.settings_version === settingsVersion ? row.added : undefined;
}

export interface OrderRow {
  readonly id: string;
  readonly shop_id: string;
  readonly order_id: string;
  readonly content_digest: Buffer;
  readonly type: InvoiceType;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly expires_at: Date;
}

export function findOrders(
  db: Queryable,
  orders: readonly { shopId: string; orderId: string }[],
): Promise<OrderRow[]> {
  return db.query<OrderRow>(
    `select invoice.id, invoice.shop_id, invoice.order_id, invoice.content_digest, invoice.type,
            invoice.amount_minor, invoice.currency, invoice.expires_at
     from json_to_recordset($1) as wanted("shopId" uuid, "orderId" text)
     join invoices invoice
       on invoice.shop_id = wanted."shopId" and invoice.order_id = wanted."orderId"`,
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
}

/** Locked in the order of their ids, each only for the shop that asks. */
export function lockInvoices(
  tx: Tx,
  wanted: readonly { invoiceId: string; shopId: string }[],
): Promise<LockedInvoice[]> {
  return tx.query<LockedInvoice>(
    `select invoice.id, invoice.shop_id, invoice.type, invoice.state, invoice.amount_minor,
            invoice.currency, invoice.services, invoice.expires_at
     from json_to_recordset($1) as wanted("invoiceId" uuid, "shopId" uuid)
     join invoices invoice on invoice.id = wanted."invoiceId"
       and invoice.shop_id = wanted."shopId"
     order by invoice.id
     for no key update of invoice`,
    [rowsOf(wanted)],
  );
}

/** The edge from created to pending; an invoice that is pending already stays so. */
export async function markPending(tx: Tx, ids: readonly string[]): Promise<void> {
  // The state is hidden from the planner: with statistics that are behind it goes by an index of states
  // and reads every invoice that was created (171 µs of 405 for details in sets of 32).
  await tx.query(
    "update invoices set state = 'pending' where id = any($1::uuid[]) and state || '' = 'created'",
    [ids],
  );
}

export interface PayableInvoice {
  readonly id: string;
  readonly shopId: string;
  readonly userId: string;
  readonly latePolicy: LatePolicy;
  readonly orderId: string;
  readonly state: InvoiceState;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Its own; null where it goes to what its shop has. */
  readonly hookUrl: string | null;
  readonly customFields: string | null;
}

/** Of an invoice and its shop. */
const PAYABLE = `invoice.id, invoice.shop_id as "shopId", invoice.order_id as "orderId",
            invoice.state, invoice.amount_minor as "amountMinor", invoice.currency,
            invoice.hook_url as "hookUrl",
            invoice.custom_fields as "customFields"`;

/** Locked in the order of their ids, whatever shop they are of: money does not say. */
export async function lockPayable(tx: Tx, ids: readonly string[]): Promise<PayableInvoice[]> {
  if (ids.length === 0) return [];
  return tx.query<PayableInvoice>(
    `select ${PAYABLE}, shop.user_id as "userId", shop.late_policy as "latePolicy"
     from invoices invoice join shops shop on shop.id = invoice.shop_id
     where invoice.id = any($1::uuid[])
     order by invoice.id
     for no key update of invoice`,
    [ids],
  );
}

export async function markPaid(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await tx.query(
    `update invoices set state = 'paid', paid_at = $2
     where id = any($1::uuid[]) and state || '' in ('pending', 'expired')`,
    [ids, now],
  );
}

export async function markRefunded(tx: Tx, id: string): Promise<void> {
  await tx.query("update invoices set state = 'refunded' where id = $1 and state = 'paid'", [id]);
}

/** Open ones that no job has failed on. */
const EXPIRING = `invoice.state in ('created', 'pending') and not exists (
  select from failing_rows where kind = 'expire-invoices' and id = invoice.id)`;

/** The ids of invoices whose time is over. */
export async function findExpired(db: Queryable, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from invoices invoice where ${EXPIRING} and expires_at <= $1
     order by expires_at limit $2`,
    [now, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Ends these where their time is over; those that somebody else holds are left to the next run. They are
 * found again by their place: by their id it is another walk through an index for each, and the
 * server's time for one was 40 µs instead of 28.
 */
export function expireInvoices(
  tx: Tx,
  ids: readonly string[],
  now: Date,
): Promise<Omit<PayableInvoice, "userId" | "latePolicy">[]> {
  return tx.query(
    `update invoices invoice set state = 'expired'
     from shops shop
     where shop.id = invoice.shop_id and invoice.ctid = any(array(
       select ctid from invoices
       where id = any($1::uuid[]) and state || '' in ('created', 'pending') and expires_at <= $2
       order by id
       for no key update skip locked))
     returning ${PAYABLE}`,
    [ids, now],
  );
}

export async function nextExpiryAt(db: Queryable): Promise<Date | undefined> {
  const [row] = await db.query<{ at: Date }>(
    `select expires_at as at from invoices invoice where ${EXPIRING} order by expires_at limit 1`,
    [],
  );
  return row?.at;
}
