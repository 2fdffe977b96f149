// Every statement that takes months out, and that looks at what was taken out. Each act is a function in the
// database (migrations/0025_months.sql).

import type { Queryable } from "../../platform/db.ts";
import { firstOfEach, type Violation } from "../ledger/queries.ts";

export interface Archive {
  readonly month: string;
  readonly fromId: string;
  readonly beforeId: string;
  readonly invoices: bigint;
  readonly payments: bigint;
  readonly postings: bigint;
  readonly events: bigint;
}

const ARCHIVE = `month, from_id as "fromId", before_id as "beforeId", invoices, payments, postings, events`;

/** The oldest first. */
export function listArchives(db: Queryable): Promise<Archive[]> {
  return db.query<Archive>(`select ${ARCHIVE} from archives order by before_id`, []);
}

export interface Obstacle {
  readonly reason: string;
  readonly found: bigint;
  /** One of them. */
  readonly example: string;
}

/**
 * Hours of figures are counted once more, by verify for two days. What happened in them lately may be of a payment,
 * or of an order, that leaves: without it nothing would be known of that, and the figures would lose it. So may the
 * posting by which money that came in these months was found to be of a later order.
 */
const STILL_COUNTED = `
  select 'what was credited or refunded in the last two days is still counted once more', count(*),
         (array_agg(id order by id))[1]
  from (select id from payments
        where (id < $1 or invoice_id < $1) and paid_at >= $2::timestamptz - interval '2 days'
        union all
        select id from refunds
        where id >= first_id_at($2::timestamptz - interval '2 days') and payment_id < $1
        union all
        select id from ledger_postings
        where kind = 'suspense_assigned' and suspense_minor <> 0 and source_id < $1
          and currency = any(array(select distinct currency from requisites))
          and id >= first_id_at($2::timestamptz - interval '2 days')
          and (select true from payments paid join transfers transfer on paid.id = transfer.payment_id
               where transfer.id = ledger_postings.source_id
                 and paid.id >= $1 and paid.invoice_id >= $1)) recent
  having count(*) > 0`;

/** Why what comes before an id cannot be taken out yet. */
export function obstaclesBefore(db: Queryable, beforeId: string, now: Date): Promise<Obstacle[]> {
  return db.query<Obstacle>(
    `select * from archive_obstacles($1, $2) union all ${STILL_COUNTED} order by reason`,
    [beforeId, now],
    "once",
  );
}

/** Nothing in these months changes any more, until they are taken out or opened. */
export async function closeMonths(db: Queryable, beforeId: string): Promise<void> {
  await db.query("select close_months($1)", [beforeId], "once");
}

/** How many partitions were closed, and are not. */
export async function openMonths(db: Queryable): Promise<number> {
  const [row] = await db.query<{ opened: number }>("select open_months() as opened", []);
  return row?.opened ?? 0;
}

/** Takes its time, and nobody waits for it. */
export async function stageArchive(
  db: Queryable,
  month: string,
  beforeId: string,
  now: Date,
): Promise<void> {
  await db.query("select stage_archive($1, $2, $3)", [month, beforeId, now], "once");
}

export async function finishArchive(
  db: Queryable,
  month: string,
  beforeId: string,
  now: Date,
): Promise<Archive> {
  const [archive] = await db.query<Archive>(
    `select ${ARCHIVE} from finish_archive($1, $2, $3)`,
    [month, beforeId, now],
    "once",
  );
  if (archive === undefined) throw new Error(`The archive of ${month} was not made.`);
  return archive;
}

/** The schema that an archive is in; undefined where it was taken away. */
export async function schemaOf(db: Queryable, month: string): Promise<string | undefined> {
  const [row] = await db.query<{ name: string }>(
    "select nspname as name from pg_namespace where nspname = archive_schema($1)",
    [month],
  );
  return row?.name;
}

/** Whether that schema is there, and is more than what an archive that was not finished leaves. */
export async function isOfSomebody(db: Queryable, month: string): Promise<boolean> {
  const rows = await db.query(
    `select from pg_namespace where nspname = archive_schema($1)
       and (to_regclass(nspname || '.counts') is null or to_regclass(nspname || '.invoices') is not null)`,
    [month],
  );
  return rows.length > 0;
}

/** In this transaction the tables of history are those of an archive. */
export async function lookInto(tx: Queryable, schema: string): Promise<void> {
  await tx.query(
    `select set_config('search_path', '${schema}, ' || current_setting('search_path'), true)`,
  );
}

/** Whether it has all its rows, and they come to what balances begin with. */
export function violationsOfArchive(
  db: Queryable,
  month: string,
  limit: number,
): Promise<Violation[]> {
  return db.query<Violation>(firstOfEach("violations_of_archive($2)"), [limit, month], "once");
}
