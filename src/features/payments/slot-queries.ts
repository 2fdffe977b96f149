// The slots of one requisite, read in the order of its amounts. A slot whose time is over keeps its row, so
// a page looks at a bounded number of rows, and may find fewer that are held.

import type { PaymentState } from "../../domain/payment.ts";
import type { Queryable } from "../../platform/db.ts";

export const MOST_SLOTS = 500;
const MOST_LOOKED_AT = 10_000;

export interface SlotRow {
  readonly amount_minor: bigint;
  readonly payment_id: string;
  readonly held_until: Date;
  readonly state: PaymentState;
  readonly invoice_id: string;
  readonly shop_id: string;
  readonly ends_at: Date;
}

export async function pageOfSlots(db: Queryable, requisiteId: string, after: bigint, now: Date) {
  const rows = await db.query<SlotRow>(
    `select slot.amount_minor, slot.payment_id, slot.held_until, payment.state,
            payment.invoice_id, payment.shop_id, payment.ends_at
     from (select amount_minor, payment_id, held_until
           from (select amount_minor, payment_id, held_until from slots
                 where requisite_id = $1 and amount_minor > $2
                 order by amount_minor limit ${MOST_LOOKED_AT}) known
           where held_until > $3 order by amount_minor limit ${MOST_SLOTS}) slot
     cross join lateral (select * from payments where id = slot.payment_id limit 1) payment
     order by slot.amount_minor`,
    [requisiteId, after, now],
  );
  if (rows.length === MOST_SLOTS) return { rows, next: rows.at(-1)?.amount_minor ?? null };
  const [last] = await db.query<{ amount_minor: bigint }>(
    `select amount_minor from slots where requisite_id = $1 and amount_minor > $2
     order by amount_minor offset ${MOST_LOOKED_AT - 1} limit 1`,
    [requisiteId, after],
  );
  return { rows, next: last?.amount_minor ?? null };
}

/** Who holds this very amount now. */
export async function slotAt(
  db: Queryable,
  requisiteId: string,
  amountMinor: bigint,
  now: Date,
): Promise<Pick<SlotRow, "payment_id" | "held_until"> | undefined> {
  const [row] = await db.query<Pick<SlotRow, "payment_id" | "held_until">>(
    `select payment_id, held_until from slots
     where requisite_id = $1 and amount_minor = $2 and held_until > $3`,
    [requisiteId, amountMinor, now],
  );
  return row;
}
