// Every statement about movements: what statements show beside payers' money, as the ledger has it.

import type { MovementKind } from "../../domain/posting.ts";
import { rowsOf, type Tx } from "../../platform/db.ts";

/** What equal movements have in common. */
interface Bucket {
  readonly requisiteId: string;
  readonly day: string;
  readonly direction: "in" | "out";
  readonly amountMinor: bigint;
}

export interface AskedBucket extends Bucket {
  readonly bucket: string;
  readonly format: string;
}

export interface FreeMovement {
  readonly id: string;
  readonly bucket: string;
  readonly kind: MovementKind;
}

/** Those that no line of the format tells of yet, in the order of their places. */
export function freeMovements(tx: Tx, buckets: readonly AskedBucket[]): Promise<FreeMovement[]> {
  return tx.query<FreeMovement>(
    `select movement.id, asked.bucket, movement.kind
     from json_to_recordset($1) as asked(bucket text, "requisiteId" uuid, day date, direction text,
       "amountMinor" bigint, format text)
     cross join lateral (
       select id, kind, place from movements
       where requisite_id = asked."requisiteId" and day = asked.day and direction = asked.direction
         and amount_minor = asked."amountMinor" and place is not null
         and not exists (select from statement_lines
                         where movement_id = movements.id and format = asked.format)
       offset 0) movement
     order by movement.place`,
    [rowsOf(buckets)],
  );
}

export interface NewMovement extends Bucket {
  readonly id: string;
  readonly kind: MovementKind;
}

/** The ids of those that were added: a place that somebody else takes at the same moment is theirs. */
export async function addMovements(
  tx: Tx,
  movements: readonly NewMovement[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    `insert into movements (id, requisite_id, day, direction, amount_minor, place, kind)
     select id, "requisiteId", day, direction, "amountMinor",
            coalesce((select max(place) from movements known
                      where known.requisite_id = fresh."requisiteId" and known.day = fresh.day
                        and known.direction = fresh.direction
                        and known.amount_minor = fresh."amountMinor"), 0)
              + row_number() over (partition by "requisiteId", day, direction, "amountMinor"
                  order by id), kind
     from json_to_recordset($1) as fresh(id uuid, "requisiteId" uuid, day date, direction text,
       "amountMinor" bigint, kind text)
     on conflict (requisite_id, day, direction, amount_minor, place) do nothing
     returning id`,
    [rowsOf(movements)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether it is out of the ledger now: no line tells of it. */
export async function freeUntold(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update movements set place = null
     where id = $1 and not exists (select from statement_lines where movement_id = $1) returning id`,
    [id],
  );
  return rows.length > 0;
}

/** Another movement takes its place, and all lines that tell of it. */
export async function replaceMovement(
  tx: Tx,
  id: string,
  next: { readonly id: string; readonly kind: MovementKind },
): Promise<void> {
  const [{ place } = { place: null }] = await tx.query<{ place: number | null }>(
    "select place from movements where id = $1 for update",
    [id],
  );
  await tx.query("update movements set place = null where id = $1", [id]);
  await tx.query(
    `insert into movements (id, requisite_id, day, direction, amount_minor, place, kind)
     select $2, requisite_id, day, direction, amount_minor, $3, $4 from movements where id = $1`,
    [id, next.id, place, next.kind],
  );
  await tx.query(
    `update statement_lines set movement_id = $2,
       outcome = case outcome when 'missing' then outcome else $3 end,
       payout_id = case $3 when 'outflow' then payout_id end,
       payout_attempt = case $3 when 'outflow' then payout_attempt end
     where movement_id = $1`,
    [id, next.id, next.kind],
  );
}
