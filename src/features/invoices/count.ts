// Invoices as figures that can be watched: how many came to each state.

import type { InvoiceState } from "../../domain/invoice.ts";
import type { App } from "../../platform/app.ts";

export function countInvoices({ metrics }: App, state: InvoiceState, count = 1): void {
  metrics.count("kopeck_invoices_total", "Invoices that came to a state.", count, { state });
}
