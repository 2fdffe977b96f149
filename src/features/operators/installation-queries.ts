// Every statement about the one row that says what this database is.

import type { Queryable, Tx } from "../../platform/db.ts";

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
