// Every statement about operators and the log of what they changed.

import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";
import type { Role } from "./operator.ts";

export interface OperatorRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly digest: Buffer;
  readonly created_at: Date;
  readonly ends_at: Date | null;
  readonly revoked_at: Date | null;
}

const LIVING = "revoked_at is null and (ends_at is null or ends_at > $2)";

export function livingOperators(
  db: Queryable,
  digests: readonly Buffer[],
  now: Date,
): Promise<OperatorRow[]> {
  return db.query<OperatorRow>(
    `select id, name, role, digest from operators
     where digest = any($1::bytea[]) and ${LIVING}`,
    [digests, now],
  );
}

export function listOperators(db: Queryable, wish: PageWish): Promise<Page<OperatorRow>> {
  return page<OperatorRow>(db, wish, {
    columns: "row.id, row.name, row.role, row.created_at, row.ends_at, row.revoked_at",
    from: "operators",
  });
}

export type NewOperator = Pick<OperatorRow, "id" | "name" | "role" | "digest" | "ends_at">;

export async function addOperator(tx: Tx, operator: NewOperator, now: Date): Promise<void> {
  const { id, name, role, digest, ends_at } = operator;
  await tx.query(
    `insert into operators (id, name, role, digest, created_at, ends_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [id, name, role, digest, now, ends_at],
  );
}

export async function lockOperator(tx: Tx, id: string): Promise<OperatorRow | undefined> {
  const [row] = await tx.query<OperatorRow>(
    "select * from operators where id = $1 for no key update",
    [id],
  );
  return row;
}

/** All that may change something now, locked: two revocations at once must not leave nobody. */
export async function lockChangers(tx: Tx, now: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from operators where role = $1 and ${LIVING} order by id for no key update`,
    ["operator", now],
  );
  return rows.map(({ id }) => id);
}

export async function endOperator(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query("update operators set revoked_at = $2 where id = $1 and revoked_at is null", [
    id,
    now,
  ]);
}

export interface AuditRow {
  readonly id: string;
  readonly operator_id: string | null;
  readonly operator_name: string;
  readonly act: string;
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly created_at: Date;
}

export type NewAudit = Omit<AuditRow, "created_at">;

export async function addAudits(tx: Tx, audits: readonly NewAudit[], now: Date): Promise<void> {
  if (audits.length === 0) return;
  await tx.query(
    `insert into audit_log (id, operator_id, operator_name, act, subject, before, after, created_at)
     select id, operator_id, operator_name, act, subject, nullif(before::text, 'null')::json,
            nullif(after::text, 'null')::json, $2
     from json_to_recordset($1) as fresh(id uuid, operator_id uuid, operator_name text, act text,
       subject text, before json, after json)`,
    [rowsOf(audits), now],
  );
}

export interface AuditFilter {
  readonly operatorId: string | undefined;
  readonly subject: string | undefined;
  readonly act: string | undefined;
}

export function listAudit(
  db: Queryable,
  wish: PageWish,
  { operatorId, subject, act }: AuditFilter,
): Promise<Page<AuditRow>> {
  return page<AuditRow>(db, wish, {
    columns: "row.*",
    from: "audit_log",
    leads: { subject, operator_id: operatorId },
    filters: { "act = ?": act },
  });
}

/** Of these rows those that only say that something was shown; how many is the answer. */
export async function removeReveals(tx: Tx, ids: readonly string[]): Promise<number> {
  const gone = await tx.query(
    "delete from audit_log where id = any($1::uuid[]) and act like '%.reveal' returning id",
    [ids],
  );
  return gone.length;
}
