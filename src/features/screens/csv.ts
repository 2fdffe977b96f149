// Rows as a file for a spreadsheet, as the reader's language has it. Guards that no cell that somebody else
// wrote is run there: what a spreadsheet takes for a formula gets an apostrophe (CWE-1236). Numbers are
// numbers and stay free of it.

import type { Language } from "../../platform/failure.ts";

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
