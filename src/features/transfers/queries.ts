// Every statement about transfers. What a set needs is looked up for each of its rows by a key: a join
// would be planned as a reading of whole tables as soon as the statistics are of another time.

import { formsOf } from "../../domain/fast-payment.ts";
import { issuedWithin, type MadeWithin } from "../../domain/made-at.ts";
import { MAX_NUDGE_MINOR } from "../../domain/requisite.ts";
import type { Channel, SuspenseReason, TransferState } from "../../domain/transfer.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import type { Ways } from "../operators/noun.ts";
import { REMOVED_PAYER, type TransferRow } from "./nouns.ts";

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
export type Fate =
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

export interface CandidateRow {
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
