// Codes of an app (RFC 6238) and recovery codes. An app's code is good once.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secrets } from "./secret.ts";

type Dice = Pick<Secrets, "freshHex">;

const STEP_MS = 30_000;
const DIGITS = 6;
const SECRET_BYTES = 20;

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 15;

/** As the apps have it (RFC 4648). */
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** For paper: no two that look alike (I, L and O are read as 1, 1 and 0; U is left out). */
const PAPER32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** What looks like a character of paper and is none, also from a keyboard that writes Russian. */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  I: "1",
  L: "1",
  O: "0",
  А: "A",
  В: "B",
  Е: "E",
  К: "K",
  М: "M",
  Н: "H",
  О: "0",
  Р: "P",
  С: "C",
  Т: "T",
  Х: "X",
};
/** Nobody types more than that for 24 characters and what stands between them. */
const MAX_TYPED = 100;

/** 160 bits, as many as the digest has: what the app keeps. */
export function freshTotpSecret(dice: Dice): string {
  return base32(Buffer.from(dice.freshHex(SECRET_BYTES), "hex"), BASE32);
}

/** For the app, as a link and as a QR code. A colon would part the label at a wrong place. */
export function otpauthUrl(of: { secret: string; issuer: string; account: string }): string {
  const [issuer, account] = [of.issuer, of.account].map((text) =>
    encodeURIComponent(text.toWellFormed().replaceAll(":", " ")),
  );
  const fixed = `algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
  return `otpauth://totp/${issuer}:${account}?secret=${of.secret}&issuer=${issuer}&${fixed}`;
}

export function totpCode(secret: string, now: Date): string {
  return codeOfStep(bytesOf(secret), stepAt(now));
}

/**
 * The step whose code this is, to be stored as the last one: this step or the one before, and only one that
 * is later than the last (null: there was none). So a code that was seen over a shoulder is of no use.
 */
export function totpStep(
  secret: string,
  typed: string,
  now: Date,
  lastStep: number | null,
): number | undefined {
  if (typed.length > MAX_TYPED) return undefined;
  const code = typed.normalize("NFKC").replace(/[\s-]/g, "");
  if (!/^\d{6}$/.test(code)) return undefined;
  const key = bytesOf(secret);
  const present = stepAt(now);
  return [present, present - 1]
    .filter((step) => step > (lastStep ?? -1))
    .find((step) => timingSafeEqual(Buffer.from(codeOfStep(key, step)), Buffer.from(code)));
}

/** To be shown once: ten of 120 bits each, which is why a keyed digest of them is enough in the table. */
export function freshRecoveryCodes(dice: Dice): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    grouped(base32(Buffer.from(dice.freshHex(RECOVERY_BYTES), "hex"), PAPER32)),
  );
}

/** What somebody typed, as it was shown to them, and so as it was digested; undefined if it is no such code. */
export function recoveryCodeOf(typed: string): string | undefined {
  if (typed.length > MAX_TYPED) return undefined;
  const letters = [
    ...typed
      .normalize("NFKC")
      .toUpperCase()
      .replace(/[\s\p{Pd}.,]/gu, ""),
  ]
    .map((letter) => LOOKS_LIKE[letter] ?? letter)
    .join("");
  return /^[0-9A-HJKMNP-TV-Z]{24}$/.test(letters) ? grouped(letters) : undefined;
}

function grouped(letters: string): string {
  return letters.replace(/.{4}(?=.)/g, "$&-");
}

function stepAt(now: Date): number {
  return Math.floor(now.getTime() / STEP_MS);
}

function codeOfStep(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", key).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** Of whole groups of five bytes, which need no padding. */
function base32(bytes: Buffer, alphabet: string): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{5}/g, (five) => alphabet.charAt(Number.parseInt(five, 2)));
}

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0"));
  const bytes = bits.join("").match(/[01]{8}/g) ?? [];
  const isSecret = /^[A-Z2-7]{32}$/.test(secret) && bytes.length === SECRET_BYTES;
  if (!isSecret) throw new Error("What is stored as the secret of an app is none.");
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
