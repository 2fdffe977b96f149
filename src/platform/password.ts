// Passwords: argon2id hashes, two at a time, and a refusal of those that are easy to guess.

import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from "node:crypto";
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

/** Words that the common passwords are built of, and what two of them are on the keyboard of the other language. */
const WORDS = `
  password passwort passwd pass parol contrasena motdepasse senha пароль gfhjkm secret секрет topsecret
  admin administrator root user login operator manager master superuser owner guest test testing demo
  default changeme change temp temporary letmein welcome access enter open private security secure
  админ администратор оператор менеджер логин доступ система тест вход директор бухгалтер
  iloveyou ilove lovely love forever together friend family mother father princess angel baby sweet
  люблю любовь тебя любимая любимый мама папа семья счастье солнышко привет ghbdtn здравствуй
  sunshine monkey dragon shadow superman batman pokemon starwars football baseball soccer hockey liverpool
  chelsea arsenal barcelona spartak zenit спартак зенит динамо цска россия москва russia moscow
  computer internet google apple samsung microsoft windows linux github facebook whatever trustno nothing
  hello goodbye thank please company office money bank business
  spring summer autumn winter monday tuesday wednesday thursday friday saturday sunday
  january february march april june july august september october november december
  весна лето осень зима понедельник вторник среда четверг пятница суббота воскресенье
  январь февраль март апрель июнь июль август сентябрь октябрь ноябрь декабрь
  correct horse battery staple qwerty йцукен qweasd asdzxc zxcasd qazwsx
  the and for not you your this that with is my me new old one two
`
  .trim()
  .split(/\s+/);

/** Walks of a finger, each also backwards; "abc…" is one in the mind. */
const WALKS = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
  "01234567890",
  "qwertyuiop[]",
  "asdfghjkl;'",
  "zxcvbnm,./",
  "йцукенгшщзхъ",
  "фывапролджэ",
  "ячсмитьбю.",
  "!@#$%^&*()_+",
  '!"№;%:?*()_+',
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
  "1й2ц3у4к5е6н7г8ш9щ0з",
];
const ALL_WALKS = WALKS.flatMap((walk) => [walk, [...walk].reverse().join("")]);
const WALK_LENGTH = 4;
/** Three of a row of digits are a walk already. */
const DIGIT_WALK_LENGTH = 3;

/** What must be left when everything easy is taken away, and how long the part must be that others repeat. */
const MIN_LEFT = 5;
const MIN_PERIOD = 8;
const MIN_DIFFERENT = 5;

/** Shorter names stand in too many good passwords by chance. */
const MIN_NAME = 4;
const OWN_NAMES = ["kopeck", "копейка"];

const WRITTEN_AS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  l: "i",
  "!": "i",
  "|": "i",
  "3": "e",
  ё: "е",
  "4": "a",
  "@": "a",
  "5": "s",
  $: "s",
  "7": "t",
  "8": "b",
};

/** One form for a word however it is written. NFKC here, where texts are only compared, and not hashed. */
function folded(text: string): string {
  return [...text.normalize("NFKC").toLowerCase()].map((one) => WRITTEN_AS[one] ?? one).join("");
}

const FOLDED_WORDS = [...new Set(WORDS.map(folded))].sort((a, b) => b.length - a.length);
const ANY_WORD = new RegExp(FOLDED_WORDS.join("|"), "gu");

function isCommon(password: string): boolean {
  const text = password.normalize("NFKC").toLowerCase();
  const characters = [...text];
  if (new Set(characters).size < MIN_DIFFERENT || periodOf(characters) < MIN_PERIOD) return true;
  const rest = withoutWalks(characters)
    .replace(/(.)\1{2,}/gu, "")
    .replace(/(?:19|20)\d\d/gu, "");
  const left = folded(rest).replace(ANY_WORD, "");
  return [...left.replace(/[\s\p{P}\p{S}]/gu, "")].length < MIN_LEFT;
}

/** Whether the name of this service, of the person or of their e-mail stands in it. */
function isPersonal(password: string, about: readonly string[]): boolean {
  const text = lettersOf(password);
  const names = about.flatMap((one) => {
    const local = one.split("@")[0] ?? "";
    return [local, ...local.split(/[^\p{L}\p{N}]+/u)].map(lettersOf);
  });
  const long = names.filter((name) => [...name].length >= MIN_NAME);
  return [...OWN_NAMES.map(lettersOf), ...long].some((name) => text.includes(name));
}

function lettersOf(text: string): string {
  return folded(text).replace(/[^\p{L}\p{N}]/gu, "");
}

/** After how many characters a text repeats itself; its length where it never does. */
function periodOf(characters: readonly string[]): number {
  const repeats = (period: number) =>
    characters.every((one, index) => index < period || one === characters[index - period]);
  const period = characters.findIndex((_, index) => index > 0 && repeats(index));
  return period === -1 ? characters.length : period;
}

function withoutWalks(characters: readonly string[]): string {
  let rest = "";
  for (let at = 0; at < characters.length; ) {
    const length = walkFrom(characters, at);
    if (length === 0) rest += characters[at];
    at += Math.max(1, length);
  }
  return rest;
}

/** How long the longest walk is that begins here; 0 where none is long enough to be one. */
function walkFrom(characters: readonly string[], start: number): number {
  let length = 0;
  const isWalk = (text: string) => ALL_WALKS.some((walk) => walk.includes(text));
  while (
    start + length < characters.length &&
    isWalk(characters.slice(start, start + length + 1).join(""))
  )
    length += 1;
  const isDigits = /^\d+$/.test(characters.slice(start, start + length).join(""));
  return length >= (isDigits ? DIGIT_WALK_LENGTH : WALK_LENGTH) ? length : 0;
}
