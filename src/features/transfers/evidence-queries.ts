// Every statement about who told of money. Whoever tells something else than a bank's reference holds the
// requisite alone meanwhile, so that no two tellers can both be the first to tell of the same money, and so does who
// names a fast payment, in whatever letters; those with other references share it.

import type { Channel } from "../../domain/transfer.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import type { NewTransfer } from "./queries.ts";

export async function lockTelling(
  tx: Tx,
  requisiteIds: readonly string[],
  alone: boolean,
): Promise<void> {
  const ids = [...new Set(requisiteIds)].sort();
  if (ids.length === 0) return;
  const lock = `advisory_xact_lock${alone ? "" : "_shared"}(hashtextextended('tells ' || id, 0))`;
  await tx.query(`select pg_${lock} from unnest($1::text[]) as told(id)`, [ids]);
}

/** Tellings of one teller about one requisite and amount, and the moments around them. */
export interface Bucket {
  readonly requisiteId: string;
  readonly amountMinor: bigint;
  readonly teller: string;
  readonly from: Date;
  readonly to: Date;
}

const BUCKETS = `json_to_recordset($1) as bucket(place integer, "requisiteId" uuid,
       "amountMinor" bigint, teller text, "from" timestamptz, "to" timestamptz)`;

const IN_BUCKET = `requisite_id = bucket."requisiteId" and amount_minor = bucket."amountMinor"
         and coalesce(made_from, received_at) between bucket."from" and bucket."to"`;

/** The places of those that know of money which this teller has not told of. */
export async function bucketsWithOthers(
  tx: Tx,
  buckets: readonly Bucket[],
): Promise<ReadonlySet<number>> {
  if (buckets.length === 0) return new Set();
  const rows = await tx.query<{ place: number }>(
    `select place from ${BUCKETS}
     where (
       select true from transfers
       where ${IN_BUCKET} and teller <> bucket.teller
         and (select true from evidence
              where transfer_id = transfers.id and teller = bucket.teller) is null
       limit 1)`,
    [rowsOf(buckets.map((bucket, place) => ({ ...bucket, place })))],
  );
  return new Set(rows.map(({ place }) => place));
}

/** A telling of a transfer in a bucket. */
export interface BucketRow {
  readonly place: number;
  readonly id: string;
  readonly standing: "plain" | "broken" | "returned";
  readonly needs_proof: boolean;
  readonly teller: string;
  readonly channel: Channel;
  readonly made_at: string | null;
  readonly made_from: Date;
  readonly made_to: Date;
}

/** More of one amount on one card within two weeks are counted by a person. */
export const MOST_IN_BUCKET = 300;

/** Who has told what of the transfers there. */
export async function tellingsInBuckets(tx: Tx, buckets: readonly Bucket[]): Promise<BucketRow[]> {
  return tx.query<BucketRow>(
    `select bucket.place, transfer.id, transfer.standing, transfer.needs_proof, telling.*
     from ${BUCKETS}
     cross join lateral (
       select id, teller, channel, made_at, made_from, made_to, received_at, needs_proof,
              case when state = 'returned' then 'returned'
                   when state = 'suspense' and suspense_reason = 'balance_break' then 'broken'
                   else 'plain' end as standing
       from transfers
       where ${IN_BUCKET}
       order by coalesce(made_from, received_at) limit ${MOST_IN_BUCKET}) transfer
     cross join lateral (
       select transfer.teller, transfer.channel, transfer.made_at,
              coalesce(transfer.made_from, transfer.received_at) as made_from,
              coalesce(transfer.made_to, transfer.received_at) as made_to
       union all
       select teller, channel, made_at, coalesce(made_from, told_at), coalesce(made_to, told_at)
       from evidence where transfer_id = transfer.id) telling`,
    [rowsOf(buckets.map((bucket, place) => ({ ...bucket, place })))],
  );
}

/** How many were new: one of another transfer, or by another call, is not. */
export async function addEvidence(
  tx: Tx,
  joined: readonly { readonly telling: NewTransfer; readonly transferId: string }[],
  now: Date,
): Promise<number> {
  if (joined.length === 0) return 0;
  const rows = joined.map(({ telling: { made, told, ...telling }, transferId }) => ({
    ...telling,
    ...told,
    transferId,
    ...(telling.madeAt === null ? {} : { madeFrom: made.from, madeTo: made.to }),
  }));
  const added = await tx.query(
    `insert into evidence (requisite_id, teller, key, transfer_id, channel, amount_minor,
       made_at, made_from, made_to, told_at)
     select "requisiteId", teller, key, "transferId", channel, "amountMinor", "madeAt",
            "madeFrom", "madeTo", $2
     from json_to_recordset($1) as fresh("requisiteId" uuid, teller text, key text,
       "transferId" uuid, channel text, "amountMinor" bigint, "madeAt" text, "madeFrom" timestamptz,
       "madeTo" timestamptz)
     order by "requisiteId", teller, key
     on conflict do nothing
     returning key`,
    [rowsOf(rows), now],
  );
  return added.length;
}

export interface EvidenceRow {
  readonly made_at: string | null;
  readonly teller: string;
  readonly channel: Channel;
  readonly key: string;
  readonly told_at: Date;
}

/** Everything that tells of a transfer, the first teller first. */
export function evidenceOf(db: Queryable, transferId: string): Promise<EvidenceRow[]> {
  return db.query<EvidenceRow>(
    `select teller, channel, reference as key, made_at, received_at as told_at
     from transfers where id = $1
     union all
     (select teller, channel, key, made_at, told_at from evidence where transfer_id = $1
      order by told_at, teller)`,
    [transferId],
  );
}

/** These are proven now; the answer is those that were not, with the payment that each was for. */
export function proveTransfers(
  tx: Tx,
  ids: readonly string[],
): Promise<{ id: string; paymentId: string | null }[]> {
  return tx.query(
    `update transfers set needs_proof = false where id = any($1::uuid[]) and needs_proof
     returning id, payment_id as "paymentId"`,
    [ids],
  );
}

/** Of these the ones that wait for somebody else's word, locked: a balance did not follow, or a person alone told. */
export async function lockBroken(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from transfers
     where id = any($1::uuid[]) and state = 'suspense'
       and suspense_reason in ('balance_break', 'told_by_hand')
     order by id for no key update`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Of these those that have gone back, locked with all that could: of money that somebody tells of, nothing goes back meanwhile. */
export async function lockReturned(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<{ id: string; state: string }>(
    `select id, state from transfers where id = any($1::uuid[]) and state <> 'matched'
     order by id for no key update`,
    [ids],
  );
  return rows.filter(({ state }) => state === "returned").map(({ id }) => id);
}

/** Of these those that were returned as money which is not there, by whoever knew. */
export async function undoneAmong(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    `select source_id as id from ledger_postings
     where source_id = any($1::uuid[]) and kind = 'suspense_returned' and bank_out_minor = 0`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export interface SlotRow {
  readonly payment_id: string;
  readonly held_from: Date;
  readonly held_until: Date;
}

/** The payment that it was matched to by the rule, and how long that had the slot. */
export async function slotOf(
  db: Queryable,
  transfer: { readonly payment_id: string | null; readonly settled_at: Date | null },
): Promise<SlotRow | null> {
  if (transfer.payment_id === null || transfer.settled_at !== null) return null;
  const [row] = await db.query<SlotRow>(
    `select id as payment_id, created_at as held_from, slot_until as held_until
     from payments where id = $1`,
    [transfer.payment_id],
  );
  return row ?? null;
}
