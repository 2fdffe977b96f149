// Where payouts go to: the number sealed, known again by a keyed digest, shown masked. Guards that a whole
// number is seen by nobody but whoever sends the money.

import { maskDestination, type PayoutService } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import type { Secrets } from "../../platform/secret.ts";
import type { NewDestination, SealedDestination } from "./destination-queries.ts";

export interface Destination {
  readonly service: PayoutService;
  readonly currency: string;
  readonly number: string;
  readonly bankId: string | null;
}

/** By each key of the ring: what is known may be of either. */
export function destinationDigests({ secrets }: App, one: Destination): string[] {
  return secrets.fingerprints(PURPOSE, textOf(one)).map((digest) => digest.toString("hex"));
}

export function destinationDigest(secrets: Secrets, one: Destination): Buffer {
  return secrets.fingerprint(PURPOSE, textOf(one));
}

export function sealDestination(
  { secrets }: Pick<App, "secrets">,
  id: string,
  userId: string,
  one: Destination,
): NewDestination {
  return {
    id,
    user_id: userId,
    service: one.service,
    bank_id: one.bankId,
    currency: one.currency,
    digest: destinationDigest(secrets, one),
    number_sealed: secrets.seal(destinationSeal(id), one.number),
    masked: maskDestination(one.number),
  };
}

export function openDestination(
  secrets: Secrets,
  { id, number_sealed }: Pick<SealedDestination, "id" | "number_sealed">,
): string {
  return secrets.open(destinationSeal(id), number_sealed);
}

const PURPOSE = "payout destination";

function textOf({ service, currency, number, bankId }: Destination): string {
  return [service, currency, number, bankId ?? ""].join(" ");
}

export function destinationSeal(id: string): string {
  return `${id} payout destination`;
}
