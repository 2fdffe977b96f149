// What the sandbox looks up for statements and for its example month.

import type { Queryable, Tx } from "../../platform/db.ts";
import { IS_OPEN } from "../intake/line-queries.ts";
import { currentNumbers } from "../requisites/wallet-queries.ts";

export interface StatementRequisite {
  readonly id: string;
  readonly currency: string;
  readonly account_sealed: Buffer | null;
}

/** The one that is named; else where money arrived last; else the first of all. */
export async function requisiteForStatement(
  db: Queryable,
  id: string | null,
): Promise<StatementRequisite | undefined> {
  const [row] = await db.query<StatementRequisite>(
    `select id, currency, ${currentNumbers("requisites.id")} from requisites
     where id = coalesce($1::uuid, (select requisite_id from transfers order by id desc limit 1),
                         (select id from requisites order by id limit 1))`,
    [id],
  );
  return row;
}

export interface StatementTransfer {
  readonly id: string;
  readonly amount_minor: bigint;
  readonly payer: string | null;
  /** Null where it was told of a whole day. */
  readonly moment: Date | null;
}

export async function paidBefore(db: Queryable, requisiteId: string, at: Date): Promise<bigint> {
  const [row] = await db.query<{ minor: bigint }>(
    `select coalesce(sum(amount_minor), 0)::bigint as minor from transfers
     where requisite_id = $1 and coalesce(made_from, received_at) < $2`,
    [requisiteId, at],
  );
  return row?.minor ?? 0n;
}

/** What was paid to a requisite from one moment until before another, in the order of its arrival. */
export async function transfersForStatement(
  db: Queryable,
  requisiteId: string,
  from: Date,
  until: Date,
): Promise<StatementTransfer[]> {
  return db.query<StatementTransfer>(
    `select id, amount_minor, payer,
            case when made_to - made_from > interval '1 hour' then null
                 else coalesce(made_from, received_at) end as moment
     from transfers
     where requisite_id = $1 and coalesce(made_from, received_at) >= $2
       and coalesce(made_from, received_at) < $3
     order by id limit 10000`,
    [requisiteId, from, until],
  );
}

/** Of two gateways that start at once one looks first, and the other finds what it has left. */
export async function isFreshSandbox(tx: Tx): Promise<boolean> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('sandbox history', 0))", []);
  const rows = await tx.query(
    `select from installation where mode = 'sandbox' and not exists (select from invoices)
       and not exists (select from transfers) and not exists (select from payouts)`,
    [],
  );
  return rows.length > 0;
}

/** The same few statements thousands of times on small tables: to plan each anew took longer than to run it. */
export async function planOnce(tx: Tx): Promise<void> {
  await tx.query("set local plan_cache_mode = force_generic_plan; set local jit = off");
}

export interface NextDue {
  /** The name of the job that it falls due for; null for an event that is to be delivered. */
  readonly kind: string | null;
  readonly at: Date;
}

/** What happens next, until a moment, of what happens at moments of its own. */
export async function nextDue(
  db: Queryable,
  kinds: readonly string[],
  until: Date,
): Promise<NextDue | undefined> {
  const [row] = await db.query<NextDue>(
    `(select kind, due_at as at from dues where kind = any($1) and due_at <= $2)
     union all
     (select null, greatest(next_attempt_at, leased_until) from outbox where next_attempt_at <= $2)
     order by at limit 1`,
    [kinds, until],
  );
  return row;
}

/** What a day is remembered by: how many invoices there are, and how many things wait for a person. */
export async function countHistory(
  db: Queryable,
): Promise<{ readonly invoices: number; readonly waiting: number }> {
  const [row] = await db.query<{ invoices: number; waiting: number }>(
    `select (select count(*) from invoices)::integer as invoices,
            ((select count(*) from transfers where state = 'suspense')
             + (select count(*) from statement_lines where ${IS_OPEN})
             + (select count(*) from payouts where state in ('held', 'unknown')))::integer as waiting`,
    [],
  );
  return row ?? { invoices: 0, waiting: 0 };
}
