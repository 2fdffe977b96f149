// Four eyes: from a sum on, what one person says of money by hand moves none until another one has confirmed it; and
// what takes several people of payouts. Guards that nobody is their own second, by whatever token.

import { minorFromNumber } from "./money.ts";
import type { RefusalCode } from "./refusal.ts";

/** Over: the transfer was settled in another way meanwhile. */
export const PROPOSAL_STATES = ["open", "confirmed", "declined", "withdrawn", "over"] as const;

export type ProposalState = (typeof PROPOSAL_STATES)[number];

/** Whether so much takes two people; without a sum nothing does. The sum itself does. */
export function takesTwo(amountMinor: bigint, from: number | undefined): boolean {
  const fromMinor = from === undefined ? undefined : minorFromNumber(from);
  return fromMinor !== undefined && amountMinor >= fromMinor;
}

/** Whether assigning it does. What a person alone has told of does, whatever the sum is set to by now. */
export function assigningTakesTwo(
  amountMinor: bigint,
  suspenseReason: string | null,
  from: number | undefined,
): boolean {
  return suspenseReason === "told_by_hand" || takesTwo(amountMinor, from);
}

export interface Party {
  readonly operatorId: string;
  /** Whoever made their token, and so has seen it; themselves, where nobody has. */
  readonly handId: string;
}

export interface Proposal {
  readonly state: ProposalState;
  readonly proposer: Party;
  /** Whether the proposer may still act. */
  readonly isProposerHere: boolean;
}

/** Why this one cannot confirm it; undefined where they can. */
export function whyNotConfirmed(
  { state, proposer, isProposerHere }: Proposal,
  second: Party,
): RefusalCode | undefined {
  if (state !== "open") return "proposal_ended";
  if (second.operatorId === proposer.operatorId) return "proposal_own";
  if (second.handId === proposer.handId) return "proposal_same_hand";
  return isProposerHere ? undefined : "proposal_without_author";
}

/** What becomes of an open one that somebody does not want; undefined where it is open no longer. */
export function declinedAs(
  state: ProposalState,
  proposerId: string,
  operatorId: string,
): "withdrawn" | "declined" | undefined {
  if (state !== "open") return undefined;
  return proposerId === operatorId ? "withdrawn" : "declined";
}

/** Whether to book a line of a statement that waits does; what one has said so of does, whatever the sum is set to. */
export function bookingTakesTwo(
  amountMinor: bigint,
  votes: number,
  from: number | undefined,
): boolean {
  return votes > 0 || takesTwo(amountMinor, from);
}

export interface Voter extends Party {
  /** Whether they may still act: what others said counts no longer. */
  readonly isHere: boolean;
}

/** What this one's word is, after those that were given of the same line; or why it is none. */
export function judgeVote(
  own: Party,
  given: readonly Voter[],
): "first" | "second" | "line_voted_already" | "line_same_hand" {
  const counting = given.filter(({ isHere }) => isHere);
  if (counting.some(({ handId }) => handId !== own.handId)) return "second";
  if (given.some(({ operatorId }) => operatorId === own.operatorId)) return "line_voted_already";
  return counting.length > 0 ? "line_same_hand" : "first";
}

/** Why this one's word about a payout does not count, after those that were given; undefined where it does. */
export function whyNotCounted(
  own: Party,
  given: readonly Party[],
  author?: Party,
): RefusalCode | undefined {
  if (own.operatorId === author?.operatorId) return "payout_own_approval";
  if (given.some(({ operatorId }) => operatorId === own.operatorId)) return "payout_voted_already";
  const others = author === undefined ? given : [author, ...given];
  return others.some(({ handId }) => handId === own.handId) ? "payout_same_hand" : undefined;
}
