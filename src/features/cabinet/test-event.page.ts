// /my/events/test: one signed request to a shop's own address, and what the receiver did with it, in words. For who
// writes a receiver and does not want to wait for a payer.

import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { formPages } from "../people/form-page.ts";
import { named } from "../people/naming.ts";
import { card, facts, link, momentText, notice } from "../screens/pieces.ts";
import { verdictOf } from "../screens/verdict.ts";
import { labelOf } from "../screens/words.ts";
import { sendTestEvent } from "../webhooks/send-test-event.endpoint.ts";
import { cabinet, type MySight } from "./site.ts";

const TITLE = { en: "Send a test event", ru: "Отправить проверочное событие" };

/** Nothing for who may not. */
export function testLink({ say, may }: MySight, shopId?: string): Html | false {
  const of = shopId === undefined ? "" : `?shop_id=${shopId}`;
  return may(sendTestEvent) && link(say(TITLE), `/my/events/test${of}`, "plain");
}

export const testPages: readonly WebPage[] = formPages(cabinet, {
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
