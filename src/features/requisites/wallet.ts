// A requisite's numbers: how they are sealed, found again and shown. A full number exists in the payer's own details only.

import { maskNumber } from "../../domain/requisite.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable } from "../../platform/db.ts";
import { keptBySeal, remembering } from "../../platform/remember.ts";
import type { Secrets } from "../../platform/secret.ts";
import {
  NUMBER_KINDS,
  type NumberKind,
  numbersOf,
  ownersOfNumbers,
  type SealedNumber,
  type WalletOwner,
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
    requisite_id: requisiteId,
    kind,
    sealed: secrets.seal(walletSeal(requisiteId, kind), number),
    digest: walletDigest(secrets, kind, number),
  };
}

/** The numbers of a new requisite. */
export function sealWallets(secrets: Secrets, id: string, numbers: Numbers): SealedNumber[] {
  return NUMBER_KINDS.flatMap((kind) => {
    const number = numbers[kind];
    return number === null ? [] : [sealWallet(secrets, id, kind, number)];
  });
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

export function openWallet(
  secrets: Secrets,
  requisiteId: string,
  kind: NumberKind,
  sealed: Buffer,
): string {
  return secrets.open(walletSeal(requisiteId, kind), sealed);
}

const numbers = keptBySeal<string>();

/**
 * The same, kept: to open it is a seventh of what a payer's details take here, and lists show hundreds,
 * in 15 to 30 ms in which nobody else is answered.
 */
export function numberOf(app: App, requisiteId: string, kind: NumberKind, sealed: Buffer): string {
  return numbers(app, `${requisiteId} ${kind}`, [sealed], () =>
    openWallet(app.secrets, requisiteId, kind, sealed),
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
  const rows = await ownersOfNumbers(
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
  const accounts = (await numbersOf(db, null)).filter(({ kind }) => kind === "account");
  return new Map(
    accounts.map(({ requisite_id: id, kind, sealed }) => [numberOf(app, id, kind, sealed), id]),
  );
}

/** The requisites with a card or a phone that ends, or ended, in these digits. They are few: all are looked at. */
export async function requisitesEndingIn(app: App, digits: string): Promise<string[]> {
  const ending = (await maskedNumbers(app, null)).filter(
    ({ kind, masked }) => kind !== "account" && masked.endsWith(digits),
  );
  return [...new Set(ending.map(({ requisiteId }) => requisiteId))];
}

export interface MaskedNumber {
  readonly requisiteId: string;
  readonly kind: NumberKind;
  readonly masked: string;
  readonly isCurrent: boolean;
}

/** What these requisites, or all, have and had. */
export async function maskedNumbers(
  app: App,
  ids: readonly string[] | null,
): Promise<MaskedNumber[]> {
  const stored = await numbersOf(app.db, ids);
  return stored.map(({ requisite_id: requisiteId, kind, sealed, is_current: isCurrent }) => {
    const masked = maskNumber(numberOf(app, requisiteId, kind, sealed));
    return { requisiteId, kind, masked, isCurrent };
  });
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

type Requisite = { readonly id: string } & {
  readonly [Kind in NumberKind as `${Kind}_sealed`]: Buffer | null;
};

/** First six and last four digits of a card, less of a phone: what a list may show. */
export function maskedWallets(app: App, requisite: Requisite): Numbers {
  return eachWallet(requisite, (kind, sealed) =>
    maskNumber(numberOf(app, requisite.id, kind, sealed)),
  );
}

export function openWallets(secrets: Secrets, requisite: Requisite): Numbers {
  return eachWallet(requisite, (kind, sealed) => openWallet(secrets, requisite.id, kind, sealed));
}

function eachWallet(
  requisite: Requisite,
  read: (kind: NumberKind, sealed: Buffer) => string,
): Numbers {
  const one = (kind: NumberKind) => {
    const sealed = requisite[`${kind}_sealed`];
    return sealed && read(kind, sealed);
  };
  return { card: one("card"), phone: one("phone"), account: one("account") };
}
