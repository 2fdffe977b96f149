// Money that waits, and a payment that it may have been meant for: the one thing that is off. A hint for
// whoever settles it, never a reason to book anything.

import type { InvoiceState } from "./invoice.ts";
import { CLOCKS_APART_SECONDS, type MadeWithin } from "./made-at.ts";
import { addSeconds } from "./moment.ts";
import type { PaymentState } from "./payment.ts";
import { canBePaid } from "./transfer.ts";

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
