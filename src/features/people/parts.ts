// Parts of detail pages on both sites: rows, facts, the story of something, an invoice in one sentence, a webhook.

import { type InvoiceState, whyNotOpen } from "../../domain/invoice.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Asked, Endpoint } from "../../platform/endpoint.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import {
  type Column,
  card,
  chip,
  facts,
  figures,
  link,
  moment,
  momentText,
  money,
  moneyText,
  notice,
  table,
} from "../screens/pieces.ts";
import { verdictOf } from "../screens/verdict.ts";
import { labelOf, stateWord, wordOf } from "../screens/words.ts";
import { columnsOf, type FieldSchema, shown } from "./cells.ts";
import type { Sight } from "./site.ts";

/** step | Russian */
const STEPS = `
invoice created|счёт создан
details issued|реквизиты выданы
details lapsed|срок реквизитов вышел
payer says paid|плательщик сообщил об оплате
payer tells|плательщик уточнил
money arrived|деньги пришли
transfer assigned|перевод отнесён вручную
paid|оплачен
freeze ended|заморозка снята
freeze stays|заморозка остаётся
freeze ends|заморозка закончится
refunded|возвращено
invoice expired|счёт истёк
invoice canceled|счёт отменён
event recorded|событие записано
webhook sent|вебхук отправлен
asked for|запрошен
held|задержан
approved|одобрен
said to have left|сказано: ушёл
said not to have left|сказано: не ушёл
taken to be sent|взят в отправку
sent elsewhere|отправлен не через шлюз
unknown|исход неизвестен
money set aside|деньги зарезервированы
done|выполнен
money given back|деньги возвращены на баланс
returned|вернулся
had left after all|всё же ушёл
failed|не удался
canceled|отменён
`;

const RUSSIAN = new Map(
  STEPS.trim()
    .split("\n")
    .map((line) => line.split("|") as [string, string]),
);

/** Only what stands at the beginning or the end of what the gateway itself has written. */
const DETAILS: readonly (readonly [RegExp, string])[] = [
  [/^order (.*), ([\d.]+ \w+)$/s, "заказ $1, $2"],
  [/^([\d.]+ \w+) by p2p_card$/, "$1, карта"],
  [/^([\d.]+ \w+) by p2p_sbp$/, "$1, СБП"],
  [/^([\d.]+ \w+) by (.*)$/s, "$1, $2"],
  [/^([\d.]+ \w+) to (\S+) by (.*)$/s, "$1 на $2, запросил $3"],
  [/^([\d.]+ \w+) to (\S+)$/, "$1 на $2"],
  [/^([\d.]+ \w+), reference (.*)$/s, "$1, номер операции $2"],
  [/^([\d.]+ \w+), until a line proves it$/, "$1, пока выписка не подтвердит"],
  [/^by hand$/, ""],
  [/^by the shop's program$/, "программа магазина"],
  [/^by the operator$/, "оператор шлюза"],
  [/^by ([^:]*), who works for the merchant$/s, "$1, сотрудник мерчанта"],
  [/^by (.*)$/s, "$1"],
  [/^credited ([\d.]+ \w+), late$/, "зачислено $1, с опозданием"],
  [/^credited ([\d.]+ \w+)$/, "зачислено $1"],
  [/^not paid in time$/, "не оплачено вовремя"],
  [/^ended early$/, "закончились раньше"],
  [/^not paid$/, "не оплачен"],
  [/^not proven$/, "не подтверждено"],
  [/^attempt (\d+) may have left, and nobody knows$/, "попытка $1 могла уйти, точно не известно"],
  [/^attempt (\d+): (.*)$/s, "попытка $1: $2"],
  [/^somebody asked for it by hand, and .*$/, "запрошен вручную, одобрить должен другой"],
  [/^it is large$/, "крупная сумма"],
  [/^nothing has arrived there before$/, "первый вывод этому получателю"],
  [/^it is much for a day$/, "много за день"],
  [/^it looks like another one$/, "похож на другой"],
];

/** What happened, and the rest of it. */
function storyWords(what: string, detail: string, language: Language): [string, string] {
  const did = language === "ru" ? (RUSSIAN.get(what) ?? what) : what;
  const event = EVENT.exec(detail);
  const rest = language === "ru" ? inRussian(detail) : detail;
  const more = event === null ? rest : rest.replace(event[0], eventWords(event, language));
  return [`${did.charAt(0).toUpperCase()}${did.slice(1)}`, withAmounts(more, language)];
}

/** 4990.00 RUB, as the wire says it, where the gateway itself has written it. */
const AMOUNT = /(^|^credited |^зачислено |, )(\d+\.\d\d) ([A-Z]{3})(?=$|[ ,:])/;

function withAmounts(text: string, language: Language): string {
  return text.replace(
    AMOUNT,
    (_, before: string, amount: string, currency: string) =>
      `${before}${moneyText(Number(amount), language, currency)}`,
  );
}

/** 1: success, delivered */
const EVENT = /^(\d+): (\w+), (\w+)/;

/** attempt 1, desk by Anna, sent, proven by … */
const ATTEMPT = /^attempt (\d+), (\S+?)(?: by ([^,]*))?, (\w+)(.*)$/s;

/** Of an invoice, which nothing but a cancel makes fail. */
function eventWords([, number, status = "", state = ""]: RegExpExecArray, language: Language) {
  const told = wordOf(status === "fail" ? "canceled" : status, language);
  return `${number}: ${told.toLowerCase()}, ${stateWord(state, language).toLowerCase()}`;
}

function inRussian(detail: string): string {
  const attempt = ATTEMPT.exec(detail);
  if (attempt !== null) {
    const [, number, rail = "", author, state = "", rest] = attempt;
    const by =
      author === undefined ? "" : `, ${author.replace(/^the operator$/, "оператор шлюза")}`;
    return `попытка ${number}, ${wordOf(rail, "ru").toLowerCase()}${by}, ${stateWord(state, "ru").toLowerCase()}${rest}`;
  }
  const [form, words] = DETAILS.find(([one]) => one.test(detail)) ?? [];
  return form === undefined || words === undefined ? detail : detail.replace(form, words);
}

/** Whoever sees it. */
type Seen = Pick<Sight<unknown>, "look" | "root" | "say">;

/** The fields of a part of an answer; of the whole without a name. */
function fieldsIn(door: Endpoint, part?: string): Readonly<Record<string, FieldSchema>> {
  const whole = door.data as FieldSchema;
  const at = part === undefined ? whole : whole.properties?.[part];
  return at?.items?.properties ?? at?.properties ?? {};
}

/** The parts of an answer that are rows, and what each is a row of. */
type RowsIn<Data> = {
  readonly [Name in keyof Data as Data[Name] extends readonly object[] ? Name : never]: Data[Name];
};
type RowIn<
  Data,
  Name extends keyof RowsIn<Data>,
> = RowsIn<Data>[Name] extends readonly (infer Row extends object)[] ? Row : never;

interface SheetWish<Row> {
  /** What its part is called, without it. */
  readonly title?: string;
  open?(row: Row): string | undefined;
  readonly acts?: Part;
}

/** Makes cards with rows of an answer, by the name of the part that they are; nothing where there are none. */
export function sheetsOf<Data extends object>(
  sight: Seen,
  door: Asked<unknown, Data>,
  answer: NoInfer<Data>,
) {
  return <Name extends string & keyof RowsIn<Data>>(
    part: Name,
    wished: readonly (string | Column<RowIn<Data, Name>>)[],
    { title = labelOf(part, sight.look.language), open, acts }: SheetWish<RowIn<Data, Name>> = {},
  ): Html | false => {
    const rows = answer[part] as readonly RowIn<Data, Name>[];
    if (rows.length === 0) return false;
    const columns = columnsOf(wished, fieldsIn(door, part), sight);
    const rowHref = (row: RowIn<Data, Name>): string | undefined => open?.(row);
    return card(title, table({ caption: title, columns, rows, rowHref }), acts);
  };
}

interface Told {
  readonly items: readonly { readonly event_id: string }[];
}

/** What an invoice's shop was told. */
export function toldSheet(sight: Seen, door: Asked<unknown, Told>, answer: Told): Html | false {
  const columns = ["created_at", "sequence", "state", "attempts", "next_attempt_at"];
  return sheetsOf(sight, door, answer)("items", columns, {
    title: sight.say({ en: "Webhooks", ru: "Вебхуки" }),
    open: ({ event_id: id }) => `${sight.root}/events/${id}`,
  });
}

/** Fields of an answer that have something to say. */
export function factsOf(
  { look, root }: Seen,
  door: Endpoint,
  part: string | undefined,
  row: object,
  names: readonly (string | readonly [name: string, value: Part])[],
): Html {
  const fields = fieldsIn(door, part);
  const values = row as Readonly<Record<string, unknown>>;
  const all = names.flatMap((one): (readonly [string, Part])[] => {
    const [name, own] = typeof one === "string" ? [one, undefined] : one;
    if (own === undefined && (values[name] === null || values[name] === undefined)) return [];
    const value = own ?? shown(name, fields[name] ?? {}, values, look, root);
    return [[labelOf(name, look.language), value]];
  });
  return facts(all);
}

/** Sums beside each other, by the names of their fields; one that there is not is left out. */
export function sumsOf(
  { look }: Seen,
  currency: string,
  sums: Readonly<Record<string, number | null | undefined>>,
): Html {
  const told = Object.entries(sums).flatMap(([name, sum]): [string, Part][] =>
    typeof sum === "number" ? [[labelOf(name, look.language), money(sum, look, currency)]] : [],
  );
  return figures(told);
}

interface Step {
  readonly at: string;
  readonly what: string;
  readonly detail: string;
  readonly id?: string;
}

/** What happened, the first first. */
export function story({ look, root, say }: Seen, steps: readonly Step[]): Html {
  const items = steps.map(({ at, what, detail, id }) => {
    const [did, more] = storyWords(what, detail, look.language);
    const named = id === undefined ? html`<b>${did}</b>` : link(did, `${root}/go/${id}`);
    return html`<li>${moment(at, look)} <span>${named} <bdi>${more}</bdi></span></li>`;
  });
  return card(
    say({ en: "What happened", ru: "Что происходило" }),
    html`<ol class="story">${items}</ol>`,
  );
}

interface SeenInvoice {
  readonly state: InvoiceState;
  readonly expires_at: string;
  readonly order_id: string;
  readonly amount: number;
  readonly currency: string;
}

/** What whoever cancels an invoice has to look at, on either site; or why it cannot be. */
export function orderToCancel(
  { app, look, say }: Pick<Sight<unknown>, "app" | "look" | "say">,
  { state, expires_at, order_id, amount, currency }: SeenInvoice,
): Html {
  const why = whyNotOpen({ state, expiresAt: new Date(expires_at) }, app.clock.now());
  if (why !== undefined) return notice("warn", new Refusal(why).words(look.language));
  const sum = moneyText(amount, look.language, currency);
  return html`<p>${say({ en: "Invoice", ru: "Счёт" })} <bdi>${order_id}</bdi>: ${sum}</p>`;
}

interface ToldInvoice {
  readonly invoice: SeenInvoice & { readonly paid_at: string | null };
  readonly payments: readonly {
    readonly state: string;
    readonly to_pay: number;
    readonly ends_at: string;
    readonly late: boolean | null;
    readonly received: number | null;
    readonly credited: number | null;
    readonly refunded: number;
    readonly payer_word?: object | null;
  }[];
}

/** The state of an invoice in one sentence, for the desk and the cabinet. */
export function invoiceSentence({ say, look }: Seen, { invoice, payments }: ToldInvoice): string {
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
            en: `We wait for exactly ${sum(live.to_pay)} until ${at(live.ends_at)}${live.payer_word ? "; the payer says to have paid" : ""}.`,
            ru: `Ждём ровно ${sum(live.to_pay)} до ${at(live.ends_at)}${live.payer_word ? "; плательщик говорит, что оплатил" : ""}.`,
          });
    case "paid":
      return say({
        en: `${sum(paid?.received ?? invoice.amount)} arrived ${at(invoice.paid_at)}${paid?.late ? ", late" : ""}; credited with ${sum(paid?.credited ?? 0)}.`,
        ru: `${sum(paid?.received ?? invoice.amount)} пришло ${at(invoice.paid_at)}${paid?.late ? ", с опозданием" : ""}; зачислено ${sum(paid?.credited ?? 0)}.`,
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

interface ToldEvent {
  readonly event: {
    readonly event_id: string;
    readonly state: string;
    readonly next_attempt_at: string | null;
  };
  readonly body: string | null;
  readonly attempts_removed: number;
  readonly deliveries: readonly { readonly status: number | null; readonly error: string | null }[];
}

/** Whether it can be told once more by hand. */
export function canSendAgain({ event, body }: ToldEvent): boolean {
  return body !== null && ["delivered", "exhausted"].includes(event.state);
}

/** One webhook: what its receiver did, its fields, its attempts, what can be done, what was sent. */
export function webhookBody<Whole extends ToldEvent>(
  sight: Seen,
  door: Asked<unknown, Whole>,
  whole: Whole,
  own: { readonly receiver: readonly [name: string, value: Part]; readonly acts: Part },
): Html {
  const { say, look } = sight;
  const { event, body, attempts_removed: removed, deliveries } = whole;
  const last = deliveries.at(-1);
  const heard = last && `${verdictOf(last, look.language)}.`;
  const nobody = say({
    en: "There is no webhook address: nobody was told.",
    ru: "Нет адреса вебхука: сообщить некуда.",
  });
  const next = event.state === "waiting" && event.next_attempt_at;
  const lead = html`<p class="lead">${chip(event.state, look)} ${heard ?? (event.state === "no_address" && nobody)} ${next && say({ en: `The next attempt: ${momentText(next, look)}.`, ru: `Следующая попытка: ${momentText(next, look)}.` })}</p>`;
  const fields = [
    own.receiver,
    "hook_url",
    "created_at",
    "attempts",
    "next_attempt_at",
    "invoice_id",
    "payout_id",
    "sequence",
    "event_id",
  ];
  const attempts = columnsOf<Whole["deliveries"][number]>(
    [
      "started_at",
      "attempt",
      { label: labelOf("status", look.language), cell: ({ status }) => status ?? "—" },
      {
        label: say({ en: "What the receiver did", ru: "Что сделал получатель" }),
        cell: (one) => verdictOf(one, look.language),
      },
      "duration_ms",
    ],
    fieldsIn(door, "deliveries"),
    sight,
  );
  const title = say({ en: "Attempts", ru: "Попытки" });
  return html`${card(undefined, lead)}${card(undefined, factsOf(sight, door, "event", event, fields))}${
    deliveries.length > 0 &&
    card(title, table({ caption: title, columns: attempts, rows: deliveries }))
  }${
    removed > 0 &&
    html`<p class="muted">${say({ en: `The first attempts (${removed}) were removed.`, ru: `Первые попытки (${removed}) удалены.` })}</p>`
  }${own.acts}${
    body !== null &&
    card(
      say({ en: "What is signed and sent", ru: "Что подписано и отправлено" }),
      html`<pre><code>${body}</code></pre>`,
    )
  }`;
}
