// The ways into the invoices, by the index that leads to the fewest rows; what else was
// asked for is checked row by row. And what waits for somebody.

import type { InvoiceState } from "../../domain/invoice.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Ways } from "../operators/noun.ts";

interface InvoiceFilter {
  readonly shop_id?: string;
  readonly state?: InvoiceState;
  readonly order_id?: string;
  readonly amountMinor: bigint | undefined;
  /** Only invoices that were to be paid to one of these. */
  readonly requisiteIds: readonly string[] | undefined;
}

export function waysToInvoices(filter: InvoiceFilter): Ways {
  const { shop_id, state, order_id, amountMinor, requisiteIds } = filter;
  // An order is found sooner by itself than among what was paid to a requisite.
  if (requisiteIds !== undefined && order_id === undefined) {
    return byRequisites(requisiteIds, filter);
  }
  return {
    // One look-up a shop: an index of all order ids would cost every new invoice a write.
    by:
      order_id === undefined
        ? {}
        : { order_id, "shop_id in (select id from shops)": true, shop_id },
    leads: { shop_id },
    filters: {
      state,
      amount_minor: amountMinor,
      [`exists (select from payments where invoice_id = row.id
                  and requisite_id = any(?::uuid[]))`]: requisiteIds,
    },
  };
}

/** In the order of their latest payments there: an invoice that got details twice is told once. */
function byRequisites(
  ids: readonly string[],
  { shop_id, state, amountMinor }: InvoiceFilter,
): Ways {
  return {
    columns: "invoice.*",
    from: "payments",
    join: "join invoices invoice on invoice.id = row.invoice_id",
    each: { column: "requisite_id", ids },
    filters: {
      shop_id,
      amount_minor: amountMinor,
      "(select state from invoices where id = row.invoice_id) = ?": state,
      [`not exists (select from payments later where later.invoice_id = row.invoice_id
                      and later.number > row.number and later.requisite_id = any(?::uuid[]))`]: ids,
    },
  };
}

export interface Waiting {
  readonly suspense: bigint;
  readonly exhausted: bigint;
  readonly failing: bigint;
  readonly due_since: Date | null;
}

/** By the indexes of what waits, so it costs as much as there is to do; of what is due only the first is read. */
export async function countWaiting(db: Queryable): Promise<Waiting> {
  const [row] = await db.query<Waiting>(
    `select (select count(*) from transfers where state = 'suspense') as suspense,
            (select count(*) from outbox where next_attempt_at is null) as exhausted,
            (select count(*) from failing_rows) as failing,
            (select min(next_due_at) from receivers) as due_since`,
    [],
  );
  return row ?? { suspense: 0n, exhausted: 0n, failing: 0n, due_since: null };
}
