// /my/invoices: what was sold; one invoice with everything that became of it, one sentence first; a payment link
// that is made by hand; and taking an unpaid one back.

import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import {
  createOwnLink,
  readOwnInvoice,
  readOwnInvoices,
} from "../overview/own-invoices.endpoint.ts";
import { cancelOwnInvoice } from "../payments/cancel-invoice.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { named, nameOf } from "../people/naming.ts";
import { factsOf, orderToCancel, sheetsOf, story, sumsOf, toldSheet } from "../people/parts.ts";
import { createOwnRefund } from "../refunds/own-refunds.endpoint.ts";
import { card, chip, copyable, link, momentText, moneyText, notice } from "../screens/pieces.ts";
import { retentionNote } from "../screens/retention-note.ts";
import { invoiceState, labelOf } from "../screens/words.ts";
import { readOwnTariffs } from "../tariffs/own-tariffs.endpoint.ts";
import { readOwnEvents } from "../webhooks/own-events.endpoint.ts";
import { paidOf, refundable, type Whole } from "./refunds.page.ts";
import { cabinet, type MySight, shopNames } from "./site.ts";

export const NEW_LINK = { en: "New payment link", ru: "Новая ссылка на оплату" };

const list = listPages(cabinet, {
  path: "/my/invoices",
  title: { en: "Invoices", ru: "Счета" },
  door: readOwnInvoices,
  columns: () => ["created_at", "amount", "state", named("shop_id"), "order_id", "type", "paid_at"],
  filters: ["state", named("shop_id"), "order_id", "amount", "currency", "from", "to"],
  open: ({ invoice_id: id }, root) => `${root}/invoices/${id}`,
  async above(sight) {
    const { say, may } = sight;
    const act = link(say(NEW_LINK), "/my/invoices/new", "main");
    return html`${may(createOwnLink) && html`<p class="acts">${act}</p>`}${retentionNote(sight)}`;
  },
  nothing: {
    en: "No such invoices. Your program makes one for each order; a payment link you can make here by hand",
    ru: "Таких счетов нет. Ваша программа создаёт их на каждый заказ; ссылку на оплату можно сделать здесь вручную",
  },
  command: "kopeck my invoice list",
  live: "invoices",
});

const create = formPages(cabinet, {
  path: "/my/invoices/new",
  title: NEW_LINK,
  submit: { en: "Make the link", ru: "Создать ссылку" },
  door: createOwnLink,
  needsProof: false,
  async fields(sight) {
    const { say, look } = sight;
    const { items } = await sight.ask(readOwnTariffs, {});
    const usable = new Map(items.map((one) => [one.service, one.service_label]));
    const methods = [...usable].map(([value, label]) => ({ value, label }));
    const [shop, ...others] = (await shopNames(sight)).keys();
    return [
      { ...named("shop_id"), ...(shop !== undefined && others.length === 0 && { value: shop }) },
      { name: "amount", hint: say(RUBLES) },
      { name: "order_id", hint: say(OWN_ORDER) },
      { name: "comment", hint: say(SEEN) },
      {
        name: "include_service",
        label: labelOf("service", look.language),
        choices: methods,
        hint: say(ANY),
      },
      { name: "expire", hint: say(MINUTES) },
      { name: "success_url", hint: say(BACK) },
    ];
  },
  then: ({ invoice_id: id }) => `/my/invoices/${id}?made=1`,
  command: "kopeck my invoice create",
});

const RUBLES = { en: "In roubles, such as 1500 or 1500.50", ru: "В рублях: 1500 или 1500,50" };
const OWN_ORDER = {
  en: "Yours; the same one again is the same invoice",
  ru: "Ваш; тот же номер ещё раз — тот же счёт",
};
const SEEN = {
  en: "The payer sees it: what they pay for",
  ru: "Его видит плательщик: за что он платит",
};
const ANY = { en: "Else the payer chooses", ru: "Иначе выберет плательщик" };
const MINUTES = {
  en: "How long it can be paid; 300 when empty",
  ru: "Сколько его можно оплатить; пусто — 300",
};
const BACK = {
  en: "Where the payer goes then; else as the shop says",
  ru: "Куда плательщик вернётся; иначе — как задано в магазине",
};

/** What one wants to know first, in one sentence. */
function sentence({ say, look }: MySight, whole: Whole): string {
  const { invoice, payments } = whole;
  const sum = (amount: number | null | undefined): string =>
    moneyText(amount ?? 0, look.language, invoice.currency);
  const at = (iso: string | null): string => (iso === null ? "" : momentText(iso, look));
  const paid = paidOf(whole);
  const live = payments.find(({ state }) => state === "live");
  const ends = at(invoice.expires_at);
  switch (invoice.state) {
    case "created":
      return say({
        en: `The payer has not begun to pay. It can be paid until ${ends}.`,
        ru: `Плательщик ещё не начал оплату. Оплатить можно до ${ends}.`,
      });
    case "pending":
      return live === undefined
        ? say({
            en: `The payer's time ran out; it can be tried again until ${ends}.`,
            ru: `Время плательщика вышло; попробовать снова можно до ${ends}.`,
          })
        : say({
            en: `The payer has the details; we wait for exactly ${sum(live.to_pay)} until ${at(live.ends_at)}.`,
            ru: `Плательщик получил реквизиты; ждём ровно ${sum(live.to_pay)} до ${at(live.ends_at)}.`,
          });
    case "paid":
      return paid?.late
        ? say({
            en: `${sum(paid.received)} came late, ${at(invoice.paid_at)}, and you were credited with ${sum(paid.credited)}.`,
            ru: `${sum(paid.received)} пришло с опозданием, ${at(invoice.paid_at)}; вам зачислено ${sum(paid.credited)}.`,
          })
        : say({
            en: `Paid ${at(invoice.paid_at)}: ${sum(paid?.received)} came, you were credited with ${sum(paid?.credited)}.`,
            ru: `${at(invoice.paid_at)} пришло ${sum(paid?.received)}, вам зачислено ${sum(paid?.credited)}.`,
          });
    case "refunded":
      return say({
        en: `It was paid, and ${sum(paid?.refunded)} went back to the payer.`,
        ru: `Был оплачен, ${sum(paid?.refunded)} возвращено плательщику.`,
      });
    case "expired":
      return say({
        en: "Nobody paid in time. What comes now is credited or held, as the shop's setting says.",
        ru: "Вовремя не оплатили. Если деньги придут теперь, их зачислят или задержат — по настройке магазина.",
      });
    default:
      return say({
        en: "It was canceled, and cannot be paid any more. Money that was sent for it waits for the operator.",
        ru: "Оплатить его больше нельзя. Деньги, которые за него отправили, ждут оператора.",
      });
  }
}

const CANCEL = { en: "Cancel the invoice", ru: "Отменить счёт" };

const cancel = formPages(cabinet, {
  path: "/my/invoices/:invoice_id/cancel",
  title: CANCEL,
  door: cancelOwnInvoice,
  needsProof: false,
  danger: true,
  above: async (sight) => orderToCancel(sight, (await sight.askHere(readOwnInvoice)).invoice),
  note: {
    en: "This cannot be undone. Nobody can pay it any more, and your server hears of it by a webhook. Whoever has sent money already has to be paid back by the operator.",
    ru: "Отменить это действие нельзя. Оплатить счёт будет невозможно, ваш сервер узнает об этом из вебхука. Если деньги уже отправили, вернуть их сможет только оператор.",
  },
  command: "kopeck my invoice cancel",
});

const detail = cabinet.page({
  path: "/my/invoices/:invoice_id",
  async show(sight) {
    const { say, look, visit } = sight;
    const whole = await sight.askHere(readOwnInvoice);
    const { invoice, payments, refunds } = whole;
    const { invoice_id, currency } = invoice;
    const events = await sight.ask(readOwnEvents, { invoice_id });
    const told = new Set(events.items.map(({ event_id: id }) => id));
    const paid = paidOf(whole);
    const { received, fee, credited } = paid ?? {};
    const { to_pay } = paid ?? payments.at(-1) ?? {};
    const sums = sumsOf(sight, currency, {
      amount: invoice.amount,
      to_pay,
      received,
      fee,
      credited,
      refunded: refunds.length > 0 ? paid?.refunded : undefined,
    });
    const page = `${sight.app.config.baseUrl}/pay/${invoice_id}`;
    const isOpen = invoice.state === "created" || invoice.state === "pending";
    const toPay =
      invoice.type === "link" &&
      html`${visit.query["made"] !== undefined && isOpen && notice("good", say({ en: "The link is ready: send it to whoever pays.", ru: "Ссылка готова: отправьте её плательщику." }))}${card(say({ en: "Payment link", ru: "Ссылка на оплату" }), copyable(page, say({ en: "Payment link", ru: "Ссылка на оплату" })))}`;
    const left = refundable(whole);
    const most = moneyText(left, look.language, currency);
    const stop =
      isOpen &&
      sight.may(cancelOwnInvoice) &&
      html`<p class="acts">${link(say(CANCEL), `/my/invoices/${invoice_id}/cancel`, "plain")}</p>`;
    const back =
      left > 0 &&
      sight.may(createOwnRefund) &&
      html`<p class="acts">${link(say({ en: `Refund up to ${most}`, ru: `Вернуть до ${most}` }), `/my/invoices/${invoice_id}/refund`, "danger")}</p>`;
    const sheet = sheetsOf(sight, readOwnInvoice, whole);
    const body = html`${card(undefined, html`<p class="lead" data-say>${chip(invoiceState(invoice.state), look)} ${sentence(sight, whole)}</p>${stop}${back}`)}${toPay}${card(undefined, sums)}${card(
      undefined,
      factsOf(sight, readOwnInvoice, "invoice", invoice, [
        ["shop_id", await nameOf(sight, "shop_id", invoice.shop_id)],
        "order_id",
        "type",
        "services",
        "created_at",
        "expires_at",
        "paid_at",
        "invoice_id",
      ]),
    )}${sheet("payments", ["created_at", "service", "to_pay", "state", "ends_at", "received"], {
      title: say({ en: "Attempts to pay", ru: "Попытки оплаты" }),
    })}${sheet("transfers", ["received_at", "amount", "payer"], {
      title: say({ en: "Money that came", ru: "Пришедшие деньги" }),
    })}${sheet("refunds", ["created_at", "amount", "reason", "author"])}${toldSheet(sight, readOwnEvents, events)}${story(
      sight,
      whole.timeline.map(({ id, ...step }) => (told.has(id) ? { id, ...step } : step)),
    )}`;
    const title = say({ en: `Invoice ${invoice.order_id}`, ru: `Счёт ${invoice.order_id}` });
    const live = { of: "events", mode: "figures" } as const;
    return { title, body, command: `kopeck my invoice show ${invoice_id}`, live };
  },
});

export const invoicePages: readonly WebPage[] = [...list, ...create, ...cancel, detail];
