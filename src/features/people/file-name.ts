// What the file of a list is called: which list, of what, whose, of which days. Guards that two merchants' files are
// told apart by their names, as two accounts' are, and that nothing in a name is more than letters and digits.

import { cutText } from "../../domain/visible-text.ts";
import type { Sight } from "./site.ts";

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
