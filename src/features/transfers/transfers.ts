// Money that arrived, from whatever source. Guards that a transfer is stored once, credits at most one
// payment, and never vanishes: it is matched, in suspense, or returned.
//
// Locks: invoices by id, payments by id, requisites, balances; one that waits is settled by hand, and its
// own row is locked before them all.

import { inOneForm } from "../../domain/fast-payment.ts";
import { firstDayOf, readMadeAt } from "../../domain/made-at.ts";
import { momentFormat } from "../../domain/moment.ts";
import {
  creditOf,
  type suspenseCleared,
  type suspenseOwned,
  suspenseReturned,
  suspenseUndone,
  transferToSuspense,
} from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import { canBePaid, isLate, type SuspenseReason } from "../../domain/transfer.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { tellSeldom } from "../../platform/log.ts";
import { lockPayable } from "../invoices/queries.ts";
import { countMoney, post } from "../ledger/post.ts";
import { invoiceIdOf, lockPayments } from "../payments/queries.ts";
import { type Credit, creditPayments, lockHolders, matchAll, type Waiting } from "./match.ts";
import { maskPayer, type TransferRow } from "./nouns.ts";
import {
  addTransfers,
  findTold,
  type KnownRow,
  lockTransfer,
  type NewTransfer,
  proveTransfers,
  type Settlement,
  settleTransfer,
  type Telling,
} from "./queries.ts";
import {
  byReference,
  hearBank,
  isMoneyMore,
  joinTold,
  storedTransfer,
  tellAlso,
  whyNoReference,
} from "./telling.ts";

/**
 * Money as whoever saw it tells of it; without madeAt the moment of telling counts. Whoever tells by
 * something else than the bank's reference says who they are; their key is the reference then.
 */
export type Arrival = Omit<NewTransfer, "id" | "made" | "madeAt" | "reference" | "told"> & {
  readonly madeAt?: string;
} & (
    | {
        readonly reference: string;
        readonly channel: "hand" | "api";
        /** Why it waits whoever expects it. */
        readonly hold?: SuspenseReason | undefined;
      }
    | { readonly told: Telling }
  );

export interface Accepted {
  readonly transfer: TransferRow;
  /** Whether it was new money; the same one again is not. */
  readonly fresh: boolean;
  /** Whether another teller had told of this money, and this one was heard for the first time. */
  readonly joined: boolean;
}

/**
 * The same transfer again changes nothing and gets the answer that the first one has now. Another
 * amount under its reference is other money, and refused: taken for a repeat, it would vanish. What
 * somebody else has told of already is not money again: the tellings are counted.
 */
export async function acceptTransfers(
  tx: Tx,
  app: App,
  arrivals: readonly Arrival[],
): Promise<(Accepted | Refusal)[]> {
  const now = app.clock.now();
  const read = arrivals.map((arrival) => readArrival(app, arrival, now));
  const transfers = read.flatMap((one) => (one instanceof Refusal ? [] : [one]));
  // Of a set the first is the one, but a word that is enough comes before one that is not.
  const lastFirst = transfers
    .toReversed()
    .sort((a, b) => Number(isDoubted(b)) - Number(isDoubted(a)));
  const first = new Map(lastFirst.map((one) => [transferKey(one), one]));
  const distinct = transfers.filter((one) => first.get(transferKey(one)) === one);
  const joining = joinTold(tx, app, distinct);
  const { holders, earlier, lines } = await lockHolders(tx, distinct, joining);
  const { joined, doubtful } = await joining;
  const stored = new Map(earlier.map((row) => [storedKey(row), row]));
  const unknown = distinct.filter((one) => !stored.has(transferKey(one)));
  const fresh = unknown
    .filter(({ id }) => !joined.has(id))
    .map((one) => (doubtful.has(one.id) ? heldBack(one) : one));
  const { credits, waiting } = await matchAll(tx, fresh, holders);
  await creditPayments(tx, app, credits, lines, now);
  const added = await toSuspense(tx, app, waiting, now);
  // Who reports the same one at the same time, and was first, has stored it.
  const overtaken = waiting.filter(({ transfer }) => !added.has(transfer.id));
  const meanwhile = overtaken.map(({ transfer }) => transfer);
  for (const row of await findTold(tx, meanwhile)) stored.set(storedKey(row), row);
  const rowOf = (one: NewTransfer) => stored.get(transferKey(one));
  for (const row of await hearBank(tx, app, transfers, rowOf)) stored.set(storedKey(row), row);
  const views = new Map<string, TransferRow>();
  for (const { transfer, payment } of credits) {
    views.set(transfer.id, newView(transfer, now, payment, null));
  }
  for (const { transfer, reason } of waiting) {
    views.set(transfer.id, newView(transfer, now, null, reason));
  }
  const also = unknown.filter(({ id }) => joined.has(id));
  for (const [id, row] of await tellAlso(tx, app, also, joined)) views.set(id, row);
  return read.map((transfer): Accepted | Refusal => {
    if (transfer instanceof Refusal) return transfer;
    const leader = first.get(transferKey(transfer)) ?? transfer;
    const known = stored.get(transferKey(transfer));
    const view = known ?? views.get(leader.id);
    if (view === undefined) throw new Error("A transfer that is stored already is not there.");
    if (transfer.amountMinor !== view.amount_minor) return new Refusal("transfer_reference_taken");
    const isNew = known === undefined && leader === transfer;
    const isJoined = isNew && joined.has(leader.id);
    return { transfer: view, fresh: isNew && !isJoined, joined: isJoined };
  });
}

function isDoubted({ told }: NewTransfer): boolean {
  return told.hold !== null;
}

/** It may be known: a person says whether it is new. */
function heldBack(transfer: NewTransfer): NewTransfer {
  const { told } = transfer;
  return { ...transfer, told: { ...told, hold: told.hold ?? "maybe_known" } };
}

/**
 * A bank may name the payer by a card: the whole number is not even stored. Masked, a reference would no
 * longer tell two transfers apart, so that one is refused.
 */
function readArrival(app: App, arrival: Arrival, now: Date): NewTransfer | Refusal {
  const { requisiteId, currency, amountMinor, payer, madeAt = null } = arrival;
  const isReference = "reference" in arrival;
  const refusal = isReference ? whyNoReference(arrival.reference) : undefined;
  if (refusal !== undefined) return new Refusal(refusal);
  const told = isReference ? byReference(arrival) : arrival.told;
  const reference = isReference ? arrival.reference : `${told.teller}:${told.key}`;
  const zone = momentFormat(app.config.timeZone);
  const made = madeAt === null ? { from: now, to: now } : readMadeAt(madeAt, zone, now);
  if (made === undefined) return new Refusal("made_at_ahead");
  // It is nobody's yet, and so lives where its requisite does.
  const id = app.newId();
  return {
    id,
    requisiteId,
    reference,
    currency,
    amountMinor,
    told,
    payer: maskPayer(payer),
    madeAt: madeAt && firstDayOf(madeAt),
    made,
  };
}

function transferKey({ requisiteId, reference }: Pick<NewTransfer, "requisiteId" | "reference">) {
  return `${requisiteId} ${inOneForm(reference)}`;
}

function storedKey({ requisite_id: requisiteId, asked: reference }: KnownRow) {
  return transferKey({ requisiteId, reference });
}

/** A transfer as its row has just been written. */
function newView(
  transfer: NewTransfer,
  now: Date,
  payment: { readonly id: string; readonly invoiceId: string } | null,
  reason: SuspenseReason | null,
): TransferRow {
  const { madeAt, made } = transfer;
  return {
    id: transfer.id,
    requisite_id: transfer.requisiteId,
    reference: transfer.reference,
    currency: transfer.currency,
    amount_minor: transfer.amountMinor,
    payer: transfer.payer,
    made_at: madeAt,
    made_from: madeAt === null ? null : made.from,
    made_to: madeAt === null ? null : made.to,
    state: payment === null ? "suspense" : "matched",
    suspense_reason: reason,
    payment_id: payment?.id ?? null,
    invoice_id: payment?.invoiceId ?? null,
    received_at: now,
    settled_at: null,
    settled_by: null,
    settled_reason: null,
    channel: transfer.told.channel,
    teller: transfer.told.teller,
    needs_proof: transfer.told.needsProof,
  };
}

/** The ids of those that were new: who reports the same one at the same time may have been first. */
async function toSuspense(
  tx: Tx,
  app: App,
  waiting: readonly Waiting[],
  now: Date,
): Promise<Set<string>> {
  const rows = waiting.map(({ transfer, reason }) => ({
    ...transfer,
    paymentId: null,
    invoiceId: null,
    reason,
  }));
  const added = await addTransfers(tx, rows, now);
  const fresh = rows.filter(({ id }) => added.has(id));
  await post(
    tx,
    app,
    fresh.map((transfer) => transferToSuspense({ ...transfer, sourceId: transfer.id })),
  );
  tx.onCommit(() => {
    countMoney(app, "suspense", fresh);
    for (const { id, reason } of fresh) {
      tellSeldom(app)("info", reason, { transfer: id, reason }, "a transfer waits in suspense");
    }
  });
  return added;
}

/** What the payment would be credited with; refused where this money cannot be its. Everything is locked then. */
export async function judgeAssignment(
  tx: Tx,
  transfer: NewTransfer,
  paymentId: string,
): Promise<Pick<Credit, "invoice" | "payment" | "creditedMinor">> {
  const invoiceId = await invoiceIdOf(tx, paymentId);
  const [invoice] = await lockPayable(tx, invoiceId === undefined ? [] : [invoiceId]);
  const [payment] = await lockPayments(tx, [paymentId]);
  if (invoice === undefined || payment === undefined) throw new Refusal("payment_not_found");
  if (transfer.currency !== payment.currency) {
    const { currency } = transfer;
    throw new Refusal("transfer_other_currency", { transfer: currency, payment: payment.currency });
  }
  const isPayable = canBePaid({ paymentState: payment.state, invoiceState: invoice.state });
  if (!isPayable) throw new Refusal("payment_not_payable");
  const creditedMinor = creditOf(transfer.amountMinor, payment.feeMinor);
  if (creditedMinor === undefined) throw new Refusal("transfer_too_small");
  return { invoice, payment, creditedMinor };
}

/** The operator's word that this money was meant for that payment; where it needs two people, see assignByHand. */
export async function assignTransfer(
  tx: Tx,
  app: App,
  settlement: Settlement & { readonly paymentId: string },
): Promise<void> {
  const transfer = await lockWaiting(tx, settlement.transferId);
  const credit = await judgeAssignment(tx, transfer, settlement.paymentId);
  const { payment } = credit;
  const late = isLate(payment, transfer.made);
  await settleTransfer(tx, settlement, payment, app.clock.now());
  // Whoever assigns it has seen it on the account.
  await proveTransfers(tx, [transfer.id]);
  const seen = { ...transfer, told: { ...transfer.told, needsProof: false } };
  await creditPayments(tx, app, [{ ...credit, transfer: seen, late, fromSuspense: true }]);
}

/** The money goes back to where it came from; what may be made up, or is known otherwise, was never there. */
export async function returnTransfer(tx: Tx, app: App, settlement: Settlement): Promise<void> {
  const { row, ...transfer } = await lockWaiting(tx, settlement.transferId);
  const isThere = await isMoneyMore(tx, app, { ...transfer, row });
  const posting = isThere ? suspenseReturned : suspenseUndone;
  await settleTransfer(tx, settlement, "returned", app.clock.now());
  await post(tx, app, [posting({ ...transfer, sourceId: transfer.id })]);
}

/**
 * Money that waits was no payer's: the operator's own, or what had left by our word and came back. Whoever
 * calls has said so, and the answer is how much it was.
 */
export async function clearTransfer(
  tx: Tx,
  app: App,
  settlement: Settlement,
  posting: typeof suspenseOwned | typeof suspenseCleared,
): Promise<Pick<NewTransfer, "requisiteId" | "currency" | "amountMinor">> {
  const transfer = await lockWaiting(tx, settlement.transferId);
  await settleTransfer(tx, settlement, "cleared", app.clock.now());
  // Whoever says so has seen it on the account.
  await proveTransfers(tx, [transfer.id]);
  await post(tx, app, [posting({ ...transfer, sourceId: transfer.id })]);
  return transfer;
}

export async function lockWaiting(tx: Tx, id: string): Promise<NewTransfer & { row: TransferRow }> {
  const row = await lockTransfer(tx, id);
  if (row === undefined) throw new Refusal("transfer_not_found");
  if (row.state !== "suspense") throw new Refusal("transfer_settled");
  return { ...storedTransfer(row), row };
}
