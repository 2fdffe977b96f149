// Four eyes: from a sum on, what one person says of money by hand moves none until another one has confirmed it.
// Guards that nobody is their own second, by whatever token.

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
