// Saying that money has not left, or has come back. Guards the rule for payouts that nobody knows of, and for large
// ones from the moment that somebody sees their number: what says that money has left needs a reference, what gives
// it back to the user needs two people.

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
  readonly reason: string;
}

export interface NotSent extends Word {
  /** Whether it is to stand in line again; of several people the last one says. */
  readonly retry: boolean;
}

/** As an answer; by who knows it: whoever has the payout in their hands, or enough who do not. */
export function toldNotSent({ payoutId, number, reason, retry }: NotSent): Told {
  const answer = { kind: "not_sent", reason: maskNumbers(reason), retry } as const;
  return { payoutId, number, answer };
}

/**
 * How many say so by now, for each; or why this operator's word does not count. Once they are enough, the caller
 * takes it for an answer.
 */
export async function voteOn(
  subject: VoteSubject,
  tx: Tx,
  app: App,
  { id: operatorId }: Operator,
  told: readonly Word[],
): Promise<(number | RefusalCode)[]> {
  if (told.length === 0) return [];
  const votes = await votesOf(
    tx,
    told.map(({ payoutId }) => payoutId),
  );
  const voters = new Set(votes.map((one) => one.operatorId)).add(operatorId);
  const handOf = await handsOf(tx, [...voters], app.clock.now());
  const counts = told.map(({ payoutId, number }) => {
    const given = votes.filter(
      (one) => one.payoutId === payoutId && one.subject === subject && one.attempt === number,
    );
    const hands = given.map((one) => handOf(one.operatorId));
    return whyNotCounted(handOf(operatorId), hands) ?? hands.length + 1;
  });
  const fresh = told.filter((_, place) => typeof counts[place] === "number");
  await addVotes(
    tx,
    fresh.map(({ payoutId, number: attempt, reason }) => ({
      ...{ payoutId, attempt, operatorId, subject, reason: maskNumbers(reason) },
    })),
    app.clock.now(),
  );
  return counts;
}
