// Every statement about imports: files that were brought, and how far each is applied.

import type { LineOutcome } from "../../domain/line-outcome.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import { IS_OPEN } from "./line-queries.ts";

interface NewImport {
  readonly id: string;
  readonly digest: Buffer;
  readonly filename: string;
  readonly format: string;
  readonly requisite_id: string | null;
  readonly content_sealed: Buffer;
  readonly lines: number;
  readonly pending_lines: number;
  readonly created_by: string;
}

/** Its place among the others; undefined for the same file again. */
export async function addImport(tx: Tx, one: NewImport, now: Date): Promise<bigint | undefined> {
  const [added] = await addRows<{ place: bigint }>(
    tx,
    `insert into imports (id, digest, filename, format, requisite_id, content_sealed, lines,
       pending_lines, created_by, created_at)`,
    [{ ...one, created_at: now }],
    "on conflict (digest) do nothing returning place",
  );
  return added?.place;
}

export async function importByDigest(db: Queryable, digest: Buffer): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>("select id from imports where digest = $1", [
    digest,
  ]);
  return row?.id;
}

export interface NewSection {
  readonly import_id: string;
  readonly place: bigint;
  readonly number: number;
  readonly requisite_id: string;
  readonly format: string;
  readonly from_day: string;
  readonly to_day: string;
  readonly opening_minor: bigint | null;
  readonly closing_minor: bigint | null;
  readonly in_minor: bigint;
  readonly out_minor: bigint;
}

export async function addSections(tx: Tx, sections: readonly NewSection[]): Promise<void> {
  await addRows(
    tx,
    `insert into statement_sections (import_id, place, number, requisite_id, format, from_day, to_day,
       opening_minor, closing_minor, in_minor, out_minor)`,
    sections,
  );
}

export interface OpenImport {
  readonly id: string;
  readonly done_lines: number;
}

/**
 * The oldest that is not applied, but for those that failed a moment ago. Files of one account keep their order: an
 * older one, applied later, would take lines of a newer one for lost, and lost ones for seen.
 */
export async function nextImport(
  db: Queryable,
  job: string,
  now: Date,
): Promise<OpenImport | undefined> {
  const [row] = await db.query<OpenImport>(
    `select id, done_lines from imports
     where applied_at is null
       and (select next_try_at from failing_rows where kind = $1 and failing_rows.id = imports.id)
         > $2 is not true
       and not exists (
         select from imports older
         join statement_sections first on first.import_id = older.id
         join statement_sections own on own.import_id = imports.id
           and own.requisite_id = first.requisite_id
         where older.applied_at is null and older.place < imports.place)
     order by place limit 1`,
    [job, now],
  );
  return row;
}

export interface BroughtContent {
  readonly id: string;
  readonly requisite_id: string | null;
  readonly content_sealed: Buffer;
}

/** The file itself; of one that somebody has applied meanwhile there is none. */
export async function contentOf(db: Queryable, id: string): Promise<BroughtContent | undefined> {
  const [row] = await db.query<BroughtContent>(
    `select id, requisite_id, content_sealed from imports
     where id = $1 and content_sealed is not null`,
    [id],
  );
  return row;
}

/** How many of its lines are done; undefined where it is applied, or somebody else works on it. */
export async function lockImport(tx: Tx, id: string): Promise<number | undefined> {
  const [row] = await tx.query<{ done: number }>(
    `select done_lines as done from imports where id = $1 and applied_at is null
     for no key update skip locked`,
    [id],
  );
  return row?.done;
}

/** So many of its lines are looked at, so many of them were known. */
export async function noteProgress(
  tx: Queryable,
  id: string,
  { done, known }: { readonly done: number; readonly known: number },
): Promise<void> {
  await tx.query("update imports set done_lines = $2, known_lines = $3 where id = $1", [
    id,
    done,
    known,
  ]);
}

/** All of it is applied: the file itself is needed no more. */
export async function closeImport(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query(
    `update imports set applied_at = $2, content_sealed = null, done_lines = lines where id = $1`,
    [id, now],
  );
}

/** Whether it is there and waits to be applied. */
export async function lockOpen(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    "select from imports where id = $1 and applied_at is null for key share",
    [id],
  );
  return rows.length > 0;
}

/** Whether its last try has failed, the next is still to come, and none has left a trace on any line. */
export async function isInVain(tx: Tx, job: string, id: string, now: Date): Promise<boolean> {
  const rows = await tx.query(
    `select from imports
     where id = $1 and applied_at is null and done_lines = 0
       and (select next_try_at from failing_rows where kind = $2 and failing_rows.id = $1) > $3
       and not exists (select from statement_lines where import_id = $1)
       and not exists (
         select from statement_sections section
         cross join lateral (
           select from statement_lines line
           where line.requisite_id = section.requisite_id
             and line.day between section.from_day and section.to_day and line.seen_in = $1
           limit 1) seen
         where section.import_id = $1)`,
    [id, job, now],
  );
  return rows.length > 0;
}

/** With what it says of balances. */
export async function removeImport(tx: Tx, id: string): Promise<void> {
  await tx.query("delete from statement_sections where import_id = $1", [id]);
  await tx.query("delete from imports where id = $1", [id]);
}

/** How many of a file's own lines have which outcome; of those that are missing now, what the ledger has of them. */
export async function outcomesOf(
  db: Queryable,
  importId: string,
): Promise<ReadonlyMap<LineOutcome, number>> {
  const rows = await db.query<{ outcome: LineOutcome; lines: number }>(
    `select case outcome when 'missing' then booked_as(line) else outcome end as outcome,
            count(*)::integer as lines
     from statement_lines line where import_id = $1 group by 1`,
    [importId],
  );
  return new Map(rows.map(({ outcome, lines }) => [outcome, lines]));
}

/** How many lines this file should have had. */
export async function missingIn(db: Queryable, importId: string): Promise<number> {
  const [row] = await db.query<{ lines: number }>(
    `select count(*)::integer as lines from statement_lines
     where ${IS_OPEN} and missing_in = $1`,
    [importId],
  );
  return row?.lines ?? 0;
}
