// Every statement about what it takes several people to say of a payout.

import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";

/** That it may leave; what became of one that nobody knows of; that it has come back. */
export type VoteSubject = "approve" | "sent" | "not_sent" | "returned";

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
}

/** Of operators who are still ones. The first one first. Whoever has locked the payouts sees them stand still. */
export function votesOf(db: Queryable, payoutIds: readonly string[]): Promise<GivenVote[]> {
  return db.query<GivenVote>(
    `select vote.payout_id as "payoutId", vote.subject, vote.attempt, vote.reason,
            vote.operator_id as "operatorId", operator.name as "operatorName",
            vote.created_at as "createdAt"
     from payout_votes vote join operators operator on operator.id = vote.operator_id
     where vote.payout_id = any($1::uuid[]) and operator.revoked_at is null
     order by vote.created_at, vote.operator_id`,
    [payoutIds],
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
