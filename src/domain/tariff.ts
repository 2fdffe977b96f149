// Fees of a shop. Their parts add up, none is negative, and something is left to credit.

import { divCeil, PARTS_PER_MILLION } from "./money.ts";

export interface Tariff {
  readonly service: string;
  readonly currency: string;
  /** The whole commission; always the sum of the shop's and the payer's rate. */
  readonly percentPpm: number;
  readonly shopPercentPpm: number;
  readonly userPercentPpm: number;
  readonly fixMinor: bigint;
  readonly minMinor: bigint;
  readonly maxMinor: bigint;
  readonly enabled: boolean;
}

export interface Fee {
  readonly totalMinor: bigint;
  readonly payerMinor: bigint;
  readonly shopMinor: bigint;
}

export type Rates = Pick<Tariff, "percentPpm" | "userPercentPpm" | "fixMinor">;

/**
 * The payer's rate never exceeds the whole rate, and rounding up keeps order, so the shop's part,
 * which is the rest, cannot be negative.
 */
export function feeOf(amountMinor: bigint, rates: Rates): Fee {
  const totalMinor = share(amountMinor, rates.percentPpm) + rates.fixMinor;
  const payerMinor = share(amountMinor, rates.userPercentPpm);
  return { totalMinor, payerMinor, shopMinor: totalMinor - payerMinor };
}

/**
 * Whether something is left to credit when the amount is paid: the payer's part comes on top of it, so
 * it is the shop's part that must be below it. With one kopeck more the whole fee's percentage, at most
 * 100, grows by one kopeck at most and the payer's part never shrinks: what holds for an amount holds
 * for every larger one, so a tariff's smallest amount speaks for all of them.
 */
export function leavesCredit(amountMinor: bigint, { shopMinor }: Fee): boolean {
  return shopMinor < amountMinor;
}

function share(amountMinor: bigint, ratePpm: number): bigint {
  return divCeil(amountMinor * BigInt(ratePpm), PARTS_PER_MILLION);
}
