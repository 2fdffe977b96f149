// /desk/invoices, /desk/refunds: orders of every shop, one with everything that became of it, and money given back.

import { minorFromNumber, toDecimalNumber } from "../../domain/money.ts";
import type { Answer } from "../../platform/endpoint.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readInvoice, readInvoices } from "../overview/manage-invoices.endpoint.ts";
import { cancelAnyInvoice } from "../payments/cancel-invoice.endpoint.ts";
import { named, nameOf, withNames } from "../people/cells.ts";
import { formOf, formPages } from "../people/form-page.ts";
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
import { createRefund, readRefunds } from "../refunds/manage-refunds.endpoint.ts";
import { card, chip, copyable, link, moment, moneyText } from "../screens/pieces.ts";
import { retentionNote } from "../screens/retention-note.ts";
import { invoiceState, labelOf } from "../screens/words.ts";
import { readEvents } from "../webhooks/manage-events.endpoint.ts";
import { type DeskSight, desk } from "./site.ts";

const refundList = listPages(desk, {
  path: "/desk/refunds",
  title: { en: "Refunds", ru: "Возвраты" },
  door: readRefunds,
  columns: () => [
    "created_at",
    "amount",
    named("shop_id"),
    "invoice_id",
    "reason",
    "author",
    "reference",
  ],
  filters: [named("shop_id"), "from", "to"],
  open: ({ invoice_id: id }, root) => `${root}/invoices/${id}`,
  nothing: {
    en: "Nothing was refunded. Money is given back on the page of a paid invoice",
    ru: "Возвратов нет. Деньги возвращают на странице оплаченного счёта",
  },
  command: "kopeck refund list",
});

async function paidOf(sight: DeskSight): Promise<Html> {
  const { order_id, amount, currency, shop_id } = (await sight.askHere(readInvoice)).invoice;
  const shop = await nameOf(sight, "shop_id", shop_id);
  const sum = moneyText(amount, sight.look.language, currency);
  return html`<p class="lead">${shop}, <bdi>${order_id}</bdi>: ${sum}</p>`;
}

const refundForm = {
  path: "/desk/invoices/:invoice_id/refund",
  title: { en: "Refund", ru: "Возврат" },
  submit: { en: "Refund", ru: "Вернуть" },
  door: createRefund,
  above: paidOf,
  danger: true,
  note: {
    en: "It leaves the merchant's available balance, and the shop is told why. This cannot be undone; the payer's bank is told by hand.",
    ru: "Уйдёт с доступного баланса мерчанта, магазин узнает причину. Отменить нельзя; сам перевод плательщику делают вручную.",
  },
  command: "kopeck refund create",
};

export const refundPages: readonly WebPage[] = [...refundList, ...formPages(desk, refundForm)];

const list = listPages(desk, {
  path: "/desk/invoices",
  title: { en: "Invoices", ru: "Счета" },
  door: readInvoices,
  columns: () => ["created_at", "amount", "state", named("shop_id"), "order_id", "type", "paid_at"],
  filters: ["state", named("shop_id"), "order_id", "amount", "currency", "wallet", "from", "to"],
  open: ({ invoice_id: id }, root) => `${root}/invoices/${id}`,
  above: retentionNote,
  nothing: {
    en: "No such invoices. A shop makes one for each order, by the API or a payment link",
    ru: "Таких счетов нет. Магазин создаёт их на каждый заказ — по API или ссылкой на оплату",
  },
  command: "kopeck invoice list",
  live: "invoices",
});

type Whole = Answer<typeof readInvoice>;

const CANCEL = { en: "Cancel the invoice", ru: "Отменить счёт" };

const cancel = formPages(desk, {
  path: "/desk/invoices/:invoice_id/cancel",
  title: CANCEL,
  door: cancelAnyInvoice,
  needsProof: false,
  danger: true,
  above: async (sight) => orderToCancel(sight, (await sight.askHere(readInvoice)).invoice),
  note: {
    en: "This cannot be undone. Nobody can pay it any more, and the shop is told; money that comes all the same waits in suspense.",
    ru: "Отменить это действие нельзя. Оплатить счёт будет невозможно, магазин узнает об этом; деньги, которые всё же придут, окажутся в невыясненных.",
  },
  command: "kopeck invoice cancel",
});

const detail = desk.page({
  path: "/desk/invoices/:invoice_id",
  async show(sight) {
    const { say, look, root } = sight;
    const whole = await sight.askHere(readInvoice);
    const { invoice, payments, refunds } = whole;
    const { invoice_id, currency } = invoice;
    const events = await sight.ask(readEvents, { invoice_id });
    const sheet = sheetsOf(sight, readInvoice, whole);
    const paid = payments.find(({ state }) => state === "paid");
    const minor = (sum: number | null | undefined): bigint => minorFromNumber(sum ?? 0) ?? 0n;
    const left = toDecimalNumber(minor(paid?.credited) - minor(paid?.refunded));
    const most = moneyText(left, look.language, currency);
    const { received, fee, credited } = paid ?? {};
    const sums = sumsOf(sight, currency, {
      amount: invoice.amount,
      received,
      fee,
      credited,
      refunded: refunds.length > 0 ? paid?.refunded : undefined,
    });
    const word = {
      label: labelOf("payer_word", look.language),
      cell: ({ payer_word: said }: Whole["payments"][number]): Part =>
        said === null
          ? "—"
          : html`${moment(said.said_at, look)} <bdi>${[said.bank, said.sent_when].filter(Boolean).join(", ")}</bdi>`,
    };
    const paidBy = ["created_at", "to_pay", "state", named("requisite_id"), "service", "ends_at"];
    const attempts = await withNames(sight, [...paidBy, "received", word], payments);
    const page = `${sight.app.config.baseUrl}/pay/${invoice_id}`;
    const isOpen = invoice.state === "created" || invoice.state === "pending";
    const stop =
      isOpen &&
      sight.may(cancelAnyInvoice) &&
      html`<p class="acts">${link(say(CANCEL), `/desk/invoices/${invoice_id}/cancel`, "plain")}</p>`;
    const body = html`${card(undefined, html`<p class="lead" data-say>${chip(invoiceState(invoice.state), look)} ${invoiceSentence(sight, whole)}</p>${stop}`)}${card(undefined, sums)}${card(
      undefined,
      html`${factsOf(sight, readInvoice, "invoice", invoice, [
        ["shop_id", await nameOf(sight, "shop_id", invoice.shop_id)],
        "order_id",
        "type",
        "services",
        "created_at",
        "expires_at",
        "paid_at",
        "invoice_id",
      ])}${invoice.type === "link" && copyable(page, say({ en: "Payment link", ru: "Ссылка на оплату" }))}`,
    )}${sheet("payments", attempts)}${sheet(
      "transfers",
      ["received_at", "amount", "state", "payer", "reference", "settled_by"],
      { open: ({ transfer_id: id }) => `${root}/transfers/${id}` },
    )}${sheet("refunds", ["created_at", "amount", "reason", "author", "reference"])}${toldSheet(sight, readEvents, events)}${
      left > 0 &&
      sight.may(createRefund) &&
      card(
        say({ en: `Refund up to ${most}`, ru: `Вернуть до ${most}` }),
        await formOf(sight, refundForm),
      )
    }${story(sight, whole.timeline)}`;
    const title = say({ en: `Invoice ${invoice.order_id}`, ru: `Счёт ${invoice.order_id}` });
    const live = { of: "events,transfers", mode: "figures" } as const;
    return { title, body, command: `kopeck invoice show ${invoice_id}`, live };
  },
});

export const invoicePages: readonly WebPage[] = [...list, ...cancel, detail];
