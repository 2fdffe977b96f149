// Writing to the ledger. Guards that entries and balances change together, in one order of locks, and
// with one update an account however many postings a set has.

import type { Account, Posting } from "../../domain/posting.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { addPostings, findAccounts, moveBalances, openAccounts } from "./queries.ts";

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
  await Promise.all([
    addPostings(tx, rows, app.clock.now()),
    moveBalances(
      tx,
      rows.flatMap(({ entries }) => entries),
    ),
  ]);
}

/** An account is opened by the first posting that needs it. */
async function resolveAccounts(
  tx: Tx,
  app: App,
  accounts: readonly Account[],
): Promise<Map<string, string>> {
  const wanted = new Map(accounts.map((account) => [accountKey(account), account]));
  const known = await findIds(tx, [...wanted.values()]);
  const missing = [...wanted].filter(([key]) => !known.has(key)).map(([, account]) => account);
  if (missing.length === 0) return known;
  await openAccounts(
    tx,
    missing.map((account) => ({ ...account, id: app.newId() })),
  );
  return findIds(tx, [...wanted.values()]);
}

async function findIds(tx: Tx, accounts: readonly Account[]): Promise<Map<string, string>> {
  const rows = await findAccounts(tx, accounts);
  return new Map(rows.map((row) => [accountKey(row), row.id]));
}

function accountKey({ kind, currency, userId, requisiteId }: Account): string {
  return `${kind} ${currency} ${userId} ${requisiteId}`;
}
