// The ways in which a card number gets into a text: what people type, what programs format, and what
// cannot be seen.

import fc from "fast-check";

type Write = (card: string) => string;

const groups = (card: string): string[] => card.match(/\d{1,4}/g) ?? [];
const between =
  (separator: string): Write =>
  (card) =>
    groups(card).join(separator);
/** Each digit as the one at its place in a script. */
const inScript =
  (nought: number): Write =>
  (card) =>
    card.replace(/\d/g, (digit) => String.fromCodePoint(nought + Number(digit)));

export const WRITINGS: Readonly<Record<string, Write>> = {
  "nothing between": (card) => card,
  spaces: between(" "),
  "many spaces": between("      "),
  "no-break spaces": between("\u00a0"),
  "narrow no-break spaces": between("\u202f"),
  "thin spaces": between("\u2009"),
  "ideographic spaces": between("\u3000"),
  tabs: between("\t"),
  "lines of their own": between("\n"),
  dashes: between("-"),
  "en dashes": between("–"),
  "minus signs": between("\u2212"),
  dots: between("."),
  "middle dots": between("·"),
  underscores: between("_"),
  slashes: between("/"),
  backslashes: between("\\"),
  asterisks: between("***"),
  brackets: (card) =>
    groups(card)
      .map((group) => `(${group})`)
      .join(""),
  "a space after every digit": (card) => [...card].join(" "),
  "full-width digits": inScript(0xff10),
  "full-width digits in groups": (card) => inScript(0xff10)(between("\u3000")(card)),
  "bold digits": inScript(0x1d7ce),
  "Arabic-Indic digits": inScript(0x660),
  "Persian digits": inScript(0x6f0),
  "Devanagari digits": inScript(0x966),
  "keycap digits": (card) => [...card].map((digit) => `${digit}\ufe0f\u20e3`).join(""),
  "zero-width spaces": between("\u200b"),
  "soft hyphens": (card) => [...card].join("\u00ad"),
  "word joiners": between("\u2060"),
  "Hangul fillers": between("\u3164"),
  "combining joiners": (card) => [...card].join("\u034f"),
  "marks of direction": between("\u200f"),
  "everything mixed": (card) =>
    groups(card)
      .map((group, index) => (index % 2 === 0 ? group : inScript(0xff10)(group)))
      .join("\u00a0-\u200b/"),
};

/** A number of some scheme, with its check digit. */
export const anyCard: fc.Arbitrary<string> = fc
  .constantFrom(
    ...([
      ["4", 13],
      ["4", 16],
      ["4", 19],
      ["2200", 16],
      ["2204", 19],
      ["51", 16],
      ["2221", 16],
      ["2720", 16],
      ["34", 15],
      ["36", 14],
      ["3528", 16],
      ["6390", 18],
      ["62", 17],
      ["50", 16],
      ["8600", 16],
      ["9860", 16],
    ] as const),
  )
  .chain(([first, length]) =>
    fc
      .array(fc.nat(9), {
        minLength: length - first.length - 1,
        maxLength: length - first.length - 1,
      })
      .map((rest) => withCheckDigit(first + rest.join(""))),
  );

export function withCheckDigit(digits: string): string {
  // From the right, every second digit counts double, and its own digits are added up.
  const sum = [...digits]
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? Number(digit) * 2 : Number(digit)))
    .reduce((all, value) => all + Math.floor(value / 10) + (value % 10), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const SCRIPTS = [0x660, 0x6f0, 0x966, 0xff10, 0x1d7ce];

/** What is left for whoever looks for digits alone, in any of the scripts above. */
export function plainDigits(text: string): string {
  return [...text]
    .map((letter) => {
      const point = letter.codePointAt(0) ?? 0;
      const nought = SCRIPTS.find((first) => point >= first && point < first + 10);
      return nought === undefined ? letter : String(point - nought);
    })
    .filter((letter) => /^[0-9A-Za-zА-Яа-я]$/.test(letter))
    .join("");
}
