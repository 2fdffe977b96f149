// Reading the ledger for whoever keeps the books. Accounts are no rows: a user's are read off the balances,
// the others are found and summed up in the postings.

import type { Offset } from "../../domain/moment.ts";
import {
  ACCOUNT_KINDS,
  type Account,
  type AccountKind,
  accountId,
  accountOf,
  isUserAccount,
} from "../../domain/posting.ts";
import type { Queryable } from "../../platform/db.ts";
import { type KeysetPage, type PageWish, page } from "../../platform/db-page.ts";
import { clockAt, offsetValues } from "../../platform/db-zone.ts";
import { column, type RowOf, shape } from "../operators/noun.ts";

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
function rowsOf({ kind, currency, ownerId }: Account): [sql: string, values: unknown[]] {
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
  const [rows, values] = rowsOf(account);
  const sum = `select sum(${shown(account.kind)})::bigint as minor ${rows}`;
  const [{ minor } = { minor: null }] = await db.query<{ minor: bigint | null }>(sum, values);
  return minor === null ? undefined : { ...account, balanceMinor: minor };
}

/** Without the sum: for whoever only wants to know that it is there. */
export async function accountExists(db: Queryable, account: Account): Promise<boolean> {
  const [rows, values] = rowsOf(account);
  // In the order of an index that ends at once; without one, all postings may be read in vain.
  const order = isUserAccount(account.kind) ? "user_id" : "id";
  return (await db.query(`select ${rows} order by ${order} limit 1`, values)).length > 0;
}

export interface ReleaseRow {
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

export interface OwnBalance {
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
