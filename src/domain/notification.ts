// Reads a bank's message to a phone by its bank's templates, whole or not at all.
// A payer's comment is never read, and one-time codes are recognised before anything is kept.

import { eitherMinute, minuteText } from "./made-at.ts";
import { addSeconds, clockTime, earlier, lastShown, type MomentFormat } from "./moment.ts";
import { minorFromText } from "./money.ts";

/** What a template reads is: money of somebody, the owner's own, or money that leaves. */
type Means = "income" | "own" | "outflow";

export interface Template {
  readonly means: Means;
  /** A companion is the bank's second wording of what another message tells as well. */
  readonly role: "primary" | "companion";
  readonly pattern: RegExp;
}

/** The parts that templates are made of, by the names that stand for them. */
const PARTS: Readonly<Record<string, string>> = {
  AMOUNT: String.raw`(?<amount>\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?)`,
  FEE: String.raw`(?<fee>\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?)`,
  BALANCE: String.raw`(?<balance>\d{1,3}(?: \d{3}){1,4}(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,2})?)`,
  TIME: String.raw`(?<time>\d\d:\d\d)`,
  DAY: String.raw`(?<day>\d\d[./]\d\d(?:[./](?:\d{4}|\d\d))?)`,
  CARD: String.raw`(?<card>\d{4})`,
  ACCOUNT: String.raw`(?<account>\d{3,4})`,
  ENDING: String.raw`(?<ending>\d{4})`,
  /** Letters, as in «Сардорбек Ж.» or «Il'ya Aleksandrovich B». */
  PAYER: String.raw`(?<payer>\p{L}[\p{L}.'’ -]{0,79})`,
  /** A name that ends with an initial, where another name follows it. */
  FULL_PAYER: String.raw`(?<payer>\p{L}[\p{L}'’ -]{0,79}\.)`,
  BANK: String.raw`\p{L}[\p{L}. -]{0,49}`,
  PLACE: String.raw`[\p{L}\d][\p{L}\d.,*'&/_ -]{0,59}`,
  /** Сбер names an account, or a card by its system. */
  SBER: String.raw`(?:(?:ПЛАТ\.)?СЧ[ЕЁ]Т(?<account>\d{4})|(?:Счёт карты )?(?:VISA|MIR|МИР|ECMC|MAES)-?(?<card>\d{4})|МИР Сберкарта(?<card>\d{4}))`,
};

function whole(text: string): RegExp {
  const source = text.replace(/\{([A-Z_]{2,})\}/g, (_all, name: string) => {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`There is no part ${name} of templates.`);
    return part;
  });
  return new RegExp(`^${source}$`, "u");
}

const income = (text: string): Template => ({
  means: "income",
  role: "primary",
  pattern: whole(text),
});
const companion = (text: string): Template => ({ ...income(text), role: "companion" });
const own = (text: string): Template => ({ ...income(text), means: "own" });
const outflow = (text: string): Template => ({ ...income(text), means: "outflow" });

/** The banks whose texts are known. «translit» is one that writes in Latin letters and names itself nowhere. */
const TEMPLATES = {
  sber: [
    income(
      String.raw`{SBER}(?: {DAY})? {TIME} Перевод(?: из {BANK})? \+?{AMOUNT}р от {PAYER} Баланс: {BALANCE}р`,
    ),
    // Money that was put in at a cash machine (ATM) is nobody's transfer.
    income(
      String.raw`{SBER}(?: {DAY})? {TIME} зачисление {AMOUNT}р(?: (?!ATM\b){BANK})? Баланс: {BALANCE}р`,
    ),
    companion(String.raw`{SBER}(?: {DAY})? {TIME} {PAYER} перевел\(а\) вам {AMOUNT}р\.`),
    companion(
      `{SBER} {DAY}(?: {TIME})? зачислен перевод(?: по СБП)? {AMOUNT}р из {BANK} от {PAYER}`,
    ),
    income(
      String.raw`Перевод от {FULL_PAYER} {BANK} \+ ?{AMOUNT} ₽ - Баланс: {BALANCE} ₽ СЧЁТ •• {ACCOUNT}`,
    ),
    income(String.raw`Перевод из {BANK} \+{AMOUNT}р от {PAYER} {SBER} - Баланс: {BALANCE}р`),
    income(String.raw`\[{DAY} в {TIME}\] Перевод от {PAYER} \+{AMOUNT}р`),
    outflow(
      `{SBER}(?: {DAY})? {TIME} перевод {AMOUNT}р(?: Комиссия {FEE}р)?(?: {PLACE})? Баланс: {BALANCE}р`,
    ),
    outflow(
      `{SBER}(?: {DAY})? {TIME} (?:Перевод {AMOUNT}р через СБП|Покупка {AMOUNT}р) {PLACE} Баланс: {BALANCE}р`,
    ),
  ],
  tinkoff: [
    income(String.raw`Пополнение, счет RUB\. {AMOUNT} RUB\.(?: {PAYER})? Доступно {BALANCE} RUB`),
    income(String.raw`Пополнение на {AMOUNT} ₽, счет RUB\. {PAYER} Доступно {BALANCE} ₽`),
    outflow(String.raw`Перевод\. Счет RUB\. {AMOUNT} RUB\. {PAYER} Баланс {BALANCE} RUB`),
  ],
  vtb: [
    income(
      String.raw`(?:ВТБ Онлайн \| )?Поступление {AMOUNT}р Счет\*{ACCOUNT} от {PAYER} Баланс {BALANCE}р {TIME}`,
    ),
  ],
  alfa: [
    // Advertising may follow the day; it has no figures.
    income(
      String.raw`(?:\d\*|\*\*){ENDING}; Postupleniye; Summa: {AMOUNT} RUR; Ostatok: {BALANCE} RUR; {DAY};(?: [\p{L} .,!…-]{0,160})?`,
    ),
  ],
  akbars: [
    income(
      String.raw`Карта\*{CARD} пополнение на {AMOUNT}RUR\.(?: Перевод от (?<payer>\d{6}\*\*\d{4})\.)?{PLACE}\. {DAY} {TIME}\. Остаток {BALANCE}RUR`,
    ),
  ],
  ozon: [
    income(
      String.raw`Пополнение через СБП на {AMOUNT} ₽\. {FULL_PAYER} {BANK}\. Баланс {BALANCE} ₽`,
    ),
    own(
      String.raw`Пополнение со своего счёта через СБП на {AMOUNT} ₽\. {FULL_PAYER} {BANK}\. Баланс {BALANCE} ₽`,
    ),
  ],
  bspb: [income(String.raw`\*{ENDING} Зачислен перевод по СБП {AMOUNT}RUB {TIME} от {PAYER}`)],
  mts: [income(String.raw`Поступление {AMOUNT}р\. {PAYER} через СБП\.`)],
  rosbank: [
    income(String.raw`Schet A\*{ACCOUNT}: Popolnenie {AMOUNT} RUB; Dostupno: {BALANCE} RUB; {DAY}`),
  ],
  translit: [
    companion(
      String.raw`SBP\. Poluchen perevod {DAY} {TIME} \(msk\)\. Schet {ACCOUNT}\. Zachisleno {AMOUNT} r\. ot {PAYER} iz {BANK} BIK \d{9}\.`,
    ),
    income(
      String.raw`Karta \*{CARD}: {DAY} {TIME}, popolnenie {AMOUNT} RUR\. Dostupno {BALANCE} RUR\.`,
    ),
  ],
} as const satisfies Readonly<Record<string, readonly Template[]>>;

export type TemplateBank = keyof typeof TEMPLATES;

export const TEMPLATE_BANKS = Object.keys(TEMPLATES) as TemplateBank[];

export interface Income {
  readonly kind: "income";
  readonly role: "primary" | "companion";
  readonly amountMinor: bigint;
  readonly balanceMinor: bigint | null;
  /** The last digits of what it arrived on, as the bank prints them, and what they are of. */
  readonly last4: string | null;
  readonly last4Of: "card" | "account" | null;
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

/** A bank's or a phone's clock may be ahead by so much. */
const AHEAD_SECONDS = 5 * 60;
/** What is older waits for a statement: too much has been given out since. */
const OLDEST_SECONDS = 72 * 60 * 60;
/** No bank's message is of another time, and no other clock could hold it. */
const FIRST_DAY = "1990-01-01";
const LAST_DAY = "2100-12-31";
const FIRST = new Date(FIRST_DAY);

export interface Stamps {
  readonly printedTime: string | null;
  readonly printedDay: string | null;
  readonly sentAt: Date | null;
  readonly receivedAt: Date;
}

export interface ToldAt {
  /** As the moment of a transfer is written: a minute or either of two, a moment or a day. */
  readonly madeAt: string;
  readonly at: Date;
}

/** Undefined where it lies ahead, or too far back. */
export function toldAt(stamps: Stamps, zone: MomentFormat): ToldAt | undefined {
  const { sentAt, receivedAt, printedTime } = stamps;
  const latest = addSeconds(receivedAt, AHEAD_SECONDS);
  if (sentAt !== null && (sentAt > latest || sentAt < FIRST)) return undefined;
  const stamp = earlier(sentAt ?? receivedAt, receivedAt);
  const day = dayOfStamps(stamps, stamp, zone);
  if (day !== undefined && (day < FIRST_DAY || day > LAST_DAY)) return undefined;
  const told =
    printedTime === null
      ? dayOrStamp(day, stamp, zone)
      : nearest(day, printedTime, addSeconds(stamp, AHEAD_SECONDS), zone);
  const isOld = addSeconds(told.at, OLDEST_SECONDS) < receivedAt;
  return told.at > latest || isOld ? undefined : told;
}

/** The day that was printed; without a year the last one of it. */
function dayOfStamps({ printedDay }: Stamps, stamp: Date, zone: MomentFormat): string | undefined {
  if (printedDay === null || !printedDay.startsWith("-")) return printedDay ?? undefined;
  const today = zone.day(addSeconds(stamp, AHEAD_SECONDS));
  const ofYear = (year: number) => `${year}${printedDay.slice(1)}`;
  const year = Number(today.slice(0, 4));
  return ofYear(year) <= today ? ofYear(year) : ofYear(year - 1);
}

function dayOrStamp(day: string | undefined, stamp: Date, zone: MomentFormat): ToldAt {
  if (day === undefined || day === zone.day(stamp))
    return { madeAt: stamp.toISOString(), at: stamp };
  return { madeAt: day, at: zone.startOf(day) };
}

/** That time of the day, or of the last day on which it had come by then. */
function nearest(day: string | undefined, time: string, by: Date, zone: MomentFormat): ToldAt {
  const ofDay = (one: string): Date => clockTime(one, time, zone);
  const today = ofDay(day ?? zone.day(by));
  const isAhead = day === undefined && today > by;
  const at = isAhead ? ofDay(zone.day(addSeconds(zone.startOf(zone.day(by)), -1))) : today;
  const last = lastShown(at, zone);
  return last > at && last <= by
    ? { madeAt: eitherMinute(at, last), at: last }
    : { madeAt: minuteText(at), at };
}
