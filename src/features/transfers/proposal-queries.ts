// Every statement about what one person proposes and another confirms. A transfer's proposals change under the lock
// of its row: whoever has that sees them stand still.

import type { ProposalState } from "../../domain/four-eyes.ts";
import type { Tx } from "../../platform/db.ts";
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
