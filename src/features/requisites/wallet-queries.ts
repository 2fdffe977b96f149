// Statements about the numbers of requisites: cards, phones and accounts, current and former.

import { WALLET_OF_SERVICE } from "../../domain/requisite.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";

export const NUMBER_KINDS = ["card", "phone", "account"] as const;

/** A requisite is an account; money is sent to it by a card's or a phone's number. */
export type NumberKind = (typeof NUMBER_KINDS)[number];

export interface SealedNumber {
  readonly requisite_id: string;
  readonly kind: NumberKind;
  readonly sealed: Buffer;
  readonly digest: Buffer;
}

/** The current numbers of the requisite whose id is this column, as columns: `card_sealed`. */
export function currentNumbers(requisiteId: string): string {
  const columns = NUMBER_KINDS.map(
    (kind) =>
      `(select sealed from requisite_numbers where requisite_id = ${requisiteId}
          and kind = '${kind}' and until is null) as ${kind}_sealed`,
  );
  return columns.join(", ");
}

const KINDS = Object.entries(WALLET_OF_SERVICE)
  .map(([service, kind]) => `when '${service}' then '${kind}'`)
  .join(" ");

/** A subquery: the number that payments by this service go to now. As a join it could be planned to read all numbers. */
export function numberToPay(
  column: "sealed" | "digest",
  requisiteId: string,
  service: string,
): string {
  return `(select ${column} from requisite_numbers where requisite_id = ${requisiteId}
    and kind = case ${service} ${KINDS} end and until is null)`;
}

export interface StoredNumber extends Omit<SealedNumber, "digest"> {
  readonly is_current: boolean;
}

/** Of these requisites, or of all. */
export function numbersOf(db: Queryable, ids: readonly string[] | null): Promise<StoredNumber[]> {
  return db.query<StoredNumber>(
    `select requisite_id, kind, sealed, until is null as is_current from requisite_numbers
     where $1::uuid[] is null or requisite_id = any($1) order by requisite_id, digest`,
    [ids],
  );
}

export interface WalletOwner {
  readonly id: string;
  readonly currency: string;
  readonly digest: Buffer;
}

/** The requisites that have these numbers, or had them. */
export function ownersOfNumbers(db: Queryable, digests: readonly Buffer[]): Promise<WalletOwner[]> {
  return db.query<WalletOwner>(
    `select requisite.id, requisite.currency, number.digest
     from requisite_numbers number join requisites requisite on requisite.id = number.requisite_id
     where number.digest = any($1::bytea[])`,
    [digests],
  );
}

/** Requisites that exchange numbers would otherwise wait for each other. */
export async function lockWallets(tx: Tx): Promise<void> {
  await tx.query("select from requisites order by id for no key update", []);
}

/** Adds the numbers of new requisites; false if one of them belongs to a requisite already. */
export async function addNumbers(tx: Tx, numbers: readonly SealedNumber[]): Promise<boolean> {
  const added = await addRows(
    tx,
    "insert into requisite_numbers (requisite_id, kind, digest, sealed)",
    numbers,
    "on conflict do nothing returning 1",
  );
  return added.length === numbers.length;
}

/** A number that no payer was given and no report named is deleted: it was a typing error. */
export async function endNumber(tx: Tx, id: string, kind: NumberKind, now: Date): Promise<void> {
  await tx.query(
    `update requisite_numbers set until = $3
     where requisite_id = $1 and kind = $2 and until is null and kind <> 'account'
       and requisite_was_used($1, coalesce(since, '-infinity'))`,
    [id, kind, now],
  );
  await tx.query(
    "delete from requisite_numbers where requisite_id = $1 and kind = $2 and until is null",
    [id, kind],
  );
}

/** Makes a number the current one, also a former one of its own; false if it belongs to another requisite. */
export async function setNumber(tx: Tx, number: SealedNumber, now: Date): Promise<boolean> {
  const set = await addRows(
    tx,
    "insert into requisite_numbers (requisite_id, kind, digest, sealed, since)",
    [{ ...number, since: now }],
    `on conflict (digest) do update set until = null
     where requisite_numbers.requisite_id = excluded.requisite_id returning 1`,
  );
  return set.length > 0;
}
