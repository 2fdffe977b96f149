// What is newest: a look at the ends of a few indexes, for pages that are open.

import type { Queryable } from "../../platform/db.ts";

export interface NewestRow {
  readonly invoices: string | null;
  readonly transfers: string | null;
  readonly payouts: string | null;
  readonly events: string | null;
}

export async function newestOfAll(db: Queryable): Promise<NewestRow | undefined> {
  const [row] = await db.query<NewestRow>(
    `select (select id from invoices order by id desc limit 1) as invoices,
            (select id from transfers order by id desc limit 1) as transfers,
            (select id from payouts order by id desc limit 1) as payouts,
            (select id from events order by id desc limit 1) as events where $1::boolean`,
    [true],
  );
  return row;
}

/** Money that arrives, and whatever becomes of an invoice, is told to its shop: an event says that as well. */
export async function newestOfUser(db: Queryable, userId: string): Promise<NewestRow | undefined> {
  const [row] = await db.query<NewestRow>(
    `select max(newest.invoice::text)::uuid as invoices, null::uuid as transfers,
            (select id from payouts where user_id = $1 order by user_id desc, id desc limit 1) as payouts,
            max(newest.event::text)::uuid as events
     from shops shop cross join lateral (
       select (select id from invoices where shop_id = shop.id order by shop_id desc, id desc limit 1)
                as invoice,
              (select id from events where shop_id = shop.id order by shop_id desc, id desc limit 1)
                as event) newest
     where shop.user_id = $1`,
    [userId],
  );
  return row;
}
