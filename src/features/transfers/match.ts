// Which payment each of a set of transfers pays, and why the others wait. Guards that two of one set
// never pay the same invoice.

import { creditOf } from "../../domain/posting.ts";
import {
  type Candidate,
  type Match,
  matchTransfer,
  mayBeLate,
  type SuspenseReason,
} from "../../domain/transfer.ts";
import type { Tx } from "../../platform/db.ts";
import type { Credit } from "./credit.ts";
import type { Holder } from "./holders.ts";
import { contestedAmong, type NewTransfer } from "./queries.ts";

export interface Waiting {
  readonly transfer: NewTransfer;
  readonly reason: SuspenseReason;
}

export async function matchAll(
  tx: Tx,
  fresh: readonly NewTransfer[],
  holders: ReadonlyMap<string, readonly Holder[]>,
): Promise<{ credits: Credit[]; waiting: Waiting[] }> {
  const contested = await contestedLate(tx, fresh, holders);
  const credits: Credit[] = [];
  const waiting: Waiting[] = [];
  const paidInvoices = new Set<string>();
  for (const transfer of fresh) {
    const isContested = contested.has(transfer.id);
    const candidates = (holders.get(transfer.id) ?? []).map((one) => candidateOf(one, isContested));
    const fate = creditFor(transfer, matchTransfer(candidates, transfer.made), paidInvoices);
    if (typeof fate === "string") waiting.push({ transfer, reason: fate });
    else {
      credits.push(fate);
      paidInvoices.add(fate.invoice.id);
    }
  }
  return { credits, waiting };
}

function creditFor(
  transfer: NewTransfer,
  match: Match<Holder & Candidate>,
  paidInvoices: ReadonlySet<string>,
): Credit | SuspenseReason {
  if ("reason" in match) return match.reason;
  const { payment, invoice } = match.holder;
  // A second transfer in the same set finds the invoice paid, as one that came later would.
  if (paidInvoices.has(invoice.id)) return "paid_already";
  if (transfer.currency !== payment.currency) return "other_currency";
  const creditedMinor = creditOf(transfer.amountMinor, payment.feeMinor);
  if (creditedMinor === undefined) return "below_commission";
  return { transfer, payment, invoice, creditedMinor, late: match.late, fromSuspense: false };
}

/** Late money that somebody else may have meant; asked for where there is any. */
function contestedLate(
  tx: Tx,
  fresh: readonly NewTransfer[],
  holders: ReadonlyMap<string, readonly Holder[]>,
): Promise<ReadonlySet<string>> {
  const late = fresh.flatMap((transfer) => {
    const [holder, ...others] = holders.get(transfer.id) ?? [];
    if (holder === undefined || others.length > 0) return [];
    if (!mayBeLate(holder.payment, transfer.made)) return [];
    return [{ transfer, invoiceId: holder.invoice.id }];
  });
  return contestedAmong(tx, late);
}

function candidateOf({ payment, invoice }: Holder, isContested: boolean): Holder & Candidate {
  return {
    ...{ payment, invoice, isContested },
    paymentState: payment.state,
    createdAt: payment.createdAt,
    endsAt: payment.endsAt,
    slotUntil: payment.slotUntil,
    invoiceState: invoice.state,
    latePolicy: invoice.latePolicy,
  };
}
