// What the bank's statements say of an account, and what the books say of the same days.

import { addSeconds, later, momentFormat, type Offset } from "../../domain/moment.ts";
import { type Queryable, rowsOf } from "../../platform/db.ts";
import { clockAt, offsetValues } from "../../platform/db-zone.ts";
import { IS_WAITING } from "./line-queries.ts";

/** What one file says of an account in a span of days; the higher its place, the newer the file. */
export interface Section {
  readonly place: bigint;
  readonly format: string;
  readonly from: string;
  readonly to: string;
  readonly opening: bigint;
  readonly closing: bigint;
}

export function requisitesWithStatements(
  db: Queryable,
  requisiteId: string | undefined,
): Promise<{ id: string; currency: string }[]> {
  return db.query(
    `select id, currency from requisites
     where exists (select from statement_sections
                   where requisite_id = requisites.id and closing_minor is not null)
       and ($1::uuid is null or id = $1)
     order by id`,
    [requisiteId ?? null],
  );
}

/** Of files that are applied to their end. */
export function sectionsOf(db: Queryable, requisiteId: string): Promise<Section[]> {
  return db.query<Section>(
    `select place, format, from_day::text as from, to_day::text as to, opening_minor as opening,
            closing_minor as closing
     from statement_sections section
     where requisite_id = $1 and closing_minor is not null
       and (select applied_at from imports where id = section.import_id) is not null`,
    [requisiteId],
  );
}

/** Days of a section that count, which may be fewer than it has. */
export type Piece = Pick<Section, "place" | "format" | "from" | "to">;

/**
 * The lines that the file of each piece had: it may lack what older ones had, and what newer ones have. Each
 * piece is looked up by its days, behind "offset 0": as a join it would be all lines for every piece.
 */
const OF_PIECES = `from json_to_recordset($2) as piece(place bigint, format text, "from" date, "to" date)
     cross join lateral (
       select line.id, line.day, line.outcome, line.transfer_id, line.movement_id, line.import_id, line.seen_in,
              case direction when 'in' then amount_minor else -amount_minor end as minor
       from statement_lines line
       where line.requisite_id = $1 and line.day >= piece.from and line.day <= piece.to
         and line.format = piece.format
       offset 0) line
     join imports first on first.id = line.import_id
     join imports last on last.id = line.seen_in`;

const IS_THERE = "(first.place <= piece.place and last.place >= piece.place)";

/** What came less what went in a piece. */
export async function movedIn(db: Queryable, requisiteId: string, piece: Piece): Promise<bigint> {
  const [row] = await db.query<{ minor: bigint }>(
    `select coalesce(sum(line.minor), 0)::bigint as minor ${OF_PIECES} where ${IS_THERE}`,
    [requisiteId, rowsOf([piece])],
  );
  return row?.minor ?? 0n;
}

export interface Part {
  readonly kind: string;
  readonly count: number;
  readonly minor: bigint;
}

/**
 * Lines of the pieces that the books have nothing of; and movements of the books that no line of the pieces shows. A
 * movement may be shown by a line of another format alone.
 */
const PLACED_LINES = `seen as (
       select line.movement_id as id, bool_or(${IS_THERE}) as is_there
       ${OF_PIECES} where line.movement_id is not null group by line.movement_id
     ), placed_lines as (
       select line.id, line.day, case when line.${IS_WAITING} then 'waiting' else 'excluded' end as kind,
              line.minor
       ${OF_PIECES} where ${IS_THERE} and line.transfer_id is null and line.movement_id is null
       union all
       select (select id from statement_lines where movement_id = booked.id order by id limit 1), day, kind,
              case when kind in ('later', 'before') then minor else -minor end
       from (select id, day, case direction when 'in' then amount_minor else -amount_minor end as minor,
                    case when day > $3::date then 'later' when is_there then 'proven'
                         when is_there is false then 'missing' when day < $4::date then 'before'
                         else 'other_format' end as kind
             from movements left join seen using (id)
             where requisite_id = $1 and place is not null) booked
       where kind <> 'proven'
     )`;

export function lineParts(db: Queryable, span: Span): Promise<Part[]> {
  return db.query<Part>(
    `with ${PLACED_LINES}
     select kind, count(*)::integer as count, sum(minor)::bigint as minor
     from placed_lines group by kind`,
    valuesOf(span).slice(0, 4),
  );
}

/**
 * Transfers by what the pieces say of them. One is of the day of the first line that tells of it, else of
 * its own day. What was returned leaves as every outflow; what nobody had proven when it was, is in the books
 * with nothing. What only a phone has told of is unproven, also where it is older than all statements.
 */
const PLACED = `told as (
       select line.transfer_id, bool_or(${IS_THERE}) as is_proven, bool_or(not ${IS_THERE}) as is_gone
       ${OF_PIECES} where line.transfer_id is not null group by line.transfer_id
     ), placed as (
       select transfer.id, transfer.day, is_undone, amount_minor,
              case when transfer.day > $3::date then 'later'
                   when is_proven then case when is_undone then 'returned' else 'proven' end
                   when transfer.day < $4::date and not is_unsure then 'before'
                   when is_gone then 'missing'
                   else 'unproven' end as kind
       from (select id, amount_minor, state = 'returned' and (
                 select sum(bank_minor) from ledger_postings where source_id = transfers.id) = 0
               as is_undone, state <> 'returned' and (needs_proof
               or coalesce(state = 'suspense' and suspense_reason = 'balance_break', false))
               as is_unsure, coalesce(first.day,
               ${clockAt("coalesce(made_from, received_at)", 5)}::date) as day
             from transfers
             left join (select transfer_id as id, min(day) as day from statement_lines
                        where requisite_id = $1 and transfer_id is not null and outcome <> 'missing'
                        group by transfer_id) first using (id)
             where requisite_id = $1) transfer
       left join told on told.transfer_id = transfer.id
     )`;

export interface Span {
  readonly requisiteId: string;
  readonly pieces: readonly Piece[];
  /** The last day, and the first. */
  readonly day: string;
  readonly from: string;
  readonly timeZone: string;
}

const valuesOf = ({ requisiteId, pieces, day, from, timeZone }: Span): unknown[] => [
  requisiteId,
  rowsOf(pieces),
  day,
  from,
  ...offsetValues(clockOf(timeZone, from, day)),
];

const TWO_DAYS_SECONDS = 48 * 60 * 60;

/** What is before these days or past them is so by the clock of the nearest one, too; nothing is told of 1969. */
function clockOf(timeZone: string, from: string, day: string): readonly Offset[] {
  const { startOf, offsets } = momentFormat(timeZone);
  return offsets(later(startOf(from), new Date(0)), addSeconds(startOf(day), TWO_DAYS_SECONDS));
}

export function transferParts(db: Queryable, span: Span): Promise<Part[]> {
  return db.query<Part>(
    `with ${PLACED}
     select kind, count(*)::integer as count,
            sum(case when kind in ('unproven', 'missing') then -amount_minor else amount_minor end)::bigint
              as minor
     from placed where not is_undone or kind = 'returned' group by kind`,
    valuesOf(span),
  );
}

export interface Reason {
  readonly kind: string;
  readonly day: string;
  readonly line_id: string | null;
  readonly transfer_id: string | null;
  readonly minor: bigint;
}

/** The lines and transfers that make the difference, of these kinds, the newest first. */
export function reasonsOf(
  db: Queryable,
  span: Span,
  kinds: readonly string[],
  limit: number,
): Promise<Reason[]> {
  return db.query<Reason>(
    `with ${PLACED_LINES}, ${PLACED}
     select kind, day::text as day, line_id, transfer_id, minor from (
       select kind, day, id as line_id, null as transfer_id, minor from placed_lines
       union all
       select kind, day, null, id, case kind when 'returned' then amount_minor else -amount_minor end
       from placed where kind = 'returned' or kind in ('missing', 'unproven') and not is_undone
     ) reason
     where kind = any($7::text[])
     order by reason.day desc, line_id, transfer_id limit $8`,
    [...valuesOf(span), kinds, limit],
  );
}
