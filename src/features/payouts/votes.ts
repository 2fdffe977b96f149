// What it takes several people to say of a payout: that it may leave, that it has not left, that it came back. Guards
// that each counts once, by whatever token, and only while they may act; and the rule for payouts that nobody knows
// of, and for large ones from the moment that somebody sees their number: what says that money has left needs a
// reference, what gives it back to the user needs two people.

import { takesTwo, whyNotCounted } from "../../domain/four-eyes.ts";
import type { RefusalCode } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Operator } from "../operators/operator.ts";
import { handsOf } from "../operators/queries.ts";
import type { Told } from "./attempts.ts";
import type { Payout } from "./queries.ts";
import { addVotes, type GivenVote, type VoteSubject, votesOf } from "./vote-queries.ts";

export const VOTES_NEEDED = 2;

/** Whether one person's word does not do, however fresh it is. */
export function takesTwoToGiveBack({ config }: App, { withdrawMinor }: Payout): boolean {
  return takesTwo(withdrawMinor, config.fourEyesFrom);
}

interface Word {
  readonly payoutId: string;
  /** Of the attempt; 0 where it is about none. */
  readonly number: number;
  /** Without whole numbers of cards. */
  readonly reason: string | null;
}

export interface NotSent extends Word {
  readonly reason: string;
  /** Whether it is to stand in line again; of several people the last one says. */
  readonly retry: boolean;
}

/** As an answer; by who knows it: whoever has the payout in their hands, or enough who do not. */
export function toldNotSent({ payoutId, number, reason, retry }: NotSent): Told {
  const answer = { kind: "not_sent", reason, retry } as const;
  return { payoutId, number, answer, how: "decided" };
}

interface Poll {
  readonly subject: VoteSubject;
  /** How many it takes. */
  readonly needed?: number;
  /** Who has asked for the payout, where their word does not count. */
  readonly authorId?: string | null;
}

/**
 * How many say so by now, for each, of those who may still act; or why this operator's word does not count. Once they
 * are enough, the caller does what they say.
 */
export async function voteOn(
  { subject, needed = VOTES_NEEDED, authorId = null }: Poll,
  tx: Tx,
  app: App,
  { id: operatorId }: Operator,
  told: readonly Word[],
): Promise<(number | RefusalCode)[]> {
  if (told.length === 0) return [];
  const now = app.clock.now();
  const ids = told.map(({ payoutId }) => payoutId);
  const votes = await standingVotes(tx, ids, subject, now);
  const people = new Set(votes.map((one) => one.operatorId)).add(operatorId);
  if (authorId !== null) people.add(authorId);
  const handOf = await handsOf(tx, [...people], now);
  const author = authorId === null ? undefined : handOf(authorId);
  const fresh: Word[] = [];
  const counts = told.map((word) => {
    const given = votes.filter(
      (one) => one.payoutId === word.payoutId && one.attempt === word.number,
    );
    const others = given.map((one) => handOf(one.operatorId));
    const refusal = whyNotCounted(handOf(operatorId), others, author);
    // Hands, not words: one may have given two, each while the other's token or role was taken away.
    const here = given.filter((one) => one.counts).map((one) => handOf(one.operatorId).handId);
    const counting = new Set(here).size;
    // Whoever had lost their role has it again: enough have said so, and none of them has to anew.
    if (refusal === "payout_voted_already" && counting >= needed) return counting;
    if (refusal === undefined) fresh.push(word);
    return refusal ?? counting + 1;
  });
  await addVotes(
    tx,
    fresh.map(({ payoutId, number: attempt, reason }) => ({
      payoutId,
      attempt,
      operatorId,
      subject,
      reason,
    })),
    now,
  );
  return counts;
}

/** Those of a subject that nobody has revoked or contradicted since. */
export async function standingVotes(
  tx: Tx,
  payoutIds: readonly string[],
  subject: VoteSubject,
  now: Date,
): Promise<GivenVote[]> {
  const votes = await votesOf(tx, payoutIds, now);
  return votes.filter((one) => one.stands && one.subject === subject);
}
