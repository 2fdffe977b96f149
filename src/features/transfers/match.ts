// Which payment each of a set of transfers pays, and crediting it. Payments are locked before
// stored transfers are looked for; transfer, payment, invoice, ledger, freeze and event change
// together.

import { toldPayer } from "../../domain/dialect.ts";
import { addSeconds, momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import { creditOf, suspenseAssigned, transferMatched } from "../../domain/posting.ts";
import {
  type Candidate,
  type Match,
  matchTransfer,
  mayBeLate,
  type SuspenseReason,
} from "../../domain/transfer.ts";
import type { App } from "../../platform/app.ts";
import { SerializationFailure, type Tx } from "../../platform/db.ts";
import { countInvoices } from "../invoices/count.ts";
import { invoiceEvent } from "../invoices/event.ts";
import { lockPayable, markPaid, type PayableInvoice } from "../invoices/queries.ts";
import { countMoney, post } from "../ledger/post.ts";
import { addFreezes } from "../ledger/queries.ts";
import { lockPayments, markPaymentsPaid, type PayablePayment } from "../payments/queries.ts";
import { giveBackUsage, type Usage } from "../requisites/queries.ts";
import { recordEvents } from "../webhooks/events.ts";
import { linesOf, type OwnerLines } from "../webhooks/queries.ts";
import { maskPayer } from "./nouns.ts";
import {
  addTransfers,
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

export interface Credit {
  readonly transfer: NewTransfer;
  readonly payment: PayablePayment;
  readonly invoice: PayableInvoice;
  readonly creditedMinor: bigint;
  readonly late: boolean;
  /** Whether the money waited in suspense before, and its row says already what became of it. */
  readonly fromSuspense: boolean;
}

/**
 * The invoices and payments are locked by the caller, who has judged that they can be paid, and may know the
 * lines of their shops. From the first balance on everybody else of the same merchant waits, so there is no
 * question in between.
 */
export async function creditPayments(
  tx: Tx,
  app: App,
  credits: readonly Credit[],
  lines?: ReadonlyMap<string, OwnerLines>,
  now = app.clock.now(),
): Promise<void> {
  if (credits.length === 0) return;
  const arrived = credits.filter(({ fromSuspense }) => !fromSuspense);
  const paid = credits.map(({ transfer, payment, creditedMinor, late }) => ({
    paymentId: payment.id,
    endsAt: payment.endsAt,
    receivedMinor: transfer.amountMinor,
    creditedMinor,
    late,
  }));
  const usages = credits.flatMap(usageOver);
  const freezes = credits.map(({ transfer, payment, invoice, creditedMinor }) => ({
    paymentId: payment.id,
    userId: invoice.userId,
    currency: payment.currency,
    amountMinor: creditedMinor,
    frozenUntil: addSeconds(now, payment.freezeSeconds),
    needsProof: transfer.told.needsProof,
  }));
  const payTime = momentFormat(app.config.timeZone).text(now);
  const facts = credits.map((credit) => successEvent(credit, payTime));
  // They travel together and run in this order, so locks are taken in the order that all keep to.
  const [stored] = await Promise.all([
    addTransfers(
      tx,
      arrived.map(({ transfer, payment }) => ({
        ...transfer,
        paymentId: payment.id,
        invoiceId: payment.invoiceId,
        reason: null,
      })),
      now,
    ),
    markPaymentsPaid(tx, paid, now),
    markPaid(
      tx,
      credits.map(({ invoice }) => invoice),
      now,
    ),
    giveBackUsage(tx, usages),
    addFreezes(tx, freezes),
    post(tx, app, credits.map(toPosting)),
    recordEvents(tx, app, facts, lines),
  ]);
  // Under the same reference another amount was stored meanwhile, for another holder.
  if (stored.size < arrived.length) throw new SerializationFailure();
  tx.onCommit(() => {
    countInvoices(app, "paid", credits.length);
    countMoney(app, "credited", freezes);
    tellCredits(app, credits);
  });
}

/** A line is for so many: each costs a tenth of what a line of its own would, and no reader cuts it. */
const IN_A_LINE = 50;

function tellCredits({ log }: App, credits: readonly Credit[]): void {
  if (!log.isLevelEnabled("info")) return;
  for (let from = 0; from < credits.length; from += IN_A_LINE) {
    const told = credits.slice(from, from + IN_A_LINE).map(({ transfer, invoice }) => ({
      transfer: transfer.id,
      invoice: invoice.id,
      shop: invoice.shopId,
      amount: `${toDecimalText(transfer.amountMinor)} ${transfer.currency}`,
    }));
    log.info({ credits: told }, "credited");
  }
}

/**
 * Money in time has its place in the day's sum, also where its details had lapsed before it was told;
 * late money has lost it and does not regain it.
 */
function usageOver({ payment, late }: Credit): Usage[] {
  const { requisiteId, toPayMinor: amountMinor, createdOn } = payment;
  const usage = { requisiteId, amountMinor };
  if (payment.state === "live") return [{ ...usage, day: late ? createdOn : null }];
  return late ? [] : [{ ...usage, day: createdOn, countsAgain: true }];
}

function toPosting({ transfer, payment, invoice, fromSuspense }: Credit) {
  const credit = {
    sourceId: transfer.id,
    currency: payment.currency,
    amountMinor: transfer.amountMinor,
    userId: invoice.userId,
    requisiteId: transfer.requisiteId,
    feeMinor: payment.feeMinor,
  };
  return fromSuspense ? suspenseAssigned(credit) : transferMatched(credit);
}

function successEvent(
  { transfer, payment, invoice, creditedMinor, late }: Credit,
  payTime: string,
) {
  return invoiceEvent(invoice, "success", {
    pay_time: payTime,
    pay_service: payment.service,
    payer_details: toldPayer(invoice.dialect, maskPayer(transfer.payer)),
    credited: toDecimalText(creditedMinor),
    amount_received: toDecimalText(transfer.amountMinor),
    late,
  });
}
