// Every statement about all that people's apps make their codes with, for who seals it anew.

import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

export interface SealedTotp {
  readonly id: string;
  readonly totp_sealed: Buffer;
}

const SEALED = "select id, totp_sealed from people where totp_sealed is not null order by id";

/** They are few: all are looked at. */
export function everyTotp(db: Queryable): Promise<SealedTotp[]> {
  return db.query<SealedTotp>(SEALED, []);
}

export function lockEveryTotp(tx: Tx): Promise<SealedTotp[]> {
  return tx.query<SealedTotp>(`${SEALED} for no key update`, []);
}

export async function replaceTotp(tx: Tx, fresh: readonly SealedTotp[]): Promise<void> {
  await tx.query(
    `update people person set totp_sealed = fresh.totp_sealed
     from json_populate_recordset(null::people, $1) fresh
     where person.id = fresh.id`,
    [rowsOf(fresh)],
  );
}
