// Reading the ledger for whoever keeps the books.

import type { AccountKind } from "../../domain/posting.ts";
import type { Queryable } from "../../platform/db.ts";
import { type Page, type PageWish, page } from "../../platform/db-page.ts";

export interface AccountView {
  readonly id: string;
  readonly kind: AccountKind;
  readonly currency: string;
  readonly user_id: string | null;
  readonly requisite_id: string | null;
  readonly balance_minor: bigint | null;
}

export function listAccounts(
  db: Queryable,
  wish: PageWish,
  { userId, kind }: { userId: string | undefined; kind: AccountKind | undefined },
): Promise<Page<AccountView>> {
  return page<AccountView>(db, wish, {
    columns: "row.*",
    from: "ledger_accounts",
    by: { "user_id = ?": userId },
    filters: { "kind = ?": kind },
  });
}

/** Accounts that everybody's money flows through keep no balance: it is summed up here. */
export async function findAccount(db: Queryable, id: string): Promise<AccountView | undefined> {
  const [row] = await db.query<AccountView>(
    `select id, kind, currency, user_id, requisite_id,
            coalesce(balance_minor, (select coalesce(sum(amount_minor), 0)::bigint
                                     from ledger_entries where account_id = account.id))
              as balance_minor
     from ledger_accounts account where id = $1`,
    [id],
  );
  return row;
}

/** Without the sum: for whoever only wants to know that it is there. */
export async function accountExists(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query("select id from ledger_accounts where id = $1", [id]);
  return rows.length > 0;
}

export interface EntryView {
  readonly posting_id: string;
  readonly kind: string;
  readonly source_id: string;
  readonly amount_minor: bigint;
  readonly created_at: Date;
}

export function listEntries(
  db: Queryable,
  wish: PageWish,
  accountId: string,
): Promise<Page<EntryView>> {
  return page<EntryView>(db, wish, {
    columns:
      "row.posting_id, row.amount_minor, posting.kind, posting.source_id, posting.created_at",
    from: "ledger_entries",
    join: "join ledger_postings posting on posting.id = row.posting_id",
    leads: { account_id: accountId },
    key: ["posting_id"],
  });
}
