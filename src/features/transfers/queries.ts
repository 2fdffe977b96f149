// Every statement about transfers.

import type { Slot } from "../../domain/requisite.ts";
import { MAX_NUDGE_MINOR } from "../../domain/share.ts";
import type { TransferState } from "../../domain/transfer.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";

export interface NewTransfer {
  readonly id: string;
  readonly requisiteId: string;
  readonly reference: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly payer: string | null;
}

/** Without a payment it waits in suspense. */
export type StoredTransfer = NewTransfer & { readonly paymentId: string | null };

/** The ids of those that were new: one that is stored already is left as it is. */
export async function addTransfers(
  tx: Tx,
  transfers: readonly StoredTransfer[],
  now: Date,
): Promise<Set<string>> {
  if (transfers.length === 0) return new Set();
  const added = await tx.query<{ id: string }>(
    `insert into transfers (id, requisite_id, reference, currency, amount_minor, payer, state,
       payment_id, received_at)
     select id, "requisiteId", reference, currency, "amountMinor", payer,
            case when "paymentId" is null then 'suspense' else 'matched' end, "paymentId", $2
     from json_to_recordset($1) as fresh(id uuid, "requisiteId" uuid, reference text,
       currency text, "amountMinor" bigint, payer text, "paymentId" uuid)
     order by "requisiteId", reference
     on conflict (requisite_id, reference) do nothing
     returning id`,
    [rowsOf(transfers), now],
  );
  return new Set(added.map(({ id }) => id));
}

export interface TransferRow extends StoredTransfer {
  readonly state: TransferState;
  readonly invoiceId: string | null;
}

const TRANSFER = `transfer.id, transfer.requisite_id as "requisiteId", transfer.reference,
            transfer.currency, transfer.amount_minor as "amountMinor", transfer.payer,
            transfer.state, transfer.payment_id as "paymentId"`;

export async function findTransfers(
  db: Queryable,
  wanted: readonly { requisiteId: string; reference: string }[],
): Promise<TransferRow[]> {
  if (wanted.length === 0) return [];
  return db.query<TransferRow>(
    `select ${TRANSFER}, payment.invoice_id as "invoiceId"
     from json_to_recordset($1) as wanted("requisiteId" uuid, reference text)
     join transfers transfer on transfer.requisite_id = wanted."requisiteId"
       and transfer.reference = wanted.reference
     left join payments payment on payment.id = transfer.payment_id`,
    [rowsOf(wanted.map(({ requisiteId, reference }) => ({ requisiteId, reference })))],
  );
}

export async function lockTransfer(tx: Tx, id: string): Promise<TransferRow | undefined> {
  const [row] = await tx.query<TransferRow>(
    `select ${TRANSFER}, null as "invoiceId" from transfers transfer
     where transfer.id = $1 for no key update`,
    [id],
  );
  return row;
}

/** Those that waited in suspense. */
export async function matchTransfers(
  tx: Tx,
  matches: readonly { transferId: string; paymentId: string }[],
): Promise<void> {
  if (matches.length === 0) return;
  await tx.query(
    `update transfers transfer set state = 'matched', payment_id = match."paymentId"
     from json_to_recordset($1) as match("transferId" uuid, "paymentId" uuid)
     where transfer.id = match."transferId" and transfer.state = 'suspense'`,
    [rowsOf(matches)],
  );
}

export interface Settlement {
  readonly transferId: string;
  readonly author: string;
  readonly reason: string;
}

/** Who settled a transfer by hand, when and why; a return also ends its life here. */
export async function noteSettlement(
  tx: Tx,
  settlement: Settlement,
  state: "matched" | "returned",
  now: Date,
): Promise<void> {
  await tx.query(
    `update transfers set state = $2, settled_at = $3, settled_by = $4, settled_reason = $5
     where id = $1`,
    [settlement.transferId, state, now, settlement.author, settlement.reason],
  );
}

export interface HolderRow {
  readonly requisiteId: string;
  readonly amountMinor: bigint;
  readonly paymentId: string;
  readonly invoiceId: string;
  readonly shopId: string;
}

/** Which payment holds the slot that money arrived on. */
export function slotHolders(
  tx: Tx,
  arrivals: readonly { requisiteId: string; amountMinor: bigint }[],
  now: Date,
): Promise<HolderRow[]> {
  return tx.query<HolderRow>(
    `select distinct slot.requisite_id as "requisiteId", slot.amount_minor as "amountMinor",
            payment.id as "paymentId", payment.invoice_id as "invoiceId",
            payment.shop_id as "shopId"
     from json_to_recordset($1) as arrival("requisiteId" uuid, "amountMinor" bigint)
     join slots slot on slot.requisite_id = arrival."requisiteId"
       and slot.amount_minor = arrival."amountMinor" and slot.held_until > $2
     join payments payment on payment.id = slot.payment_id`,
    [rowsOf(arrivals.map(({ requisiteId, amountMinor }) => ({ requisiteId, amountMinor }))), now],
  );
}

/** Of these slots, those with live details of another invoice within a nudge on the same requisite. */
export async function contestedSlots(
  tx: Tx,
  slots: readonly (Slot & { readonly invoiceId: string })[],
  now: Date,
): Promise<Slot[]> {
  if (slots.length === 0) return [];
  return tx.query<Slot>(
    // Looked up for each: as a join it was planned as a reading of all slots.
    `select late."requisiteId", late."amountMinor"
     from json_to_recordset($1) as late("requisiteId" uuid, "amountMinor" bigint, "invoiceId" uuid)
     where (
       select true from slots near join payments payment on payment.id = near.payment_id
       where near.requisite_id = late."requisiteId"
         and near.amount_minor between late."amountMinor" - ${MAX_NUDGE_MINOR}
           and late."amountMinor" + ${MAX_NUDGE_MINOR}
         and near.held_until > $2
         and payment.invoice_id <> late."invoiceId" and payment.ends_at > $2
         and payment.state || '' = 'live'
       limit 1)`,
    [rowsOf(slots), now],
  );
}
