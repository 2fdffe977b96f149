// /desk: what waits for a person first, each with the way to where it is worked on; then what happened last.

import { addSeconds } from "../../domain/moment.ts";
import { UNPROVEN_DAYS } from "../../domain/transfer.ts";
import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readInvoices } from "../overview/manage-invoices.endpoint.ts";
import { showWaiting } from "../overview/show-waiting.endpoint.ts";
import { named, withNames } from "../people/cells.ts";
import { sheetsOf } from "../people/parts.ts";
import { card, empty, link, moment, money } from "../screens/pieces.ts";
import { readTransfers } from "../transfers/manage-transfers.endpoint.ts";
import { homeStatistics } from "./home-statistics.ts";
import { type DeskSight, desk } from "./site.ts";

const DAY_SECONDS = 24 * 60 * 60;

type Waiting = Awaited<ReturnType<typeof waitingOf>>[number];

const waitingOf = async (sight: DeskSight) => (await sight.ask(showWaiting, {})).items;

/** What waits | English | Russian | where it is worked on, with the oldest one's id, a moment or the currency in their places */
const WORK = new Map(
  `suspense|Transfers without a payment|Переводы без платежа|/suspense?transfer=ID
transfers_to_approve|Assignments that wait for a second approval|Зачисления ждут второго подтверждения|/suspense?transfer=ID
payouts_to_approve|Payouts to approve|Выводы ждут одобрения|/payouts?state=held&currency=CODE
payouts_to_take|Payouts to send by hand|Выводы надо отправить вручную|/payouts?by_hand=true&currency=CODE
payouts_unknown|Payouts with an unknown outcome|Выводы с неизвестным исходом|/payouts?state=unknown&currency=CODE
payouts_to_return|Returned payouts that wait for a second approval|Возвраты выводов ждут второго подтверждения|/payouts/ID
events_exhausted|Webhooks that were given up|Вебхуки не доставлены|/events?state=exhausted
imports_failing|Statements that cannot be applied|Выписки не применяются|/imports/ID
lines_to_decide|Lines of statements to decide|Строки выписок ждут решения|/imports/lines?waiting=true
lines_to_approve|Lines that wait for a second approval|Строки ждут второго подтверждения|/imports/lines?to_approve=true
transfers_unproven|Transfers that no statement proves|Переводы без подтверждения выпиской|/transfers?needs_proof=true&currency=CODE&to=UNTIL
requisites_renumbered|Requisites with another number since yesterday|Реквизиты, у которых за сутки сменился номер|/audit?act=requisite.update&from=SINCE
requisites_at_limit|Requisites at their limit|Реквизиты исчерпали лимит|/requisites/ID
requisites_off_with_live|Requisites that are off, with payments under way|Выключенные реквизиты с идущими платежами|/requisites/ID
requisites_resting|Requisites that rest|Реквизиты отдыхают|/requisites/ID
requisites_dead|Requisites that nobody can pay to|Реквизиты, на которые не платят|/requisites/ID
sources_silent|Phones that are silent|Телефоны молчат|/requisites
rows_failing|Work that keeps failing|Задания, которые не выполняются|/health
books_wrong|The books do not add up|Учёт не сходится|/books`
    .split("\n")
    .map((line) => line.split("|"))
    .map(([kind, en = "", ru = "", path = ""]) => [kind, { en, ru, path }]),
);

function queueOf({ say, look, root }: DeskSight, items: readonly Waiting[]): Html {
  if (items.length === 0) {
    return empty(
      say({ en: "Nothing waits for you", ru: "Вас ничего не ждёт" }),
      say({
        en: "Money without an owner, payouts to approve, webhooks that nobody hears will stand here, the most urgent first.",
        ru: "Здесь появятся деньги без хозяина, выводы на одобрение, вебхуки без ответа — самое срочное сверху.",
      }),
    );
  }
  const since = say({ en: "the oldest", ru: "старейшее" });
  const daysAgo = (days: number): string => addSeconds(look.now, -days * DAY_SECONDS).toISOString();
  const dates = { UNTIL: daysAgo(UNPROVEN_DAYS), SINCE: daysAgo(1) };
  const rows = items.map((one) => {
    const { path, ...words } = WORK.get(one.kind) ?? { en: one.kind, ru: one.kind, path: "" };
    const places = { ...dates, ID: one.first_id, CODE: one.currency ?? "" };
    const href = `${root}${path.replace(/ID|UNTIL|SINCE|CODE/g, (name) => places[name as keyof typeof places])}`;
    const sum = one.amount !== null && money(one.amount, look, one.currency ?? undefined);
    const old = one.oldest_at !== null && html`${since} ${moment(one.oldest_at, look)}`;
    return html`<li><a href="${href}"><span><b>${say(words)}</b><small>${old}</small></span><span class="end"><b>${one.count}${one.capped && "+"}</b><small>${sum}</small></span></a></li>`;
  });
  return html`<ul class="queue">${rows}</ul>`;
}

const LAST = 8;

export const homePages: readonly WebPage[] = [
  desk.page({
    path: "/desk",
    async show(sight) {
      const { say, root } = sight;
      const [waiting, invoices, transfers, figures] = await Promise.all([
        waitingOf(sight),
        sight.ask(readInvoices, { limit: LAST }),
        sight.ask(readTransfers, { limit: LAST }),
        homeStatistics(sight),
      ]);
      const all = say({ en: "All", ru: "Все" });
      const columns = ["created_at", "amount", "state", named("shop_id"), "order_id"];
      const sold = sheetsOf(sight, readInvoices, invoices);
      const came = sheetsOf(sight, readTransfers, transfers);
      const body = html`${card(say({ en: "Waiting for you", ru: "Ждёт вас" }), queueOf(sight, waiting))}${figures}${sold(
        "items",
        await withNames(sight, columns, invoices.items),
        {
          title: say({ en: "Last invoices", ru: "Последние счета" }),
          acts: link(all, `${root}/invoices`),
          open: ({ invoice_id: id }) => `${root}/invoices/${id}`,
        },
      )}${came("items", ["received_at", "amount", "state", "payer", "reference"], {
        title: say({ en: "Last transfers", ru: "Последние переводы" }),
        acts: link(all, `${root}/transfers`),
        open: ({ transfer_id: id }) => `${root}/transfers/${id}`,
      })}`;
      const live = { of: "invoices,transfers,payouts,events", mode: "figures" } as const;
      return { title: say({ en: "Home", ru: "Главная" }), body, command: "kopeck waiting", live };
    },
  }),
];
