// What was paid lately, for whoever tries another tariff on it: as many of the newest payments as a limit says.

import type { Queryable } from "../../platform/db.ts";
import { firstIdAt } from "../../platform/id.ts";

export const MOST_TRIED = 20_000;
/** Paid or not, so many payments are looked at. */
const MOST_LOOKED_AT = 100_000;

export interface TriedWish {
  /** Null for all shops. */
  readonly shopId: string | null;
  readonly service: string;
  readonly currency: string;
  readonly from: Date;
}

interface TriedRow {
  readonly amount_minor: bigint;
  readonly times: bigint;
  /** Of all of them together. */
  readonly fee_minor: bigint;
  readonly payer_fee_minor: bigint;
}

/** Payments of one amount are one row: a fee depends on the amount alone. */
export async function paidLately(db: Queryable, { shopId, service, currency, from }: TriedWish) {
  const rows = await db.query<TriedRow & { readonly looked_at: bigint }>(
    `with known as materialized (
       select id, state, service, currency, amount_minor, fee_minor, payer_fee_minor from payments
       where ${shopId === null ? "" : "shop_id = $4::uuid and "} id >= $1
       order by id desc limit ${MOST_LOOKED_AT}
     ), paid as (
       select * from known where state = 'paid' and service = $2 and currency = $3
       order by id desc limit ${MOST_TRIED}
     )
     select amount_minor, count(*) as times, sum(fee_minor)::bigint as fee_minor,
            sum(payer_fee_minor)::bigint as payer_fee_minor,
            (select count(*) from known) as looked_at
     from paid group by amount_minor`,
    [firstIdAt(from), service, currency, ...(shopId === null ? [] : [shopId])],
  );
  const found = rows.reduce((sum, { times }) => sum + times, 0n);
  const lookedAt = rows[0]?.looked_at ?? 0n;
  return { rows, capped: found >= MOST_TRIED || lookedAt >= MOST_LOOKED_AT };
}
