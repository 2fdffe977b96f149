// Money that a user has asked to be sent, and the only ways its state may change. Nothing leaves `unknown` by
// time: what may have left is not given back, nor sent again, until somebody knows.

import type { Edges } from "./edge.ts";
import { divCeil, PARTS_PER_MILLION } from "./money.ts";

export const PAYOUT_STATES = [
  ...(["held", "queued", "sending", "unknown"] as const),
  ...(["done", "failed", "canceled", "returned"] as const),
] as const;

export type PayoutState = (typeof PAYOUT_STATES)[number];

export const PAYOUT_EDGES: Edges<PayoutState> = {
  held: ["queued", "canceled"],
  // Nobody knows of one that was tried before, and is shown to have left then.
  queued: ["sending", "canceled", "unknown"],
  // Back in line only where it has not left, for certain.
  sending: ["queued", "done", "failed", "unknown"],
  unknown: ["queued", "done", "failed"],
  // Money may come back after a bank has said that it arrived,
  done: ["returned"],
  // and may turn out to have left after all.
  failed: ["done"],
  canceled: ["done"],
  returned: [],
};

/** What clients of this API read. */
const WIRE_STATES = {
  held: "wait",
  queued: "wait",
  sending: "wait",
  unknown: "wait",
  done: "success",
  failed: "fail",
  canceled: "fail",
  returned: "fail",
} as const satisfies Record<PayoutState, string>;

export type WireState = (typeof WIRE_STATES)[PayoutState];

export function wireState(state: PayoutState): WireState {
  return WIRE_STATES[state];
}

/** What an event's code says of it; a state without one is not told. */
export const EVENT_CODES: Readonly<Partial<Record<PayoutState, number>>> = {
  done: 1,
  failed: 41,
  canceled: 42,
  returned: 43,
};

export const PAYOUT_SERVICES = ["card", "sbp"] as const;

export type PayoutService = (typeof PAYOUT_SERVICES)[number];

/** Where the fee is taken from: on top of the amount, from the balance; or out of the amount. */
export const SUBTRACTS = ["balance", "amount"] as const;

export type Subtract = (typeof SUBTRACTS)[number];

export interface Parts {
  /** What leaves the balance: always the two others together. */
  readonly withdrawMinor: bigint;
  readonly receiveMinor: bigint;
  readonly feeMinor: bigint;
}

export interface PayoutRates {
  readonly percentPpm: number;
  readonly fixMinor: bigint;
}

/** Undefined where the fee would leave nothing to send. */
export function partsOf(
  amountMinor: bigint,
  subtract: Subtract,
  { percentPpm, fixMinor }: PayoutRates,
): Parts | undefined {
  const feeMinor = divCeil(amountMinor * BigInt(percentPpm), PARTS_PER_MILLION) + fixMinor;
  if (subtract === "balance") {
    return { withdrawMinor: amountMinor + feeMinor, receiveMinor: amountMinor, feeMinor };
  }
  if (feeMinor >= amountMinor) return undefined;
  return { withdrawMinor: amountMinor, receiveMinor: amountMinor - feeMinor, feeMinor };
}
