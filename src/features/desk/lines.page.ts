// /desk/imports/lines: the lines of statements, with the decision about those that wait, and a second approval where that
// needs one. The approver sees who approved before and why, and is not asked to approve their own decision.

import { needsTwo } from "../../domain/approval.ts";
import { isOpen, waits } from "../../domain/line-outcome.ts";
import { minorFromNumber } from "../../domain/money.ts";
import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { decideLine, decideLines, readLines } from "../intake/manage-lines.endpoint.ts";
import { named } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { addressOf, listPages } from "../people/list-page.ts";
import { factsOf } from "../people/parts.ts";
import { card, link, notice } from "../screens/pieces.ts";
import { decideLinesPages, SEVERAL } from "./decide-lines.page.ts";
import { type DeskSight, desk } from "./site.ts";

type Line = NonNullable<Awaited<ReturnType<typeof lineAsked>>>;

/** The one that a form is about. */
const lineAsked = async (sight: DeskSight) =>
  (await sight.ask(readLines, { ids: sight.visit.params["line_id"] ?? "" })).items[0];

const lines = listPages(desk, {
  path: "/desk/imports/lines",
  title: { en: "Lines of statements", ru: "Строки выписок" },
  door: readLines,
  columns: (sight) => [
    "day",
    "amount",
    "direction",
    "outcome",
    named("requisite_id"),
    "party",
    "purpose",
    "transfer_id",
    {
      label: sight.say({ en: "Decision", ru: "Решение" }),
      cell: (line: Line): Part => decisionOf(sight, line),
      text: ({ settled_reason }: Line) => settled_reason,
    },
  ],
  filters: [
    "waiting",
    "to_approve",
    "outcome",
    named("requisite_id"),
    "import_id",
    "transfer_id",
    "movement_id",
    "payout_id",
    "unexplained",
    "ids",
  ],
  above: ({ may, say, visit }) => {
    const [, query = ""] = visit.url.split("?");
    const to = addressOf("/desk/imports/lines/several", query, {});
    return may(decideLines) && html`<p class="acts">${link(say(SEVERAL), to, "plain")}</p>`;
  },
  nothing: { en: "No such lines", ru: "Таких строк нет" },
  command: "kopeck line list",
});

/** What was decided, or is left to do for whoever looks. */
function decisionOf({ may, say, who }: DeskSight, line: Line): Part {
  const { line_id, outcome, settled_by, settled_reason, approved_by } = line;
  const isOwn = approved_by === who.id;
  const [name, why] =
    approved_by === null
      ? [settled_by, settled_reason]
      : [line.approved_by_name, line.approval_reason];
  const word = name === null ? "—" : html`<bdi>${name}: ${why}</bdi>`;
  if (!isOpen(outcome) || !may(decideLine)) return word;
  const path = `/desk/imports/lines/${line_id}`;
  const decide = link(say(DECIDE), `${path}/decide`);
  if (approved_by === null) return decide;
  const next = isOwn ? say(OWN) : link(say(APPROVE), `${path}/approve`, "main");
  return html`<p>${word}</p><p>${next} ${decide}</p>`;
}

const DECIDE = { en: "Decide", ru: "Решить" };
const APPROVE = { en: "Approve", ru: "Подтвердить" };
const OWN = {
  en: "You approved to book it: another person has to approve it as well. Nothing has moved yet.",
  ru: "Вы подтвердили проведение: нужно второе подтверждение. Деньги пока не двигались.",
};
const OTHERS = {
  en: "This amount needs a second approval. Check whether it is new money, then approve, or decide otherwise.",
  ru: "Такой сумме нужно второе подтверждение. Проверьте сами, отдельные ли это деньги, затем подтвердите или решите иначе.",
};
const NEEDS_TWO = {
  en: "To book this amount needs two people: nothing moves until another person approves it as well.",
  ru: "Чтобы провести такую сумму, нужно второе подтверждение: до него деньги не двинутся.",
};

async function lineOf(sight: DeskSight): Promise<Part> {
  const line = await lineAsked(sight);
  if (line === undefined) return "";
  const names = ["day", "amount", "direction", "outcome", "kind", "party", "purpose", "number"];
  const more = [
    "payout_id",
    "transfer_id",
    "missing_in",
    "approved_by_name",
    "approved_at",
    "approval_reason",
  ];
  const facts = factsOf(sight, readLines, "items", line, [...names, ...more]);
  return html`${secondOf(sight, line)}${card(undefined, facts)}`;
}

/** Whether it takes another one to book it, said before anybody presses. */
function secondOf({ app, say, who }: DeskSight, line: Line): Part {
  const { approved_by } = line;
  if (approved_by !== null) return notice("warn", say(approved_by === who.id ? OWN : OTHERS));
  const isBookable = waits(line.outcome) && line.direction === "in" && line.payout_id === null;
  const isLarge = needsTwo(minorFromNumber(line.amount) ?? 0n, app.config.fourEyesFrom);
  return isBookable && isLarge && notice("plain", say(NEEDS_TWO));
}

/** To where it is seen what came of it: one that waits for somebody else stands there with that. */
const afterwards = ({
  approved_by,
  import_id: id,
}: Pick<Line, "approved_by" | "import_id">): string =>
  approved_by === null ? `/desk/imports/${id}` : "/desk/imports/lines?to_approve=true";

const decide = formPages(desk, {
  path: "/desk/imports/lines/:line_id/decide",
  title: { en: "Decide about a line", ru: "Решение по строке" },
  submit: DECIDE,
  danger: true,
  door: decideLine,
  fields: () => ["decision", "kind", "reason"],
  above: (sight) => lineOf(sight),
  note: {
    en: "Book: income is matched as if it had just been reported, and cannot be undone; any other kind can be corrected. Exclude: the ledger does not count the line. Reopen: an excluded line waits again.",
    ru: "«Провести»: деньги плательщика сопоставятся, как будто о них только что сообщили, и отменить это нельзя; любой другой вид можно исправить. «Не учитывать»: учёт строку не считает. «Вернуть на решение»: исключённая строка снова ждёт решения.",
  },
  then: afterwards,
  command: "kopeck line decide",
});

/** The form to decide, for a line that another person approved. */
const approve = formPages(desk, {
  path: "/desk/imports/lines/:line_id/approve",
  title: { en: "Approve that a line is booked", ru: "Подтвердить проведение строки" },
  submit: APPROVE,
  danger: true,
  door: decideLine,
  fields: () => ["reason"],
  above: (sight) => lineOf(sight),
  also: () => ({ decision: "book" as const }),
  note: {
    en: "It is a payer's money, and is matched as if it had just been told; what others have told of it is proven. This cannot be undone.",
    ru: "Это деньги плательщика: они сопоставятся, как будто о них только что сообщили, а сказанное о них раньше будет доказано. Отменить нельзя.",
  },
  then: afterwards,
  command: "kopeck line decide",
});

export const linePages: readonly WebPage[] = [...lines, ...decide, ...approve, ...decideLinesPages];
