// Money that arrived, from whatever source. Guards that a transfer is stored once, credits at most one
// payment, and never vanishes: it is matched, in suspense, or returned.
//
// Locks: invoices by id, payments by id, requisites, balances; one that waits is settled by hand, and its
// own row is locked before them all. In a careful transaction nobody waits: a transfer that needs what
// somebody holds is left alone and answered Held, never taken for one that nobody expects.

import { holdsCardNumber } from "../../domain/card-number.ts";
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
import { Held, heldAmong } from "../../platform/db-held.ts";
import { lockPayable, type PayableInvoice } from "../invoices/queries.ts";
import { post } from "../ledger/post.ts";
import { invoiceIdOf, lockPayments, type PayablePayment } from "../payments/queries.ts";
import { type Credit, creditPayments } from "./credit.ts";
import { maskPayer } from "./payer.ts";
import {
  addTransfers,
  contestedSlots,
  findTransfers,
  type HolderRow,
  lockTransfer,
  type NewTransfer,
  noteSettlement,
  type Settlement,
  slotHolders,
  type TransferRow,
} from "./queries.ts";

export type Arrival = Omit<NewTransfer, "id">;

export interface Accepted {
  readonly transferId: string;
  readonly state: TransferState;
  readonly invoiceId: string | null;
  /** Whether it was new; the same one again is not. */
  readonly fresh: boolean;
}

/** One alone: a refusal is thrown, so that nothing of its transaction stays. */
export async function acceptTransfer(tx: Tx, app: App, arrival: Arrival): Promise<Accepted> {
  const [outcome] = await acceptTransfers(tx, app, [arrival]);
  if (outcome === undefined) throw new Error("A transfer got no outcome.");
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

/**
 * The same transfer again changes nothing and gets the answer that the first one has now. Another
 * amount under its reference is other money, and refused: taken for a repeat, it would vanish.
 */
export async function acceptTransfers(
  tx: Tx,
  app: App,
  arrivals: readonly Arrival[],
): Promise<(Accepted | Refusal | Held)[]> {
  const now = app.clock.now();
  // A bank may name the payer by a card: the whole number is not even stored. Masked, a reference would
  // no longer tell two transfers apart, so that one is refused.
  const transfers = arrivals.map((arrival) => ({
    ...arrival,
    id: app.newId(),
    payer: maskPayer(arrival.payer),
  }));
  const nameable = transfers.filter(({ reference }) => !holdsCardNumber(reference));
  const first = new Map(nameable.toReversed().map((one) => [transferKey(one), one]));
  const distinct = transfers.filter((one) => first.get(transferKey(one)) === one);
  const { holders, earlier, held } = await lockHolders(tx, distinct, now);
  const known = new Map(earlier.map((row) => [transferKey(row), row]));
  const free = distinct.filter((one) => !held.has(slotKey(one)));
  const fresh = free.filter((one) => !known.has(transferKey(one)));
  const contested = await contestedAmong(tx, fresh, holders, now);
  const credits = matchFresh(fresh, holders, contested, now);
  await creditPayments(tx, app, credits);
  const paid = new Map(credits.map(({ transfer, invoice }) => [transfer.id, invoice.id]));
  const unclaimed = fresh.filter(({ id }) => !paid.has(id));
  const waiting = await toSuspense(tx, app, unclaimed, now);
  for (const row of await findTransfers(
    tx,
    unclaimed.filter(({ id }) => !waiting.has(id)),
  )) {
    known.set(transferKey(row), row);
  }
  return transfers.map((transfer): Accepted | Refusal | Held => {
    const leader = first.get(transferKey(transfer));
    if (leader === undefined) return new Refusal("reference_holds_card");
    const row = known.get(transferKey(transfer));
    if (held.has(slotKey(leader))) return new Held();
    if (transfer.amountMinor !== (row ?? leader).amountMinor) {
      return new Refusal("transfer_reference_taken");
    }
    const transferId = leader.id;
    const invoiceId = paid.get(transferId) ?? null;
    const isFirst = transferId === transfer.id;
    if (invoiceId !== null) return { transferId, state: "matched", invoiceId, fresh: isFirst };
    if (waiting.has(transferId)) {
      return { transferId, state: "suspense", invoiceId, fresh: isFirst };
    }
    if (row === undefined) throw new Error("A transfer that is stored already is not there.");
    return { transferId: row.id, state: row.state, invoiceId: row.invoiceId, fresh: false };
  });
}

/** The ids of those that were new: who reports the same one at the same time may have been first. */
async function toSuspense(
  tx: Tx,
  app: App,
  unclaimed: readonly NewTransfer[],
  now: Date,
): Promise<Set<string>> {
  const held = await addTransfers(
    tx,
    unclaimed.map((transfer) => ({ ...transfer, paymentId: null })),
    now,
  );
  const added = unclaimed.filter(({ id }) => held.has(id));
  await post(
    tx,
    app,
    added.map((transfer) => transferToSuspense({ ...transfer, sourceId: transfer.id })),
  );
  return held;
}

function transferKey({ requisiteId, reference }: Pick<Arrival, "requisiteId" | "reference">) {
  return `${requisiteId} ${reference}`;
}

interface Holder {
  readonly payment: PayablePayment;
  readonly invoice: PayableInvoice;
}

/**
 * Who holds the slots that money arrived on, by the slot and locked; which of the transfers are stored
 * already; and the slots whose holders cannot be locked, because somebody else has a row of theirs.
 * Holders are locked before stored transfers are looked for: whoever stores the same transfer for the
 * same holder at the same time has the holder locked, and is done once we have it.
 */
async function lockHolders(
  tx: Tx,
  transfers: readonly NewTransfer[],
  now: Date,
): Promise<{ holders: Map<string, Holder>; earlier: TransferRow[]; held: Set<string> }> {
  const rows = await slotHolders(tx, transfers, now);
  const isHeld = await heldHolders(tx, rows);
  const held = new Set(rows.filter(isHeld).map(slotKey));
  const free = rows.filter((row) => !isHeld(row));
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
  const holders = new Map<string, Holder>();
  for (const row of free) {
    const payment = payments.get(row.paymentId);
    const invoice = invoices.get(row.invoiceId);
    if (invoice && heldUsers.has(invoice.userId)) held.add(slotKey(row));
    else if (payment && invoice) holders.set(slotKey(row), { payment, invoice });
  }
  return { holders, earlier, held };
}

async function heldHolders(
  tx: Tx,
  rows: readonly HolderRow[],
): Promise<(row: HolderRow) => boolean> {
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

/** The slots of late money that somebody else may have meant; asked for where there is any. */
async function contestedAmong(
  tx: Tx,
  fresh: readonly NewTransfer[],
  holders: ReadonlyMap<string, Holder>,
  now: Date,
): Promise<ReadonlySet<string>> {
  const late = fresh.flatMap(({ requisiteId, amountMinor }) => {
    const holder = holders.get(slotKey({ requisiteId, amountMinor }));
    if (holder === undefined || !isLate(toHolder(holder), now)) return [];
    return [{ requisiteId, amountMinor, invoiceId: holder.invoice.id }];
  });
  return new Set((await contestedSlots(tx, late, now)).map(slotKey));
}

function matchFresh(
  fresh: readonly NewTransfer[],
  holders: ReadonlyMap<string, Holder>,
  contested: ReadonlySet<string>,
  now: Date,
): Credit[] {
  const credits: Credit[] = [];
  const paidInvoices = new Set<string>();
  for (const transfer of fresh) {
    const holder = holders.get(slotKey(transfer));
    if (holder === undefined) continue;
    const { payment, invoice } = holder;
    // A second transfer in the same set finds the invoice paid, as one that came later would.
    if (paidInvoices.has(invoice.id) || transfer.currency !== payment.currency) continue;
    const isContested = contested.has(slotKey(transfer));
    const match = matchTransfer({ ...toHolder(holder), isContested }, now);
    const creditedMinor = creditOf(transfer.amountMinor, payment.feeMinor);
    if (!match.matched || creditedMinor === undefined) continue;
    paidInvoices.add(invoice.id);
    const late = match.late;
    credits.push({ transfer, payment, invoice, creditedMinor, late, fromSuspense: false });
  }
  return credits;
}

function toHolder({ payment, invoice }: Holder): Omit<SlotHolder, "isContested"> {
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
  const holder = toHolder({ payment, invoice });
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
