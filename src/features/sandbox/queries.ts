// What the sandbox's bank looks up to write its statement: the sandbox itself keeps nothing.

import type { Queryable } from "../../platform/db.ts";
import { currentNumbers } from "../requisites/wallet-queries.ts";

export interface StatementRequisite {
  readonly id: string;
  readonly currency: string;
  readonly account_sealed: Buffer | null;
}

/** The one that is named; else where money arrived last; else the first of all. */
export async function requisiteForStatement(
  db: Queryable,
  id: string | null,
): Promise<StatementRequisite | undefined> {
  const [row] = await db.query<StatementRequisite>(
    `select id, currency, ${currentNumbers("requisites.id")} from requisites
     where id = coalesce($1::uuid, (select requisite_id from transfers order by id desc limit 1),
                         (select id from requisites order by id limit 1))`,
    [id],
  );
  return row;
}

export interface StatementTransfer {
  readonly id: string;
  readonly amount_minor: bigint;
  readonly payer: string | null;
  /** Null where it was told of a whole day. */
  readonly moment: Date | null;
}

/** What was paid to a requisite before a moment. */
export async function paidBefore(db: Queryable, requisiteId: string, at: Date): Promise<bigint> {
  const [row] = await db.query<{ minor: bigint }>(
    `select coalesce(sum(amount_minor), 0)::bigint as minor from transfers
     where requisite_id = $1 and coalesce(made_from, received_at) < $2`,
    [requisiteId, at],
  );
  return row?.minor ?? 0n;
}

/** What was paid to a requisite from one moment until before another, in the order of its arrival. */
export async function transfersForStatement(
  db: Queryable,
  requisiteId: string,
  from: Date,
  until: Date,
): Promise<StatementTransfer[]> {
  return db.query<StatementTransfer>(
    `select id, amount_minor, payer,
            case when made_to - made_from > interval '1 hour' then null
                 else coalesce(made_from, received_at) end as moment
     from transfers
     where requisite_id = $1 and coalesce(made_from, received_at) >= $2
       and coalesce(made_from, received_at) < $3
     order by id limit 10000`,
    [requisiteId, from, until],
  );
}
