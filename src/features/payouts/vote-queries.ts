// Every statement about what it takes several people to say of a payout.

import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";

/** That it may leave; what became of one that nobody knows of; that it has come back, or has not after all. */
export const VOTE_SUBJECTS = ["approve", "sent", "not_sent", "returned", "not_returned"] as const;

export type VoteSubject = (typeof VOTE_SUBJECTS)[number];

export interface Vote {
  readonly payoutId: string;
  readonly subject: VoteSubject;
  /** Of the attempt that it is about; 0 for none. */
  readonly attempt: number;
  readonly operatorId: string;
  readonly reason: string | null;
}

export interface GivenVote extends Vote {
  readonly operatorName: string;
  readonly createdAt: Date;
  /** Whether nobody has revoked or contradicted it since. */
  readonly stands: boolean;
  /** Whether it stands, and whoever gave it may handle money at this moment. */
  readonly counts: boolean;
}

/** The first one first. Whoever has locked the payouts sees them stand still. */
export function votesOf(
  db: Queryable,
  payoutIds: readonly string[],
  now: Date,
): Promise<GivenVote[]> {
  return db.query<GivenVote>(
    `select *, stands and may_act as counts
     from (select vote.payout_id as "payoutId", vote.subject, vote.attempt, vote.reason,
                  vote.operator_id as "operatorId", operator.name as "operatorName",
                  vote.created_at as "createdAt", operator.revoked_at is null and vote.created_at
                    > words_begin(vote.payout_id, vote.subject, vote.attempt) as stands,
                  operator.role in ('operator', 'cashier')
                    and (operator.ends_at is null or operator.ends_at > $2) as may_act
           from payout_votes vote join operators operator on operator.id = vote.operator_id
           where vote.payout_id = any($1::uuid[])) said
     order by "createdAt", "operatorId"`,
    [payoutIds, now],
  );
}

/** How many hands let it go, whatever became of their tokens since: one that makes and revokes them is one. */
export async function countApprovals(tx: Tx, payoutId: string): Promise<number> {
  const hands = await tx.query(
    `select distinct hand_of(operator_id) from payout_votes
     where payout_id = $1 and subject = 'approve'`,
    [payoutId],
  );
  return hands.length;
}

export async function addVotes(tx: Tx, votes: readonly Vote[], now: Date): Promise<void> {
  if (votes.length === 0) return;
  await addRows(
    tx,
    "insert into payout_votes (payout_id, subject, attempt, operator_id, reason, created_at)",
    votes.map(({ payoutId, subject, attempt, operatorId, reason }) => ({
      ...{ payout_id: payoutId, subject, attempt, operator_id: operatorId, reason },
      created_at: now,
    })),
  );
}
