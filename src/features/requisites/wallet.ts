// A requisite's numbers: how they are sealed, found again and shown. Guards that a full number exists
// in the payer's own details only.

import { maskNumber, type WalletKind } from "../../domain/requisite.ts";
import { type App, perApp } from "../../platform/app.ts";
import type { Queryable } from "../../platform/db.ts";
import type { Secrets } from "../../platform/secret.ts";
import { ownersOfWallets } from "./queries.ts";
import { everyWallet, type SealedNumbers } from "./requisite-queries.ts";

/** The numbers of a requisite, whole or masked. */
interface Wallets {
  readonly card: string | null;
  readonly phone: string | null;
}

interface SealedWallet {
  readonly sealed: Buffer;
  readonly digest: Buffer;
}

/** Bound to its requisite and kind; the digest alone tells whether two numbers are the same. */
export function sealWallet(
  secrets: Secrets,
  requisiteId: string,
  kind: WalletKind,
  number: string,
): SealedWallet {
  return {
    sealed: secrets.seal(`${requisiteId} ${kind}`, number),
    digest: walletDigest(secrets, kind, number),
  };
}

/** The numbers that a requisite has, as the columns that hold them. */
export function sealWallets(secrets: Secrets, id: string, numbers: Wallets): SealedNumbers {
  const card = numbers.card === null ? null : sealWallet(secrets, id, "card", numbers.card);
  const phone = numbers.phone === null ? null : sealWallet(secrets, id, "phone", numbers.phone);
  return {
    id,
    card_sealed: card?.sealed ?? null,
    card_digest: card?.digest ?? null,
    phone_sealed: phone?.sealed ?? null,
    phone_digest: phone?.digest ?? null,
  };
}

export function walletDigest(secrets: Secrets, kind: WalletKind, number: string): Buffer {
  return secrets.fingerprint(purposeOf(kind), number);
}

function purposeOf(kind: WalletKind): string {
  return `wallet ${kind}`;
}

export interface WalletHolder {
  readonly card_sealed: Buffer | null;
  readonly phone_sealed: Buffer | null;
}

export function openWallet(
  secrets: Secrets,
  requisiteId: string,
  kind: WalletKind,
  holder: WalletHolder,
): string {
  const sealed = holder[`${kind}_sealed`];
  if (sealed === null) throw new Error(`The requisite ${requisiteId} has no ${kind}.`);
  return secrets.open(`${requisiteId} ${kind}`, sealed);
}

/** The number alone does not say whether it is a card or a phone: both digests are looked up. */
export async function ownersByWallet(db: Queryable, secrets: Secrets, wallets: readonly string[]) {
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
  const owners = new Map<string, { id: string; currency: string }>();
  for (const row of rows) {
    for (const digest of [row.card_digest, row.phone_digest]) {
      const wallet = digest && digests.get(digest.toString("hex"))?.wallet;
      if (wallet) owners.set(wallet, row);
    }
  }
  return owners;
}

/** The requisites with a card or a phone that ends in these digits. They are few: all are looked at. */
export async function requisitesEndingIn(app: App, digits: string): Promise<string[]> {
  const holders = await everyWallet(app.db);
  return holders
    .filter((holder) => {
      const { card, phone } = maskedWallets(app, holder);
      return card?.endsWith(digits) || phone?.endsWith(digits);
    })
    .map(({ id }) => id);
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

/**
 * What a sealed text shows once it is masked never changes, so it is kept: opening the numbers of 300
 * requisites takes 15 to 30 ms, in which nobody else is answered.
 */
const masks = perApp(() => new Map<string, string>());
const MOST_MASKS = 20_000;

function maskOf(app: App, sealed: Buffer, open: () => string): string {
  const known = masks(app);
  const key = sealed.toString("latin1");
  const mask = known.get(key) ?? maskNumber(open());
  if (known.size >= MOST_MASKS) known.clear();
  known.set(key, mask);
  return mask;
}

/** First six and last four digits of a card, less of a phone: what a list may show. */
export function maskedWallets(app: App, holder: WalletHolder & { readonly id: string }): Wallets {
  const open = (kind: WalletKind) => openWallet(app.secrets, holder.id, kind, holder);
  return eachWallet(holder, (kind, sealed) => maskOf(app, sealed, () => open(kind)));
}

export function openWallets(
  secrets: Secrets,
  holder: WalletHolder & { readonly id: string },
): Wallets {
  return eachWallet(holder, (kind) => openWallet(secrets, holder.id, kind, holder));
}

function eachWallet(
  { card_sealed: card, phone_sealed: phone }: WalletHolder,
  read: (kind: WalletKind, sealed: Buffer) => string,
): Wallets {
  return { card: card && read("card", card), phone: phone && read("phone", phone) };
}
