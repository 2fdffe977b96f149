// Every statement about lines that name payouts.

import type { PayoutState } from "../../domain/payout.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import type { AttemptKey } from "../payouts/attempt-queries.ts";

/** A word of a line, by the line's place. */
export interface AskedWord {
  readonly place: number;
  readonly word: string;
  /** Where it may be a payout's own id. */
  readonly id: string | null;
  /** Where it may be what a payout is called in a file: the digits of that. */
  readonly document: string | null;
  readonly currency: string;
  readonly format: string;
  readonly requisiteId: string;
}

export interface NamedPayout {
  readonly place: number;
  readonly id: string;
  readonly state: PayoutState;
  readonly receiveMinor: bigint;
  /** Where the rail's own name of an attempt stands there: which. */
  readonly attempt: number | null;
  /** Whether that one is said not to have left, and another has or may have. */
  readonly isOther: boolean;
  /** Whether the bank's own reference stands there, by which it is known to have left. */
  readonly isProof: boolean;
  /** Whether a line of this format, or of another account, has shown already that it left. */
  readonly isSeen: boolean;
}

/** By the bank's reference, by the rail's name of an attempt, by its own id, or by its name in files. */
export function payoutsNamed(db: Queryable, words: readonly AskedWord[]): Promise<NamedPayout[]> {
  return db.query<NamedPayout>(
    `select distinct asked.place, payout.id, payout.state, payout.receive_minor as "receiveMinor",
            named.attempt, named.is_other as "isOther", named.is_proof as "isProof",
            exists (select from statement_lines line where line.payout_id = payout.id
                      and line.direction = 'out' and line.outcome <> 'excluded' and (line.format = asked.format
                        or line.requisite_id <> asked."requisiteId")) as "isSeen"
     from json_to_recordset($1) as asked(place integer, word text, id uuid, document text,
       currency text, format text, "requisiteId" uuid)
     cross join lateral (
       select id, null::integer as attempt, false as is_other, true as is_proof from payouts
       where currency = asked.currency and bank_reference = asked.word
       union all
       select id, null, false, false from payouts where id = asked.id
       union all
       select id, null, false, false from payouts where upper(right(id::text, 12)) = asked.document
       union all
       select payout_id, number, state = 'not_sent' and exists (
         select from payout_attempts other
         where other.payout_id = attempt.payout_id and other.state <> 'not_sent'), false
       from rails cross join lateral (
         select payout_id, number, state from payout_attempts
         where rail = rails.code and rail_id = asked.word offset 0) attempt) named
     join payouts payout on payout.id = named.id and payout.currency = asked.currency`,
    [rowsOf(words)],
  );
}

/**
 * Payouts that may have left, and that a line shows to have, each with the attempt that it was; also those that
 * were tried, and stand in line again. A line of before it was asked which attempt each is of is of the one that may
 * have left, or of the last that was marked: what is only claimed has sent nothing. One of an attempt that is said not to have left
 * contradicts that, once.
 */
export function payoutsShown(tx: Tx, limit: number): Promise<AttemptKey[]> {
  return tx.query<AttemptKey>(
    `select payout.id as "payoutId", attempt.number
     from (select id, state from payouts where state in ('sending', 'unknown')
           union all
           select id, state from payouts where queued_at is not null and attempts > 0) payout
     cross join lateral (
       select number from payout_attempts where payout_id = payout.id and state <> 'claimed'
       order by state <> 'not_sent' desc, dispatched_at is not null desc, number desc
       limit 1) unnamed
     cross join lateral (
       select coalesce(payout_attempt, unnamed.number) as number
       from statement_lines shown join movements on movements.id = shown.movement_id
       where payout_id = payout.id and kind = 'outflow' offset 0) line
     cross join lateral (
       select number from payout_attempts where payout_id = payout.id and number = line.number
         and state <> 'claimed' and (state <> 'not_sent' or reopened_at is null) limit 1) attempt
     group by payout.state, payout.id, attempt.number
     order by payout.state, payout.id, attempt.number limit $1`,
    [limit],
  );
}

/** By its payout, a line that shows it to have left. */
export async function linesShowing(
  tx: Tx,
  payoutIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ payout_id: string; id: string }>(
    `select asked.id as payout_id, line.id from unnest($1::uuid[]) as asked(id)
     cross join lateral (
       select shown.id from statement_lines shown join movements on movements.id = shown.movement_id
       where payout_id = asked.id and kind = 'outflow' limit 1) line`,
    [payoutIds],
  );
  return new Map(rows.map(({ payout_id, id }) => [payout_id, id]));
}

/** Whether another line shows it as well, of another movement where one is named. */
export async function isShownOtherwise(
  tx: Tx,
  payoutId: string,
  lineId: string,
  movementId: string | null,
): Promise<boolean> {
  const rows = await tx.query(
    `select from statement_lines line join movements on movements.id = line.movement_id
     where payout_id = $1 and kind = 'outflow' and line.id <> $2
       and line.movement_id is distinct from $3 limit 1`,
    [payoutId, lineId, movementId],
  );
  return rows.length > 0;
}

/** By the rail's own name of it. */
export async function attemptNamed(tx: Tx, lineId: string): Promise<number | null> {
  const [row] = await tx.query<{ number: number | null }>(
    "select payout_attempt as number from statement_lines where id = $1",
    [lineId],
  );
  return row?.number ?? null;
}
