// Whom money could have been meant for, which payment each of a set of transfers pays, and why the others
// wait. Guards that whoever stores the same transfer for the same payment at the same time is waited for: the
// payments are locked before stored transfers are looked for; and that two of one set never pay one invoice.

import { creditOf } from "../../domain/posting.ts";
import {
  type Candidate,
  type Match,
  matchTransfer,
  mayBeLate,
  type SuspenseReason,
} from "../../domain/transfer.ts";
import type { Tx } from "../../platform/db.ts";
import { lockPayable } from "../invoices/queries.ts";
import { lockPayments } from "../payments/queries.ts";
import { linesOf, type OwnerLines } from "../webhooks/queries.ts";
import type { Credit } from "./credit.ts";
import {
  candidatesFor,
  contestedAmong,
  findTold,
  type KnownRow,
  type NewTransfer,
} from "./queries.ts";

type DetailsHolder = Pick<Credit, "payment" | "invoice">;

interface Locked {
  /** By the transfer's id; none where nobody expects it. */
  readonly holders: ReadonlyMap<string, readonly DetailsHolder[]>;
  /** Those of the transfers that are stored already. */
  readonly earlier: readonly KnownRow[];
  /** Of the holders' shops: where those who are paid are told of it. */
  readonly lines: ReadonlyMap<string, OwnerLines>;
}

/** What is known before is asked for at the same time, and waited for before anything is locked. */
export async function lockHolders(
  tx: Tx,
  transfers: readonly NewTransfer[],
  before?: Promise<unknown>,
): Promise<Locked> {
  const [rows] = await Promise.all([candidatesFor(tx, transfers), before]);
  const [lockedInvoices, lockedPayments, earlier, lines] = await Promise.all([
    lockPayable(tx, [...new Set(rows.map(({ invoiceId }) => invoiceId))]),
    lockPayments(tx, [...new Set(rows.map(({ paymentId }) => paymentId))]),
    findTold(tx, transfers),
    linesOf(
      tx,
      rows.map(({ shopId }) => shopId),
    ),
  ]);
  const invoices = new Map(lockedInvoices.map((invoice) => [invoice.id, invoice]));
  const payments = new Map(lockedPayments.map((payment) => [payment.id, payment]));
  const holders = new Map<string, DetailsHolder[]>();
  for (const { transferId, paymentId, invoiceId } of rows) {
    const payment = payments.get(paymentId);
    const invoice = invoices.get(invoiceId);
    if (payment === undefined || invoice === undefined) continue;
    holders.set(transferId, [...(holders.get(transferId) ?? []), { payment, invoice }]);
  }
  return { holders, earlier, lines };
}

export interface Waiting {
  readonly transfer: NewTransfer;
  readonly reason: SuspenseReason;
}

export async function matchAll(
  tx: Tx,
  fresh: readonly NewTransfer[],
  holders: ReadonlyMap<string, readonly DetailsHolder[]>,
): Promise<{ credits: Credit[]; waiting: Waiting[] }> {
  const contested = await contestedLate(tx, fresh, holders);
  const credits: Credit[] = [];
  const waiting: Waiting[] = [];
  const paidInvoices = new Set<string>();
  for (const transfer of fresh) {
    const isContested = contested.has(transfer.id);
    const candidates = (holders.get(transfer.id) ?? []).map((one) => candidateOf(one, isContested));
    const fate =
      transfer.told.hold ??
      creditFor(transfer, matchTransfer(candidates, transfer.made), paidInvoices);
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
  match: Match<DetailsHolder & Candidate>,
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
  holders: ReadonlyMap<string, readonly DetailsHolder[]>,
): Promise<ReadonlySet<string>> {
  const late = fresh.flatMap((transfer) => {
    const [holder, ...others] = holders.get(transfer.id) ?? [];
    if (holder === undefined || others.length > 0) return [];
    if (!mayBeLate(holder.payment, transfer.made)) return [];
    return [{ transfer, invoiceId: holder.invoice.id }];
  });
  return contestedAmong(tx, late);
}

function candidateOf(
  { payment, invoice }: DetailsHolder,
  isContested: boolean,
): DetailsHolder & Candidate {
  return {
    payment,
    invoice,
    isContested,
    paymentState: payment.state,
    createdAt: payment.createdAt,
    endsAt: payment.endsAt,
    slotUntil: payment.slotUntil,
    invoiceState: invoice.state,
    latePolicy: invoice.latePolicy,
  };
}
