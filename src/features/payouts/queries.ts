// Every statement about payouts and the directory of banks.

import type {
  HeldReason,
  Parts,
  PayoutService,
  PayoutState,
  Subtract,
} from "../../domain/payout.ts";
import type { PayoutPosting } from "../../domain/posting.ts";
import { type Queryable, rowsOf, type Tx } from "../../platform/db.ts";
import { fallsDue } from "../../platform/db-dues.ts";
import { type PageWish, page } from "../../platform/db-page.ts";
import { addRows } from "../../platform/db-row.ts";
import { OF_NO_PROGRAM } from "./rail-queries.ts";

/** What a payout that waits for a person falls due for. */
export const END_HOLDS = "end-payout-holds";

interface PayoutKey {
  readonly userId: string;
  readonly orderId: string | null;
}

export interface NewPayout extends PayoutKey, Parts {
  readonly id: string;
  readonly service: PayoutService;
  readonly currency: string;
  readonly destinationId: string;
  readonly amountMinor: bigint;
  readonly subtract: Subtract;
  readonly refundsFee: boolean;
  readonly balanceAfterMinor: bigint;
  readonly comment: string | null;
  readonly hookUrl: string | null;
  readonly origin: "api" | "payoff";
  readonly authorId: string | null;
  readonly heldReason: HeldReason | null;
  readonly approvals: number;
  readonly heldUntil: Date | null;
}

/** With what it adds to its user's day. */
export async function addPayouts(
  tx: Tx,
  payouts: readonly NewPayout[],
  now: Date,
  day: string,
): Promise<void> {
  await tx.query(
    `with fresh as materialized (
       select * from json_to_recordset($1) as fresh(id uuid, "userId" uuid, "orderId" text,
         service text, currency text, "destinationId" uuid,
         "amountMinor" bigint, "withdrawMinor" bigint, "receiveMinor" bigint, "feeMinor" bigint,
         subtract text, "refundsFee" boolean, "balanceAfterMinor" bigint, comment text,
         "hookUrl" text, origin text, "authorId" uuid, "heldReason" text, approvals smallint,
         "heldUntil" timestamptz)
     ), days as (
       insert into payout_days as known (user_id, service, currency, day, sum_minor, payouts)
       select "userId", service, currency, $3::date, sum("amountMinor"), count(*) from fresh
       group by 1, 2, 3 order by 1, 2, 3
       on conflict (user_id, service, currency, day) do update
       set sum_minor = known.sum_minor + excluded.sum_minor,
           payouts = known.payouts + excluded.payouts
     ), added as (
       insert into payouts (id, user_id, order_id, service, currency, destination_id,
         amount_minor, withdraw_minor, receive_minor, fee_minor, subtract, refunds_fee,
         balance_after_minor, comment, hook_url, origin, author_id, state, held_reason,
         approvals_needed, held_until, queued_at, created_at, created_on)
       select id, "userId", "orderId", service, currency, "destinationId",
         "amountMinor", "withdrawMinor", "receiveMinor", "feeMinor", subtract, "refundsFee",
         "balanceAfterMinor", comment, "hookUrl", origin, "authorId",
         case when "heldReason" is null then 'queued' else 'held' end, "heldReason", approvals,
         "heldUntil", case when "heldReason" is null then $2::timestamptz end, $2, $3
       from fresh
       returning id, held_until as due_at
     ), held as (select id, due_at from added where due_at is not null)
     ${fallsDue("held", END_HOLDS)}`,
    [rowsOf(payouts), now, day],
  );
}

/** Its hold ends by itself again: the moment may have passed while it was not to. */
export async function dueAgain(tx: Tx, payoutId: string): Promise<void> {
  await tx.query(
    `with held as (select id, held_until as due_at from payouts
       where id = $1 and state = 'held' and held_until is not null)
     ${fallsDue("held", END_HOLDS)} on conflict do nothing`,
    [payoutId],
  );
}

/** What was asked for: whether a retry asks for the same. */
export interface Content {
  readonly service: PayoutService;
  readonly currency: string;
  readonly destinationId: string;
  readonly amountMinor: bigint;
  readonly subtract: Subtract;
  readonly comment: string | null;
  readonly hookUrl: string | null;
}

export interface FirstAnswer extends PayoutKey, Content {
  readonly id: string;
  readonly withdrawMinor: bigint;
  readonly balanceAfterMinor: bigint;
}

/** What was asked for under these order ids before. */
export function payoutsOfOrders(db: Queryable, keys: readonly PayoutKey[]): Promise<FirstAnswer[]> {
  return db.query<FirstAnswer>(
    `select payout.id, payout.user_id as "userId", payout.order_id as "orderId",
            payout.service, payout.currency, payout.destination_id as "destinationId",
            payout.amount_minor as "amountMinor", payout.subtract, payout.comment,
            payout.hook_url as "hookUrl", payout.withdraw_minor as "withdrawMinor",
            payout.balance_after_minor as "balanceAfterMinor"
     from unnest($1::uuid[], $2::text[]) as asked(user_id, order_id)
     cross join lateral (select * from payouts
       where user_id = asked.user_id and order_id = asked.order_id limit 1) payout`,
    [keys.map(({ userId }) => userId), keys.map(({ orderId }) => orderId)],
  );
}

/** A payout as everybody sees it, with where it goes to. */
export interface Payout extends Parts {
  readonly id: string;
  readonly userId: string;
  readonly orderId: string | null;
  readonly service: PayoutService;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly subtract: Subtract;
  readonly refundsFee: boolean;
  readonly comment: string | null;
  readonly hookUrl: string | null;
  readonly origin: "api" | "payoff";
  readonly authorId: string | null;
  readonly state: PayoutState;
  readonly heldReason: HeldReason | null;
  readonly approvalsNeeded: number;
  readonly attempts: number;
  readonly sequence: number;
  readonly error: string | null;
  readonly bankReference: string | null;
  readonly createdAt: Date;
  readonly createdOn: string;
  readonly settledAt: Date | null;
  /** When it was known to have left, also where it came back. */
  readonly doneAt: Date | null;
  readonly destinationId: string;
  readonly masked: string;
  readonly bankId: string | null;
}

/** The columns of a payout, called `row`, and of its destination. */
const PAYOUT = `row.id, row.user_id as "userId", row.order_id as "orderId", row.service, row.currency,
       row.amount_minor as "amountMinor", row.withdraw_minor as "withdrawMinor",
       row.receive_minor as "receiveMinor", row.fee_minor as "feeMinor", row.subtract,
       row.refunds_fee as "refundsFee", row.comment, row.hook_url as "hookUrl", row.origin,
       row.author_id as "authorId", row.state, row.held_reason as "heldReason",
       row.approvals_needed as "approvalsNeeded", row.attempts, row.sequence, row.error,
       row.bank_reference as "bankReference", row.created_at as "createdAt",
       row.created_on::text as "createdOn", row.settled_at as "settledAt", row.done_at as "doneAt",
       row.destination_id as "destinationId", destination.masked, destination.bank_id as "bankId"`;

const WITH_DESTINATION = `cross join lateral (
       select masked, bank_id from payout_destinations where id = row.destination_id
       limit 1) destination`;

/** By the payout's own id, by the order id, or by both, which then have to be of one payout. */
export interface PayoutName {
  readonly userId: string;
  readonly id?: string | undefined;
  readonly orderId?: string | undefined;
}

/** A user's own, by the places of their names; somebody else's is not there. */
export async function findPayouts(
  db: Queryable,
  names: readonly PayoutName[],
): Promise<(Payout | undefined)[]> {
  const rows = await db.query<Payout & { readonly place: number }>(
    `select asked.place::integer as place, ${PAYOUT}
     from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality
       as asked(user_id, id, order_id, place)
     cross join lateral (
       select * from payouts where id = asked.id and user_id = asked.user_id
         and (asked.order_id is null or order_id = asked.order_id)
       union all
       select * from payouts where asked.id is null and user_id = asked.user_id
         and order_id = asked.order_id
       limit 1) row
     ${WITH_DESTINATION}`,
    [
      names.map(({ userId }) => userId),
      names.map(({ id }) => id ?? null),
      names.map(({ orderId }) => orderId ?? null),
    ],
  );
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return names.map((_, index) => byPlace.get(index + 1));
}

/** As they stand, whosever they are. */
export function payoutsById(db: Queryable, ids: readonly string[]): Promise<Payout[]> {
  return db.query<Payout>(
    `select ${PAYOUT} from payouts row ${WITH_DESTINATION} where row.id = any($1::uuid[])`,
    [ids],
  );
}

/** Locked in the order of their ids, until the transaction ends. */
export function lockPayouts(tx: Tx, ids: readonly string[]): Promise<Payout[]> {
  return tx.query<Payout>(
    `select ${PAYOUT}
     from (select * from payouts where id = any($1::uuid[]) order by id for no key update) row
     ${WITH_DESTINATION}
     order by row.id`,
    [[...new Set(ids)]],
  );
}

interface PayoutFilter {
  readonly userId?: string | undefined;
  readonly state?: PayoutState | undefined;
  readonly orderId?: string | undefined;
  readonly currency?: string | undefined;
  /** Those that are due by then and that no program takes. */
  readonly byHandAt?: Date | undefined;
}

const BY_HAND = `queued_at <= ? and ${OF_NO_PROGRAM}`;

/** The newest first. */
export function pageOfPayouts(db: Queryable, wish: PageWish, filter: PayoutFilter) {
  return page<Payout>(db, wish, {
    from: "payouts",
    columns: PAYOUT,
    join: WITH_DESTINATION,
    by: { order_id: filter.orderId },
    leads: { user_id: filter.userId, state: filter.state },
    filters: { currency: filter.currency, [BY_HAND]: filter.byHandAt },
  });
}

interface MovedPayout {
  readonly id: string;
  readonly from: PayoutState;
  readonly to: PayoutState;
  readonly sequence: number;
  /** Of one that is to be sent again: not before this moment. */
  readonly queuedAt: Date | null;
  readonly settledAt: Date | null;
  readonly doneAt: Date | null;
  readonly error: string | null;
  readonly bankReference: string | null;
}

/** They are locked; one that is not in the state it is said to be in fails the whole. */
export async function setPayoutStates(tx: Tx, moves: readonly MovedPayout[]): Promise<void> {
  const rows = await tx.query(
    `update payouts payout
     set state = move."to", sequence = move.sequence, queued_at = move."queuedAt",
         settled_at = move."settledAt", done_at = move."doneAt", error = move.error, bank_reference = move."bankReference"
     from json_to_recordset($1) as move(id uuid, "from" text, "to" text, sequence integer,
       "queuedAt" timestamptz, "settledAt" timestamptz, "doneAt" timestamptz, error text, "bankReference" text)
     where payout.id = any($2::uuid[]) and payout.id = move.id and payout.state = move."from"
     returning payout.id`,
    [rowsOf(moves), moves.map(({ id }) => id)],
  );
  if (rows.length !== moves.length)
    throw new Error("A payout was not in the state it was said to be in.");
}

/** Nobody else proves anything by these references until the transaction ends. */
async function lockReferences(
  tx: Tx,
  proofs: readonly { readonly currency: string; readonly reference: string }[],
): Promise<void> {
  const names = proofs.map(({ currency, reference }) => `${currency} ${reference}`).toSorted();
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended('proves ' || name, 0))
     from unnest($1::text[]) with ordinality as asked(name, place) order by place`,
    [names],
  );
}

/** Of these references those that prove another payout already. */
export async function referencesTaken(
  tx: Tx,
  proofs: readonly { readonly id: string; readonly currency: string; readonly reference: string }[],
): Promise<ReadonlySet<string>> {
  if (proofs.length === 0) return new Set();
  await lockReferences(tx, proofs);
  const rows = await tx.query<{ id: string }>(
    `select asked.id
     from unnest($1::uuid[], $2::text[], $3::text[]) as asked(id, currency, reference)
     cross join lateral (select id from payouts where currency = asked.currency
       and bank_reference = asked.reference limit 1) owner
     where owner.id <> asked.id`,
    [
      proofs.map(({ id }) => id),
      proofs.map(({ currency }) => currency),
      proofs.map(({ reference }) => reference),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** What it came back as; false where that is known already. The payout is locked. */
export async function setReturnTransfer(tx: Tx, id: string, transferId: string): Promise<boolean> {
  const rows = await tx.query(
    `update payouts set return_transfer_id = $2
     where id = $1 and return_transfer_id is null returning id`,
    [id, transferId],
  );
  return rows.length > 0;
}

/** What a payout falls due for that the sandbox's bank sends back. */
export const RETURNS = "return-sandbox-payouts";

export async function returnLater(db: Queryable, payoutId: string, at: Date): Promise<void> {
  await db.query(
    `with returned as (select $1::uuid as id, $2::timestamptz as due_at)
     ${fallsDue("returned", RETURNS)} on conflict do nothing`,
    [payoutId, at],
  );
}

export async function operatorNames(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(
    "select id, name from operators where id = any($1::uuid[])",
    [ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export interface PayoutPosted {
  readonly id: string;
  readonly kind: PayoutPosting;
  readonly created_at: Date;
  readonly available_minor: bigint;
  readonly reserved_minor: bigint;
  readonly bank_out_minor: bigint;
  readonly fees_minor: bigint;
}

export function postingsOf(db: Queryable, payoutId: string): Promise<PayoutPosted[]> {
  return db.query<PayoutPosted>(
    `select id, kind, created_at, available_minor, reserved_minor, bank_out_minor, fees_minor
     from ledger_postings where source_id = $1 order by created_at, id`,
    [payoutId],
  );
}

export interface SbpBank {
  readonly id: string;
  readonly name: string;
}

export function sbpBanks(db: Queryable): Promise<SbpBank[]> {
  return db.query<SbpBank>("select id, name from sbp_banks order by id", []);
}

/** Whoever replaces the directory sees it stand still; readers do not wait. */
export async function lockSbpBanks(tx: Tx): Promise<SbpBank[]> {
  await tx.query("lock table sbp_banks in exclusive mode");
  return sbpBanks(tx);
}

/** The last one of two with the same id counts. The caller holds the lock. */
export async function replaceSbpBanks(tx: Tx, banks: readonly SbpBank[]): Promise<void> {
  const all = [...new Map(banks.map((bank) => [bank.id, bank])).values()];
  await tx.query("delete from sbp_banks where id <> all($1::text[])", [all.map(({ id }) => id)]);
  await addRows(
    tx,
    "insert into sbp_banks (id, name)",
    all,
    "on conflict (id) do update set name = excluded.name",
  );
}
