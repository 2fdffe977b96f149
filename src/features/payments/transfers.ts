// Money that arrived, from whatever source. Guards that a transfer is stored once, credits at most one
// payment, and never vanishes: it is matched, in suspense, or returned.
//
// Locks: transfers, then invoices by id, payments by id, requisites, accounts.

import { creditOf, suspenseReturned, transferToSuspense } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import { slotKey } from "../../domain/requisite.ts";
import {
  canBePaid,
  isLate,
  matchTransfer,
  type SlotHolder,
  type TransferState,
} from "../../domain/transfer.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { lockPayable, type PayableInvoice } from "../invoices/queries.ts";
import { post } from "../ledger/post.ts";
import { type Credit, creditPayments } from "./credit.ts";
import { maskPayer } from "./payer.ts";
import { invoiceIdOf, lockPayments, type PayablePayment } from "./queries.ts";
import {
  addTransfers,
  findTransfers,
  type HolderRow,
  lockTransfer,
  type NewTransfer,
  noteSettlement,
  type Settlement,
  slotHolders,
  type TransferRow,
} from "./transfer-queries.ts";

export type Arrival = Omit<NewTransfer, "id">;

export interface Accepted {
  readonly transferId: string;
  readonly state: TransferState;
  readonly invoiceId: string | null;
  /** Whether it was new; the same one again is not. */
  readonly fresh: boolean;
}

/** The same transfer again changes nothing and gets the answer that the first one has now. */
export async function acceptTransfers(
  tx: Tx,
  app: App,
  arrivals: readonly Arrival[],
): Promise<Accepted[]> {
  const now = app.clock.now();
  // A bank may name the payer by a card: the whole number is not even stored.
  const transfers = arrivals.map((arrival) => ({
    ...arrival,
    id: app.newId(),
    payer: maskPayer(arrival.payer),
  }));
  const [added, holders] = await Promise.all([
    addTransfers(tx, transfers, now),
    slotHolders(tx, transfers, now),
  ]);
  const fresh = transfers.filter(({ id }) => added.has(id));
  const credits = await matchFresh(tx, app, fresh, holders);
  const paid = new Map(credits.map(({ transfer, invoice }) => [transfer.id, invoice.id]));
  const unclaimed = fresh
    .filter(({ id }) => !paid.has(id))
    .map((transfer) => transferToSuspense({ ...transfer, sourceId: transfer.id }));
  await creditPayments(tx, app, credits);
  await post(tx, app, unclaimed);
  const known = await earlierOnes(
    tx,
    transfers.filter(({ id }) => !added.has(id)),
  );
  return transfers.map((transfer): Accepted => {
    const { id: transferId } = transfer;
    const invoiceId = paid.get(transferId) ?? null;
    const state = invoiceId === null ? "suspense" : "matched";
    if (added.has(transferId)) return { transferId, state, invoiceId, fresh: true };
    const row = known.get(transferKey(transfer));
    if (row === undefined) throw new Error("A transfer that is stored already is not there.");
    return { transferId: row.id, state: row.state, invoiceId: row.invoiceId, fresh: false };
  });
}

async function earlierOnes(
  tx: Tx,
  repeated: readonly NewTransfer[],
): Promise<Map<string, TransferRow>> {
  if (repeated.length === 0) return new Map();
  const rows = await findTransfers(tx, repeated);
  return new Map(rows.map((row) => [transferKey(row), row]));
}

function transferKey({ requisiteId, reference }: Pick<Arrival, "requisiteId" | "reference">) {
  return `${requisiteId} ${reference}`;
}

async function matchFresh(
  tx: Tx,
  app: App,
  fresh: readonly NewTransfer[],
  holders: readonly HolderRow[],
): Promise<Credit[]> {
  const bySlot = new Map(holders.map((holder) => [slotKey(holder), holder]));
  const held = fresh.flatMap((transfer) => bySlot.get(slotKey(transfer)) ?? []);
  if (held.length === 0) return [];
  const now = app.clock.now();
  const [lockedInvoices, lockedPayments] = await Promise.all([
    lockPayable(tx, [...new Set(held.map(({ invoiceId }) => invoiceId))]),
    lockPayments(tx, [...new Set(held.map(({ paymentId }) => paymentId))]),
  ]);
  const invoices = new Map(lockedInvoices.map((invoice) => [invoice.id, invoice]));
  const payments = new Map(lockedPayments.map((payment) => [payment.id, payment]));
  const credits: Credit[] = [];
  const paidInvoices = new Set<string>();
  for (const transfer of fresh) {
    const holder = bySlot.get(slotKey(transfer));
    const payment = holder && payments.get(holder.paymentId);
    const invoice = holder && invoices.get(holder.invoiceId);
    if (payment === undefined || invoice === undefined) continue;
    // A second transfer in the same set finds the invoice paid, as one that came later would.
    if (paidInvoices.has(invoice.id) || transfer.currency !== payment.currency) continue;
    const match = matchTransfer(toHolder(payment, invoice), now);
    const creditedMinor = creditOf(transfer.amountMinor, payment.feeMinor);
    if (!match.matched || creditedMinor === undefined) continue;
    paidInvoices.add(invoice.id);
    credits.push({
      transfer,
      payment,
      invoice,
      creditedMinor,
      late: match.late,
      fromSuspense: false,
    });
  }
  return credits;
}

function toHolder(payment: PayablePayment, invoice: PayableInvoice): SlotHolder {
  return {
    paymentState: payment.state,
    endsAt: payment.endsAt,
    invoiceState: invoice.state,
    latePolicy: invoice.latePolicy,
  };
}

/** The operator's word that this money was meant for that payment. */
export async function assignTransfer(
  tx: Tx,
  app: App,
  settlement: Settlement & { readonly paymentId: string },
): Promise<void> {
  const now = app.clock.now();
  const transfer = await lockWaiting(tx, settlement.transferId);
  const invoiceId = await invoiceIdOf(tx, settlement.paymentId);
  const [invoice] = await lockPayable(tx, invoiceId === undefined ? [] : [invoiceId]);
  const [payment] = await lockPayments(tx, [settlement.paymentId]);
  if (invoice === undefined || payment === undefined) throw new Refusal("payment_not_found");
  const holder = toHolder(payment, invoice);
  if (!canBePaid(holder) || transfer.currency !== payment.currency) {
    throw new Refusal("payment_not_payable");
  }
  const creditedMinor = creditOf(transfer.amountMinor, payment.feeMinor);
  if (creditedMinor === undefined) throw new Refusal("transfer_too_small");
  const late = isLate(holder, now);
  await creditPayments(tx, app, [
    { transfer, payment, invoice, creditedMinor, late, fromSuspense: true },
  ]);
  await noteSettlement(tx, settlement, "matched", now);
}

/** The money goes back to where it came from. */
export async function returnTransfer(tx: Tx, app: App, settlement: Settlement): Promise<void> {
  const transfer = await lockWaiting(tx, settlement.transferId);
  await noteSettlement(tx, settlement, "returned", app.clock.now());
  await post(tx, app, [suspenseReturned({ ...transfer, sourceId: transfer.id })]);
}

async function lockWaiting(tx: Tx, id: string): Promise<NewTransfer> {
  const transfer = await lockTransfer(tx, id);
  if (transfer === undefined) throw new Refusal("transfer_not_found");
  if (transfer.state !== "suspense") throw new Refusal("transfer_settled");
  return transfer;
}
