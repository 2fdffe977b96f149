// How large the books are, over all rooms.

import type { Queryable } from "../../platform/db.ts";

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
