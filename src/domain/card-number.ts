// Finds card numbers in texts, in any script and grouping. None is kept or shown whole.

import { hasCheckDigit, maskNumber } from "./requisite.ts";

/**
 * From a digit to a digit, with anything between them that is no letter: spaces of every width,
 * punctuation, marks, and what cannot be seen (some of which Unicode counts among the letters).
 */
const RUN = /\p{N}[\P{L}\p{Default_Ignorable_Code_Point}]*\p{N}/gu;

/** With fewer digits it is no phone, and less of a card than a mask may show. */
const LEAST_DIGITS = 9;

/** Of a card. */
const MOST_DIGITS = 19;

/** What maskNumber makes: masked again, it would lose more at every reading. */
const MASK = /^(?:\d{6}|\d\d)\*{3,}\d{4}$/;

/** Every number with the digits of a phone or more keeps its first six and last four at most. */
export function maskNumbers(text: string): string {
  return text.replace(RUN, (run) => {
    const digits = digitsOf(run);
    return digits.length < LEAST_DIGITS || MASK.test(run) ? run : maskNumber(digits);
  });
}

/** Ranges and lengths by scheme: a date with a time has 14 digits, and is to be none of these. */
const SCHEMES = [
  /^4(?:\d{12}|\d{15}|\d{18})$/, // Visa
  /^(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/, // Mastercard
  /^220[0-4]\d{12,15}$/, // Mir
  /^3[47]\d{13}$/, // American Express
  /^3(?:095|[689]\d\d)\d{10,15}$/, // Diners Club
  /^35(?:2[89]|[3-8]\d)\d{12,15}$/, // JCB
  /^(?:5[06-8]|6\d)\d{14,17}$/, // Maestro, UnionPay, Discover, RuPay
  /^(?:8[12]\d\d|8600|9051|9112|9417|9792|9860)\d{12,15}$/, // national schemes
];

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * Whether a card number stands in the text: neighbouring groups of digits that together have a scheme's
 * range and length and a right check digit. A group right beside a letter is part of some code, as in
 * the ids of the fast payment system, and a UUID is a UUID. Groups of one number are parted alike: a
 * document's number with a date and a time (123456/15.11.2026/12:34:56) is none.
 */
export function holdsCardNumber(text: string): boolean {
  const visible = text.replace(INVISIBLE, "").replace(UUID, " id ");
  return visible.matchAll(RUN).some(({ 0: run, index }) => {
    const groups = run.split(/\P{N}+/u).map(digitsOf);
    const gaps = run.match(/\P{N}+/gu) ?? [];
    const from = /\p{L}$/u.test(visible.slice(0, index)) ? 1 : 0;
    const to = /^\p{L}/u.test(visible.slice(index + run.length)) ? -1 : groups.length;
    return groups
      .slice(0, to)
      .some(
        (_, first) => first >= from && beginsWithCard(groups.slice(first, to), gaps.slice(first)),
      );
  });
}

/** References and reasons have many digits, and are mostly no numbers of cards: those stay as they are. */
export function withoutCard(text: string): string {
  return holdsCardNumber(text) ? maskNumbers(text) : text;
}

function beginsWithCard(groups: readonly string[], gaps: readonly string[]): boolean {
  let digits = "";
  for (const [index, group] of groups.entries()) {
    if (index > 0 && gaps[index - 1] !== gaps[0]) return false;
    digits += group;
    if (digits.length > MOST_DIGITS) return false;
    if (SCHEMES.some((scheme) => scheme.test(digits)) && hasCheckDigit(digits)) return true;
  }
  return false;
}

/** Full-width, circled and mathematical digits have ASCII's as their compatible form; scripts do not. */
function digitsOf(run: string): string {
  return run
    .normalize("NFKC")
    .replace(/\p{Nd}/gu, digitValue)
    .replace(/\D/g, "");
}

/** Unicode keeps the ten digits of a script together, from nought to nine. */
function digitValue(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let nought = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(nought - 1))) nought -= 1;
  return String((point - nought) % 10);
}
