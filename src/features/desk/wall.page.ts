// /desk/wall: large figures for a screen on the wall. It loads itself again, script or not.

import { html } from "../../platform/html.ts";
import { showHealth } from "../overview/show-health.endpoint.ts";
import { showWaiting } from "../overview/show-waiting.endpoint.ts";
import { readRequisites } from "../requisites/manage-requisites.endpoint.ts";
import { card, figures, moment, money } from "../screens/pieces.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import { readTransfers } from "../transfers/manage-transfers.endpoint.ts";
import { checkLine } from "./books.page.ts";
import { doorTable } from "./door-parts.ts";
import { homeFigures } from "./home-figures.ts";
import { desk } from "./site.ts";

const AGAIN_SECONDS = 30;
const NEWEST = 8;

export const wallPages = [
  desk.page({
    path: "/desk/wall",
    async show(sight) {
      const { say, look } = sight;
      const [waiting, requisites, transfers, health, today] = await Promise.all([
        sight.ask(showWaiting, {}),
        sight.ask(readRequisites, { enabled: true, limit: 200 }),
        sight.ask(readTransfers, { limit: NEWEST }),
        sight.ask(showHealth, {}),
        homeFigures(sight),
      ]);
      const live = requisites.items.reduce((sum, { live_payments: count }) => sum + count, 0);
      const giving = requisites.items.filter(({ resting_since: since }) => since === null).length;
      const [last] = transfers.items;
      const now = figures([
        [
          say({ en: "Payments under way", ru: "Идёт платежей" }),
          html`<a href="/desk/invoices?state=pending">${live}</a>`,
        ],
        [
          say({ en: "Requisites given out", ru: "Реквизитов выдаётся" }),
          html`<a href="/desk/requisites?enabled=true">${giving}</a>`,
        ],
        ...(last === undefined
          ? []
          : [
              [
                say({ en: "Last money", ru: "Последние деньги" }),
                html`<a href="/desk/transfers/${last.transfer_id}">${money(last.amount, look, last.currency)}</a>`,
                moment(last.received_at, look),
              ] as const,
            ]),
      ]);
      const waits =
        waiting.items.length === 0
          ? html`<p class="lead">${say({ en: "Nothing waits for anybody.", ru: "Никого ничего не ждёт." })}</p>`
          : figures(
              waiting.items.map(({ kind, count, capped, amount, currency, first_id: id }) => [
                wordOf(kind, look.language),
                html`<a href="/desk/go/${id}">${count}${capped && "+"}</a>`,
                amount !== null && money(amount, look, currency ?? "RUB"),
              ]),
            );
      const newest =
        transfers.items.length > 0 &&
        card(
          say({ en: "Money that arrived", ru: "Поступления" }),
          doorTable(sight, readTransfers, labelOf("transfers", look.language), transfers.items, [
            "received_at",
            "amount",
            "state",
          ]),
        );
      const checked = health.books.checked_at;
      const body = html`<div class="wall">${today}</div><div class="grid wall">${card(undefined, now)}${card(say({ en: "Waits for you", ru: "Ждёт вас" }), waits)}</div>${newest}${checkLine(checked === null ? undefined : { ended_at: checked, violations: health.books.violations }, sight)}`;
      const page = await desk.documentOf(sight, { title: say({ en: "Now", ru: "Сейчас" }), body });
      return { ...page, reloadSeconds: AGAIN_SECONDS };
    },
  }),
];
