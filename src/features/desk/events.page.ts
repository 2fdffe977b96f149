// /desk/events: what shops and merchants were told; one of it with every attempt, what its receiver does wrong in
// words, and telling it once more.

import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { named, nameLink } from "../people/cells.ts";
import { formOf, formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { canSendAgain, webhookBody } from "../people/parts.ts";
import { card, link } from "../screens/pieces.ts";
import { retentionNote } from "../screens/retention-note.ts";
import { readEvent, readEvents, sendEvent } from "../webhooks/manage-events.endpoint.ts";
import { type DeskSight, desk, shopNames, userNames } from "./site.ts";

interface Told {
  readonly shop_id: string | null;
  readonly user_id: string | null;
  readonly hook_url: string | null;
}

/** Who is told, and where. */
async function receiverColumn(sight: DeskSight, items: readonly Told[]) {
  const shops = await shopNames(
    sight,
    items.map(({ shop_id }) => shop_id),
  );
  const users = await userNames(
    sight,
    items.map(({ user_id }) => user_id),
  );
  const names = new Map([...shops, ...users]);
  const linkOf = (id: string | null) => nameLink(names, id, `/desk/go/${id}`, sight.root);
  const host = ({ hook_url: url }: Told): string => URL.parse(url ?? "")?.host ?? "";
  return {
    label: sight.say({ en: "Receiver", ru: "Получатель" }),
    cell: (one: Told) => html`${linkOf(one.shop_id ?? one.user_id)} <small>${host(one)}</small>`,
    text: (one: Told) => one.hook_url,
  };
}

const list = listPages(desk, {
  path: "/desk/events",
  title: { en: "Webhooks", ru: "Вебхуки" },
  door: readEvents,
  columns: async (sight, items) => [
    "created_at",
    "state",
    await receiverColumn(sight, items),
    "attempts",
    "next_attempt_at",
    "invoice_id",
    "payout_id",
    "sequence",
  ],
  filters: ["state", named("shop_id"), "invoice_id", "payout_id", "from", "to", "had_address"],
  open: ({ event_id: id }, root) => `${root}/events/${id}`,
  above: async (sight) => {
    const { say } = sight;
    return html`<p class="acts">${link(say({ en: "Given up", ru: "Не доставлены" }), "/desk/events?state=exhausted", "plain")}${link(say({ en: "Waiting", ru: "Ждут" }), "/desk/events?state=waiting", "plain")}</p>${retentionNote(sight)}`;
  },
  nothing: {
    en: "Nobody was told of anything like that. A shop is told when its invoice is paid, ends or is refunded",
    ru: "Ни о чём таком не сообщали. Магазин узнаёт, когда счёт оплачен, истёк или возвращён",
  },
  command: "kopeck event list",
  live: "events",
});

const send = {
  path: "/desk/events/:event_id/send",
  title: { en: "Send it again", ru: "Отправить ещё раз" },
  door: sendEvent,
  needsProof: false,
  note: {
    en: "The receiver may hear it twice: it knows it by its webhook-id. The whole schedule begins anew.",
    ru: "Получатель может получить событие дважды: повтор он узнаёт по webhook-id. Расписание попыток начнётся заново.",
  },
};

const detail = desk.page({
  path: "/desk/events/:event_id",
  async show(sight) {
    const whole = await sight.askHere(readEvent);
    const receiver = await receiverColumn(sight, [whole.event]);
    const body = webhookBody(sight, readEvent, whole, {
      receiver: ["receiver_name", receiver.cell(whole.event)],
      acts:
        sight.may(sendEvent) &&
        canSendAgain(whole) &&
        card(sight.say(send.title), await formOf(sight, send)),
    });
    const title = sight.say({ en: "Webhook", ru: "Вебхук" });
    return { title, body, command: `kopeck event show ${whole.event.event_id}` };
  },
});

export const eventPages: readonly WebPage[] = [...list, ...formPages(desk, send), detail];
