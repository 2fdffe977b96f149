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

/** What of the openings of this requisite has not gone back. */
export async function openedOn(tx: Tx, requisiteId: string): Promise<bigint> {
  const [row] = await tx.query<{ minor: bigint }>(
    `select coalesce(sum(case kind when 'opening' then amount_minor else -amount_minor end), 0)::bigint
       as minor
     from own_moves where requisite_id = $1 and kind in ('opening', 'opening_back')`,
    [requisiteId],
  );
  return row?.minor ?? 0n;
}

const COLUMNS =
  "id, kind, account, currency, amount_minor, requisite_id, transfer_id, reference, reason, author, created_at";

export async function addMove(tx: Tx, move: OwnMoveRow): Promise<void> {
  await addRows(tx, `insert into own_moves (${COLUMNS})`, [move]);
}
