// The ways into the payments, by the index that leads to the fewest rows.

import type { PaymentState } from "../../domain/payment.ts";
import type { Ways } from "../operators/noun.ts";

interface PaymentFilter {
  readonly shop_id?: string;
  readonly invoice_id?: string;
  readonly order_id?: string;
  readonly state?: PaymentState;
  readonly toPayMinor: bigint | undefined;
  readonly requisiteIds: readonly string[] | undefined;
}

export function waysToPayments(filter: PaymentFilter): Ways {
  const { shop_id, invoice_id, order_id, state, toPayMinor, requisiteIds: ids } = filter;
  // An exact amount leads to fewer rows than a card, and both are what a bank's statement shows.
  const isAmount = toPayMinor !== undefined;
  return {
    by: {
      invoice_id,
      [`invoice_id in (select invoice.id from shops shop join invoices invoice
          on invoice.shop_id = shop.id where invoice.order_id = ?)`]: order_id,
      // One look-up a requisite.
      to_pay_minor: toPayMinor,
      "requisite_id in (select id from requisites)": isAmount ? true : undefined,
    },
    each: isAmount || !ids ? undefined : { column: "requisite_id", ids },
    leads: { shop_id },
    filters: { state, "requisite_id = any(?::uuid[])": isAmount ? ids : undefined },
  };
}
