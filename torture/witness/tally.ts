// What the witness has been promised, in sums: counted when an answer comes, never looked up.

import { creditOf, extraAmountOf, type Life, refundOf, type Step } from "./life.ts";

export interface Tally {
  invoices: number;
  payments: number;
  transfers: number;
  refunds: number;
  suspenseMinor: number;
  /** By user. */
  readonly creditedMinor: Map<string, number>;
  readonly refundedMinor: Map<string, number>;
}

export function newTally(): Tally {
  return {
    ...{ invoices: 0, payments: 0, transfers: 0, refunds: 0, suspenseMinor: 0 },
    ...{ creditedMinor: new Map(), refundedMinor: new Map() },
  };
}

/** The answer is among what the life has heard already. */
export function reckon(tally: Tally, life: Life, step: Step): void {
  const add = (sums: Map<string, number>, minor: number): void =>
    void sums.set(life.userId, (sums.get(life.userId) ?? 0) + minor);
  switch (step) {
    case "create":
      tally.invoices += 1;
      break;
    case "details":
      tally.payments += 1;
      break;
    case "transfer":
      tally.transfers += 1;
      add(tally.creditedMinor, creditOf(life));
      break;
    case "extra":
      tally.transfers += 1;
      tally.suspenseMinor += extraAmountOf(life);
      break;
    case "refund":
      tally.refunds += 1;
      add(tally.refundedMinor, refundOf(life));
      break;
  }
}

export const balanceMinor = ({ creditedMinor, refundedMinor }: Tally, userId: string): number =>
  (creditedMinor.get(userId) ?? 0) - (refundedMinor.get(userId) ?? 0);
