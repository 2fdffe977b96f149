// Who tells of money, by the count rule of domain/count-rule.ts. Money that several tell of is
// booked once, and what waited for a word or a balance is matched again.

import { needsTwo } from "../../domain/approval.ts";
import { holdsCardNumber } from "../../domain/card-number.ts";
import {
  FARTHEST_SECONDS,
  type KnownTransfer,
  likeliest,
  type Paired,
  pairTellings,
  spanOf,
} from "../../domain/count-rule.ts";
import { formsOf } from "../../domain/fast-payment.ts";
import type { MadeWithin } from "../../domain/made-at.ts";
import {
  addSeconds,
  earlier,
  later,
  type MomentFormat,
  momentFormat,
} from "../../domain/moment.ts";
import type { RefusalCode } from "../../domain/refusal.ts";
import type { SuspenseReason } from "../../domain/transfer.ts";
import type { App } from "../../platform/app.ts";
import { SerializationFailure, type Tx } from "../../platform/db.ts";
import { proveFreezes } from "../ledger/queries.ts";
import { creditPayments, lockHolders, matchAll } from "./match.ts";
import { madeWithin, type TransferRow } from "./nouns.ts";
import {
  addEvidence,
  type Bucket,
  type BucketRow,
  bucketsWithOthers,
  findTold,
  type KnownRow,
  lockBroken,
  lockReturned,
  lockTelling,
  MOST_IN_BUCKET,
  type NewTransfer,
  proveTransfers,
  settleTransfer,
  type Telling,
  tellingsInBuckets,
  transfersOf,
  undoneAmong,
  waitFor,
} from "./queries.ts";

/** Whoever names the bank's reference: a person and a program alike, so that they tell of money once. */
const REFERENCE = "reference";

/** What phones' messages and lines of statements are stored by. */
const NAME_OF_A_TELLING = /^(?:line|sms|push):/;

/** Under the name of a line that is still to come, other money would have that line's place, and it were never booked. */
export function whyNoReference(reference: string): RefusalCode | undefined {
  if (holdsCardNumber(reference)) return "reference_holds_card";
  return NAME_OF_A_TELLING.test(reference) ? "reference_of_telling" : undefined;
}

export function byReference({ reference: key, channel, hold = null }: Referred): Telling {
  return { channel, teller: REFERENCE, key, needsProof: false, hold };
}

interface Referred {
  readonly reference: string;
  readonly channel: "hand" | "api";
  readonly hold?: SuspenseReason | null | undefined;
}

interface Joining {
  /** By the telling's id, the transfer that others have told of. */
  readonly joined: ReadonlyMap<string, string>;
  /** The ids of tellings of money that may be known: nobody is credited with it by itself. */
  readonly doubtful: ReadonlySet<string>;
}

export async function joinTold(tx: Tx, app: App, told: readonly NewTransfer[]): Promise<Joining> {
  // No index knows two forms of a reference for one.
  const alone = told.some(
    (one) => one.told.teller !== REFERENCE || formsOf(one.reference).length > 1,
  );
  const buckets = [...inBuckets(told)];
  const [, others] = await Promise.all([
    lockTelling(
      tx,
      told.map(({ requisiteId }) => requisiteId),
      alone,
    ),
    bucketsWithOthers(
      tx,
      buckets.map(([bucket]) => bucket),
    ),
  ]);
  const shared = buckets.filter((_, place) => others.has(place));
  const joined = new Map<string, string>();
  const doubtful = new Set<string>();
  if (shared.length === 0) return { joined, doubtful };
  const [rows, repeated] = await Promise.all([
    tellingsInBuckets(
      tx,
      shared.map(([bucket]) => bucket),
    ),
    findTold(
      tx,
      shared.flatMap(([, own]) => own),
    ),
  ]);
  // What was told before has its place already, and takes nobody else's.
  const before = new Set(repeated.map((row) => `${row.requisite_id} ${row.asked}`));
  const unheard = shared.map(([bucket, own]) => {
    const isNew = (one: NewTransfer) => !before.has(`${one.requisiteId} ${one.reference}`);
    return [bucket, own.filter(isNew)] as const;
  });
  for (const [{ id }, paired] of pairedIn(app, unheard, rows)) {
    if (paired === "new") continue;
    if (paired === "doubtful") doubtful.add(id);
    else joined.set(id, paired.transferId);
  }
  // Somebody has returned one since it was read, perhaps as money that was never there: looked at again, this is not it.
  if ((await lockReturned(tx, [...joined.values()])).length > 0) throw new SerializationFailure();
  return { joined, doubtful };
}

/** What each telling is of, beside what is known in its bucket. */
function pairedIn(
  app: App,
  buckets: readonly (readonly [Bucket, readonly NewTransfer[]])[],
  rows: readonly BucketRow[],
): [NewTransfer, Paired][] {
  const known = Map.groupBy(rows, ({ place }) => place);
  const zone = momentFormat(app.config.timeZone);
  return buckets.flatMap(([{ teller }, tellings], place) => {
    const spans = tellings.map((one) => spanOf({ ...one, channel: one.told.channel }, zone));
    const transfers = knownTransfers(known.get(place) ?? [], zone);
    // Of so many it is not known whether they are all.
    const pairs =
      transfers.length < MOST_IN_BUCKET ? pairTellings(transfers, teller, spans) : undefined;
    return tellings.map((one, at): [NewTransfer, Paired] => [one, pairs?.[at] ?? "doubtful"]);
  });
}

/** In the order of the moments, with the time around them in which others may have told of the same. */
function inBuckets(told: readonly NewTransfer[]): Map<Bucket, NewTransfer[]> {
  const groups = Map.groupBy(
    told.toSorted((a, b) => a.made.from.getTime() - b.made.from.getTime()),
    ({ requisiteId, amountMinor, told: { teller } }) => `${requisiteId} ${amountMinor} ${teller}`,
  );
  const buckets = new Map<Bucket, NewTransfer[]>();
  for (const tellings of groups.values()) {
    const [one] = tellings;
    if (one === undefined) continue;
    const { requisiteId, amountMinor, told: by } = one;
    const from = tellings.map(({ made }) => made.from).reduce(earlier);
    const to = tellings.map(({ made }) => made.to).reduce(later);
    const bucket = {
      requisiteId,
      amountMinor,
      teller: by.teller,
      from: addSeconds(from, -FARTHEST_SECONDS),
      to: addSeconds(to, FARTHEST_SECONDS),
    };
    buckets.set(bucket, tellings);
  }
  return buckets;
}

function knownTransfers(rows: readonly BucketRow[], zone: MomentFormat): KnownTransfer[] {
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, tellings]) => ({
    id,
    standing: tellings[0]?.standing ?? "plain",
    told: new Map(
      tellings.map(({ teller, channel, made_at: madeAt, made_from: from, made_to: to }) => [
        teller,
        spanOf({ madeAt, made: { from, to }, channel }, zone),
      ]),
    ),
  }));
}

/**
 * Writes down who else tells of it. What they prove is no longer kept frozen, and what waited for such a
 * word waits no longer. The answer is the transfers, by the telling's id.
 */
export async function tellAlso(
  tx: Tx,
  app: App,
  tellings: readonly NewTransfer[],
  joined: Joining["joined"],
): Promise<Map<string, TransferRow>> {
  if (tellings.length === 0) return new Map();
  const pairs = tellings.map((telling) => {
    const transferId = joined.get(telling.id);
    if (transferId === undefined) throw new Error("A telling is of no transfer.");
    return { telling, transferId };
  });
  const added = await addEvidence(tx, pairs, app.clock.now());
  // Somebody with a reference has told of the same one meanwhile.
  if (added < pairs.length) throw new SerializationFailure();
  const proven = pairs.filter(({ telling: { told } }) => !told.needsProof && told.hold === null);
  await prove(tx, app, new Map(proven.map((one) => [one.transferId, one.telling.made])));
  const rows = await transfersOf(
    tx,
    pairs.map(({ transferId }) => transferId),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    pairs.flatMap(({ telling, transferId }) => {
      const row = byId.get(transferId);
      return row === undefined ? [] : [[telling.id, row] as const];
    }),
  );
}

/**
 * A bank's program names the reference that a person had told of, whose word was not enough: it proves the money as
 * its own words would. The answer is what became of it.
 */
export async function hearBank(
  tx: Tx,
  app: App,
  told: readonly NewTransfer[],
  rowOf: (one: NewTransfer) => TransferRow | undefined,
): Promise<KnownRow[]> {
  const proven = told.flatMap((one) => {
    const row = rowOf(one);
    const isSame = one.told.channel === "api" && row?.amount_minor === one.amountMinor;
    return isSame && waitsForWord(row) ? [{ one, row }] : [];
  });
  const moments = new Map(proven.map(({ one, row }) => [row.id, one.made]));
  await prove(tx, app, moments, "a bank's program has told of it by the same reference");
  return findTold(
    tx,
    proven.map(({ one }) => one),
  );
}

function waitsForWord({ state, suspense_reason: why, needs_proof: needsProof }: TransferRow) {
  const isDoubted = why === "told_by_hand" || why === "balance_break";
  return needsProof || (state === "suspense" && isDoubted);
}

/** Somebody whose word is enough has told of these, and when they were paid. */
async function prove(
  tx: Tx,
  app: App,
  told: ReadonlyMap<string, MadeWithin>,
  why = "somebody else has told of it",
): Promise<void> {
  if (told.size === 0) return;
  const before = await proveTransfers(tx, [...told.keys()]);
  await proveFreezes(
    tx,
    before.flatMap(({ paymentId }) => paymentId ?? []),
  );
  await healTransfers(tx, app, told, why);
}

/** Who settled what no person did. */
export const ITSELF = "kopeck";

/**
 * Of these transfers, those that wait for such a reason; whatever else it waits for is said instead. Beside each
 * stands when it was paid by whoever proves it: whose it is must be so at all those moments, too, because a text
 * that was made up may stand where somebody else's money is. Late by either word is late.
 */
async function healTransfers(
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
