// A gateway's database after a busy quarter of a year: as many invoices as asked for, and everything
// that follows from them, written by sets. What it writes obeys every invariant (a test asks), so that
// the planner sees what it would see in earnest. Nothing is random: two runs are alike.

import type { App } from "../src/platform/app.ts";
import { CHUNK, DRAFT, UNCOUNTED } from "./fill-sql.ts";
import { addOwners } from "./owners.ts";

export interface FillSize {
  readonly invoices: number;
  readonly shops: number;
  readonly users: number;
  readonly requisites: number;
}

export interface Filled extends FillSize {
  readonly userIds: readonly string[];
  /** The first has half of all invoices. */
  readonly shopIds: readonly string[];
  readonly requisiteIds: readonly string[];
  readonly startsAt: Date;
  readonly endsAt: Date;
}

const DAYS = 90;
const CHUNK_INVOICES = 10_000;
/** So many requisites share the last four digits of their cards. */
const ALIKE = 10;

export async function fill(
  app: App,
  size: FillSize,
  say: (line: string) => void = () => {},
): Promise<Filled> {
  const endsAt = app.clock.now();
  const startsAt = new Date(endsAt.getTime() - DAYS * 24 * 60 * 60 * 1000);
  const ids = (count: number) => Array.from({ length: count }, () => app.newId()).toSorted();
  const filled: Filled = {
    ...size,
    userIds: ids(size.users),
    shopIds: ids(size.shops),
    requisiteIds: ids(size.requisites),
    startsAt,
    endsAt,
  };
  const requisites = filled.requisiteIds.map((id, index) => ({
    id,
    bank: index % 3 === 0 ? "tinkoff" : "sber",
    card: `22007001${index + 1000}${cardEnd(size, index)}`,
    phone: `+7900000${phoneEnd(index)}`,
  }));
  const { userIds, shopIds } = filled;
  const owners = { userIds, shopIds, shopKey: "filled", requisites, at: startsAt };
  await app.db.transaction((tx) => addOwners(tx, app, owners));
  const stepMs = (endsAt.getTime() - startsAt.getTime()) / size.invoices;
  for (let from = 0; from < size.invoices; from += CHUNK_INVOICES) {
    const to = Math.min(from + CHUNK_INVOICES, size.invoices) - 1;
    await app.db.transaction(async (tx) => {
      await tx.query(DRAFT.before);
      const { userIds, shopIds, requisiteIds } = filled;
      const sets = [userIds, shopIds, requisiteIds];
      await tx.query(DRAFT.insert, [from, to, startsAt, stepMs, endsAt, ...sets]);
      await tx.query("analyze draft");
      for (const statement of CHUNK) await tx.query(statement);
    });
    if ((to + 1) % (CHUNK_INVOICES * 10) === 0) say(`${to + 1} invoices`);
  }
  await app.db.query(SUMS);
  // What was filled in is of the past, and the hours of it may be counted already: they are counted anew.
  await app.db.query(UNCOUNTED);
  // The server may be looking at a table by itself.
  await app.db.query("analyze");
  return filled;
}

/** The last four digits of the requisite's card; ALIKE of them share them. */
export function cardEnd(filled: FillSize, index: number): string {
  return String(1000 + (index % Math.ceil(filled.requisites / ALIKE)));
}

/** The last four digits of the requisite's phone, which are its own. */
export function phoneEnd(index: number): string {
  return String(5000 + index);
}

/** What running rows count, summed up once instead of row by row. */
const SUMS = `
  update ledger_balances balance
  set available_minor = posted.available, frozen_minor = posted.frozen
  from (select user_id, sum(available_minor) as available, sum(frozen_minor) as frozen
        from ledger_postings where user_id is not null group by user_id) posted
  where posted.user_id = balance.user_id;
  update requisite_usage usage set live_payments = live.count
  from (select requisite_id, count(*) from payments where state = 'live' group by 1) live
  where live.requisite_id = usage.requisite_id;
  insert into dues (kind, due_at, id)
  select 'expire-invoices', expires_at, id from invoices where state in ('created', 'pending')
  union all select 'lapse-payments', ends_at, id from payments where state = 'live'
  union all select 'release-freezes', frozen_until, payment_id from ledger_freezes
    where released_at is null
  on conflict do nothing`;
