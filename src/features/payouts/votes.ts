// What it takes several people to say of a payout: that it may leave, that it has not left, that it came back. Guards
// that each counts once, by whatever token, and only while they may act; and the rule for payouts that nobody knows
// of, and for large ones from the moment that somebody sees their number: what says that money has left needs a
// reference, what gives it back to the user needs two people.

import { maskNumbers } from "../../domain/card-number.ts";
import { takesTwo, whyNotCounted } from "../../domain/four-eyes.ts";
import type { RefusalCode } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Operator } from "../operators/operator.ts";
import { handsOf } from "../operators/queries.ts";
import type { Told } from "./attempts.ts";
import type { Payout } from "./queries.ts";
import { addVotes, type VoteSubject, votesOf } from "./vote-queries.ts";

export const VOTES_NEEDED = 2;

/** Whether one person's word does not do, however fresh it is. */
export function takesTwoToGiveBack({ config }: App, { withdrawMinor }: Payout): boolean {
  return takesTwo(withdrawMinor, config.fourEyesFrom);
}

interface Word {
  readonly payoutId: string;
  /** Of the attempt; 0 where it is about none. */
  readonly number: number;
  readonly reason: string | null;
}

export interface NotSent extends Word {
  readonly reason: string;
  /** Whether it is to stand in line again; of several people the last one says. */
  readonly retry: boolean;
}

/** As an answer; by who knows it: whoever has the payout in their hands, or enough who do not. */
export function toldNotSent({ payoutId, number, reason, retry }: NotSent): Told {
  const answer = { kind: "not_sent", reason: maskNumbers(reason), retry } as const;
  return { payoutId, number, answer };
}

/**
 * How many say so by now, for each, of those who may still act; or why this operator's word does not count. Once they
 * are enough, the caller does what they say.
 */
export async function voteOn(
  subject: VoteSubject,
  tx: Tx,
  app: App,
  { id: operatorId }: Operator,
  told: readonly Word[],
  authorId: string | null = null,
): Promise<(number | RefusalCode)[]> {
  if (told.length === 0) return [];
  const ids = told.map(({ payoutId }) => payoutId);
  const votes = (await votesOf(tx, ids)).filter((one) => one.subject === subject);
  const people = new Set(votes.map((one) => one.operatorId)).add(operatorId);
  if (authorId !== null) people.add(authorId);
  const handOf = await handsOf(tx, [...people], app.clock.now());
  const author = authorId === null ? undefined : handOf(authorId);
  const counts = told.map(({ payoutId, number }) => {
    const given = votes
      .filter((one) => one.payoutId === payoutId && one.attempt === number)
      .map((one) => handOf(one.operatorId));
    const refusal = whyNotCounted(handOf(operatorId), given, author);
    return refusal ?? given.filter(({ isHere }) => isHere).length + 1;
  });
  const fresh = told.filter((_, place) => typeof counts[place] === "number");
  await addVotes(
    tx,
    fresh.map(({ payoutId, number: attempt, reason }) => ({
      ...{ payoutId, attempt, operatorId, subject },
      reason: reason === null ? null : maskNumbers(reason),
    })),
    app.clock.now(),
  );
  return counts;
}
