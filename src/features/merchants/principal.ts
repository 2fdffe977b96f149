// Who calls: a shop by its key, a user by theirs. Guards that an identifier is only a claim, that a
// wrong secret costs the same work whoever it is for, and that nobody is let in by a key whose end was
// answered before they called. Who was let in stays so for this one call, whatever changes meanwhile.

import { hash } from "node:crypto";
import { languageOf } from "../../domain/dialect.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { type Queryable, settingsVersion } from "../../platform/db.ts";
import type { Credentials, Gate } from "../../platform/endpoint.ts";
import { isOver, keptAtVersion, type Proven, remembering } from "../../platform/remember.ts";
import { type Secrets, sameDigest } from "../../platform/secret.ts";
import { findShops, findUsers, type KeyHolder, type KeyProof, type ShopHolder } from "./queries.ts";

/** Both with the version of the settings at which their key was looked up. */
export type Shop = Principal<ShopHolder>;
export type User = Principal<KeyHolder>;

/** The owner is part of what is digested: the same secret at another shop is another digest. */
export function keyDigest(secrets: Secrets, ownerId: string, secret: string): Buffer {
  return secrets.digest("api key", `${ownerId}\0${secret}`);
}

const refusal = (missing: string | undefined): Refusal => new Refusal("unauthorized", {}, missing);

export const shopGate: Gate<Shop> = {
  name: "shopKey",
  header: "x-api-key",
  description: "The secret key of the shop that the request names.",
  refusal,
  accountOf: ({ id }) => id,
  language: ({ dialect }) => languageOf(dialect),
  lookUp: (app, claims) => prove(app, claims, findShops, shopProofs),
};

export const userGate: Gate<User> = {
  name: "userSecret",
  header: "x-api-signature-sha256",
  description: "The secret of the user that the request names: 40 hexadecimal characters.",
  refusal,
  accountOf: ({ id }) => id,
  lookUp: (app, claims) => prove(app, claims, findUsers, userProofs),
};

/** Somebody who was proven by a secret, and until when that secret lives. */
interface Proof<Who> {
  readonly principal: Who;
  readonly endsAt: Date | null;
}

const recallShops = remembering(findShops);
const shopProofs = keptAtVersion<Proof<Shop>>();
const userProofs = keptAtVersion<Proof<User>>();

/** A shop that is known already, for whoever acts in its name. */
export async function shopOf(app: App, id: string): Promise<Shop> {
  const version = await settingsVersion(app.db);
  const row = (await recallShops(app, [{ settingsVersion: version }], [id])).get(id);
  if (row === undefined) throw new Refusal("shop_not_found");
  return principalOf(row, version);
}

/**
 * The version of the settings is asked for once the claims are there: a key whose end was answered
 * before is not found under it. Whoever is not known by this very secret is looked up, also where the
 * holder was looked up before: a wrong secret takes the same statements whether the holder exists or not.
 */
async function prove<Row extends KeyHolder>(
  app: App,
  claims: readonly Credentials[],
  find: (db: Queryable, ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
  proofs: (app: App, version: bigint) => Map<string, Proof<Principal<Row>>>,
): Promise<(Principal<Row> | undefined)[]> {
  const version = await settingsVersion(app.db);
  const kept = proofs(app, version);
  const now = app.clock.now();
  const known = claims.map((claim) => {
    const key = proofKey(claim);
    const proof = kept.get(key);
    return { claim, key, principal: isOver(proof?.endsAt, now) ? undefined : proof?.principal };
  });
  const strangers = known.filter(({ principal }) => principal === undefined);
  if (strangers.length === 0) return known.map(({ principal }) => principal);
  const holders = await find(app.db, [...new Set(strangers.map(({ claim }) => claim.id))]);
  return known.map(({ claim, key, principal }) => {
    if (principal !== undefined) return principal;
    const digest = keyDigest(app.secrets, claim.id, claim.secret);
    const row = holders.get(claim.id);
    // An unknown holder is compared as well, with a digest that nothing has.
    const keys = row?.keys.length ? row.keys : NOBODY;
    const [right] = keys.filter((one) => isValid(one, now) && sameDigest(one.digest, digest));
    if (row === undefined || right === undefined) return undefined;
    const proof = { principal: principalOf(row, version), endsAt: right.ends_at };
    kept.set(key, proof);
    return proof.principal;
  });
}

/** The secret itself is not kept, nor compared: how long that takes tells nothing. */
function proofKey({ id, secret }: Credentials): string {
  return hash("sha256", `${id} ${secret}`, "base64url");
}

const NOBODY: readonly KeyProof[] = [{ digest: Buffer.alloc(32), ends_at: null, revoked_at: null }];

/** What was revoked is dead whatever the clock says. */
function isValid({ ends_at: endsAt, revoked_at: revokedAt }: KeyProof, now: Date): boolean {
  return revokedAt === null && !isOver(endsAt, now);
}

/** Whoever holds the key, without the keys. */
type Principal<Row extends KeyHolder> = Omit<Row, "keys"> & Proven;

function principalOf<Row extends KeyHolder>(row: Row, settingsVersion: bigint): Principal<Row> {
  const { keys: _keys, ...principal } = row;
  return { ...principal, settingsVersion };
}
