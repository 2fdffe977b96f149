// Reading and changing requisites for whoever manages the gateway.

import type { BankCode } from "../../domain/requisite.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

export interface RequisiteView {
  readonly id: string;
  readonly bank: BankCode;
  readonly currency: string;
  readonly receiver_name: string;
  readonly card_sealed: Buffer | null;
  readonly phone_sealed: Buffer | null;
  readonly enabled: boolean;
  readonly min_minor: bigint;
  readonly max_minor: bigint;
  readonly max_live_payments: number;
  readonly max_day_payments: number;
  readonly max_day_sum_minor: bigint;
  readonly live_payments: number;
  readonly day: string | null;
  readonly day_payments: number;
  readonly day_sum_minor: bigint;
  readonly last_used_at: Date | null;
  readonly created_at: Date;
}

interface RequisiteFilter {
  readonly bank: BankCode | undefined;
  readonly enabled: boolean | undefined;
  /** Only these, where a number's last digits were asked for. */
  readonly ids: readonly string[] | undefined;
}

export function listRequisites(
  db: Queryable,
  wish: PageWish,
  { bank, enabled, ids }: RequisiteFilter,
): Promise<Page<RequisiteView>> {
  return page<RequisiteView>(db, wish, {
    columns: "row.*, usage.*",
    from: "requisites",
    join: "join requisite_usage usage on usage.requisite_id = row.id",
    by: { "id = any(?::uuid[])": ids },
    filters: {
      "bank = ?": bank,
      "(select enabled from requisite_usage where requisite_id = row.id) = ?": enabled,
    },
  });
}

const VIEW = `select requisite.*, usage.*
   from requisites requisite join requisite_usage usage on usage.requisite_id = requisite.id
   where requisite.id = $1`;

export async function findRequisite(db: Queryable, id: string): Promise<RequisiteView | undefined> {
  const [row] = await db.query<RequisiteView>(VIEW, [id]);
  return row;
}

export function requisitesById(
  db: Queryable,
  ids: readonly string[],
): Promise<Pick<RequisiteView, "id" | "currency">[]> {
  return db.query("select id, currency from requisites where id = any($1::uuid[])", [ids]);
}

export async function lockRequisite(tx: Tx, id: string): Promise<RequisiteView | undefined> {
  const [row] = await tx.query<RequisiteView>(`${VIEW} for no key update`, [id]);
  return row;
}

export async function updateRequisite(tx: Tx, requisite: RequisiteView): Promise<void> {
  const { id, max_live_payments: live, max_day_payments: day, max_day_sum_minor: sum } = requisite;
  await tx.query(
    "update requisites set receiver_name = $2, min_minor = $3, max_minor = $4 where id = $1",
    [id, requisite.receiver_name, requisite.min_minor, requisite.max_minor],
  );
  await tx.query(
    `update requisite_usage set enabled = $2, max_live_payments = $3, max_day_payments = $4,
       max_day_sum_minor = $5
     where requisite_id = $1`,
    [id, requisite.enabled, live, day, sum],
  );
}

/** Those that count for a day to come. */
export async function requisitesAhead(db: Queryable, latest: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select requisite_id as id from requisite_usage where day > $1::date",
    [latest],
  );
  return rows.map(({ id }) => id);
}

/** Those that still do, and until the transaction ends take nothing more. */
export async function lockAhead(tx: Tx, ids: readonly string[], latest: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select requisite_id as id from requisite_usage
     where requisite_id = any($1::uuid[]) and day > $2::date
     order by requisite_id for no key update`,
    [ids, latest],
  );
  return rows.map(({ id }) => id);
}

export interface DayUsage {
  readonly id: string;
  readonly payments: number;
  readonly sum_minor: bigint;
}

/** Nor were they used later than now: whoever was would have to rest until then. */
export async function putBack(
  tx: Tx,
  usage: readonly DayUsage[],
  day: string,
  now: Date,
): Promise<void> {
  await tx.query(
    `update requisite_usage usage
     set day = $2, day_payments = used.payments, day_sum_minor = used.sum_minor,
         last_used_at = least(last_used_at, $3)
     from json_to_recordset($1) as used(id uuid, payments integer, sum_minor bigint)
     where usage.requisite_id = used.id`,
    [rowsOf(usage), day, now],
  );
}

export interface SealedNumbers {
  readonly id: string;
  readonly card_sealed: Buffer | null;
  readonly card_digest: Buffer | null;
  readonly phone_sealed: Buffer | null;
  readonly phone_digest: Buffer | null;
}

export function everyWallet(db: Queryable): Promise<SealedNumbers[]> {
  return db.query<SealedNumbers>(
    "select id, card_sealed, card_digest, phone_sealed, phone_digest from requisites order by id",
    [],
  );
}

/** In the order of all locks, so that nobody who chooses from them stands against it. */
export async function lockWallets(tx: Tx): Promise<void> {
  await tx.query("select from requisites order by id for no key update", []);
}

export async function replaceWallets(tx: Tx, wallets: readonly SealedNumbers[]): Promise<void> {
  const hex = (bytes: Buffer | null): string | null => bytes?.toString("hex") ?? null;
  const rows = wallets.map(({ id, card_sealed, card_digest, phone_sealed, phone_digest }) => ({
    id,
    card_sealed: hex(card_sealed),
    card_digest: hex(card_digest),
    phone_sealed: hex(phone_sealed),
    phone_digest: hex(phone_digest),
  }));
  await tx.query(
    `update requisites
     set card_sealed = decode(fresh.card_sealed, 'hex'),
         card_digest = decode(fresh.card_digest, 'hex'),
         phone_sealed = decode(fresh.phone_sealed, 'hex'),
         phone_digest = decode(fresh.phone_digest, 'hex')
     from json_to_recordset($1) as fresh(id uuid, card_sealed text, card_digest text,
       phone_sealed text, phone_digest text)
     where requisites.id = fresh.id`,
    [rowsOf(rows)],
  );
}
