// /my/events: webhooks of the merchant's shops and payouts, one with its attempts, sending it again, and a test event.

import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { named, nameOf } from "../people/cells.ts";
import { formOf, formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { canSendAgain, webhookBody } from "../people/parts.ts";
import { card, facts, link, momentText, notice } from "../screens/pieces.ts";
import { retentionNote } from "../screens/retention-note.ts";
import { verdictOf } from "../screens/verdict.ts";
import { labelOf } from "../screens/words.ts";
import { readOwnEvent, readOwnEvents, sendOwnEvent } from "../webhooks/own-events.endpoint.ts";
import { sendTestEvent } from "../webhooks/send-test-event.endpoint.ts";
import { cabinet, type MySight } from "./site.ts";

const TITLE = { en: "Send a test event", ru: "Отправить проверочное событие" };

/** Nothing for who may not. */
export function testLink({ say, may }: MySight, shopId?: string): Html | false {
  const of = shopId === undefined ? "" : `?shop_id=${shopId}`;
  return may(sendTestEvent) && link(say(TITLE), `/my/events/test${of}`, "plain");
}

const testPages: readonly WebPage[] = formPages(cabinet, {
  path: "/my/events/test",
  title: TITLE,
  submit: { en: "Send it", ru: "Отправить" },
  door: sendTestEvent,
  needsProof: false,
  fields: () => [named("shop_id")],
  note: {
    en: "One request to the shop's webhook address, signed as every event is. Its status is “test”, it names no invoice and no amount, and it is not sent again: answer 200 and do nothing. While keys are being changed, x-api-sha256-signature is by the new one.",
    ru: "Один запрос на адрес вебхука магазина, подписанный как любое событие. Его статус «test», в нём нет ни счёта, ни суммы, и повторов не будет: ответьте 200 и ничего не делайте. Пока ключи меняются, в x-api-sha256-signature стоит подпись новым ключом.",
  },
  command: "kopeck my shop test-event",
  shows({ status, error, duration_ms: ms, hook_url: url, sent_at: at, body }, { look, say }) {
    const isHeard = status !== null && status >= 200 && status < 300;
    const took = say({ en: `Answered in ${ms} ms`, ru: `Ответ за ${ms} мс` });
    return html`${notice(isHeard ? "good" : "bad", verdictOf({ status, error }, look.language))}${card(
      undefined,
      facts([
        [labelOf("hook_url", look.language), url ?? "—"],
        [say({ en: "Sent", ru: "Отправлено" }), momentText(at, look)],
        [
          say({ en: "Time", ru: "Время" }),
          status === null ? say({ en: `${ms} ms`, ru: `${ms} мс` }) : took,
        ],
      ]),
    )}${card(say({ en: "What was signed and sent", ru: "Что подписано и отправлено" }), html`<pre><code>${body}</code></pre>`)}<p>${link(say({ en: "Once more", ru: "Ещё раз" }), "/my/events/test", "plain")}</p>`;
  },
});

const list = listPages(cabinet, {
  path: "/my/events",
  title: { en: "Webhooks", ru: "Вебхуки" },
  door: readOwnEvents,
  columns: () => [
    "created_at",
    "state",
    named("shop_id"),
    "attempts",
    "next_attempt_at",
    "invoice_id",
    "payout_id",
    "sequence",
  ],
  filters: ["state", "about", named("shop_id"), "invoice_id", "from", "to", "had_address"],
  open: ({ event_id: id }, root) => `${root}/events/${id}`,
  above: async (sight) => {
    const { say } = sight;
    return html`<p class="acts">${testLink(sight)}${link(say({ en: "Not delivered", ru: "Не доставлены" }), "/my/events?state=exhausted", "plain")}${link(say({ en: "Waiting", ru: "Ждут" }), "/my/events?state=waiting", "plain")}</p>${retentionNote(sight)}`;
  },
  nothing: {
    en: "Nothing was told. Your server hears when an invoice is paid, ends or is refunded: set a webhook address in the shop, and try it by a test event above",
    ru: "Ни о чём не сообщали. Сервер узнаёт, когда счёт оплачен, истёк или возвращён: задайте адрес вебхука в магазине и проверьте его проверочным событием, кнопка выше",
  },
  command: "kopeck my event list",
  live: "events",
});

const send = {
  path: "/my/events/:event_id/send",
  title: { en: "Send it again", ru: "Отправить ещё раз" },
  door: sendOwnEvent,
  needsProof: false,
  above: async (sight: MySight) => {
    await sight.askHere(readOwnEvent);
    return "";
  },
  note: {
    en: "Your server may hear it twice: it knows it by its webhook-id.",
    ru: "Сервер может получить событие дважды: повтор он узнаёт по webhook-id.",
  },
  command: "kopeck my event send",
};

const detail = cabinet.page({
  path: "/my/events/:event_id",
  async show(sight) {
    const whole = await sight.askHere(readOwnEvent);
    const { event_id: id, shop_id: shopId } = whole.event;
    const body = webhookBody(sight, readOwnEvent, whole, {
      receiver: ["shop_id", await nameOf(sight, "shop_id", shopId)],
      acts:
        sight.may(sendOwnEvent) &&
        canSendAgain(whole) &&
        card(sight.say(send.title), await formOf(sight, send)),
    });
    const title = sight.say({ en: "Webhook", ru: "Вебхук" });
    const live = { of: "events", mode: "figures" } as const;
    return { title, body, command: `kopeck my event show ${id}`, live };
  },
});

export const eventPages: readonly WebPage[] = [
  ...list,
  ...testPages,
  ...formPages(cabinet, send),
  detail,
];
