// Every statement about transfers, who told of them, and payments near them. A set is looked up row
// by row by a key; a join would be planned as a scan of whole tables.

import { formsOf } from "../../domain/fast-payment.ts";
import type { InvoiceState } from "../../domain/invoice.ts";
import { issuedWithin, type MadeWithin } from "../../domain/made-at.ts";
import { addSeconds } from "../../domain/moment.ts";
import type { PaymentState } from "../../domain/payment.ts";
import { MAX_NUDGE_MINOR } from "../../domain/requisite.ts";
import type { Channel, SuspenseReason, TransferState } from "../../domain/transfer.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { firstIdAt } from "../../platform/id.ts";
import type { Ways } from "../operators/noun.ts";
import { madeWithin, REMOVED_PAYER, type TransferRow } from "./nouns.ts";

/** Who tells of money, and as what: a teller tells of the same money under one key only. */
export interface Telling {
  readonly channel: Channel;
  readonly teller: string;
  readonly key: string;
  /** Its word alone releases no money. */
  readonly needsProof: boolean;
  /** Why new money waits for a person or for somebody else's word. */
  readonly hold: SuspenseReason | null;
}

export interface NewTransfer {
  readonly id: string;
  readonly requisiteId: string;
  readonly reference: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly payer: string | null;
  /** When it was paid, as it was told; null where nothing was. */
  readonly madeAt: string | null;
  /** The moments that this can be; where nothing was told, the moment of telling. */
  readonly made: MadeWithin;
  readonly told: Telling;
}

/** Paid to a payment, or waiting for a reason. */
type Fate =
  | { readonly paymentId: string; readonly invoiceId: string; readonly reason: null }
  | { readonly paymentId: null; readonly invoiceId: null; readonly reason: SuspenseReason };

/** The ids of those that were new: one that is stored already is left as it is. */
export async function addTransfers(
  tx: Tx,
  transfers: readonly (NewTransfer & Fate)[],
  now: Date,
): Promise<Set<string>> {
  if (transfers.length === 0) return new Set();
  const rows = transfers.map(({ made, told, ...transfer }) => ({
    ...transfer,
    channel: told.channel,
    teller: told.teller,
    needsProof: told.needsProof,
    ...(transfer.madeAt === null ? {} : { madeFrom: made.from, madeTo: made.to }),
  }));
  const added = await tx.query<{ id: string }>(
    `insert into transfers (id, requisite_id, reference, currency, amount_minor, payer, made_at,
       made_from, made_to, state, suspense_reason, payment_id, invoice_id, channel, teller, needs_proof,
       received_at)
     select id, "requisiteId", reference, currency, "amountMinor", payer, "madeAt", "madeFrom",
            "madeTo", case when "paymentId" is null then 'suspense' else 'matched' end, reason,
            "paymentId", "invoiceId", channel, teller, "needsProof", $2
     from json_to_recordset($1) as fresh(id uuid, "requisiteId" uuid, reference text,
       currency text, "amountMinor" bigint, payer text, "madeAt" text, "madeFrom" timestamptz,
       "madeTo" timestamptz, reason text, "paymentId" uuid, "invoiceId" uuid, channel text, teller text,
       "needsProof" boolean)
     order by "requisiteId", reference
     on conflict (requisite_id, reference) do nothing
     returning id`,
    [rowsOf(rows), now],
  );
  return new Set(added.map(({ id }) => id));
}

/** A transfer that is known, and the reference that it was asked for by: the first teller's, or another's. */
export type KnownRow = TransferRow & { readonly asked: string };

/** Those that have been told of already. */
export async function findTold(
  db: Queryable,
  wanted: readonly Pick<NewTransfer, "requisiteId" | "reference" | "told">[],
): Promise<KnownRow[]> {
  if (wanted.length === 0) return [];
  const rows = wanted.flatMap(({ requisiteId, reference: asked, told: { teller, key } }) =>
    // Under a bank's reference its key is the same.
    formsOf(asked).map((form) => {
      return { requisiteId, asked, reference: form, teller, key: key === asked ? form : key };
    }),
  );
  return db.query<KnownRow>(
    `select transfer.*, wanted.asked
     from json_to_recordset($1) as wanted("requisiteId" uuid, asked text, reference text,
       teller text, key text)
     cross join lateral (
       (select * from transfers
        where requisite_id = wanted."requisiteId" and reference = wanted.reference limit 1)
       union all
       (select known.* from evidence
        cross join lateral (select * from transfers where id = evidence.transfer_id limit 1) known
        where evidence.requisite_id = wanted."requisiteId" and evidence.teller = wanted.teller
          and evidence.key = wanted.key
        limit 1)
       limit 1) transfer`,
    [rowsOf(rows)],
  );
}

/** By their ids. */
export function transfersOf(db: Queryable, ids: readonly string[]): Promise<TransferRow[]> {
  return db.query<TransferRow>("select * from transfers where id = any($1::uuid[])", [ids]);
}

export async function lockTransfer(tx: Tx, id: string): Promise<TransferRow | undefined> {
  const [row] = await tx.query<TransferRow>(
    "select * from transfers where id = $1 for no key update",
    [id],
  );
  return row;
}

export interface Settlement {
  readonly transferId: string;
  readonly author: string;
  readonly reason: string;
}

interface PaidPayment {
  readonly id: string;
  readonly invoiceId: string;
}

/** Who settled a transfer by hand, when and why; a payment is what it was matched with. Its row is locked. */
export async function settleTransfer(
  tx: Tx,
  settlement: Settlement,
  as: PaidPayment | "returned" | "cleared",
  now: Date,
): Promise<void> {
  const { transferId, author, reason } = settlement;
  const isPaid = typeof as === "object";
  await tx.query(
    `update transfers set state = $2, payment_id = $3, invoice_id = $4, settled_at = $5,
       settled_by = $6, settled_reason = $7
     where id = $1`,
    [
      transferId,
      isPaid ? "matched" : as,
      isPaid ? as.id : null,
      isPaid ? as.invoiceId : null,
      now,
      author,
      reason,
    ],
  );
}

/** Why these wait from now on. */
export async function waitFor(
  tx: Tx,
  waiting: readonly { readonly id: string; readonly reason: SuspenseReason }[],
): Promise<void> {
  if (waiting.length === 0) return;
  await tx.query(
    `update transfers set suspense_reason = ($2::text[])[array_position($1::uuid[], id)]
     where id = any($1::uuid[])`,
    [waiting.map(({ id }) => id), waiting.map(({ reason }) => reason)],
  );
}

interface CandidateRow {
  readonly transferId: string;
  readonly paymentId: string;
  readonly invoiceId: string;
  readonly requisiteId: string;
  readonly shopId: string;
}

/** More are as good as several: nobody can say which of them was meant. */
const MOST_CANDIDATES = 3;

/** The payments that each could be for: same requisite, same amount, and their time meets its moment. */
export async function candidatesFor(
  tx: Tx,
  transfers: readonly NewTransfer[],
): Promise<CandidateRow[]> {
  if (transfers.length === 0) return [];
  const rows = transfers.map(({ id, requisiteId, amountMinor, made }) => {
    const { issuedAfter, issuedBy } = issuedWithin(made);
    return { id, requisiteId, amountMinor, from: made.from, issuedAfter, issuedBy };
  });
  return tx.query<CandidateRow>(
    `select transfer.id as "transferId", payment.id as "paymentId",
            payment.invoice_id as "invoiceId", payment.requisite_id as "requisiteId",
            payment.shop_id as "shopId"
     from json_to_recordset($1) as transfer(id uuid, "requisiteId" uuid, "amountMinor" bigint,
       "from" timestamptz, "issuedAfter" timestamptz, "issuedBy" timestamptz)
     cross join lateral (
       select id, invoice_id, requisite_id, shop_id from payments
       where requisite_id = transfer."requisiteId" and to_pay_minor = transfer."amountMinor"
         and created_at > transfer."issuedAfter" and created_at <= transfer."issuedBy"
         and slot_until > transfer."from"
       order by created_at
       limit ${MOST_CANDIDATES}) payment`,
    [rowsOf(rows)],
  );
}

/**
 * Of late money, the ids of what somebody else may have meant: at its moment, or as soon after it as a
 * bank's clock may be behind, another invoice had live details within a nudge on the same requisite. Details that were replaced count to the end that their
 * payer was told.
 */
export async function contestedAmong(
  tx: Tx,
  late: readonly { readonly transfer: NewTransfer; readonly invoiceId: string }[],
): Promise<ReadonlySet<string>> {
  if (late.length === 0) return new Set();
  const rows = late.map(({ transfer: { id, requisiteId, amountMinor, made }, invoiceId }) => {
    const { liveIssuedAfter: issuedAfter, liveIssuedBy: issuedBy } = issuedWithin(made);
    return { id, requisiteId, amountMinor, invoiceId, from: made.from, issuedAfter, issuedBy };
  });
  const contested = await tx.query<{ id: string }>(
    `select late.id
     from json_to_recordset($1) as late(id uuid, "requisiteId" uuid, "amountMinor" bigint,
       "invoiceId" uuid, "from" timestamptz, "issuedAfter" timestamptz, "issuedBy" timestamptz)
     where (
       select true
       from generate_series(late."amountMinor" - ${MAX_NUDGE_MINOR},
         late."amountMinor" + ${MAX_NUDGE_MINOR}) as near(amount_minor)
       cross join lateral (
         select from payments
         where requisite_id = late."requisiteId" and to_pay_minor = near.amount_minor
           and created_at > late."issuedAfter" and created_at <= late."issuedBy"
           and ends_at > late."from" and (paid_at is null or paid_at > late."from")
           and invoice_id <> late."invoiceId"
         limit 1) payment
       limit 1)`,
    [rowsOf(rows)],
  );
  return new Set(contested.map(({ id }) => id));
}

/** Of these transfers, of those that wait for nobody, who sent them; how many is the answer. */
export async function removePayers(tx: Tx, ids: readonly string[]): Promise<number> {
  const gone = await tx.query(
    `update transfers set payer = $2 where id = any(array(
       select id from transfers where id = any($1::uuid[]) and payer <> $2 and state <> 'suspense'
       order by id for no key update skip locked))
     returning id`,
    [ids, REMOVED_PAYER],
  );
  return gone.length;
}

interface TransferFilter {
  readonly state?: TransferState;
  readonly needs_proof?: boolean;
  readonly reference?: string;
  readonly currency?: string;
  readonly amountMinor: bigint | undefined;
  readonly requisiteIds: readonly string[] | undefined;
}

/** By the index that leads to the fewest rows. */
export function waysToTransfers(filter: TransferFilter): Ways {
  const { state, needs_proof, reference, currency, amountMinor, requisiteIds: ids } = filter;
  const isWaiting = state === "suspense";
  return {
    by: {
      // One look-up a requisite.
      "reference = any(?::text[])": reference === undefined ? undefined : formsOf(reference),
      "requisite_id in (select id from requisites)": reference === undefined ? undefined : true,
      // What waits is little, and has an index of its own.
      "state = 'suspense'": isWaiting ? true : undefined,
      needs_proof: needs_proof === true ? true : undefined,
    },
    each: ids && { column: "requisite_id", ids },
    filters: {
      state: isWaiting ? undefined : state,
      currency,
      amount_minor: amountMinor,
      needs_proof: needs_proof === false ? false : undefined,
    },
  };
}

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

interface EvidenceRow {
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

interface SlotRow {
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

/** A payment as whoever decides sees it, beside what its payer says of the transfer. */
export interface NearRow {
  readonly transfer_id: string;
  readonly id: string;
  readonly invoice_id: string;
  readonly order_id: string;
  readonly shop_id: string;
  readonly requisite_id: string;
  readonly to_pay_minor: bigint;
  readonly state: PaymentState;
  readonly invoice_state: InvoiceState;
  readonly issued_at: Date;
  readonly ends_at: Date;
  readonly payer_said_paid_at: Date | null;
  readonly payer_said_amount_minor: bigint | null;
  readonly payer_said_bank: string | null;
  readonly payer_said_when: string | null;
}

/** So far back somebody may have kept old details; so long before its details money may seem to be. */
const OLD_DETAILS_SECONDS = 7 * 24 * 60 * 60;
const EARLY_SECONDS = 60 * 60;

const MOST_OF_A_WAY = 40;

const ON_ITS_CARD = `
  (select id from payments
   where requisite_id = money."requisiteId" and to_pay_minor = money."amountMinor"
     and created_at > money."oldest" and created_at <= money."youngest"
   order by created_at desc limit ${MOST_OF_A_WAY})
  union
  (select id from payments
   where requisite_id = money."requisiteId" and id >= money."firstLive" and id <= money."lastLive"
     and ends_at > money."from" and currency = money.currency
   order by abs(to_pay_minor - money."amountMinor"), id desc limit ${MOST_OF_A_WAY})`;

const ON_OTHER_CARDS = `
  (select near.id from requisites card
   cross join lateral (
     select id from payments
     where requisite_id = card.id and to_pay_minor = money."amountMinor"
       and created_at > money."liveIssuedAfter" and created_at <= money."liveIssuedBy"
       and ends_at > money."from"
     limit 1) near
   where card.currency = money.currency and card.id <> money."requisiteId"
   limit ${MOST_OF_A_WAY})`;

export function paymentsNear(
  db: Queryable,
  transfers: readonly TransferRow[],
  { onOtherCards }: { readonly onOtherCards: boolean },
): Promise<NearRow[]> {
  if (transfers.length === 0) return Promise.resolve([]);
  const rows = transfers.map((transfer) => {
    const { id, requisite_id: requisiteId, amount_minor: amountMinor, currency } = transfer;
    const made = madeWithin(transfer);
    const { liveIssuedAfter, liveIssuedBy } = issuedWithin(made);
    return {
      id,
      requisiteId,
      amountMinor,
      currency,
      from: made.from,
      liveIssuedAfter,
      liveIssuedBy,
      oldest: addSeconds(made.from, -OLD_DETAILS_SECONDS),
      youngest: addSeconds(made.to, EARLY_SECONDS),
      firstLive: firstIdAt(liveIssuedAfter),
      lastLive: firstIdAt(addSeconds(made.to, EARLY_SECONDS)),
    };
  });
  return db.query<NearRow>(
    `select money.id as transfer_id, payment.id, payment.invoice_id, invoice.order_id,
            payment.shop_id, payment.requisite_id, payment.to_pay_minor, payment.state,
            invoice.state as invoice_state, payment.created_at as issued_at, payment.ends_at,
            said.paid_said_at as payer_said_paid_at, said.amount_minor as payer_said_amount_minor,
            said.bank as payer_said_bank, said.sent_when as payer_said_when
     from json_to_recordset($1) as money(id uuid, "requisiteId" uuid, "amountMinor" bigint,
       currency text, "from" timestamptz, "liveIssuedAfter" timestamptz,
       "liveIssuedBy" timestamptz, oldest timestamptz, youngest timestamptz, "firstLive" uuid,
       "lastLive" uuid)
     cross join lateral (${ON_ITS_CARD} ${onOtherCards ? `union ${ON_OTHER_CARDS}` : ""}) near
     cross join lateral (select * from payments where id = near.id limit 1) payment
     cross join lateral (select * from invoices where id = payment.invoice_id limit 1) invoice
     left join payer_words said on said.payment_id = payment.id
     where payment.currency = money.currency`,
    [rowsOf(rows)],
  );
}
