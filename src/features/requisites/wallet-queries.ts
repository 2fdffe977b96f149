// The numbers of requisites as they are stored: sealed, with digests that find and compare them; those of now and
// those of before.

import type { WalletKind } from "../../domain/requisite.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { changeRow } from "../../platform/db-row.ts";

/** A requisite is an account; money is sent to it by a card's or a phone's number. */
export type NumberKind = WalletKind | "account";

export interface SealedNumber {
  readonly id: string;
  readonly sealed: Buffer;
  readonly digest: Buffer;
}

type FormerWallet = SealedNumber & { readonly kind: WalletKind };

export interface SealedNumbers {
  readonly id: string;
  readonly card_sealed: Buffer | null;
  readonly card_digest: Buffer | null;
  readonly phone_sealed: Buffer | null;
  readonly phone_digest: Buffer | null;
  readonly account_sealed: Buffer | null;
  readonly account_digest: Buffer | null;
}

export function everyWallet(db: Queryable): Promise<SealedNumbers[]> {
  return db.query<SealedNumbers>(
    `select id, card_sealed, card_digest, phone_sealed, phone_digest, account_sealed, account_digest
     from requisites order by id`,
    [],
  );
}

/** In the order of all locks, so that nobody who chooses from them stands against it. */
export async function lockWallets(tx: Tx): Promise<void> {
  await tx.query("select from requisites order by id for no key update", []);
}

/** Whether none of these numbers was another requisite's before. */
export async function areNew(tx: Tx, numbers: SealedNumbers): Promise<boolean> {
  const digests = [numbers.card_digest, numbers.phone_digest];
  const former = await tx.query("select from former_wallets where digest = any($1::bytea[])", [
    digests,
  ]);
  return former.length === 0;
}

/** Whether it is no other requisite's, and was none's. */
export async function setNumber(
  tx: Tx,
  kind: NumberKind,
  { id, sealed, digest }: SealedNumber,
  now: Date,
): Promise<boolean> {
  const others = await tx.query(
    `select id from requisites where ${kind}_digest = $2 and id <> $1
     union all select requisite_id from former_wallets where digest = $2 and requisite_id <> $1`,
    [id, digest],
  );
  if (others.length > 0) return false;
  const had = await tx.query("delete from former_wallets where digest = $1 returning 1", [digest]);
  const columns = { [`${kind}_sealed`]: sealed, [`${kind}_digest`]: digest };
  const known =
    kind === "account" ? {} : { [`${kind}_was_former`]: had.length > 0, [`${kind}_since`]: now };
  await changeRow(tx, "update requisites set", id, { ...columns, ...known });
  return true;
}

/** Who is giving it out has done so then, and nobody does by what was read before. */
export async function renumber(tx: Tx, id: string): Promise<void> {
  await tx.query("update requisite_usage set renumbered = renumbered + 1 where requisite_id = $1", [
    id,
  ]);
}

/** What payers were shown, or money was told of by, stays its own. */
export async function keepFormer(tx: Tx, kind: WalletKind, id: string, now: Date): Promise<void> {
  await tx.query(
    `insert into former_wallets (requisite_id, kind, sealed, digest, replaced_at)
     select id, $2, ${kind}_sealed, ${kind}_digest, $3 from requisites
     where id = $1 and ${kind}_digest is not null and (${kind}_was_former or number_is_known(id, $2))`,
    [id, kind, now],
  );
}

/** Of these requisites, or of all. */
export function formerWallets(
  db: Queryable,
  ids: readonly string[] | null,
): Promise<FormerWallet[]> {
  return db.query<FormerWallet>(
    `select requisite_id as id, kind, sealed, digest from former_wallets
     where $1::uuid[] is null or requisite_id = any($1) order by requisite_id, replaced_at, digest`,
    [ids],
  );
}
