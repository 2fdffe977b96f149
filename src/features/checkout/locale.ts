// How a payer's language writes amounts, moments and phones. What stands behind a copy button is none of
// this: a bank's app takes plain digits.

import { momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import type { Language } from "../../platform/failure.ts";

const SIGNS: Readonly<Record<string, string>> = { RUB: "₽", USD: "$", EUR: "€", KZT: "₸" };

export function signOf(currency: string): string {
  return SIGNS[currency] ?? currency;
}

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

/** Of zones whose short name everybody there knows; any other is told by its distance from UTC. */
const ZONES: Readonly<Record<string, Record<Language, string>>> = {
  "Europe/Moscow": { en: "MSK", ru: "МСК" },
};

/** 15 November, 20:58 (MSK). */
export function moment(at: Date, timeZone: string, language: Language): string {
  const text = momentFormat(timeZone).text(at);
  const month = MONTHS[language].split(" ")[Number(text.slice(5, 7)) - 1];
  const zone = ZONES[timeZone]?.[language] ?? offsetOf(at, text);
  return `${Number(text.slice(8, 10))}\u00a0${month}, ${text.slice(11, 16)}\u00a0(${zone})`;
}

/** UTC, UTC+5, UTC-3:30: what the zone's own time is ahead of UTC. */
function offsetOf(at: Date, local: string): string {
  const aheadMs = Date.parse(`${local.replace(" ", "T")}Z`) - at.getTime();
  const minutes = Math.round(aheadMs / 60_000);
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const tail = rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`;
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${tail}`;
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
