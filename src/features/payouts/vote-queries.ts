// Every statement about what it takes several people to say of a payout.

import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

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

/**
 * Each later than whatever was said of its payout before, by whichever gateway's clock: the payouts are locked, and
 * what counts is the order.
 */
export async function addVotes(tx: Tx, votes: readonly Vote[], now: Date): Promise<void> {
  if (votes.length === 0) return;
  await tx.query(
    `insert into payout_votes (payout_id, subject, attempt, operator_id, reason, created_at)
     select "payoutId", subject, attempt, "operatorId", reason, greatest($2::timestamptz,
       (select max(created_at) from payout_votes where payout_id = "payoutId") + interval '1 ms',
       (select max(reopened_at) from payout_attempts where payout_id = "payoutId") + interval '1 ms')
     from json_to_recordset($1) as fresh("payoutId" uuid, subject text, attempt integer,
       "operatorId" uuid, reason text)`,
    [rowsOf(votes), now],
  );
}
