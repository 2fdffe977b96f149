// Every statement about what one person proposes and another confirms. A transfer's proposals change under the lock
// of its row: whoever has that sees them stand still.

import type { ProposalState } from "../../domain/four-eyes.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import type { ProposalRow } from "./proposal-nouns.ts";

export async function addProposal(
  tx: Tx,
  proposal: Pick<
    ProposalRow,
    "id" | "transfer_id" | "payment_id" | "reason" | "proposed_by" | "created_at"
  >,
): Promise<void> {
  await addRows(
    tx,
    "insert into transfer_proposals (id, transfer_id, payment_id, reason, proposed_by, created_at, state)",
    [{ ...proposal, state: "open" }],
  );
}

export interface Ending {
  readonly state: Exclude<ProposalState, "open" | "over">;
  readonly operatorId: string;
  readonly reason: string | null;
}

export async function endProposal(
  tx: Tx,
  id: string,
  { state, operatorId, reason }: Ending,
  now: Date,
): Promise<void> {
  await tx.query(
    `update transfer_proposals set state = $2, ended_by = $3, ended_reason = $4, ended_at = $5
     where id = $1`,
    [id, state, operatorId, reason, now],
  );
}

/** Whoever has made the tokens of these; and whether they may handle money at this moment. */
export async function handsOf(
  db: Queryable,
  operatorIds: readonly string[],
  now: Date,
): Promise<Map<string, { readonly handId: string; readonly isHere: boolean }>> {
  const rows = await db.query<{ id: string; handId: string; isHere: boolean }>(
    `select id, hand_of(id) as "handId",
            role in ('operator', 'cashier') and revoked_at is null
              and (ends_at is null or ends_at > $2) as "isHere"
     from operators where id = any($1::uuid[])`,
    [operatorIds, now],
  );
  return new Map(rows.map(({ id, ...hand }) => [id, hand]));
}
