// What a payer says of the transfer: which amount was sent, from which bank, when. Strangers write it, so it
// is short, holds no card number, and is never taken for a proof.

import { maskNumbers } from "../../domain/card-number.ts";
import { minorFromNumber } from "../../domain/money.ts";

export interface PayerWord {
  readonly amountMinor: bigint | null;
  readonly bank: string | null;
  /** In the payer's words, as the bank's app shows it. */
  readonly sentWhen: string | null;
}

/** How often a payer may say it anew. */
export const MAX_TIMES_TOLD = 5;

export const MAX_WORD = 64;

/** What was written; undefined where the amount is none. */
export function readWord(form: Readonly<Record<string, string>>): PayerWord | undefined {
  const { amount = "", bank = "", when = "" } = form;
  const amountMinor = amount.trim() === "" ? null : amountOf(amount.trim().slice(0, MAX_WORD));
  if (amountMinor === undefined) return undefined;
  return { amountMinor, bank: cleanWord(bank), sentWhen: cleanWord(when) };
}

export function isEmptyWord({ amountMinor, bank, sentWhen }: PayerWord): boolean {
  return amountMinor === null && bank === null && sentWhen === null;
}

/** Digits of roubles and kopecks, with whatever groups them: "1 519,80 ₽", "1,519.80", "1519". */
const AMOUNT = /^([\d\s.,]{1,20}?)\s*(?:₽|р\.?|руб\.?|rub|rur)?$/i;
/** Above it there is no amount to pay, and there could be a card number. */
const MAX_MINOR = 100_000_000_000n;

function amountOf(text: string): bigint | undefined {
  const digits = AMOUNT.exec(text)?.[1]?.replaceAll(/\s/g, "");
  if (digits === undefined) return undefined;
  // One or two digits at the end are kopecks; every other mark only groups.
  const [, whole = digits, kopecks = "0"] = /^(.*)[.,](\d{1,2})$/.exec(digits) ?? [];
  const minor = minorFromNumber(Number(`${whole.replaceAll(/[.,]/g, "")}.${kopecks}`));
  return minor !== undefined && minor > 0n && minor <= MAX_MINOR ? minor : undefined;
}

/** What may have as many digits as a card, and is none: one date and one time. */
const DATE =
  /(?<![\d./-])(?:\d{1,2}[./-]\d{1,2}(?:[./-](?:\d{4}|\d\d))?|\d{4}-\d\d-\d\d)(?![\d./-])/;
const TIME = /(?<![\d:])\d{1,2}:\d\d(?::\d\d)?(?![\d:])/;

/** Numbers that could be a card's or a phone's are masked before it is cut: half of one is not known. */
function cleanWord(text: string): string | null {
  const given = text
    .slice(0, 4 * MAX_WORD)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const rest = given.replace(DATE, "x").replace(TIME, "x");
  const masked = maskNumbers(rest) === rest ? given : maskNumbers(given);
  return [...masked].slice(0, MAX_WORD).join("").trim() || null;
}
