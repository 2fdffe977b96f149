// The orders of all months, once invoices lie in months: every statement that remembers those of before. New ones are
// claimed by triggers (migrations/0026_claims.sql).

import type { Queryable } from "../../platform/db.ts";

/** From now on every new order is known in `orders`, and one that is removed is not. */
export async function claimOrders(db: Queryable): Promise<void> {
  await db.query(
    // What a copy of a divided database has brought along is not kept up to date while nobody claims.
    `delete from orders where not exists (
       select from pg_trigger where tgrelid = 'invoices'::regclass and tgname = 'invoices_claim_order');
     select remember_orders()`,
  );
}

/** The orders of the next invoices that were there before; the last of these, or undefined at the end. */
export async function fillOrders(
  db: Queryable,
  after: string,
  limit: number,
): Promise<string | undefined> {
  // Locked, so that one which is being removed is either not read or takes its order with it.
  const [last] = await db.query<{ id: string }>(
    `with known as materialized (
       select id, shop_id, order_id from invoices where id > $1 order by id limit $2 for key share
     ), added as (
       insert into orders (shop_id, order_id) select shop_id, order_id from known
       order by shop_id, order_id on conflict do nothing)
     select id from known order by id desc limit 1`,
    [after, limit],
  );
  return last?.id;
}

/** So that nobody looks for an order as in a table that is empty, which it was a moment ago. */
export async function countOrders(db: Queryable): Promise<void> {
  await db.query("analyze orders");
}
