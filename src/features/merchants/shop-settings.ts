// What a shop is set to: the fields that an operator may send, those that its own merchant may, and a shop with
// some of them changed.

import type { Static, TObject } from "typebox";
import {
  checked,
  contact,
  httpUrl,
  integer,
  listOf,
  oneOf,
  Type,
  text,
  yesNo,
} from "../../platform/field.ts";
import { dialect, latePolicy, type ShopRow } from "./nouns.ts";

const CLEARABLE = [
  "success_url",
  "fail_url",
  "hook_url",
  "title",
  "logo_url",
  "color",
  "support",
] as const;

/** What an operator sets of a shop. */
export const settings = {
  h2h_enabled: Type.Optional(yesNo({ description: "Host-to-host payments; off for a new shop." })),
  late_policy: Type.Optional(latePolicy),
  nudge_max_kopecks: Type.Optional(
    integer(
      { min: 0, max: 99 },
      { description: "How far an amount may be raised; 0 is off, 99 for a new shop." },
    ),
  ),
  success_url: Type.Optional(httpUrl({ description: "Where the payer goes after a success." })),
  fail_url: Type.Optional(
    httpUrl({ description: "Where the page's link back leads until the money came." }),
  ),
  hook_url: Type.Optional(
    httpUrl({ description: "Where webhooks go.", examples: ["http://localhost:3000/hook"] }),
  ),
  title: Type.Optional(
    text({ max: 100 }, { description: "What the payment page calls the shop; else its name." }),
  ),
  logo_url: Type.Optional(
    checked(httpUrl({ description: "The image on the payment page, https." }), "https", (url) =>
      /^https:\/\/[a-z0-9.-]+(?::\d+)?\//.test(URL.parse(url)?.href ?? ""),
    ),
  ),
  color: Type.Optional(
    Type.String({
      pattern: "^#[0-9a-f]{6}$",
      description: "The colour of the payment page's buttons, such as #1f6feb.",
      examples: ["#1f6feb"],
    }),
  ),
  support: Type.Optional(
    contact({ description: "Whom a payer may ask: a URL, an e-mail address or a phone number." }),
  ),
  dialect: Type.Optional(dialect),
};

const { h2h_enabled: _h2h, dialect: _dialect, ...own } = settings;

/** What its merchant sets: where things go, how it looks, what becomes of late money. */
export const ownSettings = own;

export const clear = Type.Optional(
  listOf(
    oneOf(CLEARABLE, { description: "A setting." }),
    { min: 1, max: CLEARABLE.length },
    { description: "Settings to forget." },
  ),
);

type Settings = Static<TObject<typeof settings & { clear: typeof clear }>> & {
  readonly name?: string;
};

/** Stored as they are understood, not as they were written. */
const URLS = ["success_url", "fail_url", "hook_url", "logo_url"] as const;

/** What was left out stays as it is; what is to be forgotten is. */
export function withSettings(
  row: ShopRow,
  { nudge_max_kopecks: nudge, clear: forgotten = [], ...given }: Settings,
): ShopRow {
  const urls = URLS.flatMap((name) => {
    const url = given[name];
    return url === undefined ? [] : [[name, new URL(url).href]];
  });
  const nudgeMax = nudge === undefined ? row.nudge_max_minor : BigInt(nudge);
  const cleared = Object.fromEntries(forgotten.map((setting) => [setting, null]));
  const settled = { ...row, ...given, ...Object.fromEntries(urls), nudge_max_minor: nudgeMax };
  return { ...settled, ...cleared };
}
