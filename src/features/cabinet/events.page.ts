// /my/events: what the merchant's servers were told; one event with its body, how its signature is checked, every
// attempt with what the receiver did wrong in words, and the ways to hear it once more.

import type { Answer } from "../../platform/endpoint.ts";
import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { formOf, formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { named, nameOf } from "../people/naming.ts";
import { factsOf, sheetsOf } from "../people/parts.ts";
import { card, chip, copyable, link, momentText } from "../screens/pieces.ts";
import { retentionNote } from "../screens/retention-note.ts";
import { verdictOf } from "../screens/verdict.ts";
import { labelOf } from "../screens/words.ts";
import { readOwnEvent, readOwnEvents, sendOwnEvent } from "../webhooks/own-events.endpoint.ts";
import { cabinet, type MySight, shopNames } from "./site.ts";
import { testLink, testPages } from "./test-event.page.ts";

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
    return html`<p class="acts">${testLink(sight)}${link(say({ en: "Not delivered", ru: "Не доставлены" }), "/my/events?state=exhausted", "plain")}${link(say({ en: "Waiting", ru: "Ждут" }), "/my/events?state=waiting", "plain")}${link(say({ en: "To my terminal", ru: "В мой терминал" }), "/my/events/listen", "plain")}</p>${retentionNote(sight)}`;
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

type Event = Answer<typeof readOwnEvent>["event"];

/** The line that brings events of a shop, or of payouts, to this machine; with what is since then. */
function listenLine(whose: Pick<Event, "shop_id" | "user_id">, since?: string): string {
  const from = since === undefined ? "" : ` --since ${since}`;
  const of = whose.shop_id === null ? `--user ${whose.user_id}` : `--shop ${whose.shop_id}`;
  return `kopeck listen ${of} --to http://localhost:3000/hook${from}`;
}

function terminal({ say, app }: MySight, lines: readonly string[]): Html {
  const label = say({ en: "Send to my terminal", ru: "В мой терминал" });
  return html`<div class="stack"><p>${say({
    en: "Your own machine hears what your server would, signed the same, however far it is from the internet. It never counts as delivered.",
    ru: "Ваша машина получит то же, что сервер, с той же подписью, даже если из интернета её не видно. Доставкой это не считается.",
  })}</p>${copyable(`export KOPECK_URL=${app.config.baseUrl}`, label)}${copyable("export KOPECK_SHOP_KEY=… KOPECK_WEBHOOK_KEY=… KOPECK_WEBHOOK_SECRET=…", label)}${lines.map((line) => copyable(line, label))}</div>`;
}

const listen = cabinet.page({
  path: "/my/events/listen",
  async show(sight) {
    const names = await shopNames(sight);
    const shops = [...names].map(([shop_id, name]) =>
      card(name, copyable(listenLine({ shop_id, user_id: null }), name)),
    );
    const title = sight.say({ en: "Webhooks to my terminal", ru: "Вебхуки в мой терминал" });
    return { title, body: html`${card(undefined, terminal(sight, []))}${shops}` };
  },
});

/** For whoever writes the receiver: what comes, and what to compare. */
function signature({ say }: MySight): Html {
  // Put together, because what is imported here is looked for by its words.
  const code = `import { verifyWebhook } from ${JSON.stringify("@kopeck/sdk")};

// The body as it came, to the byte: before anything has parsed it.
const event = await verifyWebhook({ body, headers, secret: process.env.KOPECK_WEBHOOK_SECRET });`;
  const shell = `printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$KOPECK_WEBHOOK_KEY"`;
  return html`<div class="stack"><p>${say({
    en: "Two signatures over exactly these bytes come with it. x-api-sha256-signature is HMAC-SHA256 of the body with your webhook key, in hex. webhook-signature is that of Standard Webhooks: of “webhook-id.webhook-timestamp.body” with your webhook secret, in base64; refuse a timestamp older than five minutes.",
    ru: "С ним приходят две подписи ровно этих байтов. x-api-sha256-signature — HMAC-SHA256 тела с ключом вебхуков, в hex. webhook-signature — по Standard Webhooks: от «webhook-id.webhook-timestamp.тело» с секретом вебхуков, в base64; не принимайте отметку времени старше пяти минут.",
  })}</p><pre><code>${code}</code></pre>${copyable(shell, "openssl")}</div>`;
}

const detail = cabinet.page({
  path: "/my/events/:event_id",
  async show(sight) {
    const { say, look } = sight;
    const whole = await sight.askHere(readOwnEvent);
    const { event, body: sent, attempts_removed: removed, deliveries } = whole;
    const sheet = sheetsOf(sight, readOwnEvent, whole);
    const shop = event.shop_id && (await nameOf(sight, "shop_id", event.shop_id));
    const last = deliveries.at(-1);
    const heard = last && verdictOf(last, look.language);
    const nobody = say({
      en: "The shop has no webhook address: nobody was told.",
      ru: "У магазина нет адреса вебхука: сообщить некуда.",
    });
    const next = event.state === "waiting" && event.next_attempt_at;
    const lead = html`<p class="lead">${chip(event.state, look)} ${heard ? `${heard}.` : event.state === "no_address" && nobody} ${next && say({ en: `The next attempt: ${momentText(next, look)}.`, ru: `Следующая попытка: ${momentText(next, look)}.` })}</p>`;
    const canSend =
      sight.may(sendOwnEvent) && sent !== null && ["delivered", "exhausted"].includes(event.state);
    const column = <Value extends string | number>(
      label: string,
      of: (one: (typeof deliveries)[number]) => Value,
    ) => ({ label, cell: of });
    const body = html`${card(undefined, lead)}${card(
      undefined,
      factsOf(sight, readOwnEvent, "event", event, [
        ...(shop === null ? [] : [["shop_id", shop] as const]),
        "hook_url",
        "created_at",
        "attempts",
        "next_attempt_at",
        "invoice_id",
        "payout_id",
        "sequence",
        "event_id",
      ]),
    )}${sheet(
      "deliveries",
      [
        "started_at",
        "attempt",
        column(labelOf("status", look.language), ({ status }) => status ?? "—"),
        column(say({ en: "What your server did", ru: "Что сделал ваш сервер" }), (one) =>
          verdictOf(one, look.language),
        ),
        "duration_ms",
      ],
      { title: say({ en: "Attempts", ru: "Попытки" }) },
    )}${
      removed > 0 &&
      html`<p class="muted">${say({ en: `The first attempts (${removed}) were removed.`, ru: `Первые попытки (${removed}) удалены.` })}</p>`
    }${canSend && card(say(send.title), await formOf(sight, send))}${card(
      say({ en: "Send to my terminal", ru: "В мой терминал" }),
      terminal(sight, [listenLine(event, event.created_at)]),
    )}${
      sent !== null &&
      html`${card(say({ en: "What is signed and sent", ru: "Что подписано и отправлено" }), html`<pre><code>${sent}</code></pre>`)}${card(say({ en: "How to check the signature", ru: "Как проверить подпись" }), signature(sight))}`
    }`;
    const title = say({ en: "Webhook", ru: "Вебхук" });
    const live = { of: "events", mode: "figures" } as const;
    return { title, body, command: `kopeck my event show ${event.event_id}`, live };
  },
});

export const eventPages: readonly WebPage[] = [
  ...list,
  listen,
  ...testPages,
  ...formPages(cabinet, send),
  detail,
];
