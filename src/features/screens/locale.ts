// How a language writes amounts and moments, for whom and when. Not by Intl: it takes 3 µs a cell.

import { momentFormat } from "../../domain/moment.ts";
import type { Language } from "../../platform/failure.ts";
import { WORDS } from "./words.ts";

export interface Look {
  readonly language: Language;
  /** The time zone that moments are shown in. */
  readonly zone: string;
  readonly now: Date;
}

const SIGNS: Readonly<Record<string, string>> = { RUB: "₽", USD: "$", EUR: "€", KZT: "₸" };

export function signOf(currency: string): string {
  return SIGNS[currency] ?? currency;
}

/** Narrow, and no line ends there. */
const THIN = "\u202f";
export const DECIMAL = { en: ".", ru: "," };

/** 12 345, and 0.5 with its part. */
export function numberText(value: number, language: Language): string {
  const [whole = "", part] = String(Math.abs(Math.round(value * 100) / 100)).split(".");
  const tail = part === undefined ? "" : DECIMAL[language] + part;
  return `${value < 0 ? "−" : ""}${thousands(whole)}${tail}`;
}

/** 1,5: what was set, to its last digit. */
export function decimalText(value: number | string, language: Language): string {
  return String(value).replace(".", DECIMAL[language]);
}

/** 12 345 */
export function thousands(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, THIN);
}

/** 2026-11-14 14:02:31 MSK. */
export function fullMomentText(at: Date, { language, zone }: Look): string {
  return `${momentFormat(zone).text(at)} ${zoneName(at, zone, language)}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** 5 min ago, in 3 h; nothing of what is a day away or more. */
export function distanceText(at: Date, { language, now }: Look): string | undefined {
  const words = WORDS[language];
  const awayMs = at.getTime() - now.getTime();
  const spanMs = Math.abs(awayMs);
  if (spanMs >= 24 * HOUR_MS) return undefined;
  if (spanMs < MINUTE_MS) return awayMs > 0 ? words.soon : words.now;
  const [unit, unitMs] =
    spanMs < HOUR_MS ? [words.units.minute, MINUTE_MS] : [words.units.hour, HOUR_MS];
  const span = `${Math.floor(spanMs / unitMs)}\u00a0${unit}`;
  return awayMs > 0 ? words.future(span) : words.past(span);
}

/** Of zones whose short name everybody there knows; any other is told by its distance from UTC. */
const ZONES: Readonly<Record<string, Record<Language, string>>> = {
  "Europe/Moscow": { en: "MSK", ru: "МСК" },
};

/** MSK, UTC, UTC+5, UTC-3:30. */
export function zoneName(at: Date, timeZone: string, language: Language): string {
  const known = ZONES[timeZone]?.[language];
  if (known !== undefined) return known;
  const local = momentFormat(timeZone).text(at);
  const minutes = Math.round(
    (Date.parse(`${local.replace(" ", "T")}Z`) - at.getTime()) / MINUTE_MS,
  );
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const tail = rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`;
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${tail}`;
}
