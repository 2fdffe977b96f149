// Every statement about the operator's own moves.

import type { Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";
import type { OwnMoveRow } from "./nouns.ts";

/** One after another: what an account holds is summed up, and nobody else takes of it meanwhile. */
export async function lockMoves(tx: Tx): Promise<void> {
  await tx.query("lock table own_moves in share row exclusive mode");
}

export async function moveOfReference(
  tx: Tx,
  kind: OwnMoveRow["kind"],
  reference: string,
): Promise<OwnMoveRow | undefined> {
  const [row] = await tx.query<OwnMoveRow>(
    "select * from own_moves where kind = $1 and reference = $2",
    [kind, reference],
  );
  return row;
}

const COLUMNS =
  "id, kind, account, currency, amount_minor, requisite_id, transfer_id, reference, reason, author, created_at";

export async function addMove(tx: Tx, move: OwnMoveRow): Promise<void> {
  await addRows(tx, `insert into own_moves (${COLUMNS})`, [move]);
}
