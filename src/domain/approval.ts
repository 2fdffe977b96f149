// Dual approval: which amounts need two people, and whose approval counts.

import { minorFromNumber } from "./money.ts";
import type { RefusalCode } from "./refusal.ts";

export const APPROVAL_SUBJECTS = ["payout", "transfer", "statement_line"] as const;

export type ApprovalSubject = (typeof APPROVAL_SUBJECTS)[number];

/**
 * approve: a payout may leave. sent, not_sent, returned: what became of a payout. assign: a transfer in suspense pays a
 * payment. book: a statement line is new money.
 */
export const APPROVAL_ACTIONS = [
  "approve",
  "sent",
  "not_sent",
  "returned",
  "assign",
  "book",
] as const;

export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

export const APPROVALS_NEEDED = 2;

/** Without a limit no amount needs two people. The limit itself does. */
export function needsTwo(amountMinor: bigint, from: number | undefined): boolean {
  const fromMinor = from === undefined ? undefined : minorFromNumber(from);
  return fromMinor !== undefined && amountMinor >= fromMinor;
}

/** A transfer that one person entered by hand needs two people, whatever the limit is. */
export function assigningNeedsTwo(
  amountMinor: bigint,
  suspenseReason: string | null,
  from: number | undefined,
): boolean {
  return suspenseReason === "told_by_hand" || needsTwo(amountMinor, from);
}

export interface Party {
  readonly operatorId: string;
  /** The person behind the operator: all tokens that one person has made count as one. */
  readonly personId: string;
}

export interface Approver extends Party {
  /** Without the role, or with a token that has ended, an approval does not count. */
  readonly mayAct: boolean;
}

export type Judgement =
  | { readonly refused: RefusalCode }
  /** How many people approve it with this one. */
  | { readonly count: number; readonly isFresh: boolean };

/** What one more approval does, beside those that are open. Each person counts once, and never for their own request. */
export function judgeApproval(
  own: Party,
  open: readonly Approver[],
  needed: number,
  askedBy?: Party,
): Judgement {
  if (own.personId === askedBy?.personId) {
    const isSameToken = own.operatorId === askedBy.operatorId;
    return { refused: isSameToken ? "approval_own" : "approval_same_person" };
  }
  const counting = open.filter(({ mayAct }) => mayAct);
  const others = new Set(counting.map(({ personId }) => personId));
  others.delete(own.personId);
  const count = others.size + 1;
  const earlier = counting.find(({ personId }) => personId === own.personId);
  if (earlier === undefined) return { count, isFresh: true };
  // Somebody who had lost their role has it again: enough people approve it, and none has to once more.
  if (count >= needed) return { count, isFresh: false };
  const isSameToken = own.operatorId === earlier.operatorId;
  return { refused: isSameToken ? "approval_repeated" : "approval_same_person" };
}
