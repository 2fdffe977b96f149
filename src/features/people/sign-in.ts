// Proving who one is: by a passkey, or by a password and a code. A password alone opens nothing. Guards that
// guessing is slow, that nobody's guesses keep a person out of their own browser, and that an answer does not
// tell whether there is such a person.

import { addSeconds } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import { addressBlock } from "../../platform/address.ts";
import { type App, perApp } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { checkAssertion, claimedCredentialId, PasskeyRefusal } from "../../platform/passkey.ts";
import { checkPassword, hashPassword } from "../../platform/password.ts";
import { sameDigest } from "../../platform/secret.ts";
import { openThrottle } from "../../platform/throttle.ts";
import { recoveryCodeOf, totpStep } from "../../platform/totp.ts";
import type { Visit } from "../../platform/web-page.ts";
import { recordAudit } from "../operators/doors.ts";
import { People, type PersonRow } from "./nouns.ts";
import {
  changePerson,
  countFailure,
  findByEmail,
  findPasskey,
  type SessionWithPerson,
  useChallenge,
  usePasskey,
  useRecoveryCode,
  useStep,
} from "./queries.ts";
import { isOwnDevice } from "./session.ts";

const GOOD_SECONDS = 5 * 60;

/** For whom it was made. Who signs in is nobody yet: then the passkey alone says who it is. */
export type ChallengeUse = "sign-in" | `session ${string}` | `link ${string}`;

/** base64url of a moment, random bytes, and a keyed digest of both and of its use. */
export function freshChallenge({ clock, secrets }: App, use: ChallengeUse): string {
  const endsAt = addSeconds(clock.now(), GOOD_SECONDS).getTime();
  const said = `${endsAt.toString(36)}.${secrets.freshHex(16)}`;
  const mark = secrets.digest("challenge", `${use} ${said}`).toString("base64url");
  return Buffer.from(`${said}.${mark}`).toString("base64url");
}

/** Whether it is ours and for this, still good, and used for the first time. */
export async function spendChallenge(
  tx: Tx,
  app: App,
  challenge: string,
  use: ChallengeUse,
): Promise<boolean> {
  const [ends = "", random = "", mark = ""] = Buffer.from(challenge, "base64url")
    .toString("latin1")
    .split(".");
  const said = app.secrets.digest("challenge", `${use} ${ends}.${random}`);
  if (!sameDigest(said, Buffer.from(mark, "base64url"))) return false;
  const endsAt = new Date(Number.parseInt(ends, 36));
  const now = app.clock.now();
  return endsAt > now && useChallenge(tx, said, endsAt, now);
}

/** Of one address, whoever is guessed at. */
const TRIES = { burst: 20, perSecond: 1 / 3 };
const TRY_AGAIN_SECONDS = 3;

const tries = perApp(({ clock }) => openThrottle(clock, TRIES));

export function refuseTooManyTries(app: App, { address }: Visit): void {
  if (tries(app).allows(addressBlock(address))) return;
  throw new HttpFailure("too_many_visits", TRY_AGAIN_SECONDS);
}

/** Where a visitor is: what a passkey is bound to. */
export function placeOf({ config }: App, { host }: Visit): { origin: string; rpId: string } {
  const urls = [config.deskUrl, config.cabinetUrl, config.baseUrl].map((url) => new URL(url));
  const own = urls.find((url) => url.host === host) ?? urls[0];
  // A sandbox is visited by whatever name its machine has.
  const url = config.mode === "sandbox" ? URL.parse(`${own?.protocol}//${host}`) : own;
  return { origin: url?.origin ?? "", rpId: url?.hostname ?? "" };
}

/** Somebody who is not there costs the same work and the same statements. */
const NOBODY = "00000000-0000-7000-8000-000000000000";

/** What comes of a proof, under the lock by which it was one: what ends every way in, or the person, is before or after. */
type Then<Done> = (tx: Tx, person: PersonRow) => Promise<Done>;

export async function provenByPassword<Done>(
  app: App,
  visit: Visit,
  then: Then<Done>,
): Promise<Done> {
  refuseTooManyTries(app, visit);
  const { email: typed = "", password: long = "", code = "" } = visit.form;
  const [email, password] = [typed.trim().toLowerCase().slice(0, 255), long.slice(0, 1_000)];
  const known = await findByEmail(app.db, email);
  const now = app.clock.now();
  const isOwn = await isOwnDevice(app, visit, known?.id ?? NOBODY);
  const { isRight, isWeak } = await checkPassword(password, known?.password ?? undefined);
  const stronger = isWeak ? await hashPassword(password) : undefined;
  const proven = await app.db.transaction(async (tx) => {
    // Tries that come together are judged one after the other, or together they would be more than so many.
    const person = await findByEmail(tx, email, "locked");
    const isBlocked = (person?.blocked_until ?? now) > now && !isOwn;
    const hasNone = person?.password === null && password === "";
    const isStill = isRight && person?.password === known?.password;
    const isFit = (isStill || hasNone) && !isBlocked && person?.disabled_at === null;
    const isByPaper = !isFit && (await usePaper(tx, app, isBlocked ? person?.id : NOBODY, code));
    const isHeld = isByPaper && (isStill || hasNone) && person?.disabled_at === null;
    if ((isFit && (await useCode(tx, app, person, code))) || (isHeld && person !== undefined)) {
      const renewed = stronger === undefined ? {} : { password: stronger };
      await changePerson(tx, person.id, { failures: 0, blocked_until: null, ...renewed });
      return { done: await then(tx, person) };
    }
    // While it is blocked nothing was looked at, so nothing is counted: the block ends by itself.
    await countFailure(tx, isBlocked ? NOBODY : (person?.id ?? NOBODY), now);
    return undefined;
  });
  if (proven !== undefined) return proven.done;
  app.log.info({ from: addressBlock(visit.address) }, "a sign-in did not fit");
  throw new Refusal("sign_in_failed");
}

/**
 * While others' guesses make a person wait, a recovery code is looked at all the same: nobody guesses it. With a
 * wrong password it is used up, so that whoever has found the paper has ten guesses at that, and no more.
 */
async function usePaper(tx: Tx, app: App, id: string | undefined, typed: string): Promise<boolean> {
  const plain = recoveryCodeOf(typed);
  if (plain === undefined) return false;
  return useRecoveryCode(tx, id ?? NOBODY, recoveryDigest(app, plain), app.clock.now());
}

/**
 * Who has no password has no app either, and one that a lost key has sealed is none: then only a code on paper
 * opens, which nobody guesses.
 */
async function useCode(tx: Tx, app: App, person: PersonRow, typed: string): Promise<boolean> {
  const { id, totp_sealed: sealed, totp_last_step: last } = person;
  const now = app.clock.now();
  const secret = sealed === null ? undefined : openedTotp(app, id, sealed);
  const step = secret === undefined ? undefined : totpStep(secret, typed, now, Number(last));
  if (step !== undefined) return useStep(tx, id, step);
  return usePaper(tx, app, id, typed);
}

function openedTotp({ secrets }: App, personId: string, sealed: Buffer): string | undefined {
  try {
    return secrets.open(personId, sealed);
  } catch {
    return undefined;
  }
}

export function recoveryDigest({ secrets }: App, plain: string): Buffer {
  return secrets.digest("recovery code", plain);
}

/** By a passkey; of this person, and for this session, where it is known already who they should be. */
export async function provenByPasskey<Done>(
  app: App,
  visit: Visit,
  then: Then<Done>,
  expected?: SessionWithPerson,
): Promise<Done> {
  refuseTooManyTries(app, visit);
  const { credential = "", challenge = "" } = visit.form;
  try {
    const credentialId = claimedCredentialId(credential);
    const passkey = await findPasskey(app.db, Buffer.from(credentialId, "base64url"));
    if (passkey === undefined) throw new PasskeyRefusal("wrong_id");
    const person = await People.find(app.db, passkey.person_id);
    const isMeant = person.disabled_at === null && (expected?.person ?? person).id === person.id;
    if (!isMeant) throw new PasskeyRefusal("wrong_person");
    const { signCount } = checkAssertion({
      credential,
      challenge,
      ...placeOf(app, visit),
      stored: {
        credentialId,
        publicKey: passkey.public_key,
        algorithm: passkey.algorithm,
        signCount: Number(passkey.sign_count),
        personId: person.id,
      },
    });
    return await app.db.transaction(async (tx) => {
      const still = await People.lock(tx, person.id);
      const isThere = (await findPasskey(tx, passkey.credential_id)) !== undefined;
      if (!isThere || still.disabled_at !== null) throw new PasskeyRefusal("wrong_person");
      const use = expected === undefined ? "sign-in" : (`session ${expected.session.id}` as const);
      if (!(await spendChallenge(tx, app, challenge, use)))
        throw new PasskeyRefusal("wrong_challenge");
      await usePasskey(tx, passkey.id, BigInt(signCount), app.clock.now());
      return then(tx, still);
    });
  } catch (error) {
    if (!(error instanceof PasskeyRefusal)) throw error;
    app.log.info({ from: addressBlock(visit.address), why: error.code }, "a passkey did not fit");
    throw new Refusal("sign_in_failed");
  }
}

/** That somebody has proven who they are stands in the log for good. */
export function recordProof(
  tx: Tx,
  app: App,
  { id, name, email }: PersonRow,
  act: "person.sign_in" | "person.prove",
  by: "passkey" | "password" | "link",
): Promise<void> {
  // With the address, which nobody else has: a name is whatever somebody wants to be called.
  const who = `${name} (${email})`;
  return recordAudit(tx, app, { by: who, act, subject: id, before: null, after: { by } });
}
