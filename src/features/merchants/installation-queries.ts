// Every statement about the one row that says what this database is.

import type { Queryable, Tx } from "../../platform/db.ts";

export interface InstallationRow {
  readonly mode: string;
  readonly secret_check: Buffer;
  readonly clock_offset_seconds: bigint;
}

/** Writes the row on the first start; afterwards the first start's row is what counts. */
export async function installation(
  tx: Tx,
  fresh: Pick<InstallationRow, "mode" | "secret_check">,
  now: Date,
): Promise<InstallationRow> {
  await tx.query(
    `insert into installation (mode, secret_check, created_at) values ($1, $2, $3)
     on conflict do nothing`,
    [fresh.mode, fresh.secret_check, now],
  );
  const [row] = await tx.query<InstallationRow>(
    "select mode, secret_check, clock_offset_seconds from installation",
  );
  return row ?? { ...fresh, clock_offset_seconds: 0n };
}

/** Moves the sandbox's time on for all later starts as well. */
export async function moveClock(db: Queryable, seconds: number): Promise<void> {
  await db.query(
    `update installation set clock_offset_seconds = clock_offset_seconds + $1
     where mode = 'sandbox'`,
    [seconds],
  );
}
