// Every statement about operators, the audit log, and what this database was made for.

import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import type { AuditRow, OperatorRow, Role } from "./nouns.ts";

const LIVING = "revoked_at is null and (ends_at is null or ends_at > $2)";

export function livingOperators(
  db: Queryable,
  digests: readonly Buffer[],
  now: Date,
): Promise<OperatorRow[]> {
  return db.query<OperatorRow>(
    `select id, name, role, digest, ends_at from operators
     where digest = any($1::bytea[]) and ${LIVING}`,
    [digests, now],
  );
}

/** Those of these who are operators now, by a token or because they sign in. */
export function operatorsOf(
  db: Queryable,
  ids: readonly string[],
  now: Date,
): Promise<OperatorRow[]> {
  return db.query<OperatorRow>(
    `select id, name, role from operators where id = any($1::uuid[]) and ${LIVING}`,
    [ids, now],
  );
}

/** Whether a person has been at the desk before. */
export async function wasOperator(db: Queryable, id: string): Promise<boolean> {
  return (await db.query("select id from operators where id = $1", [id])).length > 0;
}

type NewOperator = Omit<OperatorRow, "created_at" | "revoked_at">;

export async function addOperator(tx: Tx, operator: NewOperator, now: Date): Promise<void> {
  await addRows(
    tx,
    "insert into operators (id, name, role, digest, created_at, ends_at, created_by)",
    [{ ...operator, created_at: now }],
    "on conflict do nothing",
  );
}

/** All that may change something now, locked: two revocations at once must not leave nobody. */
export async function lockChangers(tx: Tx, now: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from operators where role = $1 and ${LIVING} order by id for no key update`,
    ["operator", now],
  );
  return rows.map(({ id }) => id);
}

type Signing = Pick<OperatorRow, "id" | "name" | "digest"> & { readonly role: Role | null };

/** The operator that a person is who signs in instead of having a token; without a role they are none. */
export async function putOperator(tx: Tx, operator: Signing, now: Date): Promise<void> {
  await tx.query(
    `insert into operators as known (id, name, role, digest, created_at)
     select $1, $2, $3, $4, $5 where $3::text is not null
     on conflict (id) do update set name = excluded.name, role = excluded.role, revoked_at = null`,
    [operator.id, operator.name, operator.role, operator.digest, now],
  );
  if (operator.role === null) await endOperator(tx, operator.id, now);
}

/** One whose token or role has ended stays ended. */
export async function renameOperator(tx: Tx, id: string, name: string): Promise<void> {
  await tx.query("update operators set name = $2 where id = $1", [id, name]);
}

export async function endOperator(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query("update operators set revoked_at = $2 where id = $1 and revoked_at is null", [
    id,
    now,
  ]);
}

export async function addAudits(
  tx: Tx,
  audits: readonly Omit<AuditRow, "created_at">[],
  now: Date,
): Promise<void> {
  if (audits.length === 0) return;
  await addRows(
    tx,
    `insert into audit_log (id, operator_id, operator_name, user_id, act, subject, before, after,
       created_at)`,
    audits.map((audit) => ({ ...audit, created_at: now })),
  );
}

/** Of these rows those that only say that something was shown; how many is the answer. */
export async function removeReveals(tx: Tx, ids: readonly string[]): Promise<number> {
  const gone = await tx.query(
    "delete from audit_log where id = any($1::uuid[]) and act like '%.reveal' returning id",
    [ids],
  );
  return gone.length;
}

export interface InstallationRow {
  readonly mode: string;
  readonly secret_check: Buffer;
  /** Since the secret key was rotated for the first time. */
  readonly digest_key_sealed: Buffer | null;
  readonly clock_offset_seconds: bigint;
}

/** Writes the row on the first start; afterwards the first start's row is what counts. */
export async function addInstallation(
  tx: Tx,
  mode: string,
  secretCheck: Buffer,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into installation (mode, secret_check, created_at) values ($1, $2, $3)
     on conflict do nothing`,
    [mode, secretCheck, now],
  );
}

const ROW = "select mode, secret_check, digest_key_sealed, clock_offset_seconds from installation";

export async function findInstallation(db: Queryable): Promise<InstallationRow | undefined> {
  return (await db.query<InstallationRow>(ROW, []))[0];
}

/** It stays as it is until the transaction ends. */
export async function holdInstallation(tx: Tx): Promise<InstallationRow> {
  const [row] = await tx.query<InstallationRow>(`${ROW} for key share`, []);
  if (row === undefined) throw new Error("There is no installation.");
  return row;
}

/** Nobody starts on this database, nobody reads what it is, and so nobody seals anything, until the transaction ends. */
export async function lockInstallation(tx: Tx): Promise<void> {
  await tx.query("lock table installation in access exclusive mode");
}

export async function setSecret(
  tx: Tx,
  secretCheck: Buffer,
  digestKeySealed: Buffer,
): Promise<void> {
  await tx.query("update installation set secret_check = $1, digest_key_sealed = $2", [
    secretCheck,
    digestKeySealed,
  ]);
}

/** Moves the sandbox's time on for all later starts as well. */
export async function moveClock(db: Queryable, seconds: number): Promise<void> {
  await db.query(
    `update installation set clock_offset_seconds = clock_offset_seconds + $1
     where mode = 'sandbox'`,
    [seconds],
  );
}
