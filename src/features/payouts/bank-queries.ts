// Every statement about the directory of banks that payouts can go to.

import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";

export interface SbpBank {
  readonly id: string;
  readonly name: string;
}

export function sbpBanks(db: Queryable): Promise<SbpBank[]> {
  return db.query<SbpBank>("select id, name from sbp_banks order by id", []);
}

/** Whoever replaces the directory sees it stand still; readers do not wait. */
export async function lockSbpBanks(tx: Tx): Promise<SbpBank[]> {
  await tx.query("lock table sbp_banks in exclusive mode");
  return sbpBanks(tx);
}

/** The last one of two with the same id counts. The caller holds the lock. */
export async function replaceSbpBanks(tx: Tx, banks: readonly SbpBank[]): Promise<void> {
  const all = [...new Map(banks.map((bank) => [bank.id, bank])).values()];
  await tx.query("delete from sbp_banks where id <> all($1::text[])", [all.map(({ id }) => id)]);
  await addRows(
    tx,
    "insert into sbp_banks (id, name)",
    all,
    "on conflict (id) do update set name = excluded.name",
  );
}
