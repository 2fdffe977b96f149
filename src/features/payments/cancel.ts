// Taking an invoice back that nobody has paid. Guards that of money and a cancel at once exactly one wins: the
// invoice's row is locked. Whoever was shown details may have sent money: their slot stays theirs for a while, and
// what comes waits for a person instead of paying somebody else's order.

import { whyNotOpen } from "../../domain/invoice.ts";
import { momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { countInvoices } from "../invoices/count.ts";
import { invoiceEvent } from "../invoices/event.ts";
import { failInvoice, lockPayable, type PayableInvoice } from "../invoices/queries.ts";
import { recordEvents } from "../webhooks/events.ts";
import { endEarly } from "./issue.ts";
import { lockLivePayments } from "./queries.ts";

export interface Canceled {
  readonly invoice: PayableInvoice;
  /** Whether it was done now, and not by an earlier call. */
  readonly isFresh: boolean;
}

export async function cancelInvoice(
  tx: Tx,
  app: App,
  id: string,
  isOwn: (invoice: PayableInvoice) => boolean = () => true,
): Promise<Canceled> {
  const now = app.clock.now();
  const [invoice] = await lockPayable(tx, [id]);
  if (invoice === undefined || !isOwn(invoice)) throw new Refusal("invoice_not_found");
  if (invoice.state === "failed") return { invoice, isFresh: false };
  const why = whyNotOpen(invoice, now);
  if (why !== undefined) throw new Refusal(why);

  await endEarly(tx, await lockLivePayments(tx, [id]), now);
  await failInvoice(tx, invoice);
  const reject_time = momentFormat(app.config.timeZone).text(now);
  await recordEvents(tx, app, [invoiceEvent(invoice, "fail", { reject_time })]);
  tx.onCommit(() => countInvoices(app, "failed"));
  return { invoice, isFresh: true };
}
