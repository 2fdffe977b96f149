// Who calls: a shop by its key, a user by theirs. Guards that an identifier is only a claim, and that
// a wrong one costs exactly as much work as a right one.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Claim, Gate } from "../../platform/endpoint.ts";
import { type Secrets, sameDigest } from "../../platform/secret.ts";
import { findShops, findUsers, type ShopRow } from "./queries.ts";

export interface Shop {
  readonly id: string;
  readonly userId: string;
  readonly h2hEnabled: boolean;
  readonly successUrl: string | null;
  readonly failUrl: string | null;
  readonly hookUrl: string | null;
  readonly nudgeMaxMinor: bigint;
}

export interface User {
  readonly id: string;
}

/** The owner is part of what is digested: the same secret at another shop is another digest. */
export function keyDigest(secrets: Secrets, ownerId: string, secret: string): Buffer {
  return secrets.digest("api key", `${ownerId}\0${secret}`);
}

const refusal = (): Refusal => new Refusal("unauthorized");

export const shopGate: Gate<Shop> = {
  name: "shopKey",
  header: "x-api-key",
  description: "The secret key of the shop that the request names.",
  refusal,
  lookUp: (app, claims) => prove(app, claims, findShops, toShop),
};

export const userGate: Gate<User> = {
  name: "userSecret",
  header: "x-api-signature-sha256",
  description: "The secret of the user that the request names: 40 hexadecimal characters.",
  refusal,
  lookUp: (app, claims) => prove(app, claims, findUsers, ({ id }) => ({ id })),
};

/** A shop that is known already, for whoever acts in its name. */
export async function shopOf({ db, clock }: App, id: string): Promise<Shop> {
  const [row] = await findShops(db, [id], clock.now());
  if (row === undefined) throw new Refusal("shop_not_found");
  return toShop(row);
}

interface Holder {
  readonly id: string;
  readonly digests: readonly Buffer[];
}

async function prove<Row extends Holder, Principal>(
  { db, clock, secrets }: App,
  claims: readonly Claim[],
  find: (db: App["db"], ids: readonly string[], now: Date) => Promise<Row[]>,
  toPrincipal: (row: Row) => Principal,
): Promise<(Principal | undefined)[]> {
  const ids = [...new Set(claims.map(({ id }) => id))];
  const rows = new Map((await find(db, ids, clock.now())).map((row) => [row.id, row]));
  return claims.map(({ id, secret }) => {
    const digest = keyDigest(secrets, id, secret);
    const row = rows.get(id);
    // An unknown holder is compared as well, with a digest that nothing has.
    const known = row?.digests.length ? row.digests : [NOBODY];
    const right = known.filter((candidate) => sameDigest(candidate, digest)).length > 0;
    return row !== undefined && right ? toPrincipal(row) : undefined;
  });
}

const NOBODY = Buffer.alloc(32);

function toShop(row: ShopRow): Shop {
  return {
    id: row.id,
    userId: row.user_id,
    h2hEnabled: row.h2h_enabled,
    successUrl: row.success_url,
    failUrl: row.fail_url,
    hookUrl: row.hook_url,
    nudgeMaxMinor: row.nudge_max_minor,
  };
}
