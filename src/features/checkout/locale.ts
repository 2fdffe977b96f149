// How a payer's language writes amounts, moments and phones. What stands behind a copy button is none of
// this: a bank's app takes plain digits.

import { momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import type { Language } from "../../platform/failure.ts";
import { signOf, zoneName } from "../screens/locale.ts";

const MARKS = { en: { thousands: ",", decimal: "." }, ru: { thousands: "\u00a0", decimal: "," } };

/** 1,490.00 and 1 490,00. */
export function grouped(minor: bigint, language: Language): string {
  const { thousands, decimal } = MARKS[language];
  const [whole = "", kopecks = ""] = toDecimalText(minor).split(".");
  return whole.replace(/\B(?=(?:\d{3})+$)/g, thousands) + decimal + kopecks;
}

export function money(minor: bigint, currency: string, language: Language): string {
  return `${grouped(minor, language)}\u00a0${signOf(currency)}`;
}

const MONTHS = {
  en: "January February March April May June July August September October November December",
  ru: "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
};

/** 15 November, 20:58 (MSK). */
export function moment(at: Date, timeZone: string, language: Language): string {
  const text = momentFormat(timeZone).text(at);
  const month = MONTHS[language].split(" ")[Number(text.slice(5, 7)) - 1];
  return `${Number(text.slice(8, 10))}\u00a0${month}, ${text.slice(11, 16)}\u00a0(${zoneName(at, timeZone, language)})`;
}

/** +7 999 000-00-01; a number of another country stays as it is. */
export function phone(number: string): string {
  return number.replace(/^\+7(\d{3})(\d{3})(\d\d)(\d\d)$/, "+7\u00a0$1\u00a0$2-$3-$4");
}

/** 2202 2000 0000 0007. */
export function cardNumber(digits: string): string {
  return digits.replace(/(\d{4})(?=\d)/g, "$1 ");
}

/** By which a payer names a payment: the end of its invoice's id. */
export function shortNumber(id: string): string {
  return id.slice(-8);
}
