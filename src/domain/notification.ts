// What a bank's message to a phone says of money, by the templates of its bank. Guards that a text is read as
// a whole or not at all, that nothing which a payer wrote in a comment is read, and that a one-time code is
// told from everything else before anybody keeps it.

import { minorFromText } from "./money.ts";
import { TEMPLATES, type Template, type TemplateBank } from "./notification-templates.ts";

/** Money of somebody that arrived. */
export interface Income {
  readonly kind: "income";
  readonly role: "primary" | "companion";
  readonly amountMinor: bigint;
  readonly balanceMinor: bigint | null;
  /** The last digits of what it arrived on, as the bank prints them, and what they are of. */
  readonly last4: string | null;
  readonly last4Of: "card" | "account" | null;
  /** HH:MM. */
  readonly printedTime: string | null;
  /** YYYY-MM-DD, or --MM-DD where the year is left out. */
  readonly printedDay: string | null;
  readonly payer: string | null;
}

/**
 * Money that leaves, or that the owner of the card has put there: nobody's payment, and the next balance
 * follows from it all the same.
 */
interface Movement extends Omit<Income, "kind" | "role" | "balanceMinor" | "payer"> {
  readonly kind: "outflow" | "own";
  readonly feeMinor: bigint;
  readonly balanceMinor: bigint;
}

/** The bank has blocked a card or an account. */
interface Blocked {
  readonly kind: "blocked";
}

/** What somebody has to know of; everything else is a one-time code, or nothing that is known here. */
export type Readable = Income | Movement | Blocked;

export type Notification = Readable | { readonly kind: "code" } | { readonly kind: "nothing" };

/** Banks' messages are up to ten parts of 67 letters; with a payer's comment, a little more. */
const MAX_LENGTH = 1_000;

const NOTHING: Notification = { kind: "nothing" };

export function readNotification(text: string, banks: readonly TemplateBank[]): Notification {
  if (text.length > MAX_LENGTH) return NOTHING;
  const whole = normalised(text);
  const head = withoutComment(whole);
  if (CODE.test(head)) return { kind: "code" };
  for (const bank of banks) {
    for (const template of TEMPLATES[bank]) {
      const groups = template.pattern.exec(head)?.groups;
      const read = groups && notificationOf(template, groups);
      if (read !== undefined) return read;
    }
  }
  if (CODE.test(whole)) return { kind: "code" };
  return BLOCKED.some((pattern) => pattern.test(head)) ? { kind: "blocked" } : NOTHING;
}

/** One form for the signs that banks and phones write differently; letters stay as they are. */
export function normalised(text: string): string {
  return text
    .normalize("NFC")
    .replace(/[\u2010-\u2015]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
}

/** What the payer wrote comes last, and may hold any sign: from where it begins, all of it is theirs. */
export function withoutComment(text: string): string {
  const [head = ""] = text.split(/«|Сообщение:/, 1);
  return head.trim();
}

/** Whole words, so that nobody's name is one. */
const CODE =
  /(?<!\p{L})(?:код(?:а|у|ом|ы)?|парол(?:ь|я|ю|ем)|code|password|passcode|otp|pin)(?!\p{L})/iu;

const BLOCKED = [
  /(?<!\p{L})115-ФЗ/u,
  /(?<!\p{L})(?:карта|карты|карту|сч[её]т|счета|доступ|операции)(?: [^ ]{1,20}){0,3} (?:заблокирован|арестован|приостановлен|ограничен)/iu,
  /(?<!\p{L})(?:заблокирован[аоы]?|заблокировали|приостановлены|ограничены)(?: [^ ]{1,20}){0,2} (?:карт|сч[её]т|операци)/iu,
] as const;

type Groups = Readonly<Record<string, string | undefined>>;

/** A thousand million roubles: no card has more, and sums of these stay sums. */
const MOST_MINOR = 100_000_000_000n;

/** Undefined where a figure of it is none: no such day, no such amount. */
function notificationOf({ means, role }: Template, groups: Groups): Notification | undefined {
  const amountMinor = minorFromText(groups["amount"] ?? "");
  const feeMinor = minorFromText(groups["fee"] ?? "0");
  const balanceMinor = minorFromText(groups["balance"] ?? "0");
  const printedDay = groups["day"] === undefined ? null : dayOf(groups["day"]);
  const printedTime = groups["time"] ?? null;
  if (amountMinor === undefined || amountMinor === 0n) return undefined;
  if (feeMinor === undefined || balanceMinor === undefined || printedDay === undefined) {
    return undefined;
  }
  if ([amountMinor, feeMinor, balanceMinor].some((minor) => minor > MOST_MINOR)) return undefined;
  if (printedTime !== null && !/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(printedTime)) return undefined;
  const { card, account, ending } = groups;
  const told = {
    amountMinor,
    last4: card ?? account ?? ending ?? null,
    last4Of: card !== undefined ? "card" : account !== undefined ? "account" : null,
    printedTime,
    printedDay,
  } as const;
  if (means !== "income") return { kind: means, ...told, feeMinor, balanceMinor };
  const balance = groups["balance"] === undefined ? null : balanceMinor;
  return { kind: "income", role, ...told, balanceMinor: balance, payer: groups["payer"] ?? null };
}

/** 26.02.25, 04.11.2024, 19/01/18 or 04.11; undefined for a day that no calendar has. */
function dayOf(printed: string): string | undefined {
  const [day = "", month = "", year] = printed.split(/[./]/);
  const full = year === undefined ? undefined : year.padStart(4, "20");
  const date = new Date(`${full ?? "2000"}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined;
  return full === undefined ? `--${month}-${day}` : `${full}-${month}-${day}`;
}
