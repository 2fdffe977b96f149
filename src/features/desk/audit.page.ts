// /desk/audit: who changed what, with the fields that changed: how each was and how it has been since.

import type { Answer } from "../../platform/endpoint.ts";
import { type Html, html } from "../../platform/html.ts";
import { readAuditLog } from "../operators/read-audit-log.endpoint.ts";
import { named } from "../people/cells.ts";
import { listPages } from "../people/list-page.ts";
import type { Look } from "../screens/locale.ts";
import { momentText, shortId } from "../screens/pieces.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import { desk } from "./site.ts";

type Entry = Answer<typeof readAuditLog>["items"][number];

/** Fields whose values differ; all of them for something new or gone. */
function differences(
  { before, after }: Entry,
  look?: Look,
): readonly (readonly [name: string, was: string, is: string])[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names
    .map((name) => [name, textOf(name, was[name], look), textOf(name, is[name], look)] as const)
    .filter(([, old, fresh]) => old !== fresh);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** For a person codes have words and moments are told in their zone; for a file both stay as they are. */
function textOf(name: string, value: unknown, look?: Look): string {
  if (value === undefined || value === null) return "";
  const plain = typeof value === "object" ? JSON.stringify(value) : String(value);
  const isCode = typeof value === "boolean" || CODES.test(name);
  const said = look !== undefined && isCode ? wordOf(plain, look.language) : plain;
  const text = look !== undefined && MOMENT.test(plain) ? momentText(plain, look) : said;
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

/** Fields that hold words of the wire, and nothing that somebody wrote. */
const CODES =
  /(?:^|_)(?:state|role|kind|service|bank|rail|dialect|policy|outcome|language|origin|subtract)$|^held_reason$/;
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const MOST = 200;
const FIELDS = { en: "fields", ru: "полей" };
/** A change of few fields is seen at once, something new when it is opened. */
const SHOWN = 3;

function changes(entry: Entry, look: Look): Html {
  const { language } = look;
  const all = differences(entry, look);
  const rows = html`<ul class="plain">${all.map(
    ([name, was, is]) =>
      html`<li>${labelOf(name, language)}: ${was !== "" && html`<del>${was}</del> → `}${is === "" ? "—" : html`<ins>${is}</ins>`}</li>`,
  )}</ul>`;
  if (all.length === 0) return html`—`;
  return all.length > SHOWN
    ? html`<details><summary>${FIELDS[language]}: ${all.length}</summary>${rows}</details>`
    : rows;
}

export const auditPages = listPages(desk, {
  path: "/desk/audit",
  title: { en: "Audit log", ru: "Журнал" },
  door: readAuditLog,
  columns: ({ look, root, say }) => [
    "created_at",
    "operator_name",
    {
      label: labelOf("act", look.language),
      cell: ({ act }) => html`<span title="${act}">${wordOf(act, look.language)}</span>`,
      text: ({ act }) => act,
    },
    {
      label: labelOf("subject", look.language),
      cell: ({ subject }) =>
        shortId(subject, subject.length === 36 ? `${root}/go/${subject}` : undefined),
      text: ({ subject }) => subject,
    },
    {
      label: say({ en: "Was → is", ru: "Было → стало" }),
      cell: (entry) => changes(entry, look),
      text: (entry) =>
        differences(entry)
          .map(([name, was, is]) => `${name}: ${was} -> ${is}`)
          .join("; "),
    },
  ],
  filters: [named("operator_id"), "act", "subject", "from", "to"],
  nothing: { en: "Nobody has changed anything yet", ru: "Пока никто ничего не менял" },
  command: "kopeck audit list",
});
