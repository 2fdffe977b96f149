// What is read around a payout: who had it in their hands, and its postings.

import type { PayoutPosting } from "../../domain/posting.ts";
import type { Queryable } from "../../platform/db.ts";

export async function operatorNames(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(
    "select id, name from operators where id = any($1::uuid[])",
    [ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export interface PayoutPosted {
  readonly id: string;
  readonly kind: PayoutPosting;
  readonly created_at: Date;
  readonly available_minor: bigint;
  readonly reserved_minor: bigint;
  readonly bank_out_minor: bigint;
  readonly fees_minor: bigint;
}

export function postingsOf(db: Queryable, payoutId: string): Promise<PayoutPosted[]> {
  return db.query<PayoutPosted>(
    `select id, kind, created_at, available_minor, reserved_minor, bank_out_minor, fees_minor
     from ledger_postings where source_id = $1 order by created_at, id`,
    [payoutId],
  );
}
