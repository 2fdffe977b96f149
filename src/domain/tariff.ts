// What a shop pays for a service, and the arithmetic of its fees. Guards the invariant that the
// parts of a fee add up and none is negative, for every amount and every tariff.

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

function share(amountMinor: bigint, ratePpm: number): bigint {
  return divCeil(amountMinor * BigInt(ratePpm), PARTS_PER_MILLION);
}
