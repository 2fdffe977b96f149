// /my/invoices, /my/refunds: what was sold, one invoice in full, payment links made by hand, cancels and refunds.

import { Refusal } from "../../domain/refusal.ts";
import type { Answer } from "../../platform/endpoint.ts";
import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import {
  createOwnLink,
  readOwnInvoice,
  readOwnInvoices,
} from "../overview/own-invoices.endpoint.ts";
import { cancelOwnInvoice } from "../payments/cancel-invoice.endpoint.ts";
import { named, nameOf } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import {
  factsOf,
  invoiceSentence,
  orderToCancel,
  sheetsOf,
  story,
  sumsOf,
  toldSheet,
} from "../people/parts.ts";
import { createOwnRefund, readOwnRefunds } from "../refunds/manage-refunds.endpoint.ts";
import { decimalText } from "../screens/locale.ts";
import { card, chip, copyable, link, moneyText, notice } from "../screens/pieces.ts";
import { retentionNote } from "../screens/retention-note.ts";
import { invoiceState, labelOf } from "../screens/words.ts";
import { readOwnTariffs } from "../tariffs/own-tariffs.endpoint.ts";
import { readOwnEvents } from "../webhooks/own-events.endpoint.ts";
import { cabinet, shopNames } from "./site.ts";

const refundList = listPages(cabinet, {
  path: "/my/refunds",
  title: { en: "Refunds", ru: "Возвраты" },
  door: readOwnRefunds,
  columns: () => ["created_at", "amount", "reason", named("shop_id"), "author", "invoice_id"],
  filters: [named("shop_id"), "from", "to"],
  open: ({ invoice_id: id }, root) => `${root}/invoices/${id}`,
  nothing: {
    en: "No refunds. Money of a paid invoice goes back from that invoice's page",
    ru: "Возвратов нет. Деньги оплаченного счёта возвращают на его странице",
  },
  command: "kopeck my refund list",
});

type Whole = Answer<typeof readOwnInvoice>;

const paidOf = ({ payments }: Whole) => payments.find(({ state }) => state === "paid");

/** What of it can still go back. */
function refundable(whole: Whole): number {
  const paid = paidOf(whole);
  return paid === undefined ? 0 : Math.round(100 * ((paid.credited ?? 0) - paid.refunded)) / 100;
}

const refund = formPages(cabinet, {
  path: "/my/invoices/:invoice_id/refund",
  title: { en: "Refund", ru: "Возврат" },
  submit: { en: "Give the money back", ru: "Вернуть деньги" },
  door: createOwnRefund,
  danger: true,
  // What is offered is no value that somebody could have changed meanwhile: it is sent as it stands there.
  fields: async (sight) => [
    {
      name: "amount",
      value: decimalText(refundable(await sight.askHere(readOwnInvoice)), sight.look.language),
    },
    "reason",
  ],
  async above(sight) {
    const whole = await sight.askHere(readOwnInvoice);
    const left = refundable(whole);
    if (left <= 0) throw new Refusal("refund_too_large", { limit: "0.00" });
    const { say, look } = sight;
    const { order_id, currency } = whole.invoice;
    const most = moneyText(left, look.language, currency);
    return html`<p>${say({ en: "Invoice", ru: "Счёт" })} <bdi>${order_id}</bdi>: ${say({ en: `up to ${most} can go back, from your available balance.`, ru: `можно вернуть до ${most}, из доступного баланса.` })}</p>`;
  },
  note: {
    en: "This cannot be undone. Your server hears of it by a webhook.",
    ru: "Отменить нельзя. Ваш сервер узнает об этом из вебхука.",
  },
  command: "kopeck my refund create",
});

export const refundPages: readonly WebPage[] = [...refundList, ...refund];

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
    const body = html`${card(undefined, html`<p class="lead" data-say>${chip(invoiceState(invoice.state), look)} ${invoiceSentence(sight, whole)}</p>${stop}${back}`)}${toPay}${card(undefined, sums)}${card(
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
