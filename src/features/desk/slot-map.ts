// Which exact amounts of a requisite are held, by whom and until when, and when one is free again.

import { fromTexts } from "../../platform/ask.ts";
import type { Answer } from "../../platform/endpoint.ts";
import { type Html, html } from "../../platform/html.ts";
import { showSlots } from "../payments/show-slots.endpoint.ts";
import { fieldOf } from "../people/cells.ts";
import { addressOf } from "../people/list-address.ts";
import { named, withNames } from "../people/naming.ts";
import { form } from "../screens/form.ts";
import { card, chip, link, moment, money, notice } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import { doorTable } from "./door-parts.ts";
import type { DeskSight } from "./site.ts";

type Slot = Answer<typeof showSlots>["items"][number];

export async function slotMap(sight: DeskSight): Promise<Html> {
  const { say, look, visit } = sight;
  const wish = fromTexts(showSlots, { ...visit.query, ...visit.params });
  const { items, next, asked } = await sight.ask(showSlots, wish);
  const [path = "", query = ""] = visit.url.split("?");
  const question = form({
    action: path,
    method: "get",
    look,
    submit: say({ en: "Ask", ru: "Спросить" }),
    fields: [
      fieldOf(showSlots, "amount", look, {
        label: say({ en: "When is this amount free?", ru: "Когда свободна сумма?" }),
        value: visit.query["amount"] ?? "",
      }),
    ],
  });
  const answer =
    asked.amount !== null &&
    (asked.free_at === null
      ? notice(
          "good",
          html`${money(asked.amount, look)}: ${say({ en: "free now", ru: "свободна" })}`,
        )
      : notice("warn", html`${money(asked.amount, look)}: ${moment(asked.free_at, look)}`));
  const phase = {
    label: labelOf("state", look.language),
    cell: ({ phase }: Slot) => phaseChip(phase, sight),
  };
  const columns = ["amount", phase, "held_until", "invoice_id", named("shop_id")];
  const rows =
    items.length === 0
      ? html`<p class="muted">${say({ en: "No amount is held: every payment of any amount fits.", ru: "Ни одна сумма не занята: подойдёт любой платёж." })}</p>`
      : doorTable(sight, showSlots, say(SLOTS), items, await withNames(sight, columns, items));
  const more =
    next !== null &&
    link(
      say({ en: "Larger amounts", ru: "Суммы больше" }),
      addressOf(path, query, { after: String(next) }),
    );
  return card(say(SLOTS), html`${answer}${question}${rows}${more}`);
}

const SLOTS = { en: "Amounts that are held", ru: "Занятые суммы" };

function phaseChip(phase: "live" | "quarantine", { look, say }: DeskSight): Html {
  if (phase === "live") return chip("live", look);
  return html`<span class="chip wait">${say({ en: "Quarantine", ru: "Карантин" })}</span>`;
}
