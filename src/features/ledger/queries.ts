// Every statement about the ledger's accounts.

import type { Queryable, Tx } from "../../platform/db.ts";

export interface BalanceRow {
  readonly user_id: string;
  readonly currency: string;
  readonly available_minor: bigint;
  readonly frozen_minor: bigint;
}

export function balancesOfUsers(db: Queryable, userIds: readonly string[]): Promise<BalanceRow[]> {
  return db.query<BalanceRow>(
    `select user_id, currency,
            coalesce(sum(balance_minor) filter (where kind = 'available'), 0)::bigint as available_minor,
            coalesce(sum(balance_minor) filter (where kind = 'frozen'), 0)::bigint as frozen_minor
     from ledger_accounts
     where user_id = any($1::uuid[])
     group by user_id, currency`,
    [[...new Set(userIds)]],
  );
}

export interface NewAccount {
  readonly id: string;
  readonly user_id: string;
  readonly kind: "available" | "frozen" | "reserved";
  readonly currency: string;
}

export async function openAccounts(tx: Tx, accounts: readonly NewAccount[]): Promise<void> {
  await tx.query(
    `insert into ledger_accounts (id, user_id, kind, currency)
     select * from json_to_recordset($1)
       as fresh(id uuid, user_id uuid, kind text, currency text)
     on conflict do nothing`,
    [JSON.stringify(accounts)],
  );
}
