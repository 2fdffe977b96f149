// /desk/books: the ledger as it stands, the statement of each account, and when all of it was last checked.

import type { Answer } from "../../platform/endpoint.ts";
import type { Language } from "../../platform/failure.ts";
import { html } from "../../platform/html.ts";
import { readAccount, readAccounts, readEntries } from "../ledger/manage-accounts.endpoint.ts";
import { askForBookCheck, readBooks } from "../ledger/manage-books.endpoint.ts";
import { named } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { card, figures, link, moment, money, notice, shortId, table } from "../screens/pieces.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import { actOf } from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

const RUSSIAN = new Map(
  `
1|Каждая проводка и весь учёт в каждой валюте дают в сумме ноль
2|Проводки не меняют и не удаляют
3|Хранимый остаток равен сумме своих проводок, а те относятся к известным мерчантам и реквизитам
4|Ни один остаток не отрицателен; общий равен сумме частей
5|Перевод оплачивает не больше одного платежа, платёж оплачен не больше одного раза
6|Каждый перевод отнесён, ждёт разбора, возвращён или зачтён; счёт невыясненных равен тому, что ждёт
7|Никакие два платежа, живых или в карантине, не делят один реквизит с одной суммой
8|Счётчики реквизита считают его платежи; отключённый или исчерпанный новых не получает
9|Части комиссии сходятся; зачислено столько, сколько проведено
10|Замороженное освобождается ровно один раз и не раньше срока
11|У каждого мерчанта: зачисления − возвраты − выводы − комиссии выводов + вернувшееся = доступно + заморожено + в резерве
12|Вывод уходит не больше одного раза: уйти могла одна попытка, и пока могла, деньги не отдаются назад
13|Состояния меняются только по разрешённым переходам; счёт и его платежи согласны
14|У счёта не больше одного живого платежа
15|Один магазин и один заказ — один счёт
17|Ничто не остаётся живым дольше 5 с после своего конца, событие не ждёт места в ленте дольше 10 с
18|Смена состояния и её событие записаны вместе
19|Каждое событие доставлено или исчерпало попытки; то, что ждёт, найдут в срок
20|Событие не меняется, его номер и текст — его собственные; события счёта пронумерованы 1, 2, …
21|Каждая попытка доставить событие записана один раз и пронумерована 1, 2, …
26|Зашифрованное открывается секретным ключом, а отпечаток номера — его собственный
27|С баланса за вывод уходит то, что дойдёт, и комиссия; ни то ни другое не отрицательно
28|В резерве столько, сколько занимают выводы в работе, по мерчанту и валюте
29|У вывода, который сделан, возвращён, не удался или отменён, ровно свои проводки
30|Один номер операции банка подтверждает одну выплату
31|Все, кто сообщает о переводе, говорят об одних и тех же деньгах, по разу; проведены они один раз
32|Строка выписки говорит о своём переводе; строки последнего файла за день дают его итог
33|Деньги относят только к платежу, чьё время вместе с карантином включает момент их отправки
34|Что ушло по нашему слову и ещё не видно в выписке, стоит на счёте «Исходящие в пути»; увиденное в выписке проведено один раз
35|У каждого события одно место в ленте магазина и мерчанта, или оно его ждёт; ни одно место не дано дважды
36|Никто не подтверждает свой запрос и не подтверждает дважды; где нужны несколько человек, они есть
37|В том, что сообщается о выводах и строках, нет целого номера карты
38|Каждую строку, чей срок настал, можно обработать; на чём задание споткнулось, записано и пробуется снова
39|Показатели закрытого часа, и вебхуков тоже, — то, что в нём было, за последние 48 часов
`
    .trim()
    .split("\n")
    .map((line) => line.split("|") as [number: string, words: string]),
);

export function invariantWords(number: number, english: string, language: Language): string {
  return language === "ru" ? (RUSSIAN.get(String(number)) ?? english) : english;
}

type Check = Answer<typeof askForBookCheck>;

const TITLE = { en: "Books", ru: "Учёт" };
const CHECKS = { en: "Checks of the books", ru: "Проверки учёта" };

/** Of a transfer the same word says that it alone waits. */
const accountWord = (kind: string, language: Language): string =>
  kind === "suspense" ? labelOf(kind, language) : wordOf(kind, language);

/** What the last check that ended has found, in one line. */
export function checkLine(
  last: Pick<Check, "ended_at" | "violations"> | undefined,
  { say, look }: Pick<DeskSight, "say" | "look">,
) {
  if (last === undefined || last.ended_at === null) {
    return notice(
      "warn",
      say({ en: "The books have not been checked yet.", ru: "Учёт ещё не проверяли." }),
    );
  }
  const found = last.violations ?? 0;
  const words =
    found === 0
      ? say({ en: "everything holds", ru: "всё сходится" })
      : `${say({ en: "violations", ru: "нарушений" })}: ${found}`;
  return notice(
    found === 0 ? "good" : "bad",
    html`${say({ en: "Books checked", ru: "Учёт проверен" })} ${moment(last.ended_at, look)}: <a href="/desk/books/checks">${words}</a>`,
  );
}

const accounts = listPages(desk, {
  path: "/desk/books",
  title: TITLE,
  door: readAccounts,
  columns: (sight) => [
    {
      label: labelOf("kind", sight.look.language),
      // A balance says what it is of; several that have none would look alike.
      cell: ({ kind, currency, balance }) =>
        `${accountWord(kind, sight.look.language)}${balance === null ? `, ${currency}` : ""}`,
      text: ({ account_id: id }) => id,
    },
    named("user_id"),
    named("requisite_id"),
    "balance",
  ],
  filters: ["kind", "user_id"],
  open: ({ account_id: id }, root) => `${root}/books/${id}`,
  async above(sight) {
    const { checks } = await sight.ask(readBooks, {});
    return html`${checkLine(
      checks.find(({ ended_at: ended }) => ended !== null),
      sight,
    )}<p>${link(sight.say(CHECKS), "/desk/books/checks")}</p><p class="note">${sight.say(SUMMED_UP)}</p>`;
  },
  nothing: {
    en: "No account yet: the first payment opens them",
    ru: "Счетов пока нет: их откроет первый платёж",
  },
  command: "kopeck account list",
});

const SUMMED_UP = {
  en: "A dash is not zero: an account that everybody's money flows through is added up when it is opened.",
  ru: "Прочерк — не ноль: остаток счёта, через который идут деньги всех, подсчитывается, когда этот счёт открывают.",
};

const entries = listPages(desk, {
  path: "/desk/books/:account_id",
  title: { en: "Statement of an account", ru: "Выписка по счёту" },
  door: readEntries,
  columns: () => ["created_at", "kind", "amount", "source_id", "posting_id"],
  filters: ["from", "to"],
  async above(sight) {
    const { look, say } = sight;
    const account = await sight.askHere(readAccount);
    const { kind, currency, balance } = account;
    const owner = account.user_id ?? account.requisite_id;
    return card(
      `${accountWord(kind, look.language)}, ${currency}`,
      html`${figures([[say({ en: "Balance", ru: "Остаток" }), money(balance, look, currency)]])}${owner !== null && shortId(owner, `/desk/go/${owner}`)}`,
    );
  },
  nothing: { en: "Nothing was booked here", ru: "Здесь ничего не проводили" },
  command: "kopeck account statement",
});

const CHECK = {
  path: "/desk/books/check",
  title: { en: "Check the books", ru: "Проверить учёт" },
  submit: { en: "Check now", ru: "Проверить сейчас" },
  door: askForBookCheck,
  needsProof: false,
  note: {
    en: "It begins within seconds and goes on by itself.",
    ru: "Начнётся через несколько секунд и пойдёт сама.",
  },
  then: () => "/desk/books/checks",
  command: "kopeck books check",
};

const checks = desk.page({
  path: "/desk/books/checks",
  async show(sight) {
    const { say, look } = sight;
    const data = await sight.ask(readBooks, {});
    const rows = table({
      caption: say(CHECKS),
      columns: [
        {
          label: say({ en: "Asked for", ru: "Запрошена" }),
          cell: (row: Check) => moment(row.asked_at, look),
        },
        { label: labelOf("author", look.language), cell: ({ author }) => author },
        {
          label: say({ en: "Ended", ru: "Закончена" }),
          cell: ({ ended_at: ended }) => moment(ended, look),
        },
        {
          label: say({ en: "Violations", ru: "Нарушений" }),
          align: "end",
          cell: ({ violations: count }) => count ?? say({ en: "under way", ru: "идёт" }),
        },
        {
          label: labelOf("detail", look.language),
          cell: ({ details }) => details.map((one) => html`<div>${one}</div>`),
        },
      ],
      rows: data.checks,
    });
    const must = html`<details><summary>${say({ en: "What must always hold", ru: "Что должно выполняться всегда" })}: ${data.invariants.length}</summary><ol>${data.invariants.map(
      ({ number, words }) =>
        html`<li value="${number}">${invariantWords(number, words, look.language)}</li>`,
    )}</ol></details>`;
    const act = await actOf(sight, CHECK);
    return {
      title: say(CHECKS),
      body: html`${act && card(undefined, act)}${data.checks.length > 0 && card(undefined, rows)}${card(undefined, must)}`,
      command: "kopeck books show",
    };
  },
});

export const bookPages = [checks, ...formPages(desk, CHECK), ...accounts, ...entries];
