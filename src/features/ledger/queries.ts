// Every statement that changes the ledger or checks it: postings, balances, frozen credits.

import type { Posting, UserAccount } from "../../domain/posting.ts";
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
    `select user_id, currency, available_minor, frozen_minor
     from ledger_balances where user_id = any($1::uuid[])`,
    [[...new Set(userIds)]],
  );
}

/** For users who have no money yet, and are to see that it is nothing. */
export async function openBalances(
  tx: Tx,
  userIds: readonly string[],
  currency: string,
): Promise<void> {
  await tx.query(
    `insert into ledger_balances (user_id, currency)
     select id, $2 from unnest($1::uuid[]) as fresh(id) order by id
     on conflict do nothing`,
    [userIds, currency],
  );
}

export type NewPosting = Posting & { readonly id: string };

/** Whether the caller holds every balance that is moved. */
export type Balances = "as they are" | "locked";

/**
 * A user's first posting in a currency opens the balance, at nothing: only a later statement sees it, and
 * adds or takes.
 */
export async function addPostings(
  tx: Tx,
  postings: readonly NewPosting[],
  now: Date,
  balances: Balances,
): Promise<void> {
  const opened = `, opened as (
       insert into ledger_balances (user_id, currency)
       select distinct "userId", currency from fresh where "userId" is not null order by 1, 2
       on conflict do nothing)`;
  await tx.query(
    `with fresh as materialized (
       select * from json_to_recordset($1) as fresh(id uuid, "sourceId" uuid, kind text,
         currency text, "userId" uuid, "requisiteId" uuid, bank bigint, bank_out bigint,
         suspense bigint, fees bigint, frozen bigint, available bigint, reserved bigint, own bigint)
     )${balances === "locked" ? "" : opened}
     insert into ledger_postings (id, source_id, kind, currency, user_id, requisite_id, created_at,
       bank_minor, bank_out_minor, suspense_minor, fees_minor, frozen_minor, available_minor,
       reserved_minor, own_minor)
     select id, "sourceId", kind, currency, "userId", "requisiteId", $2, coalesce(bank, 0),
            coalesce(bank_out, 0), coalesce(suspense, 0), coalesce(fees, 0), coalesce(frozen, 0),
            coalesce(available, 0), coalesce(reserved, 0), coalesce(own, 0)
     from fresh`,
    [rowsOf(postings.map(({ gains, ...posting }) => ({ ...posting, ...gains }))), now],
  );
}

/** What a user's balances of one currency gain. */
export interface Move extends Readonly<Record<UserAccount, bigint>> {
  readonly userId: string;
  readonly currency: string;
}

/** One for each balance; the rows are locked in the order of their key. */
export async function moveBalances(
  tx: Tx,
  moves: readonly Move[],
  balances: Balances,
): Promise<void> {
  if (moves.length === 0) return;
  const locked = `with locked as materialized (
       select user_id, currency from ledger_balances where user_id = any($2::uuid[])
       order by user_id, currency for no key update)`;
  const isHeld = balances === "locked";
  await tx.query(
    `${isHeld ? "" : locked}
     update ledger_balances balance
     set available_minor = balance.available_minor + move.available,
         frozen_minor = balance.frozen_minor + move.frozen,
         reserved_minor = balance.reserved_minor + move.reserved
     from json_to_recordset($1) as move("userId" uuid, currency text, available bigint,
       frozen bigint, reserved bigint)
     where balance.user_id = any($2::uuid[]) and balance.user_id = move."userId"
       and balance.currency = move.currency
       ${isHeld ? "" : "and (select count(*) from locked) > 0"}`,
    [rowsOf(moves), moves.map(({ userId }) => userId)],
  );
}

/** The balances of these users in all currencies, locked until the transaction ends. */
export function lockBalances(tx: Tx, userIds: readonly string[]): Promise<BalanceRow[]> {
  return tx.query<BalanceRow>(
    `select user_id, currency, available_minor, frozen_minor
     from ledger_balances where user_id = any($1::uuid[])
     order by user_id, currency for no key update`,
    [[...new Set(userIds)]],
  );
}

/** What is free to leave, with its row locked until the transaction ends. */
export async function lockAvailable(tx: Tx, userId: string, currency: string): Promise<bigint> {
  const [row] = await tx.query<{ available_minor: bigint }>(
    `select available_minor from ledger_balances
     where user_id = $1 and currency = $2 for no key update`,
    [userId, currency],
  );
  return row?.available_minor ?? 0n;
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
  freezes: readonly (Freeze & { readonly frozenUntil: Date; readonly needsProof: boolean })[],
): Promise<void> {
  await tx.query(
    `with added as (
       insert into ledger_freezes (payment_id, user_id, currency, amount_minor, frozen_until,
         needs_proof)
       select "paymentId", "userId", currency, "amountMinor", "frozenUntil", "needsProof"
       from json_to_recordset($1) as fresh("paymentId" uuid, "userId" uuid, currency text,
         "amountMinor" bigint, "frozenUntil" timestamptz, "needsProof" boolean)
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
       and not needs_proof
     returning payment_id as "paymentId", user_id as "userId", currency,
               amount_minor as "amountMinor"`,
    [ids, now],
  );
}

/** What was frozen until somebody proves it falls due by its time again. */
export async function proveFreezes(tx: Tx, paymentIds: readonly string[]): Promise<void> {
  if (paymentIds.length === 0) return;
  await tx.query(
    `with proven as (
       update ledger_freezes set needs_proof = false
       where payment_id = any($1::uuid[]) and needs_proof
       returning payment_id as id, frozen_until as due_at)
     ${fallsDue("proven", RELEASE_FREEZES)} on conflict do nothing`,
    [paymentIds],
  );
}

/** Whether only a text has told of what the payment was credited with. */
export async function isUnproven(db: Queryable, paymentId: string): Promise<boolean> {
  const rows = await db.query("select from ledger_freezes where payment_id = $1 and needs_proof", [
    paymentId,
  ]);
  return rows.length > 0;
}

export interface Violation {
  readonly invariant: number;
  readonly detail: string;
  /** How many violations of this invariant there are, this one included. */
  readonly found: number;
}

/**
 * Of each invariant only the first $1 are named, and all are counted: a table that was lost violates one a
 * million times.
 */
export function firstOfEach(violations: string): string {
  return `select invariant, detail, found from (
       select invariant, detail, count(*) over (partition by invariant)::integer as found,
              row_number() over (partition by invariant order by detail) as place
       from ${violations}) numbered
     where place <= $1
     order by invariant, detail`;
}

/** Every invariant that can be seen in the tables, at one moment; nothing while the books are right. */
export function findViolations(db: Queryable, now: Date, limit = 100): Promise<Violation[]> {
  return db.query<Violation>(firstOfEach("violations($2)"), [limit, now]);
}
