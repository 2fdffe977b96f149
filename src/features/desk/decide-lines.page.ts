// /desk/imports/lines/several: one word about many lines, where a bank has rewritten a day, or a first statement brings a
// year of rent and fees. Guards that nothing is ticked unless somebody asks for it, that like ones stand together, and
// that whoever decides is told of each that was refused, and why.

import { wordsOfCode } from "../../domain/refusal.ts";
import { fromTexts } from "../../platform/ask.ts";
import type { Answer } from "../../platform/endpoint.ts";
import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { decideLines, MOST_LINES, readLines } from "../intake/manage-lines.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { addressOf } from "../people/list-page.ts";
import { card, empty, figures, link, moneyText } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { type DeskSight, desk } from "./site.ts";

const PATH = "/desk/imports/lines/several";
const LIST = "/desk/imports/lines";
export const SEVERAL = { en: "Decide about several", ru: "Решить по нескольким" };

/** By what the list beside it is searched, and from which row on. */
const FILTERS = [
  "waiting",
  "to_approve",
  "outcome",
  "requisite_id",
  "import_id",
  "transfer_id",
  "movement_id",
  "payout_id",
  "unexplained",
  "ids",
  "after",
] as const;

type Line = Answer<typeof readLines>["items"][number];
type Item = Answer<typeof decideLines>["items"][number];

const WORDS = {
  en: {
    none: "Nothing of this can be decided",
    waiting: "Lines that wait",
    all: "Tick all",
    nothing: "Tick none",
    own: "you approved to book it",
    other: "approved to book it",
    decided: "Decided",
    second: "Wait for a second approval",
    refused: "Refused",
    away: "Nobody knows whether this was done, or it was not tried: look at it first.",
  },
  ru: {
    none: "Здесь нечего решать",
    waiting: "Строки, ждущие решения",
    all: "Отметить все",
    nothing: "Снять отметки",
    own: "вы подтвердили проведение",
    other: "подтверждает проведение",
    decided: "Решено",
    second: "Ждут второго подтверждения",
    refused: "Отказано",
    away: "Неизвестно, выполнено ли это, или до этого не дошло: сначала посмотрите.",
  },
};

/** Those that the list shows; without a filter, what waits. */
async function offered(sight: DeskSight): Promise<readonly Line[]> {
  const { query } = sight.visit;
  const asked = Object.fromEntries(FILTERS.map((name) => [name, query[name]]));
  const isSearched = FILTERS.some((name) => name !== "after" && query[name]);
  const wish = fromTexts(readLines, {
    ...asked,
    limit: `${MOST_LINES}`,
    ...(isSearched ? {} : { waiting: "true" }),
  });
  const { items } = await sight.ask(readLines, wish);
  return items
    .filter(isDecidable)
    .sort((a, b) => likeness(a).localeCompare(likeness(b)) || a.row - b.row);
}

/** As the door has it: what is booked is settled, unless a later file does not have it any more. */
const isDecidable = ({ outcome }: Line): boolean => outcome !== "new" && outcome !== "duplicate";

const likeness = ({ direction, party, purpose, day }: Line): string =>
  [direction, party ?? "", purpose ?? "", day].join("\0");

/** Of which card it is, and what is known of it already: who books what another has said to book ends it. */
function told({ look, who }: DeskSight, line: Line, card = ""): string {
  const { direction, amount, currency, day, outcome, number, party, purpose } = line;
  const words = WORDS[look.language];
  const sum = `${direction === "in" ? "+" : "−"}${moneyText(amount, look.language, currency)}`;
  const standing = wordOf(outcome, look.language);
  const other = `${line.approved_by_name} ${words.other}: ${line.approval_reason}`;
  const { approved_by } = line;
  const approved = approved_by !== null && (approved_by === who.id ? words.own : other);
  const parts = [day, sum, card, standing, approved, party, purpose, number];
  return parts.filter((part) => part).join(" · ");
}

function ticking({ look, visit }: DeskSight): Part {
  const words = WORDS[look.language];
  const [, query = ""] = visit.url.split("?");
  const isAll = visit.query["all"] === "true";
  const to = addressOf(PATH, query, { all: isAll ? "" : "true" });
  return html`<p class="acts">${link(isAll ? words.nothing : words.all, to, "plain")}</p>`;
}

function outcomeOf({ items }: Answer<typeof decideLines>, { look }: DeskSight): Part {
  const words = WORDS[look.language];
  const refused = items.filter((item) => "error" in item);
  const done = items.filter((item) => "outcome" in item);
  const waiting = done.filter(({ approved_by }) => approved_by !== null);
  const counts: [string, Part][] = [[words.decided, done.length - waiting.length]];
  if (waiting.length > 0) counts.push([words.second, waiting.length]);
  if (refused.length > 0) counts.push([words.refused, refused.length]);
  const reasons = refused.map(
    (item) =>
      html`<li>${link(item.line_id.slice(-12), `${LIST}?ids=${item.line_id}`)}: ${whyNot(item, look.language)}</li>`,
  );
  return card(
    undefined,
    html`${figures(counts)}${reasons.length > 0 && html`<ul>${reasons}</ul>`}`,
  );
}

function whyNot(item: Extract<Item, { error: string[] }>, language: "en" | "ru"): string {
  if (item.status >= 500) return WORDS[language].away;
  return wordsOfCode(item.code, language) ?? item.error.join(" ");
}

export const decideLinesPages: readonly WebPage[] = formPages(desk, {
  path: PATH,
  title: SEVERAL,
  submit: { en: "Decide", ru: "Решить" },
  danger: true,
  door: decideLines,
  keeps: [...FILTERS],
  async fields(sight) {
    const lines = await offered(sight);
    const ids = lines.map(({ requisite_id }) => requisite_id);
    const names = await sight.naming["requisite_id"]?.names(sight, ids);
    const choices = lines.map((line) => ({
      value: line.line_id,
      label: told(sight, line, names?.get(line.requisite_id)),
    }));
    const isAll = sight.visit.query["all"] === "true";
    const value = isAll ? choices.map((choice) => choice.value).join("\n") : "";
    return [{ name: "line_ids", choices, value }, "decision", "kind", "reason"];
  },
  above: ticking,
  async nothing(sight) {
    if ((await offered(sight)).length > 0) return false;
    const { none, waiting } = WORDS[sight.look.language];
    return empty(none, link(waiting, `${LIST}?waiting=true`));
  },
  note: {
    en: "Each is decided as it would be by itself, with the same reason; an amount that needs a second approval waits for it, and a line that another person approved is booked with yours. This cannot be undone.",
    ru: "По каждой решение такое же, как по ней одной, с той же причиной. Где нужно второе подтверждение, строка ждёт его; строку, которую подтвердил другой, ваше решение проводит. Отменить нельзя.",
  },
  shows: outcomeOf,
  then: (_, { visit }) => {
    const [, query = ""] = visit.url.split("?");
    return addressOf(PATH, query, { all: "", after: "" });
  },
  command: "kopeck line list --waiting",
});
