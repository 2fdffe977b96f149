// A requisite's numbers: how they are sealed, found again and shown. Guards that a full number exists in the payer's own details only.

import { maskNumber } from "../../domain/requisite.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable } from "../../platform/db.ts";
import { keptBySeal, remembering } from "../../platform/remember.ts";
import type { Secrets } from "../../platform/secret.ts";
import { ownersOfWallets, type WalletOwner } from "./queries.ts";
import {
  everyWallet,
  formerWallets,
  type NumberKind,
  type SealedNumber,
  type SealedNumbers,
} from "./wallet-queries.ts";

/** The numbers of a requisite, whole or masked. */
type Numbers = Readonly<Record<NumberKind, string | null>>;

/** Bound to its requisite and kind; the digest alone tells whether two numbers are the same. */
export function sealWallet(
  secrets: Secrets,
  requisiteId: string,
  kind: NumberKind,
  number: string,
): SealedNumber {
  return {
    id: requisiteId,
    sealed: secrets.seal(walletSeal(requisiteId, kind), number),
    digest: walletDigest(secrets, kind, number),
  };
}

/** The numbers that a requisite has, as the columns that hold them. */
export function sealWallets(secrets: Secrets, id: string, numbers: Numbers): SealedNumbers {
  const sealed = (kind: NumberKind) => {
    const number = numbers[kind];
    return number === null ? null : sealWallet(secrets, id, kind, number);
  };
  const [card, phone, account] = [sealed("card"), sealed("phone"), sealed("account")];
  return {
    id,
    card_sealed: card?.sealed ?? null,
    card_digest: card?.digest ?? null,
    phone_sealed: phone?.sealed ?? null,
    phone_digest: phone?.digest ?? null,
    account_sealed: account?.sealed ?? null,
    account_digest: account?.digest ?? null,
  };
}

export function walletSeal(requisiteId: string, kind: NumberKind): string {
  return `${requisiteId} ${kind}`;
}

export function walletDigest(secrets: Secrets, kind: NumberKind, number: string): Buffer {
  return secrets.fingerprint(purposeOf(kind), number);
}

function purposeOf(kind: NumberKind): string {
  return `wallet ${kind}`;
}

type WalletHolder = Pick<SealedNumbers, `${NumberKind}_sealed`>;

export function openWallet(
  secrets: Secrets,
  requisiteId: string,
  kind: NumberKind,
  holder: Partial<WalletHolder>,
): string {
  const sealed = holder[`${kind}_sealed`];
  if (sealed == null) throw new Error(`The requisite ${requisiteId} has no ${kind}.`);
  return secrets.open(walletSeal(requisiteId, kind), sealed);
}

const numbers = keptBySeal<string>();

type WithId<Holder> = Holder & { readonly id: string };
type Requisite = WithId<WalletHolder>;

/**
 * The same, kept: to open it is a seventh of what a payer's details take here, and lists show hundreds,
 * in 15 to 30 ms in which nobody else is answered.
 */
export function numberOf(
  app: App,
  kind: NumberKind,
  requisite: WithId<Partial<WalletHolder>>,
): string {
  const sealed = requisite[`${kind}_sealed`];
  const { id } = requisite;
  return numbers(app, `${id} ${kind}`, sealed == null ? [] : [sealed], () =>
    openWallet(app.secrets, id, kind, requisite),
  );
}

/** The number alone does not say whether it is a card or a phone: both digests are looked up. */
export async function ownersByWallet(
  db: Queryable,
  secrets: Secrets,
  wallets: readonly string[],
): Promise<Map<string, WalletOwner>> {
  const digests = new Map(
    wallets.flatMap((wallet) =>
      (["card", "phone"] as const).flatMap((kind) =>
        secrets
          .fingerprints(purposeOf(kind), wallet)
          .map((digest) => [digest.toString("hex"), { wallet, digest }] as const),
      ),
    ),
  );
  const rows = await ownersOfWallets(
    db,
    [...digests.values()].map(({ digest }) => digest),
  );
  return new Map(
    rows.flatMap((row) => {
      const asked = digests.get(row.digest.toString("hex"));
      return asked === undefined ? [] : [[asked.wallet, row] as const];
    }),
  );
}

/** The same, kept while the settings stand; a number that is nobody's is asked about each time. */
export const recallOwners = remembering((db, wallets, { secrets }) =>
  ownersByWallet(db, secrets, wallets),
);

/** Every account that is a requisite's. They are few: all are looked at. */
export async function ownAccounts(app: App, db: Queryable = app.db): Promise<Map<string, string>> {
  const holders = (await everyWallet(db)).filter(({ account_sealed: one }) => one !== null);
  return new Map(holders.map((holder) => [numberOf(app, "account", holder), holder.id]));
}

/** The requisites with a card or a phone that ends, or ended, in these digits. They are few: all are looked at. */
export async function requisitesEndingIn(app: App, digits: string): Promise<string[]> {
  const [holders, former] = await Promise.all([everyWallet(app.db), formerNumbers(app, null)]);
  return holders
    .filter((holder) => {
      const { card, phone } = maskedWallets(app, holder);
      const all = [card, phone, ...(former.get(holder.id) ?? [])];
      return all.some((number) => number?.endsWith(digits));
    })
    .map(({ id }) => id);
}

/** What these requisites, or all, had for cards and phones before, masked. */
export async function formerNumbers(
  app: App,
  ids: readonly string[] | null,
): Promise<Map<string, string[]>> {
  const masked = (await formerWallets(app.db, ids)).map(({ id, kind, sealed }) => {
    const number = numberOf(app, kind, { id, [`${kind}_sealed`]: sealed });
    return { id, number: maskNumber(number) };
  });
  const groups = Map.groupBy(masked, ({ id }) => id);
  return new Map([...groups].map(([id, own]) => [id, own.map(({ number }) => number)]));
}

/** What a search by a requisite, by its last digits or by both leads to; by neither: no condition. */
export async function requisitesSought(
  app: App,
  requisiteId: string | undefined,
  digits: string | undefined,
): Promise<string[] | undefined> {
  if (digits === undefined) return requisiteId === undefined ? undefined : [requisiteId];
  const ids = await requisitesEndingIn(app, digits);
  return requisiteId === undefined ? ids : ids.filter((id) => id === requisiteId.toLowerCase());
}

/** First six and last four digits of a card, less of a phone: what a list may show. */
export function maskedWallets(app: App, holder: Requisite): Numbers {
  return eachWallet(holder, (kind) => maskNumber(numberOf(app, kind, holder)));
}

export function openWallets(secrets: Secrets, holder: Requisite): Numbers {
  return eachWallet(holder, (kind) => openWallet(secrets, holder.id, kind, holder));
}

function eachWallet(holder: WalletHolder, read: (kind: NumberKind) => string): Numbers {
  const one = (kind: NumberKind) => holder[`${kind}_sealed`] && read(kind);
  return { card: one("card"), phone: one("phone"), account: one("account") };
}
