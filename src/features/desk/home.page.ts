// /desk: what waits for a person first, each with the way to where it is worked on; then what happened last.

import { type Html, html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readInvoices } from "../overview/manage-invoices.endpoint.ts";
import { showWaiting } from "../overview/show-waiting.endpoint.ts";
import type { Words } from "../people/site.ts";
import { card, empty, link, moment, money } from "../screens/pieces.ts";
import { readTransfers } from "../transfers/manage-transfers.endpoint.ts";
import { nameColumn, shopNames } from "./names.ts";
import { sheet } from "./parts.ts";
import { type DeskSight, desk } from "./site.ts";

type Waiting = Awaited<ReturnType<typeof waitingOf>>[number];

const waitingOf = async (sight: DeskSight) => (await sight.ask(showWaiting, {})).items;

interface Work {
  readonly words: Words;
  /** Where it is worked on. */
  href(one: Waiting): string;
}

const WORK: Readonly<Record<Waiting["kind"], Work>> = {
  books_wrong: {
    words: { en: "The books do not add up", ru: "Учёт не сходится" },
    href: () => "/desk/books",
  },
  suspense: {
    words: { en: "Transfers without a payment", ru: "Переводы без платежа" },
    href: ({ first_id }) => `/desk/suspense?transfer=${first_id}`,
  },
  payouts_to_approve: {
    words: { en: "Payouts to approve", ru: "Выводы ждут одобрения" },
    href: () => "/desk/payouts?state=held",
  },
  payouts_to_take: {
    words: { en: "Payouts to send by hand", ru: "Выводы надо отправить вручную" },
    href: () => "/desk/payouts?state=queued",
  },
  payouts_unknown: {
    words: { en: "Payouts with an unknown outcome", ru: "Выводы с неизвестным исходом" },
    href: () => "/desk/payouts?state=unknown",
  },
  events_exhausted: {
    words: { en: "Webhooks that were given up", ru: "Вебхуки не доставлены" },
    href: () => "/desk/events?state=exhausted",
  },
  imports_failing: {
    words: { en: "Statements that cannot be applied", ru: "Выписки не применяются" },
    href: ({ first_id }) => `/desk/imports/${first_id}`,
  },
  lines_to_decide: {
    words: { en: "Lines of statements to decide", ru: "Строки выписок ждут решения" },
    href: () => "/desk/imports/lines?waiting=true",
  },
  transfers_unproven: {
    words: { en: "Transfers that no statement proves", ru: "Переводы без подтверждения выпиской" },
    href: () => "/desk/transfers?needs_proof=true",
  },
  requisites_at_limit: {
    words: { en: "Requisites at their limit", ru: "Реквизиты исчерпали лимит" },
    href: ({ first_id }) => `/desk/requisites/${first_id}`,
  },
  requisites_off_with_live: {
    words: {
      en: "Requisites that are off, with payments under way",
      ru: "Выключенные реквизиты с идущими платежами",
    },
    href: ({ first_id }) => `/desk/requisites/${first_id}`,
  },
  requisites_resting: {
    words: { en: "Requisites that rest", ru: "Реквизиты отдыхают" },
    href: ({ first_id }) => `/desk/requisites/${first_id}`,
  },
  requisites_dead: {
    words: { en: "Requisites that nobody can pay to", ru: "Реквизиты, на которые не платят" },
    href: ({ first_id }) => `/desk/requisites/${first_id}`,
  },
  sources_silent: {
    words: { en: "Phones that are silent", ru: "Телефоны молчат" },
    href: () => "/desk/requisites",
  },
  rows_failing: {
    words: { en: "Work that keeps failing", ru: "Работа, что не удаётся" },
    href: () => "/desk/health",
  },
};

function queueOf({ say, look }: DeskSight, items: readonly Waiting[]): Html {
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
  const rows = items.map((one) => {
    const { words, href } = WORK[one.kind];
    const sum = one.amount !== null && money(one.amount, look, one.currency ?? undefined);
    const old = one.oldest_at !== null && html`${since} ${moment(one.oldest_at, look)}`;
    return html`<li><a href="${href(one)}"><span><b>${say(words)}</b><small>${old}</small></span><span class="end"><b>${one.count}${one.capped && "+"}</b><small>${sum}</small></span></a></li>`;
  });
  return html`<ul class="queue">${rows}</ul>`;
}

/** Figures of today; from tallies. */
async function homeFigures(_sight: DeskSight): Promise<Part> {
  return "";
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
        homeFigures(sight),
      ]);
      const shops = await shopNames(
        sight,
        invoices.items.map(({ shop_id }) => shop_id),
      );
      const all = say({ en: "All", ru: "Все" });
      const shop = nameColumn<(typeof invoices.items)[number], "shop_id">("shop_id", shops, sight);
      const body = html`${card(say({ en: "Waiting for you", ru: "Ждёт вас" }), queueOf(sight, waiting))}${figures}${sheet(
        sight,
        {
          ...{ title: say({ en: "Last invoices", ru: "Последние счета" }), door: readInvoices },
          ...{ part: "items", rows: invoices.items, acts: link(all, `${root}/invoices`) },
          columns: ["created_at", "amount", "state", shop, "order_id"],
          open: ({ invoice_id: id }) => `${root}/invoices/${id}`,
        },
      )}${sheet(sight, {
        ...{ title: say({ en: "Last transfers", ru: "Последние переводы" }), door: readTransfers },
        ...{ part: "items", rows: transfers.items, acts: link(all, `${root}/transfers`) },
        columns: ["received_at", "amount", "state", "payer", "reference"],
        open: ({ transfer_id: id }) => `${root}/transfers/${id}`,
      })}`;
      const live = { of: "invoices,transfers,payouts,events", mode: "figures" } as const;
      return { title: say({ en: "Home", ru: "Главная" }), body, command: "kopeck waiting", live };
    },
  }),
];
