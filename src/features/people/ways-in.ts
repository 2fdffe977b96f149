// The ways into the house that a person has, made and replaced: a passkey, a password with an app's codes,
// recovery codes. Guards that whatever is replaced ends every other session.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { checkRegistration, PasskeyRefusal } from "../../platform/passkey.ts";
import { hashPassword, passwordProblem } from "../../platform/password.ts";
import { freshRecoveryCodes, recoveryCodeOf, totpStep } from "../../platform/totp.ts";
import type { Visit } from "../../platform/web-page.ts";
import { openedSecret } from "./entry-page.ts";
import { deviceName } from "./letters.ts";
import { People, type PersonRow } from "./nouns.ts";
import {
  addPasskey,
  changePerson,
  countRecoveryCodes,
  passkeysOf,
  putRecoveryCodes,
} from "./queries.ts";
import { type ChallengeUse, placeOf, recoveryDigest, spendChallenge } from "./sign-in.ts";

/** What a form has brought, checked before a transaction begins. */
export type NewWay = (tx: Tx) => Promise<void>;

export function passkeyWay(app: App, visit: Visit, person: PersonRow, use: ChallengeUse): NewWay {
  const { credential = "", challenge = "" } = visit.form;
  const made = refusedAs(() =>
    checkRegistration({ credential, challenge, ...placeOf(app, visit) }),
  );
  return async (tx) => {
    if (!(await spendChallenge(tx, app, challenge, use))) throw new Refusal("passkey_refused");
    const added = await addPasskey(tx, {
      id: app.newId(),
      person_id: person.id,
      name: deviceName(visit.userAgent),
      credential_id: Buffer.from(made.credentialId, "base64url"),
      public_key: made.publicKey,
      algorithm: made.algorithm,
      sign_count: BigInt(made.signCount),
      created_at: app.clock.now(),
      used_at: null,
    });
    if (!added) throw new Refusal("passkey_refused");
  };
}

function refusedAs<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw error instanceof PasskeyRefusal ? new Refusal("passkey_refused") : error;
  }
}

export async function passwordWay(app: App, visit: Visit, person: PersonRow): Promise<NewWay> {
  const { password = "", code = "", sealed = "" } = visit.form;
  const problem = passwordProblem(password, { about: [person.email, person.name] });
  if (problem !== undefined) throw new Refusal(problem);
  const secret = openedSecret(app, person, sealed);
  const step = secret && totpStep(secret, code, app.clock.now(), null);
  if (secret === undefined || step === undefined || step === "") throw new Refusal("code_refused");
  const hashed = await hashPassword(password);
  return (tx) =>
    changePerson(tx, person.id, {
      password: hashed,
      totp_sealed: app.secrets.seal(person.id, secret),
      totp_last_step: BigInt(step),
      failures: 0,
      blocked_until: null,
    });
}

/** Ten new ones; those before open nothing any more. */
export async function freshCodes(tx: Tx, app: App, personId: string): Promise<string[]> {
  const codes = freshRecoveryCodes(app.secrets);
  const digests = codes.map((code) => recoveryDigest(app, recoveryCodeOf(code) ?? code));
  await putRecoveryCodes(tx, personId, digests);
  return codes;
}

/** How many ways in a person has: each passkey, the password, recovery codes. */
export async function countWaysIn({ db }: App, { id, password }: PersonRow): Promise<number> {
  const [passkeys, codes] = await Promise.all([passkeysOf(db, id), countRecoveryCodes(db, id)]);
  return passkeys.length + (password === null ? 0 : 1) + (codes === 0 ? 0 : 1);
}

/** Whoever was invited and has never come is nobody who could let others in. */
export async function hasWayIn(app: App, personId: string): Promise<boolean> {
  return (await countWaysIn(app, await People.find(app.db, personId))) > 0;
}
