// People say that a payout has not left: which payouts need two of them, and what follows.

import { needsTwo } from "../../domain/approval.ts";
import type { App } from "../../platform/app.ts";
import type { Told } from "./attempts.ts";
import type { Payout } from "./queries.ts";

/** From the limit on, one person alone does not give a payout's money back to its user. */
export function givingBackNeedsTwo({ config }: App, { withdrawMinor }: Payout): boolean {
  return needsTwo(withdrawMinor, config.fourEyesFrom);
}

export interface NotSent {
  readonly payoutId: string;
  /** Of the attempt. */
  readonly number: number;
  /** Without whole card numbers. */
  readonly reason: string;
  /** Whether it is queued again; of several people the last one says. */
  readonly retry: boolean;
}

export const NOT_SENT = { subject: "payout", action: "not_sent", needed: 2 } as const;

/** As an approval that the payout has not left. */
export function approvalOf({ payoutId, number, reason }: NotSent) {
  return { subjectId: payoutId, attempt: number, reason };
}

/** As an answer, once enough people say so. */
export function toldNotSent({ payoutId, number, reason, retry }: NotSent): Told {
  const answer = { kind: "not_sent", reason, retry } as const;
  return { payoutId, number, answer, how: "decided" };
}
