// Every statement about the ledger: accounts, postings and their entries, frozen credits.

import type { Account, Entry } from "../../domain/posting.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { fallsDue } from "../../platform/db-dues.ts";

export interface BalanceRow {
  readonly user_id: string;
  readonly currency: string;
  readonly available_minor: bigint;
  readonly frozen_minor: bigint;
}

export function balancesOfUsers(db: Queryable, userIds: readonly string[]): Promise<BalanceRow[]> {
  return db.query<BalanceRow>(
    `select user_id, currency,
            coalesce(sum(balance_minor) filter (where kind = 'available'), 0)::bigint
              as available_minor,
            coalesce(sum(balance_minor) filter (where kind = 'frozen'), 0)::bigint
              as frozen_minor
     from ledger_accounts
     where user_id = any($1::uuid[])
     group by user_id, currency`,
    [[...new Set(userIds)]],
  );
}

export type NewAccount = Account & { readonly id: string };

/** The ids of those that were new. */
export async function openAccounts(tx: Tx, accounts: readonly NewAccount[]): Promise<string[]> {
  const added = await tx.query<{ id: string }>(
    `insert into ledger_accounts (id, kind, currency, user_id, requisite_id, balance_minor)
     select id, kind, currency, "userId", "requisiteId",
            case when "userId" is null then null else 0 end
     from json_to_recordset($1) as fresh(id uuid, kind text, currency text, "userId" uuid,
       "requisiteId" uuid)
     on conflict do nothing
     returning id`,
    [rowsOf(accounts)],
  );
  return added.map(({ id }) => id);
}

export interface AccountRow extends Account {
  readonly id: string;
}

/** Three cases, because no index is looked into by "is not distinct from". */
export function findAccounts(tx: Tx, accounts: readonly Account[]): Promise<AccountRow[]> {
  return tx.query<AccountRow>(
    `select account.id, account.kind, account.currency, account.user_id as "userId",
            account.requisite_id as "requisiteId"
     from json_to_recordset($1) as wanted(kind text, currency text, "userId" uuid,
       "requisiteId" uuid)
     cross join lateral (
       select * from ledger_accounts where wanted."userId" is not null
         and kind = wanted.kind and currency = wanted.currency
         and user_id = wanted."userId" and requisite_id is null
       union all
       select * from ledger_accounts where wanted."requisiteId" is not null
         and kind = wanted.kind and currency = wanted.currency
         and user_id is null and requisite_id = wanted."requisiteId"
       union all
       select * from ledger_accounts where wanted."userId" is null
         and wanted."requisiteId" is null and kind = wanted.kind and currency = wanted.currency
         and user_id is null and requisite_id is null) account`,
    [rowsOf(accounts)],
  );
}

export interface NewPosting {
  readonly id: string;
  readonly kind: string;
  readonly sourceId: string;
  readonly currency: string;
  readonly entries: readonly (Entry & { readonly accountId: string })[];
}

export async function addPostings(
  tx: Tx,
  postings: readonly NewPosting[],
  now: Date,
): Promise<void> {
  const entries = postings.flatMap(({ id, entries: own }) =>
    own.map(({ accountId, amountMinor }) => ({ id, accountId, amountMinor })),
  );
  await Promise.all([
    tx.query(
      `insert into ledger_postings (id, kind, source_id, currency, created_at)
       select id, kind, "sourceId", currency, $2
       from json_to_recordset($1) as fresh(id uuid, kind text, "sourceId" uuid, currency text)`,
      [rowsOf(postings.map(({ entries: _, ...posting }) => posting)), now],
    ),
    tx.query(
      `insert into ledger_entries (posting_id, account_id, amount_minor)
       select id, "accountId", "amountMinor"
       from json_to_recordset($1) as fresh(id uuid, "accountId" uuid, "amountMinor" bigint)`,
      [rowsOf(entries)],
    ),
  ]);
}

export interface Move {
  readonly accountId: string;
  readonly amountMinor: bigint;
}

/** One for each account; the rows are locked in the order of their ids. */
export async function moveBalances(tx: Tx, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  await tx.query(
    `with move as materialized (
       select * from json_to_recordset($1) as move("accountId" uuid, "amountMinor" bigint)
     ), locked as materialized (
       select id from ledger_accounts where id in (select "accountId" from move)
       order by id for no key update)
     update ledger_accounts account
     set balance_minor = account.balance_minor + move."amountMinor"
     from move join locked on locked.id = move."accountId"
     where account.id = locked.id`,
    [rowsOf(moves)],
  );
}

/** What is free to leave, with its row locked until the transaction ends. */
export async function lockAvailable(tx: Tx, userId: string, currency: string): Promise<bigint> {
  const [row] = await tx.query<{ balance_minor: bigint }>(
    `select balance_minor from ledger_accounts
     where user_id = $1 and currency = $2 and kind = 'available' for no key update`,
    [userId, currency],
  );
  return row?.balance_minor ?? 0n;
}

export interface Freeze {
  readonly paymentId: string;
  readonly userId: string;
  readonly currency: string;
  readonly amountMinor: bigint;
}

/** What a frozen credit falls due for. */
export const RELEASE_FREEZES = "release-freezes";

export async function addFreezes(
  tx: Tx,
  freezes: readonly (Freeze & { readonly frozenUntil: Date })[],
): Promise<void> {
  await tx.query(
    `with added as (
       insert into ledger_freezes (payment_id, user_id, currency, amount_minor, frozen_until)
       select "paymentId", "userId", currency, "amountMinor", "frozenUntil"
       from json_to_recordset($1) as fresh("paymentId" uuid, "userId" uuid, currency text,
         "amountMinor" bigint, "frozenUntil" timestamptz)
       returning payment_id as id, frozen_until as due_at)
     ${fallsDue("added", RELEASE_FREEZES)}`,
    [rowsOf(freezes)],
  );
}

/** Marks these as released where they are due; they are locked by the caller. */
export function releaseFreezes(tx: Tx, ids: readonly string[], now: Date): Promise<Freeze[]> {
  return tx.query<Freeze>(
    `update ledger_freezes set released_at = $2
     where payment_id = any($1::uuid[]) and released_at is null and frozen_until <= $2
     returning payment_id as "paymentId", user_id as "userId", currency,
               amount_minor as "amountMinor"`,
    [ids, now],
  );
}

export interface Violation {
  readonly invariant: number;
  readonly detail: string;
  /** How many violations of this invariant there are, this one included. */
  readonly found: number;
}

/**
 * Every invariant that can be seen in the tables, in one call; nothing while the books are right. Of each
 * one only the first are named: a table that was lost violates one a million times.
 */
export function findViolations(db: Queryable, now: Date, limit = 100): Promise<Violation[]> {
  return db.query<Violation>(
    `select invariant, detail, found from (
       select invariant, detail, count(*) over (partition by invariant)::integer as found,
              row_number() over (partition by invariant order by detail) as place
       from violations($1)) numbered
     where place <= $2
     order by invariant, detail`,
    [now, limit],
  );
}

export interface BookCounts {
  readonly invoices: bigint;
  readonly payments: bigint;
  readonly transfers: bigint;
  readonly postings: bigint;
  readonly events: bigint;
}

/** How much there is to be right or wrong. */
export async function countBooks(db: Queryable): Promise<BookCounts> {
  const [row] = await db.query<BookCounts>(
    `select (select count(*) from invoices) as invoices,
            (select count(*) from payments) as payments,
            (select count(*) from transfers) as transfers,
            (select count(*) from ledger_postings) as postings,
            (select count(*) from events) as events`,
    [],
  );
  return row ?? { invoices: 0n, payments: 0n, transfers: 0n, postings: 0n, events: 0n };
}

export interface LedgerTotal {
  readonly kind: string;
  readonly currency: string;
  readonly balance_minor: string;
  readonly entries: bigint;
  readonly entries_minor: string;
}

/** The sums of all accounts of a kind and of their entries; two copies of one ledger agree in them. */
export function ledgerTotals(db: Queryable): Promise<LedgerTotal[]> {
  return db.query<LedgerTotal>(
    `select account.kind, account.currency,
            sum(coalesce(account.balance_minor, 0))::text as balance_minor,
            sum(booked.entries)::bigint as entries,
            sum(booked.amount_minor)::text as entries_minor
     from ledger_accounts account
     cross join lateral (
       select count(*) as entries, coalesce(sum(entry.amount_minor), 0) as amount_minor
       from ledger_entries entry where entry.account_id = account.id) booked
     group by 1, 2 order by 1, 2`,
    [],
  );
}
