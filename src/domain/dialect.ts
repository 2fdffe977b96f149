// Dialects of shops: the specification to the letter, or the clients of this family of API.

import type { InvoiceType } from "./invoice.ts";
import type { Tariff } from "./tariff.ts";

export const DIALECTS = ["strict", "family"] as const;

export type Dialect = (typeof DIALECTS)[number];

/** What a shop is answered in where its request names no language: its clients show errors to buyers. */
export function languageOf(dialect: Dialect): "en" | "ru" {
  return dialect === "family" ? "ru" : "en";
}

/** In the place of the methods of an order that names none: every one that the shop has. */
const EVERY_METHOD = "*";

/** An order in the family's form becomes one in our own, in place; what no rule explains stays as it is. */
export function readFamilyOrder(order: Record<string, unknown>): void {
  order["type"] ??= "link";
  order["amount"] = wholeKopecks(numberOf(order["amount"]));
  order["expire"] = numberOf(order["expire"]);
  readFamilyOrderId(order);
  const { include_service: methods, custom_fields: fields } = order;
  if (order["type"] !== "direct") {
    if (isLeftOut(methods)) order["include_service"] = [EVERY_METHOD];
    for (const filter of ["include_service", "exclude_service"])
      order[filter] = eachOnce(order[filter]);
  }
  // PHP writes an object without fields as a list, and would write it so again to check a signature.
  if (isLeftOut(fields) || isEmptyText(fields)) order["custom_fields"] = undefined;
  for (const name in order) if (order[name] === undefined) delete order[name];
}

/** Wherever an order is named: a number becomes the text that it is kept as. */
export function readFamilyOrderId(input: Record<string, unknown>): void {
  const { order_id: orderId } = input;
  if (Number.isSafeInteger(orderId)) input["order_id"] = String(orderId);
}

/**
 * A payout as any client of the family writes it becomes one in our own form, in place. Users have no dialect,
 * so this is done for all.
 */
export function readPayoutWish(wish: Record<string, unknown>): void {
  wish["amount"] = wholeKopecks(numberOf(wish["amount"]));
  const { order_id: orderId, subtract, payoff_data: data } = wish;
  for (const name of ["order_id", "wallet_to"]) {
    if (Number.isSafeInteger(wish[name])) wish[name] = String(wish[name]);
  }
  if (orderId === "") wish["order_id"] = undefined;
  if (typeof subtract === "string") wish["subtract"] = SUBTRACTED[subtract] ?? subtract;
  if (isLeftOut(data)) wish["payoff_data"] = undefined;
  for (const name in wish) if (wish[name] === undefined || wish[name] === null) delete wish[name];
}

const SUBTRACTED: Readonly<Record<string, number>> = { 1: 1, 2: 2, balance: 1, amount: 2 };

/** Nothing, or a list or an object of nothing. */
function isLeftOut(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === undefined;
  return Object.keys(value).length === 0;
}

/** Of more codes than are taken, the rest was never read: that says the check. */
function eachOnce(codes: unknown): unknown {
  return Array.isArray(codes) && codes.length <= MOST_METHODS ? [...new Set(codes)] : codes;
}

function isEmptyText(value: unknown): boolean {
  return typeof value === "string" && /^\s*(?:\[\s*\]|\{\s*\})\s*$/.test(value);
}

function numberOf(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}(?:\.\d{1,20})?$/.test(value)
    ? Number(value)
    : value;
}

/** What arithmetic with doubles leaves of an amount. */
const SLIP = 1e-6;

function wholeKopecks(amount: unknown): unknown {
  if (typeof amount !== "number") return amount;
  const whole = Math.round(amount * 100);
  return Math.abs(amount * 100 - whole) <= SLIP ? whole / 100 : amount;
}

/** What existing clients call our methods. */
const ALIASES: Readonly<Record<string, string>> = { card: "p2p_card", sbp: "p2p_sbp" };

/** As many as an invoice may have. */
const MOST_METHODS = 20;

interface MethodsWish {
  readonly type: InvoiceType;
  readonly include_service: readonly string[];
  readonly exclude_service?: readonly string[];
  readonly currency?: string;
}

/**
 * The methods of an order. On the family's payment page what it names is a filter of those that the shop
 * has: what it excludes is taken away first, and a filter that leaves nothing does not count. Of several,
 * those stay that take the amount.
 */
export function methodsOf(
  dialect: Dialect,
  { type, include_service, exclude_service = [], currency }: MethodsWish,
  amountMinor: bigint,
  tariffs: readonly Tariff[],
): readonly string[] {
  const usable = tariffs.filter(({ enabled }) => enabled);
  const isFilter = dialect === "family" && type === "link";
  if (!isFilter || usable.length === 0) return include_service;
  const codes = new Set(usable.map(({ service }) => service));
  const meant = (named: readonly string[]): ReadonlySet<string> =>
    new Set(named.map((code) => (codes.has(code) ? code : (ALIASES[code] ?? code))));
  const excluded = meant(exclude_service);
  const included = meant(include_service);
  const all = usable.filter((one) => currency === undefined || one.currency === currency);
  const left = all.filter(({ service }) => !excluded.has(service));
  const named = left.filter(({ service }) => included.has(service));
  const some = [named, left].find((tariffs) => tariffs.length > 0) ?? all;
  // Roubles where there is a choice: a method that has none is not offered for them.
  const main = some.find((one) => one.currency === "RUB") ?? some[0];
  const chosen = some.filter((one) => one.currency === main?.currency);
  const fitting = chosen.filter(
    ({ minMinor, maxMinor }) => amountMinor >= minMinor && amountMinor <= maxMinor,
  );
  const offered = fitting.length > 0 ? fitting : chosen;
  return offered.slice(0, MOST_METHODS).map(({ service }) => service);
}

/** Of an order on the payment page that names no methods, whatever the shop's dialect: those that take the amount. */
export function everyMethod(
  currency: string | undefined,
  amountMinor: bigint,
  tariffs: readonly Tariff[],
): readonly string[] {
  if (!tariffs.some(({ enabled }) => enabled)) return [];
  const wish = { type: "link", include_service: [EVERY_METHOD] } as const;
  return methodsOf("family", currency ? { ...wish, currency } : wish, amountMinor, tariffs);
}

/** Without one the payment page ends on its own receipt. */
export function needsSuccessUrl(dialect: Dialect, type: InvoiceType): boolean {
  return dialect === "strict" || type === "direct";
}

const LATIN: Readonly<Record<string, string>> = {
  а: "a",
  б: "b",
  в: "v",
  г: "g",
  д: "d",
  е: "e",
  ё: "e",
  ж: "zh",
  з: "z",
  и: "i",
  й: "y",
  к: "k",
  л: "l",
  м: "m",
  н: "n",
  о: "o",
  п: "p",
  р: "r",
  с: "s",
  т: "t",
  у: "u",
  ф: "f",
  х: "kh",
  ц: "ts",
  ч: "ch",
  ш: "sh",
  щ: "shch",
  ъ: "",
  ы: "y",
  ь: "",
  э: "e",
  ю: "yu",
  я: "ya",
  і: "i",
  ї: "i",
  є: "e",
  ґ: "g",
  ў: "u",
};

/**
 * A text of ours in a webhook. Clients that check a signature by writing the body again write whatever is
 * not ASCII, and slashes, in another way than it came.
 */
export function toldText(dialect: Dialect, text: string): string {
  if (dialect === "strict") return text;
  const letters = [...text].map((letter) => {
    const small = LATIN[letter.toLowerCase()];
    if (small === undefined || letter === letter.toLowerCase()) return small ?? letter;
    return small.charAt(0).toUpperCase() + small.slice(1);
  });
  const latin = letters.join("");
  // Banks write names in capitals.
  return (text === text.toUpperCase() ? latin.toUpperCase() : latin)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replaceAll("/", "-")
    .replace(/[^\x20-\x7e]/g, "?");
}

const NAMES = /^[A-Za-z'.-]+(?: [A-Za-z'.-]+)+$/;

/** Who paid: "Ivan P." of a whole name, for the family. */
export function toldPayer(dialect: Dialect, payer: string | null): string | null {
  if (payer === null || dialect === "strict") return payer;
  const text = toldText(dialect, payer);
  const [first, ...others] = text.split(" ");
  if (!NAMES.test(text)) return text;
  return [first, ...others.map((name) => `${name.charAt(0).toUpperCase()}.`)].join(" ");
}

/** What an invoice is told to cost before it has details. */
export function toldCommission(dialect: Dialect, commission: number | null): number | null {
  return dialect === "family" ? (commission ?? 0) : commission;
}
