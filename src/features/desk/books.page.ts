// /desk/books: the ledger as it stands, the statement of each account, and when all of it was last checked.

import type { Answer } from "../../platform/endpoint.ts";
import type { Language } from "../../platform/failure.ts";
import { html } from "../../platform/html.ts";
import { readAccount, readAccounts, readEntries } from "../ledger/manage-accounts.endpoint.ts";
import { askForBookCheck, readBooks } from "../ledger/manage-books.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { named } from "../people/naming.ts";
import { invariantWords } from "../screens/invariant-words.ts";
import { card, figures, link, moment, money, notice, shortId } from "../screens/pieces.ts";
import { table } from "../screens/table.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import { actOf } from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

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
