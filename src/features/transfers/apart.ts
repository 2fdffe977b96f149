// Money that others have told of apart from it: the same, stored twice because nobody could know then. Guards that
// what waited for its balance is not money again once that follows, and that what a person says to be the same is
// in the books once.

import { needsTwo } from "../../domain/approval.ts";
import { likeliest, spanOf } from "../../domain/count-rule.ts";
import { momentFormat } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { lockBroken, tellingsInBuckets, undoneAmong } from "./evidence-queries.ts";
import { healTransfers, storedTransfer } from "./heal.ts";
import type { TransferRow } from "./nouns.ts";
import { type NewTransfer, transfersOf, waitFor } from "./queries.ts";
import { inBuckets, knownTransfers, pairedIn, prove } from "./telling.ts";

/**
 * Their balances follow by now, so they are matched by the rule: but for what others have told of apart from
 * them meanwhile, or may have. Nobody knew then that it was there, and by itself it would be money twice.
 */
export async function healFollowing(tx: Tx, app: App, ids: readonly string[]): Promise<void> {
  const broken = await lockBroken(tx, ids);
  const apart = await toldApart(tx, app, (await transfersOf(tx, broken)).map(storedTransfer));
  await waitFor(
    tx,
    [...apart].map((id) => ({ id, reason: "maybe_known" as const })),
  );
  const told = new Map(broken.filter((id) => !apart.has(id)).map((id) => [id, null]));
  await healTransfers(tx, app, told, "its balance follows from another message");
}

async function toldApart(
  tx: Tx,
  app: App,
  transfers: readonly NewTransfer[],
): Promise<ReadonlySet<string>> {
  const buckets = [...inBuckets(transfers)];
  if (buckets.length === 0) return new Set();
  const rows = await tellingsInBuckets(
    tx,
    buckets.map(([bucket]) => bucket),
  );
  // Each has its own place: what finds another one as well is told of there.
  const apart = pairedIn(app, buckets, rows).filter(([, paired]) => paired !== "new");
  return new Set(apart.map(([{ id }]) => id));
}

/** Whether what a person returns has come: it is not made up, nor money that the books have otherwise. */
export async function isMoneyMore(
  tx: Tx,
  app: App,
  { row, ...transfer }: NewTransfer & { readonly row: TransferRow },
): Promise<boolean> {
  const { needs_proof: needsProof, suspense_reason: why, channel } = row;
  const isMadeUp = why === "told_by_hand" && channel === "hand";
  if (why === "maybe_known" && (await isInBooks(tx, app, transfer))) return false;
  return !needsProof && why !== "balance_break" && !isMadeUp;
}

/**
 * A person says that this is money which the books have. Whether they do is the answer; where this one is proven,
 * what it is the same as is, too: what nobody has proven yet before all else, then the nearest.
 */
async function isInBooks(tx: Tx, app: App, transfer: NewTransfer): Promise<boolean> {
  const [bucket] = [...inBuckets([transfer]).keys()];
  if (bucket === undefined) return false;
  const rows = (await tellingsInBuckets(tx, [bucket])).filter(({ id }) => id !== transfer.id);
  const undone = await undoneAmong(
    tx,
    rows.map(({ id }) => id),
  );
  const booked = rows.filter(({ id }) => !undone.has(id));
  const zone = momentFormat(app.config.timeZone);
  const span = spanOf({ ...transfer, channel: transfer.told.channel }, zone);
  const among = (some: typeof rows) =>
    likeliest(knownTransfers(some, zone), transfer.told.teller, span);
  const unproven = booked.filter(
    ({ needs_proof, standing }) => needs_proof && standing === "plain",
  );
  const same = among(unproven);
  // Of so much one person's word proves nothing that a phone has told of.
  const isLarge = needsTwo(transfer.amountMinor, app.config.fourEyesFrom);
  if (same !== undefined && !transfer.told.needsProof && !isLarge) {
    await prove(tx, app, new Map([[same, transfer.made]]), "a person says that it is the same");
  }
  // What went back by our word had come.
  const all = booked.map((row) => ({ ...row, standing: "plain" as const }));
  return same !== undefined || among(all) !== undefined;
}
