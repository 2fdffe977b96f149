// Who calls: a shop by its key, a user by theirs. Guards that an identifier is only a claim, that a
// wrong secret costs the same work whoever it is for, and that a proof holds only while the settings do.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import type { Claim, Gate } from "../../platform/endpoint.ts";
import { openProofs, type Proofs, StaleProof } from "../../platform/proof.ts";
import { remembering } from "../../platform/remember.ts";
import { type Secrets, sameDigest } from "../../platform/secret.ts";
import {
  findShops,
  findUsers,
  type Holder,
  holdSettings,
  type KeyRow,
  type ShopRow,
  settingsVersion,
  type Versioned,
} from "./queries.ts";

export interface Shop {
  readonly id: string;
  readonly userId: string;
  readonly h2hEnabled: boolean;
  readonly successUrl: string | null;
  readonly failUrl: string | null;
  readonly hookUrl: string | null;
  readonly nudgeMaxMinor: bigint;
  /** Of the tariffs and everything else that is kept, when the key was looked up. */
  readonly settingsVersion: bigint;
}

export interface User {
  readonly id: string;
  readonly settingsVersion: bigint;
}

/** The version that all of them were proven by; some that are behind make all of them stale. */
export function provenTogether(callers: readonly Pick<User, "settingsVersion">[]): bigint {
  const version = latestSettings(callers);
  if (callers.some(({ settingsVersion: own }) => own !== version)) throw new StaleProof();
  return version;
}

/** What was read holds for callers who were proven by the settings it was read with. */
export function checkVersion([row]: readonly Versioned[], provenAt: bigint): void {
  if (row?.settings_version !== provenAt) throw new StaleProof();
}

/** To be sent along with the work that relies on the proof; what it rejects is rolled back. */
export async function checkProof(tx: Tx, version: bigint): Promise<void> {
  if ((await settingsVersion(tx)) !== version) throw new StaleProof();
}

/** The version that all of them may be answered by. */
export function latestSettings(callers: readonly Pick<User, "settingsVersion">[]): bigint {
  let latest = 0n;
  for (const { settingsVersion } of callers) if (settingsVersion > latest) latest = settingsVersion;
  return latest;
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
  lookUp: (app, claims) => prove(app, claims, findShops, toShop, shopProofs),
  recall: ({ db, clock }, claim) => shopProofs.recall(db, claim, clock.now()),
  hold: holdSettings,
};

export const userGate: Gate<User> = {
  name: "userSecret",
  header: "x-api-signature-sha256",
  description: "The secret of the user that the request names: 40 hexadecimal characters.",
  refusal,
  lookUp: (app, claims) => prove(app, claims, findUsers, toUser, userProofs),
  recall: ({ db, clock }, claim) => userProofs.recall(db, claim, clock.now()),
  hold: holdSettings,
};

const recallShops = remembering(findShops);
const shopProofs = openProofs<Shop>();
const userProofs = openProofs<User>();

/** A shop that is known already, for whoever acts in its name. */
export async function shopOf({ db }: App, id: string): Promise<Shop> {
  const version = await settingsVersion(db);
  const row = (await recallShops(db, version, [id])).get(id);
  if (row === undefined) throw new Refusal("shop_not_found");
  return toShop(row, version);
}

/**
 * Whoever is not known by this very secret is looked up, also where the holder was looked up before: a
 * wrong secret takes the same statements whether the holder exists or not.
 */
async function prove<Row extends Holder, Principal extends Pick<User, "settingsVersion">>(
  { db, clock, secrets }: App,
  claims: readonly Claim[],
  find: (db: Queryable, ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
  toPrincipal: (row: Row, settingsVersion: bigint) => Principal,
  proofs: Proofs<Principal>,
): Promise<(Principal | undefined)[]> {
  const version = await settingsVersion(db);
  const now = clock.now();
  const known = claims.map((claim) => {
    const principal = proofs.recall(db, claim, now);
    return principal?.settingsVersion === version ? principal : undefined;
  });
  if (!known.includes(undefined)) return known;
  const strangers = claims.filter((_, index) => known[index] === undefined).map(({ id }) => id);
  const holders = await find(db, [...new Set(strangers)]);
  return claims.map((claim, index) => {
    if (known[index] !== undefined) return known[index];
    const { id, secret } = claim;
    const digest = keyDigest(secrets, id, secret);
    const row = holders.get(id);
    // An unknown holder is compared as well, with a digest that nothing has.
    const keys = row?.keys.length ? row.keys : NOBODY;
    const [right] = keys.filter((key) => isValid(key, now) && sameDigest(key.digest, digest));
    if (row === undefined || right === undefined) return undefined;
    const principal = toPrincipal(row, version);
    proofs.keep(db, version, claim, { principal, endsAt: right.ends_at });
    return principal;
  });
}

const NOBODY: readonly KeyRow[] = [{ digest: Buffer.alloc(32), ends_at: null, revoked_at: null }];

/** What was revoked is dead whatever the clock says. */
function isValid({ ends_at: endsAt, revoked_at: revokedAt }: KeyRow, now: Date): boolean {
  return revokedAt === null && (endsAt === null || endsAt > now);
}

function toShop(row: ShopRow, settingsVersion: bigint): Shop {
  return {
    id: row.id,
    userId: row.user_id,
    h2hEnabled: row.h2h_enabled,
    successUrl: row.success_url,
    failUrl: row.fail_url,
    hookUrl: row.hook_url,
    nudgeMaxMinor: row.nudge_max_minor,
    settingsVersion,
  };
}

function toUser({ id }: Holder, settingsVersion: bigint): User {
  return { id, settingsVersion };
}
