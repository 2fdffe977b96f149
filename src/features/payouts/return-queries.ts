// The statement that links a payout and the transfer that it came back as.

import type { Tx } from "../../platform/db.ts";

/** What it came back as; false where that is known already. The payout is locked. */
export async function setReturnTransfer(tx: Tx, id: string, transferId: string): Promise<boolean> {
  const rows = await tx.query(
    `update payouts set return_transfer_id = $2
     where id = $1 and return_transfer_id is null returning id`,
    [id, transferId],
  );
  return rows.length > 0;
}
