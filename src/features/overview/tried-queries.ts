// What was paid lately, for whoever tries another tariff on it: as many of the newest payments as a limit says.

import type { Queryable } from "../../platform/db.ts";
import { AFTER_ALL_IDS, firstIdAt } from "../../platform/id.ts";

export const MOST_TRIED = 20_000;
/** Paid or not, so many payments are looked at, and so many at once. */
const MOST_LOOKED_AT = 100_000;
const PIECE = 4_000;

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

interface PieceRow extends TriedRow {
  readonly looked_at: bigint;
  /** Null where there was nothing left to look at. */
  readonly last_id: string | null;
}

/** Payments of one amount, piece by piece, the newest first: a fee depends on the amount alone. */
export async function paidLately(db: Queryable, wish: TriedWish) {
  const rows: TriedRow[] = [];
  let [found, lookedAt, before] = [0, 0, AFTER_ALL_IDS];
  while (found < MOST_TRIED && lookedAt < MOST_LOOKED_AT) {
    const limit = Math.min(PIECE, MOST_TRIED - found);
    const piece = await pieceOf(db, wish, before, limit);
    const [{ looked_at, last_id } = { looked_at: 0n, last_id: null }] = piece;
    // Where nobody has paid, the piece is a row without an amount.
    const paid = piece.filter(({ times }) => times !== null);
    rows.push(...paid);
    found += paid.reduce((sum, { times }) => sum + Number(times), 0);
    lookedAt += Number(looked_at);
    if (last_id === null || looked_at < BigInt(limit)) return { rows, capped: false };
    before = last_id;
  }
  return { rows, capped: true };
}

function pieceOf(
  db: Queryable,
  { shopId, service, currency, from }: TriedWish,
  before: string,
  limit: number,
): Promise<PieceRow[]> {
  const ofShop = shopId === null ? "" : "shop_id = $6::uuid and";
  return db.query<PieceRow>(
    `with known as materialized (
       select id, state, service, currency, amount_minor, fee_minor, payer_fee_minor from payments
       where ${ofShop} id >= $1 and id < $2 order by id desc limit $3
     )
     select piece.looked_at, piece.last_id, paid.*
     from (select count(*) as looked_at, (array_agg(id order by id))[1] as last_id from known) piece
     left join (select amount_minor, count(*) as times, sum(fee_minor)::bigint as fee_minor,
                       sum(payer_fee_minor)::bigint as payer_fee_minor
                from known where state = 'paid' and service = $4 and currency = $5
                group by amount_minor) paid on true`,
    [firstIdAt(from), before, limit, service, currency, ...(shopId === null ? [] : [shopId])],
  );
}
