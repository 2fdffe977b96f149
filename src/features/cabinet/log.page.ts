// /my/log: what the merchant's people have changed, and which operator has looked, for its owner.

import { html } from "../../platform/html.ts";
import { readOwnAuditLog } from "../merchants/own-shops.endpoint.ts";
import { listPages } from "../people/list-page.ts";
import { labelOf } from "../screens/words.ts";
import { cabinet } from "./site.ts";

/** What is another than it was, in a few words. */
function changes(before: unknown, after: unknown): readonly (readonly [string, string])[] {
  const was = (before ?? {}) as Record<string, unknown>;
  const text = (value: unknown): string =>
    typeof value === "string" ? value : JSON.stringify(value ?? null);
  return Object.entries((after ?? {}) as Record<string, unknown>)
    .filter(([name, value]) => text(value) !== text(was[name]) && value !== null)
    .filter(([name]) => !name.endsWith("_id") && !name.endsWith("_at"))
    .slice(0, MOST)
    .map(([name, value]) => [name, text(value)]);
}

const MOST = 4;

const OPERATOR = { en: "of the gateway", ru: "сотрудник шлюза" };

export const logPages = listPages(cabinet, {
  path: "/my/log",
  title: { en: "Log", ru: "Журнал" },
  door: readOwnAuditLog,
  columns: ({ say, look }) => [
    "created_at",
    {
      label: say({ en: "Who", ru: "Кто" }),
      cell: ({ operator_name, operator_id }) =>
        html`<bdi>${operator_name}</bdi>${operator_id !== null && html` <small>${say(OPERATOR)}</small>`}`,
      text: ({ operator_name }) => operator_name,
    },
    "act",
    {
      label: say({ en: "What it is now", ru: "Как стало" }),
      cell: ({ before, after }) =>
        changes(before, after).map(
          ([name, value]) =>
            html`<div><small>${labelOf(name, look.language)}</small> <bdi>${value}</bdi></div>`,
        ),
      text: ({ after }) => JSON.stringify(after),
    },
    {
      label: labelOf("subject", look.language),
      cell: ({ subject }) =>
        html`<a href="/my/go/${encodeURIComponent(subject)}"><code>${subject.slice(0, 6)}…${subject.slice(-4)}</code></a>`,
      text: ({ subject }) => subject,
    },
  ],
  filters: ["act", "subject", "from", "to"],
  nothing: {
    en: "Nobody has changed anything in this period",
    ru: "За этот период никто ничего не менял",
  },
  command: "kopeck my audit list",
});
