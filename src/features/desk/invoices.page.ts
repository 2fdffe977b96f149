// /desk/invoices: orders of every shop; one of them with everything that became of it, one sentence first and the
// one sensible act beside it.

import { minorFromNumber, toDecimalNumber } from "../../domain/money.ts";
import type { Answer } from "../../platform/endpoint.ts";
import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readInvoice, readInvoices } from "../overview/manage-invoices.endpoint.ts";
import { cancelAnyInvoice } from "../payments/cancel-invoice.endpoint.ts";
import { formOf, formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { named, nameOf, withNames } from "../people/naming.ts";
import { factsOf, orderToCancel, sheetsOf, story, sumsOf, toldSheet } from "../people/parts.ts";
import { createRefund } from "../refunds/manage-refunds.endpoint.ts";
import { card, chip, copyable, link, moment, momentText, moneyText } from "../screens/pieces.ts";
import { retentionNote } from "../screens/retention-note.ts";
import { invoiceState, labelOf } from "../screens/words.ts";
import { readEvents } from "../webhooks/manage-events.endpoint.ts";
import { refundForm } from "./refunds.page.ts";
import { type DeskSight, desk } from "./site.ts";

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

/** What one wants to know first, in one sentence. */
function sentence({ say, look }: DeskSight, { invoice, payments }: Whole): string {
  const { language } = look;
  const sum = (amount: number): string => moneyText(amount, language, invoice.currency);
  const paid = payments.find(({ state }) => state === "paid");
  const live = payments.find(({ state }) => state === "live");
  const at = (iso: string | null): string => (iso === null ? "" : momentText(iso, look));
  switch (invoice.state) {
    case "created":
      return say({
        en: `The payer has no details yet. It ends ${at(invoice.expires_at)}.`,
        ru: `Плательщик ещё не получил реквизиты. Срок до ${at(invoice.expires_at)}.`,
      });
    case "pending":
      return live === undefined
        ? say({
            en: `The last details have ended unpaid; others can be asked for until ${at(invoice.expires_at)}.`,
            ru: `Последние реквизиты истекли без оплаты; до ${at(invoice.expires_at)} можно получить новые.`,
          })
        : say({
            en: `We wait for exactly ${sum(live.to_pay)} until ${at(live.ends_at)}${live.payer_word === null ? "" : "; the payer says to have paid"}.`,
            ru: `Ждём ровно ${sum(live.to_pay)} до ${at(live.ends_at)}${live.payer_word === null ? "" : "; плательщик говорит, что оплатил"}.`,
          });
    case "paid":
      return say({
        en: `${sum(paid?.received ?? invoice.amount)} arrived ${at(invoice.paid_at)}${paid?.late ? ", late" : ""}; the merchant was credited with ${sum(paid?.credited ?? 0)}.`,
        ru: `${sum(paid?.received ?? invoice.amount)} пришло ${at(invoice.paid_at)}${paid?.late ? ", с опозданием" : ""}; мерчанту зачислено ${sum(paid?.credited ?? 0)}.`,
      });
    case "refunded":
      return say({
        en: `It was paid, and ${sum(paid?.refunded ?? 0)} went back.`,
        ru: `Был оплачен, ${sum(paid?.refunded ?? 0)} возвращено.`,
      });
    case "expired":
      return say({
        en: "Nothing arrived in time. Money that comes now is credited or waits, as the shop's policy says.",
        ru: "Вовремя ничего не пришло. Если деньги придут теперь, их зачислят или задержат — по правилу магазина.",
      });
    default:
      return say({
        en: "It was canceled. Money that comes for it all the same waits in suspense.",
        ru: "Если деньги всё же придут, они окажутся в невыясненных.",
      });
  }
}

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
    const body = html`${card(undefined, html`<p class="lead" data-say>${chip(invoiceState(invoice.state), look)} ${sentence(sight, whole)}</p>${stop}`)}${card(undefined, sums)}${card(
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
