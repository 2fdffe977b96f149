// Every statement about payouts; so far only the directory of banks they can go to.

import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

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
  await tx.query(
    `insert into sbp_banks (id, name)
     select id, name from json_to_recordset($1) as fresh(id text, name text)
     on conflict (id) do update set name = excluded.name`,
    [rowsOf(all)],
  );
}
