// All numbers at once: whether they are sound, and sealing them anew under another secret key.

import type { WalletKind } from "../../domain/requisite.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { type Secrets, sameDigest } from "../../platform/secret.ts";
import {
  everyWallet,
  lockWallets,
  replaceWallets,
  type SealedNumbers,
} from "./requisite-queries.ts";
import { openWallet, openWallets, sealWallets, walletDigest } from "./wallet.ts";

const KINDS = ["card", "phone"] as const;

/** The numbers that do not open with this secret key, and the digests that are not theirs. */
export async function walletFaults(db: Queryable, secrets: Secrets): Promise<string[]> {
  const holders = await everyWallet(db);
  return holders.flatMap((holder) =>
    KINDS.map((kind) => faultOf(secrets, holder, kind)).filter((fault) => fault !== null),
  );
}

function faultOf(secrets: Secrets, holder: SealedNumbers, kind: WalletKind): string | null {
  const digest = holder[`${kind}_digest`];
  if (digest === null) return null;
  try {
    const number = openWallet(secrets, holder.id, kind, holder);
    const isOwn = sameDigest(digest, walletDigest(secrets, kind, number));
    return isOwn ? null : `the digest of the ${kind} of requisite ${holder.id} is not its own`;
  } catch {
    return `the ${kind} of requisite ${holder.id} does not open`;
  }
}

/** How many requisites were sealed anew; whoever has locked the installation knows that these are all. */
export async function resealWallets(tx: Tx, present: Secrets, next: Secrets): Promise<number> {
  await lockWallets(tx);
  const holders = await everyWallet(tx);
  const fresh = holders.map((one) => sealWallets(next, one.id, openWallets(present, one)));
  await replaceWallets(tx, fresh);
  return fresh.length;
}
