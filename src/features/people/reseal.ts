// What people's apps make their codes with, under another secret key, and whether all of it opens.

import type { Queryable, Tx } from "../../platform/db.ts";
import type { Secrets } from "../../platform/secret.ts";
import { everyTotp, lockEveryTotp, replaceTotp, type SealedTotp } from "./totp-queries.ts";

/** Of earlier rotations, which left people out, there may be what no key of today opens. */
export function openedTotp(
  secrets: Secrets,
  { id, totp_sealed: sealed }: SealedTotp,
): string | undefined {
  try {
    return secrets.open(id, sealed);
  } catch {
    return undefined;
  }
}

/** How many people's were sealed anew, and could not be; who has locked the installation knows that these are all. */
export async function resealPeople(
  tx: Tx,
  present: Secrets,
  next: Secrets,
): Promise<{ people: number; people_lost: number }> {
  const all = await lockEveryTotp(tx);
  const fresh = all.flatMap((one) => {
    const secret = openedTotp(present, one);
    // It must not stand in the way of the next rotation.
    return secret === undefined ? [] : [{ id: one.id, totp_sealed: next.seal(one.id, secret) }];
  });
  await replaceTotp(tx, fresh);
  return { people: fresh.length, people_lost: all.length - fresh.length };
}

/** Those that do not open with this secret key, in words. */
export async function peopleFaults(db: Queryable, secrets: Secrets): Promise<string[]> {
  return (await everyTotp(db))
    .filter((one) => openedTotp(secrets, one) === undefined)
    .map(({ id }) => `what the codes of person ${id} are made with does not open`);
}
