// Writing to the ledger. Guards that entries and balances change together, in one order of locks, and
// with one update an account however many postings a set has.

import type { Account, Entry, Posting } from "../../domain/posting.ts";
import type { App } from "../../platform/app.ts";
import type { Db, Tx } from "../../platform/db.ts";
import { addPostings, findAccounts, type Move, moveBalances, openAccounts } from "./queries.ts";

export async function post(tx: Tx, app: App, postings: readonly Posting[]): Promise<void> {
  if (postings.length === 0) return;
  const accountIds = await resolveAccounts(
    tx,
    app,
    postings.flatMap(({ entries }) => entries.map(({ account }) => account)),
  );
  const rows = postings.map((posting) => ({
    ...posting,
    id: app.newId(),
    entries: posting.entries.map((entry) => ({
      ...entry,
      accountId: accountIds.get(accountKey(entry.account)) ?? "",
    })),
  }));
  await Promise.all([addPostings(tx, rows, app.clock.now()), moveBalances(tx, movesOf(rows))]);
}

interface Booked {
  readonly entries: readonly (Entry & { readonly accountId: string })[];
}

/** What the accounts that keep a balance gain in sum; those that everybody's money flows through do not. */
function movesOf(postings: readonly Booked[]): Move[] {
  const sums = new Map<string, bigint>();
  for (const { entries } of postings) {
    for (const { account, accountId, amountMinor } of entries) {
      if (account.userId === null) continue;
      sums.set(accountId, (sums.get(accountId) ?? 0n) + amountMinor);
    }
  }
  return [...sums].map(([accountId, amountMinor]) => ({ accountId, amountMinor }));
}

/**
 * The ids of accounts, which are never changed and never go away. What a transaction has opened itself
 * is not kept: it may yet be undone.
 */
const memories = new WeakMap<Db, Map<string, string>>();
const opened = new WeakMap<Tx, Set<string>>();
/** Past this many it is begun anew: nothing here grows without end. */
const MAX_KEPT = 50_000;

/** An account is opened by the first posting that needs it. */
async function resolveAccounts(
  tx: Tx,
  app: App,
  accounts: readonly Account[],
): Promise<ReadonlyMap<string, string>> {
  let kept = memories.get(app.db);
  if (kept === undefined || kept.size > MAX_KEPT) {
    kept = new Map();
    memories.set(app.db, kept);
  }
  const wanted = new Map(accounts.map((account) => [accountKey(account), account]));
  const unknown = [...wanted].filter(([key]) => !kept.has(key)).map(([, account]) => account);
  if (unknown.length === 0) return kept;
  const own = opened.get(tx) ?? new Set();
  opened.set(tx, own);
  let found = await findAccounts(tx, unknown);
  if (found.length < unknown.length) {
    const there = new Set(found.map(accountKey));
    const missing = unknown.filter((account) => !there.has(accountKey(account)));
    const added = await openAccounts(
      tx,
      missing.map((account) => ({ ...account, id: app.newId() })),
    );
    for (const id of added) own.add(id);
    found = await findAccounts(tx, unknown);
  }
  const ids = new Map(found.map((row) => [accountKey(row), row.id]));
  for (const [key, id] of ids) if (!own.has(id)) kept.set(key, id);
  for (const key of wanted.keys()) {
    const id = kept.get(key);
    if (id !== undefined) ids.set(key, id);
  }
  return ids;
}

function accountKey({ kind, currency, userId, requisiteId }: Account): string {
  return `${kind} ${currency} ${userId} ${requisiteId}`;
}
