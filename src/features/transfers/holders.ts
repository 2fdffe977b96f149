// Whom money could have been meant for, locked. Guards that whoever stores the same transfer for the same
// payment at the same time is waited for: the payments are locked before stored transfers are looked for.

import type { Tx } from "../../platform/db.ts";
import { heldAmong } from "../../platform/db-held.ts";
import { lockPayable, type PayableInvoice } from "../invoices/queries.ts";
import { lockPayments, type PayablePayment } from "../payments/queries.ts";
import type { TransferView } from "./list-queries.ts";
import { type CandidateRow, candidatesFor, findTransfers, type NewTransfer } from "./queries.ts";

export interface Holder {
  readonly payment: PayablePayment;
  readonly invoice: PayableInvoice;
}

interface Locked {
  /** By the transfer's id; none where nobody expects it. */
  readonly holders: ReadonlyMap<string, readonly Holder[]>;
  /** Those of the transfers that are stored already. */
  readonly earlier: readonly TransferView[];
  /** The transfers whose holders cannot be locked, because somebody else has a row of theirs. */
  readonly held: ReadonlySet<string>;
}

export async function lockHolders(tx: Tx, transfers: readonly NewTransfer[]): Promise<Locked> {
  const rows = await candidatesFor(tx, transfers);
  const isHeld = await heldHolders(tx, rows);
  const held = new Set(rows.filter(isHeld).map(({ transferId }) => transferId));
  const free = rows.filter(({ transferId }) => !held.has(transferId));
  const [lockedInvoices, lockedPayments, earlier] = await Promise.all([
    lockPayable(tx, [...new Set(free.map(({ invoiceId }) => invoiceId))]),
    lockPayments(tx, [...new Set(free.map(({ paymentId }) => paymentId))]),
    findTransfers(tx, transfers),
  ]);
  const heldUsers = await heldAmong(
    tx,
    "ledger_balances",
    "user_id",
    lockedInvoices.map(({ userId }) => userId),
  );
  const invoices = new Map(lockedInvoices.map((invoice) => [invoice.id, invoice]));
  const payments = new Map(lockedPayments.map((payment) => [payment.id, payment]));
  const holders = new Map<string, Holder[]>();
  for (const { transferId, paymentId, invoiceId } of free) {
    const payment = payments.get(paymentId);
    const invoice = invoices.get(invoiceId);
    if (payment === undefined || invoice === undefined) continue;
    if (heldUsers.has(invoice.userId)) held.add(transferId);
    holders.set(transferId, [...(holders.get(transferId) ?? []), { payment, invoice }]);
  }
  return { holders, earlier, held };
}

async function heldHolders(
  tx: Tx,
  rows: readonly CandidateRow[],
): Promise<(row: CandidateRow) => boolean> {
  const shops = await heldAmong(
    tx,
    "receivers",
    "shop_id",
    rows.map(({ shopId }) => shopId),
  );
  const told = rows.filter(({ shopId }) => !shops.has(shopId));
  const ids = (of: "invoiceId" | "paymentId" | "requisiteId") => told.map((row) => row[of]);
  const [invoices, payments, requisites] = await Promise.all([
    heldAmong(tx, "invoices", "id", ids("invoiceId")),
    heldAmong(tx, "payments", "id", ids("paymentId")),
    heldAmong(tx, "requisite_usage", "requisite_id", ids("requisiteId")),
  ]);
  return (row) =>
    shops.has(row.shopId) ||
    invoices.has(row.invoiceId) ||
    payments.has(row.paymentId) ||
    requisites.has(row.requisiteId);
}
