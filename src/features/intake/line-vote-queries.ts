// Every statement about what it takes two people to say of a line of a statement. A line's votes are given under the
// lock of its row: whoever has that sees them stand still.

import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";

/** Of an operator called voter; when a token ends, only whoever has a clock knows. */
export const MAY_VOTE = "voter.revoked_at is null and voter.role in ('operator', 'cashier')";

/** Somebody who may act at that moment has said that it is money of its own, and it is not booked yet; called `row`. */
export const TO_CONFIRM = `(row.fate = 'waiting' and row.id in (
      select line_id from line_votes join operators voter on voter.id = operator_id
      where ${MAY_VOTE} and (voter.ends_at is null or voter.ends_at > ?)))`;

export interface LineVote {
  readonly line_id: string;
  readonly operator_id: string;
  readonly reason: string;
  readonly created_at: Date;
}

/** The first one first. */
export function lineVotesOf(
  db: Queryable,
  lineId: string,
): Promise<{ operatorId: string; operatorName: string }[]> {
  return db.query(
    `select vote.operator_id as "operatorId", operator.name as "operatorName"
     from line_votes vote join operators operator on operator.id = vote.operator_id
     where vote.line_id = $1 order by vote.created_at, vote.operator_id`,
    [lineId],
  );
}

/** One that somebody has given before, and that counts again, stays as it was. */
export async function addLineVote(tx: Tx, vote: LineVote): Promise<void> {
  await addRows(
    tx,
    "insert into line_votes (line_id, operator_id, reason, created_at)",
    [vote],
    "on conflict do nothing",
  );
}
