// Reading and changing requisites for whoever manages the gateway, all their numbers at once, and what is
// put right or removed now and then.

import { Refusal } from "../../domain/refusal.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { addRows, changeRow } from "../../platform/db-row.ts";
import { AFTER_ALL_IDS } from "../../platform/id.ts";
import { RETENTION_SET, type Swept } from "../../platform/retention-job.ts";
import type { Ways } from "../operators/noun.ts";
import type { RequisiteRow } from "./nouns.ts";
import { addNumbers, type SealedNumber } from "./wallet-queries.ts";

export interface RequisiteFilter {
  readonly bank?: string;
  readonly enabled?: boolean;
  /** Only these, where a number's last digits were asked for. */
  readonly ids: readonly string[] | undefined;
}

export function waysToRequisites({ bank, enabled, ids }: RequisiteFilter): Ways {
  const enabledNow = "(select enabled from requisite_usage where requisite_id = row.id) = ?";
  return { by: { "id = any(?::uuid[])": ids }, filters: { bank, [enabledNow]: enabled } };
}

export function requisitesById(
  db: Queryable,
  ids: readonly string[],
): Promise<Pick<RequisiteRow, "id" | "currency">[]> {
  return db.query("select id, currency from requisites where id = any($1::uuid[])", [ids]);
}

export type NewRequisite = Pick<
  RequisiteRow,
  | ("id" | "currency" | "receiver_name" | "min_minor" | "max_minor")
  | ("max_live_payments" | "max_day_payments" | "max_day_sum_minor")
> & { readonly bank: string; readonly numbers: readonly SealedNumber[] };

/** Those that are not there yet. A number belongs to one requisite only. */
export async function addRequisites(
  tx: Tx,
  requisites: readonly NewRequisite[],
  now: Date,
): Promise<void> {
  const added = await addRows<{ id: string }>(
    tx,
    "insert into requisites (id, bank, currency, receiver_name, min_minor, max_minor, created_at)",
    requisites.map((requisite) => ({ ...requisite, created_at: now })),
    "on conflict do nothing returning id",
  );
  const ids = new Set(added.map(({ id }) => id));
  const fresh = requisites.filter(({ id }) => ids.has(id));
  const numbers = fresh.flatMap((requisite) => requisite.numbers);
  if (!(await addNumbers(tx, numbers))) throw new Refusal("requisite_taken");
  await addRows(
    tx,
    `insert into requisite_usage (requisite_id, enabled, max_live_payments, max_day_payments,
       max_day_sum_minor)`,
    fresh.map((requisite) => ({ ...requisite, requisite_id: requisite.id, enabled: true })),
  );
}

export async function updateRequisite(tx: Tx, requisite: RequisiteRow): Promise<void> {
  const { id, receiver_name, min_minor, max_minor } = requisite;
  const { max_live_payments: live, max_day_payments: day, max_day_sum_minor: sum } = requisite;
  await changeRow(tx, "update requisites set", id, { receiver_name, min_minor, max_minor });
  await tx.query(
    `update requisite_usage set enabled = $2, max_live_payments = $3, max_day_payments = $4,
       max_day_sum_minor = $5
     where requisite_id = $1`,
    [id, requisite.enabled, live, day, sum],
  );
}

/** Whether statements have named it; until the transaction ends, no file is stored that does. */
export async function accountStays(tx: Tx, id: string): Promise<boolean> {
  await tx.query("select from requisites where id = $1 for update", [id]);
  const [row] = await tx.query<{ stays: boolean }>("select account_was_named($1) as stays", [id]);
  return row?.stays === true;
}

/** Those of these that rest. */
export async function restingAmong(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select requisite_id as id from requisite_usage
     where requisite_id = any($1::uuid[]) and resting_since is not null`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** They are not given out from now on; without a moment they are again. */
export async function setResting(
  tx: Tx,
  ids: readonly string[],
  since: Date | null,
): Promise<void> {
  // Even of no row at all, it would be a change of the settings.
  if (ids.length === 0) return;
  await tx.query(
    `update requisite_usage set resting_since = $2 where requisite_id = any(
       select requisite_id from requisite_usage where requisite_id = any($1::uuid[])
       order by requisite_id for no key update)`,
    [ids, since],
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

/** The next slots after a place, "requisite amount", whose time was over before the moment, and whose payment is. */
export async function sweepSlots(
  tx: Tx,
  after: string,
  before: Date,
  thoseOver: (tx: Tx, paymentIds: readonly string[]) => Promise<string[]>,
): Promise<Swept> {
  const [requisiteId, amountMinor = "0"] = after.split(" ");
  const [end] = await tx.query<{ place: string }>(
    `select requisite_id || ' ' || amount_minor as place from slots
     where (requisite_id, amount_minor) > ($1::uuid, $2::bigint)
     order by requisite_id, amount_minor offset ${RETENTION_SET} - 1 limit 1`,
    [requisiteId, amountMinor],
  );
  const [lastId, lastMinor] = end?.place.split(" ") ?? [AFTER_ALL_IDS, "0"];
  const ended = await tx.query<{ payment_id: string }>(
    `select payment_id from slots
     where (requisite_id, amount_minor) > ($1::uuid, $2::bigint)
       and (requisite_id, amount_minor) <= ($3::uuid, $4::bigint) and held_until < $5
     for update skip locked`,
    [requisiteId, amountMinor, lastId, lastMinor, before],
  );
  const over = await thoseOver(
    tx,
    ended.map(({ payment_id }) => payment_id),
  );
  const gone = await tx.query(
    `delete from slots where (requisite_id, amount_minor) > ($1::uuid, $2::bigint)
       and (requisite_id, amount_minor) <= ($3::uuid, $4::bigint)
       and payment_id = any($5::uuid[]) returning payment_id`,
    [requisiteId, amountMinor, lastId, lastMinor, over],
  );
  return { removed: gone.length, next: end?.place };
}
