// A requisite's numbers: how they are sealed, found again and shown. Guards that a full number exists
// in the payer's own details only.

import type { WalletKind } from "../../domain/requisite.ts";
import type { Secrets } from "../../platform/secret.ts";

export interface SealedWallet {
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

export function walletDigest(secrets: Secrets, kind: WalletKind, number: string): Buffer {
  return secrets.digest(`wallet ${kind}`, number);
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
  const sealed = kind === "card" ? holder.card_sealed : holder.phone_sealed;
  if (sealed === null) throw new Error(`The requisite ${requisiteId} has no ${kind}.`);
  return secrets.open(`${requisiteId} ${kind}`, sealed);
}
