// Passwords of people: argon2id of them, in the form of the PHC strings, and what makes a new one too easy.
// Guards that an unknown person costs the same work as a known one, that this work (19 MiB and 70 ms on one
// of the four threads that files and look-ups use, too) is done for two at a time, and that a password which
// anybody would try first is not taken. There are no rules of composition: a long sentence is a good one.

import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { isCommon, isPersonal } from "./password-guess.ts";
import { atMost } from "./throttle.ts";

const PRESENT = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const NONCE_BYTES = 16;

const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 128;
/**
 * Longer than any writing of 128 characters. Past it a text is not even normalised: a long run of accents
 * takes a time that grows with its square.
 */
const MAX_UNITS = 1_024;

const AT_ONCE = 2;
const MAY_WAIT = 32;
const inTurn = atMost(AT_ONCE, MAY_WAIT);

/** Of a password that nobody knows any more: the work for a person who does not exist. */
const NOBODYS =
  "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

export type PasswordProblem =
  | "password_too_short"
  | "password_too_long"
  | "password_common"
  | "password_personal";

/**
 * The same password whichever keyboard writes it: composed (NFC, as RFC 8265 and SP 800-63B-4 have it), every
 * space a plain one. Not NFKC, which would make equal what people typed as different.
 */
function normal(text: string): string {
  return text.normalize("NFC").replace(/\p{Zs}/gu, " ");
}

function derive(text: string, nonce: Buffer, cost: typeof PRESENT, tagLength: number) {
  const parameters: Argon2Parameters = { message: normal(text), nonce, tagLength, ...cost };
  return inTurn(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        argon2("argon2id", parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
      }),
  );
}

/** To be stored. Whether the password will do is asked before: `passwordProblem`. */
export async function hashPassword(text: string): Promise<string> {
  if (text.length > MAX_UNITS) throw new RangeError("This password is too long to be taken.");
  const nonce = randomBytes(NONCE_BYTES);
  const tag = await derive(text, nonce, PRESENT, TAG_BYTES);
  const { memory, passes, parallelism } = PRESENT;
  const cost = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$${unpadded(nonce)}$${unpadded(tag)}`;
}

/**
 * Whether it is this person's password; undefined stands for a person who is not there or has none. A right
 * one whose hash is of other costs than the present ones is weak: it is hashed anew while the text is there.
 */
export async function checkPassword(
  text: string,
  phc: string | undefined,
): Promise<{ readonly isRight: boolean; readonly isWeak: boolean }> {
  const [, memory, passes, parallelism, nonce = "", stored = ""] = PHC.exec(phc ?? NOBODYS) ?? [];
  if (stored === "") throw new Error("What is stored as a password's hash is none.");
  const cost = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  };
  const expected = Buffer.from(stored, "base64");
  const isPossible = phc !== undefined && text.length <= MAX_UNITS;
  const given = text.length <= MAX_UNITS ? text : "";
  const tag = await derive(given, Buffer.from(nonce, "base64"), cost, expected.length);
  const isRight = timingSafeEqual(tag, expected) && isPossible;
  const isPresent =
    cost.memory === PRESENT.memory &&
    cost.passes === PRESENT.passes &&
    cost.parallelism === PRESENT.parallelism &&
    expected.length === TAG_BYTES;
  return { isRight, isWeak: isRight && !isPresent };
}

/** Why this will not do as a new password; `about` is whose it is: e-mail, names, the shop's. */
export function passwordProblem(
  text: string,
  { about }: { readonly about: readonly string[] },
): PasswordProblem | undefined {
  if (text.length > MAX_UNITS) return "password_too_long";
  const password = normal(text);
  const characters = [...password].length;
  if (characters < MIN_CHARACTERS) return "password_too_short";
  if (characters > MAX_CHARACTERS) return "password_too_long";
  if (isPersonal(password, about)) return "password_personal";
  return isCommon(password) ? "password_common" : undefined;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
