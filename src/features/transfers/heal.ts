// Money that waited because a balance did not follow or a person alone told of it, and need not wait any longer: the
// messages between have come, or a statement has shown it. It is matched by the rule, as if it had just been told.

import type { MadeWithin } from "../../domain/made-at.ts";
import { earlier, later } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { creditPayments } from "./credit.ts";
import { lockBroken } from "./evidence-queries.ts";
import { lockHolders, matchAll } from "./match.ts";
import { madeWithin, type TransferRow } from "./nouns.ts";
import { type NewTransfer, settleTransfer, transfersOf, waitFor } from "./queries.ts";

/** Who settled what no person did. */
export const ITSELF = "kopeck";

/**
 * Of these transfers, those that wait for such a reason; whatever else it waits for is said instead. Beside each
 * stands when it was paid by whoever proves it: whose it is must be so at all those moments, too, because a text
 * that was made up may stand where somebody else's money is. Late by either word is late.
 */
export async function healTransfers(
  tx: Tx,
  app: App,
  told: ReadonlyMap<string, MadeWithin | null>,
  reason: string,
): Promise<void> {
  const broken = await lockBroken(tx, [...told.keys()]);
  if (broken.length === 0) return;
  const transfers = (await transfersOf(tx, broken)).map((row) => {
    const transfer = storedTransfer(row);
    const also = told.get(row.id) ?? transfer.made;
    const from = earlier(transfer.made.from, also.from);
    const notBefore = later(transfer.made.from, also.from);
    return { ...transfer, made: { from, to: later(transfer.made.to, also.to), notBefore } };
  });
  const { holders, lines } = await lockHolders(tx, transfers);
  const { credits, waiting } = await matchAll(tx, transfers, holders);
  const now = app.clock.now();
  for (const { transfer, payment } of credits) {
    const settlement = { transferId: transfer.id, author: ITSELF, reason };
    await settleTransfer(tx, settlement, payment, now);
  }
  await creditPayments(
    tx,
    app,
    credits.map((credit) => ({ ...credit, fromSuspense: true })),
    lines,
  );
  await waitFor(
    tx,
    waiting.map(({ transfer, reason: why }) => ({ id: transfer.id, reason: why })),
  );
}

/** A transfer as it was told, from its row. */
export function storedTransfer(row: TransferRow): NewTransfer {
  const { channel, teller, reference, needs_proof: needsProof } = row;
  return {
    id: row.id,
    requisiteId: row.requisite_id,
    reference,
    currency: row.currency,
    amountMinor: row.amount_minor,
    payer: row.payer,
    madeAt: row.made_at,
    made: madeWithin(row),
    told: { channel, teller, key: reference, needsProof, hold: null },
  };
}
