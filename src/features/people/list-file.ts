// A list as a CSV file for a spreadsheet, page after page. Formulas are disarmed (CWE-1236), and a file
// that was cut says so.

import { cutText } from "../../domain/visible-text.ts";
import type { Language } from "../../platform/failure.ts";
import { type Look, numberText } from "../screens/locale.ts";
import type { Sight } from "./site.ts";

const FORMS = { en: { between: ",", decimal: "." }, ru: { between: ";", decimal: "," } };
const BOM = "\ufeff";

/** Spaces and whatever is not seen do not disarm what stands behind; full-width signs count as their narrow ones. */
const FORMULA = /^[\t\r\n]|^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]/u;
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

export function csvText(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  language: Language,
  { withHead }: { withHead: boolean },
): string {
  const { between, decimal } = FORMS[language];
  const cellOf = (value: string | number | null): string => {
    if (value === null) return "";
    if (typeof value === "number") return String(value).replace(".", decimal);
    const text = value.replace(FORMULA, (found) => `'${found}`);
    return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = (withHead ? [head, ...rows] : rows).map((row) => row.map(cellOf).join(between));
  return (withHead ? BOM : "") + lines.map((line) => `${line}\r\n`).join("");
}

const MOST_CHARACTERS = 60;

interface FileName {
  readonly name: string;
  /** With the merchant's own name, for browsers that take letters of any kind. */
  readonly fullName?: string;
}

export function fileNameOf<Who>(
  path: string,
  { who, formOf, visit: { params } }: Sight<Who>,
  asked: (name: string) => string | undefined,
): FileName {
  const parts = path
    .split("/")
    .map((part) =>
      part.startsWith(":") ? (params[part.slice(1)] ?? "").replace(/\W+/g, "-") : part,
    );
  const list = parts.filter(Boolean).map(plain).join("-");
  const named = (whose: string): string =>
    `${[list, whose, periodOf(asked)].filter(Boolean).join("-")}.csv`;
  const merchant = cutText(plain(merchantOf(who)), MOST_CHARACTERS);
  const name = named(formOf);
  return merchant === "" ? { name } : { name, fullName: named(merchant) };
}

function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}_]+/gu, "-").replace(/^-+|-+$/g, "");
}

/** Whoever looks at a cabinet looks at somebody's; at the desk it is everybody's. */
function merchantOf(who: unknown): string {
  const isOfOne = typeof who === "object" && who !== null && "merchant" in who;
  return isOfOne && typeof who.merchant === "string" ? who.merchant : "";
}

function periodOf(asked: (name: string) => string | undefined): string {
  const [from, to] = ["from", "to"].map((name) => /^\d{4}-\d\d-\d\d/.exec(asked(name) ?? "")?.[0]);
  if (from !== undefined && to !== undefined) return `${from}_${to}`;
  if (from !== undefined) return `from-${from}`;
  return to === undefined ? "" : `to-${to}`;
}

const CUT = {
  en: (most: string, at: string) => {
    const older = at === "" ? "Older ones are" : `What is older than ${at} is`;
    return `NOT ALL ROWS ARE HERE: a file holds ${most}. ${older} missing: take shorter periods.`;
  },
  ru: (most: string, at: string) => {
    const older = at === "" ? "Более старых" : `Того, что раньше ${at},`;
    return `ЗДЕСЬ НЕ ВСЕ СТРОКИ: в файл входит ${most}. ${older} здесь нет: возьмите периоды короче.`;
  },
};

/** What stands below the last row of a file that does not hold all of them. */
export function cutWords({ language }: Look, most: number, moment = ""): string {
  return CUT[language](numberText(most, language), moment);
}

interface Listed<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

interface Wanted<Item> {
  pageAfter(next: string): Promise<Listed<Item>>;
  /** The first begins the file. */
  textOf(items: readonly Item[], isFirst: boolean): Promise<string>;
  /** What stands at the end of one that is cut. */
  cutAt(next: string): string;
  readonly most: number;
}

export async function* fileParts<Item>(
  first: Listed<Item>,
  { pageAfter, textOf, cutAt, most }: Wanted<Item>,
): AsyncGenerator<string> {
  let page = first;
  // A page without rows has been looked through, too.
  for (let sent = 0; ; ) {
    yield await textOf(page.items, sent === 0);
    sent += Math.max(1, page.items.length);
    if (page.next === null) return;
    if (sent >= most) {
      yield cutAt(page.next);
      return;
    }
    page = await pageAfter(page.next);
  }
}
