// Every statement about the ledger: postings, balances, frozen credits and accounts. A user's
// account is read off the balances, any other is summed up from the postings.

import type { Offset } from "../../domain/moment.ts";
import {
  ACCOUNT_KINDS,
  type Account,
  type AccountKind,
  accountId,
  accountOf,
  isUserAccount,
  type Posting,
  type UserAccount,
} from "../../domain/posting.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { fallsDue } from "../../platform/db-dues.ts";
import { type KeysetPage, type PageWish, page } from "../../platform/db-page.ts";
import { clockAt, offsetValues } from "../../platform/db-zone.ts";
import { column, type RowOf, shape } from "../operators/noun.ts";

interface BalanceRow {
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

type NewPosting = Posting & { readonly id: string };

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

interface Freeze {
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

/**
 * What an account has, as a person reads it. In the ledger a card gives what arrives on it to somebody, and so
 * stands below zero by what is there; everybody else would say that it is there.
 */
const shown = (kind: AccountKind): string => (kind === "bank" ? "-bank_minor" : `${kind}_minor`);

export interface AccountView extends Account {
  /** Null in a list for what is summed up when asked for. */
  readonly balanceMinor: bigint | null;
}

/** Kind by kind, by owner and currency; the next page begins after the account that ends this one. */
export async function listAccounts(
  db: Queryable,
  { limit = 50, after }: Pick<PageWish, "limit" | "after">,
  { userId, kind }: { userId: string | undefined; kind: AccountKind | undefined },
): Promise<KeysetPage<AccountView>> {
  const last = after === undefined ? undefined : accountOf(after);
  const kinds = ACCOUNT_KINDS.slice(last && ACCOUNT_KINDS.indexOf(last.kind)).filter(
    (one) => (kind ?? one) === one && (userId === undefined || isUserAccount(one)),
  );
  const found: AccountView[] = [];
  for (const one of kinds) {
    const wanted = limit + 1 - found.length;
    if (wanted === 0) break;
    const past = last?.kind === one ? last : FIRST;
    found.push(...(await accountsOf(db, one, { past, userId, wanted })));
  }
  const end = found[limit - 1];
  const isMore = found.length > limit && end !== undefined;
  return { rows: found.slice(0, limit), next: isMore ? accountId(end) : null };
}

interface Part {
  readonly past: Pick<Account, "ownerId" | "currency">;
  readonly userId: string | undefined;
  readonly wanted: number;
}

/** Comes before every account. */
const FIRST: Part["past"] = { ownerId: "00000000-0000-0000-0000-000000000000", currency: "" };

function accountsOf(db: Queryable, kind: AccountKind, part: Part): Promise<AccountView[]> {
  const { past, userId, wanted } = part;
  if (isUserAccount(kind)) {
    const own = userId === undefined ? "" : "and user_id = $4";
    return db.query<AccountView>(
      `select '${kind}' as kind, currency, user_id as "ownerId", ${kind}_minor as "balanceMinor"
       from ledger_balances where (user_id, currency) > ($1, $2) ${own}
       order by user_id, currency limit $3`,
      [past.ownerId, past.currency, wanted, ...(userId === undefined ? [] : [userId])],
    );
  }
  // From one to the next through the index of their statements, however many postings each has.
  const [owner, key] =
    kind === "bank"
      ? (["requisite_id", past.ownerId] as const)
      : (["currency", past.currency] as const);
  const next = (after: string): string =>
    `select ${owner} as place, currency from ledger_postings
     where ${kind}_minor <> 0 and ${owner} > ${after} order by ${owner}, id limit 1`;
  return db.query<AccountView>(
    `with recursive account as (
       (${next("$1")})
       union all
       select next.* from account cross join lateral (${next("account.place")}) next)
     select '${kind}' as kind, currency, ${kind === "bank" ? "place" : "null"} as "ownerId",
            null as "balanceMinor"
     from account limit $2`,
    [key, wanted],
  );
}

/** The rows that an account's balance is the sum of: a user's keeps one, the others are postings. */
function balanceOf({ kind, currency, ownerId }: Account): [sql: string, values: unknown[]] {
  if (isUserAccount(kind)) {
    return ["from ledger_balances where currency = $1 and user_id = $2", [currency, ownerId]];
  }
  const postings = `from ledger_postings where currency = $1 and ${kind}_minor <> 0`;
  if (ownerId === null) return [postings, [currency]];
  return [`${postings} and requisite_id = $2`, [currency, ownerId]];
}

export async function findAccount(
  db: Queryable,
  account: Account,
): Promise<AccountView | undefined> {
  const [rows, values] = balanceOf(account);
  const sum = `select sum(${shown(account.kind)})::bigint as minor ${rows}`;
  const [{ minor } = { minor: null }] = await db.query<{ minor: bigint | null }>(sum, values);
  return minor === null ? undefined : { ...account, balanceMinor: minor };
}

/** Without the sum: for whoever only wants to know that it is there. */
export async function accountExists(db: Queryable, account: Account): Promise<boolean> {
  const [rows, values] = balanceOf(account);
  // In the order of an index that ends at once; without one, all postings may be read in vain.
  const order = isUserAccount(account.kind) ? "user_id" : "id";
  return (await db.query(`select ${rows} order by ${order} limit 1`, values)).length > 0;
}

interface ReleaseRow {
  readonly currency: string;
  /** Null for what waits for somebody to prove it; how many credits that are is not counted. */
  readonly day: string | null;
  readonly credits: number | null;
  readonly amount_minor: bigint;
}

/** What has been due for longer, and is not released, waits for a proof. */
const OVERDUE = "interval '2 days'";

/**
 * What is frozen of a user, by the day on which it is released; what is due already is released today. The rest of
 * the balance waits for a proof: such credits may be as old as the shop, and are not looked for.
 */
export function releasesOf(
  db: Queryable,
  userId: string,
  clock: readonly Offset[],
  now: Date,
): Promise<ReleaseRow[]> {
  return db.query<ReleaseRow>(
    // Days are told apart as dates and written out once each, not row by row.
    `with released as materialized (
       select currency, count(*)::integer as credits, sum(amount_minor)::bigint as amount_minor,
              ${clockAt("greatest(frozen_until, $4)")}::date as released_on
       from ledger_freezes
       where user_id = $3 and frozen_until > $4::timestamptz - ${OVERDUE}
         and released_at is null and not needs_proof
       group by currency, released_on)
     select currency, credits, amount_minor, to_char(released_on, 'YYYY-MM-DD') as day
     from released
     union all
     select currency, null, rest, null
     from (select currency, frozen_minor - coalesce((select sum(amount_minor) from released
                    where released.currency = balance.currency), 0)::bigint as rest
           from ledger_balances balance where user_id = $3) proven
     where rest > 0
     order by currency, day`,
    [...offsetValues(clock), userId, now],
  );
}

export const Entries = shape({
  posting_id: column.id("The posting."),
  kind: column.text("What happened.", "transfer_matched"),
  source_id: column.uuid("The transfer, payment or refund that it happened to."),
  amount: column.amount(
    "amount_minor",
    "What came to the account; less than zero for what went.",
    1000,
  ),
  currency: column.text("Currency code.", "RUB"),
  created_at: column.moment("When."),
});

export function listEntries(
  db: Queryable,
  wish: PageWish,
  { kind, currency, ownerId }: Account,
): Promise<KeysetPage<RowOf<typeof Entries>>> {
  const moves = { [`${kind}_minor <> 0`]: true, currency };
  return page(db, wish, {
    columns: `row.id, row.kind, row.source_id, row.currency, row.created_at, ${shown(kind)} as amount_minor`,
    from: "ledger_postings",
    ...(ownerId === null
      ? { by: moves }
      : { leads: { [kind === "bank" ? "requisite_id" : "user_id"]: ownerId }, filters: moves }),
  });
}

/** A posting as the merchant sees it: what it did to each part of the balance. */
export const OwnEntries = shape({
  posting_id: column.id("The posting."),
  kind: column.text("What happened.", "transfer_matched"),
  source_id: column.uuid("The transfer, payment, refund or payout that it happened to."),
  currency: column.text("Currency code.", "RUB"),
  available: column.amount("available_minor", "What the available balance gained.", 0),
  frozen: column.amount("frozen_minor", "What the frozen balance gained.", 960),
  reserved: column.amount("reserved_minor", "What is set aside for payouts gained.", 0),
  created_at: column.moment("When."),
});

export function listOwnEntries(
  db: Queryable,
  wish: PageWish,
  filters: { readonly user_id: string; readonly currency: string | undefined },
): Promise<KeysetPage<RowOf<typeof OwnEntries>>> {
  return page(db, wish, {
    columns: OwnEntries.columns,
    from: "ledger_postings",
    leads: filters,
  });
}

interface OwnBalance {
  readonly currency: string;
  readonly available_minor: bigint;
  readonly frozen_minor: bigint;
  readonly reserved_minor: bigint;
}

export function balancesOf(db: Queryable, userId: string): Promise<OwnBalance[]> {
  return db.query<OwnBalance>(
    `select currency, available_minor, frozen_minor, reserved_minor
     from ledger_balances where user_id = $1 order by currency`,
    [userId],
  );
}
