// Where a payout goes to: a card, or a phone at a bank, in one form however it was written.

import type { PayoutService } from "./payout.ts";
import { hasCheckDigit, maskNumber } from "./requisite.ts";

/** A number in its one form, or undefined where it is none. */
export function numberFor(service: PayoutService, written: string): string | undefined {
  return service === "card" ? cardOf(written) : phoneOf(written);
}

/** Thirteen to nineteen digits with their check digit, in groups or not. */
function cardOf(written: string): string | undefined {
  if (!/^[\d\s-]{13,40}$/.test(written)) return undefined;
  const digits = written.replace(/\D/g, "");
  return /^[2-9]\d{12,18}$/.test(digits) && hasCheckDigit(digits) ? digits : undefined;
}

/** A Russian mobile phone as 7 and ten digits: +7 (916) 123-45-67, 8 916 …, 916 …. */
function phoneOf(written: string): string | undefined {
  if (!/^\s*\+?[\d\s().-]{10,40}$/.test(written)) return undefined;
  const digits = written.replace(/\D/g, "");
  const isInternational = written.trimStart().startsWith("+");
  const rest = isInternational
    ? /^7(9\d{9})$/.exec(digits)?.[1]
    : /^[78]?(9\d{9})$/.exec(digits)?.[1];
  return rest === undefined ? undefined : `7${rest}`;
}

const USUAL_LENGTH = 16;

/** What everybody but whoever sends it sees; of a short card too few would be left to guess. */
export function maskDestination(number: string): string {
  const isShort = number.length < USUAL_LENGTH;
  return isShort
    ? `${number.slice(0, 2)}${"*".repeat(number.length - 6)}${number.slice(-4)}`
    : maskNumber(number);
}
