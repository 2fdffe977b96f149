// Why a statement is refused, in both languages: part of the table of refusal.ts.

export const STATEMENT_REFUSALS = {
  statement_not_base64: [
    "The content is not the base64 of a file.",
    "Содержимое — не base64 файла.",
    "content",
  ],
  statement_too_large: [
    "The file is larger than {limit} bytes. Take a shorter period.",
    "Файл больше {limit} байт. Возьмите период короче.",
    "content",
  ],
  statement_profile_sums: [
    "A profile names either the column amount, or both amount_in and amount_out.",
    "Профиль называет либо колонку amount, либо обе: amount_in и amount_out.",
    "profile",
  ],
  statement_needs_requisite: [
    "The file names no account: say which requisite it is of.",
    "В файле нет номера счёта: укажите, какого он реквизита.",
    "requisite_id",
  ],
  statement_foreign_account: [
    "The account {account} is no requisite's. If it is yours, tell its requisite the account's number first.",
    "Счёт {account} не принадлежит ни одному реквизиту. Если он ваш, сначала укажите его номер у реквизита.",
  ],
  statement_other_requisite: [
    "The account {account} is another requisite's.",
    "Счёт {account} принадлежит другому реквизиту.",
    "requisite_id",
  ],
  statement_other_currency: [
    "The statement is in {currency}, and its requisite is not.",
    "Выписка в {currency}, а реквизит — в другой валюте.",
  ],
  line_settled: ["The line does not wait for a decision.", "Строка не ждёт решения."],
  line_is_no_income: [
    "Only money that came in can be booked.",
    "Записать можно только поступление.",
    "decision",
  ],
  line_ahead: [
    "The line is of a moment that has not come yet.",
    "Строка относится к моменту, который ещё не наступил.",
  ],
} as const;
