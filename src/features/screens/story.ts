// The words of a story's steps in Russian. The doors tell them in English, for programs and the command line;
// what people wrote themselves is left as it is.

import type { Language } from "../../platform/failure.ts";
import { moneyText } from "./pieces.ts";
import { stateWord, wordOf } from "./words.ts";

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
export function storyWords(what: string, detail: string, language: Language): [string, string] {
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
