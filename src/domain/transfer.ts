// Matches money to the one payment it was meant for, by the moment it was paid; hints for the rest.

import type { Edges } from "./edge.ts";
import type { InvoiceState } from "./invoice.ts";
import { CLOCKS_APART_SECONDS, type MadeWithin } from "./made-at.ts";
import { addSeconds } from "./moment.ts";
import type { PaymentState } from "./payment.ts";

export const TRANSFER_STATES = ["matched", "suspense", "returned", "cleared"] as const;

export type TransferState = (typeof TRANSFER_STATES)[number];

/** Money that waits ends in one way. */
export const TRANSFER_EDGES: Edges<TransferState> = {
  matched: [],
  suspense: ["matched", "returned", "cleared"],
  returned: [],
  cleared: [],
};

export const CHANNELS = ["sms", "push", "line", "hand", "api"] as const;

export type Channel = (typeof CHANNELS)[number];

/** What only a phone has told of waits for a person when no statement has shown it for so many days. */
export const UNPROVEN_DAYS = 2;

export const LATE_POLICIES = ["credit", "hold"] as const;

export type LatePolicy = (typeof LATE_POLICIES)[number];

export const SUSPENSE_REASONS = [
  "nobody_expected",
  "several_expected",
  "paid_already",
  "invoice_closed",
  "late_held",
  "contested",
  "other_currency",
  "below_commission",
  "balance_break",
  "maybe_known",
  "payout_return",
  "told_by_hand",
] as const;

export type SuspenseReason = (typeof SUSPENSE_REASONS)[number];

/** A payment for the same requisite and amount as the money's. */
export interface Candidate {
  readonly paymentState: PaymentState;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly slotUntil: Date;
  readonly invoiceState: InvoiceState;
  readonly latePolicy: LatePolicy;
  /** Whether somebody else had live details so near that late money may be theirs, off by a slip. */
  readonly isContested: boolean;
}

export type Match<Holder> =
  | { readonly holder: Holder; readonly late: boolean }
  | { readonly reason: SuspenseReason };

/** The one payment that the money was meant for, or why nobody can say. */
export function matchTransfer<Holder extends Candidate>(
  candidates: readonly Holder[],
  made: MadeWithin,
): Match<Holder> {
  const [holder, ...others] = candidates.filter((one) => couldMean(one, made));
  if (holder === undefined) return { reason: "nobody_expected" };
  if (others.length > 0) return { reason: "several_expected" };
  if (!canBePaid(holder)) return { reason: whyNotPaid(holder) };
  if (mayBeLate(holder, made) && holder.isContested) return { reason: "contested" };
  const late = isLate(holder, made);
  if (late && holder.latePolicy === "hold") return { reason: "late_held" };
  return { holder, late };
}

/** Whether the money's moment meets the payment's time, its quarantine included. */
function couldMean(
  { createdAt, slotUntil }: Pick<Candidate, "createdAt" | "slotUntil">,
  { from, to }: MadeWithin,
): boolean {
  return createdAt <= addSeconds(to, CLOCKS_APART_SECONDS) && from < slotUntil;
}

/** After the details' end for certain, by anybody who told of it: what may have been in time is taken for it. */
export function isLate(
  { endsAt }: Pick<Candidate, "endsAt">,
  { from, notBefore = from }: MadeWithin,
): boolean {
  return endsAt <= notBefore;
}

/** Perhaps after the details' end: so long somebody else's slip is looked for. */
export function mayBeLate({ endsAt }: Pick<Candidate, "endsAt">, { to }: MadeWithin): boolean {
  return endsAt <= to;
}

/** An invoice that was paid by other details, refunded or closed takes no more money. */
export function canBePaid(holder: Pick<Candidate, "paymentState" | "invoiceState">): boolean {
  const open = holder.invoiceState === "pending" || holder.invoiceState === "expired";
  return open && holder.paymentState !== "paid";
}

function whyNotPaid({ paymentState, invoiceState }: Candidate): SuspenseReason {
  const isPaid = invoiceState === "paid" || invoiceState === "refunded";
  return isPaid || paymentState === "paid" ? "paid_already" : "invoice_closed";
}

export const OFFS = [
  ...(["nothing", "paid_already", "canceled", "ended"] as const),
  ...(["other_card", "amount", "not_issued"] as const),
];

export type Off = (typeof OFFS)[number];

export interface WaitingMoney {
  readonly requisiteId: string;
  readonly amountMinor: bigint;
  readonly made: MadeWithin;
}

export interface NearPayment {
  readonly requisiteId: string;
  readonly toPayMinor: bigint;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly paymentState: PaymentState;
  readonly invoiceState: InvoiceState;
}

export interface NearMiss {
  readonly off: Off;
  /** What arrived less what was to be paid. */
  readonly differenceMinor: bigint;
  /** How far apart they are, to put the nearest first. */
  readonly distance: number;
}

/** Further apart than by half nobody means the other. */
function isNear(difference: bigint, toPay: bigint): boolean {
  return 2n * difference <= toPay && 2n * difference >= -toPay;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Undefined where more than one thing is off, or one by too much. */
export function nearMiss(money: WaitingMoney, payment: NearPayment): NearMiss | undefined {
  const { from, to } = money.made;
  const differenceMinor = money.amountMinor - payment.toPayMinor;
  const lateMs = from.getTime() - payment.endsAt.getTime();
  const earlyMs = payment.createdAt.getTime() - addSeconds(to, CLOCKS_APART_SECONDS).getTime();
  const isCanceled = payment.invoiceState === "failed";
  // By its weight one thing is likelier than another: who pays twice, or late, means that payment, and rather
  // than one whose amount is a little off: as long as the quarantine lasts, the exact one was nobody else's.
  const offs: readonly [off: Off, isOff: boolean, distance: number][] = [
    ["paid_already", !canBePaid(payment) && !isCanceled, 0.1],
    // Its details ended with it: that the money came later than they would have is no second thing.
    ["canceled", isCanceled, 0.1 + lateness(lateMs)],
    ["ended", lateMs >= 0 && !isCanceled, 0.2 + lateness(lateMs)],
    ["other_card", money.requisiteId !== payment.requisiteId, 1],
    ["amount", differenceMinor !== 0n, 0.3 + 7 * relative(differenceMinor, payment.toPayMinor)],
    ["not_issued", earlyMs > 0, 2 + earlyMs / DAY_MS],
  ];
  const found = offs.filter(([, isOff]) => isOff);
  if (found.length > 1 || !isNear(differenceMinor, payment.toPayMinor)) return undefined;
  const [off, , distance] = found[0] ?? (["nothing", true, 0] as const);
  return { off, differenceMinor, distance };
}

/** In days, of which the first, that of the quarantine, is short. */
function lateness(lateMs: number): number {
  const days = Math.max(0, lateMs) / DAY_MS;
  return days < 1 ? days / 20 : days;
}

function relative(difference: bigint, of: bigint): number {
  return Math.abs(Number(difference)) / Number(of);
}
