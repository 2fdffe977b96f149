// Refusals about statements and their lines, in both languages.

export const STATEMENT_WORDS = {
  statement_unknown: [
    "The file is no statement that is known here. It begins with: {header}",
    "Такой формат выписки здесь не известен. Файл начинается так: {header}",
  ],
  statement_undecodable: [
    "Row {row} of the file is no text in any encoding that is known here.",
    "Строка {row} файла — не текст ни в одной из известных кодировок.",
  ],
  statement_cut: [
    "The file is cut: it ends in row {row}, and what begins there or before has no end. Download it again.",
    "Файл обрезан: он кончается строкой {row}, а начатое в ней или раньше не закончено. Скачайте его снова.",
  ],
  statement_unreadable: [
    "No word of 1C's exchange can be read in the file: its encoding or its line ends are not known here. Save it in windows-1251 or UTF-8.",
    "В файле не читается ни одно слово обмена с 1С: его кодировка или концы строк здесь не известны. Сохраните его в windows-1251 или UTF-8.",
  ],
  statement_malformed: [
    "Row {row} of the file does not belong there: {value}",
    "Строка {row} файла стоит не на своём месте: {value}",
  ],
  statement_columns: [
    "Row {row} of the file has {found} columns instead of {expected}.",
    "В строке {row} файла колонок {found}, а должно быть {expected}.",
  ],
  statement_column_twice: [
    "Row {row} of the file has a column twice that is to be read: {value}",
    "В строке {row} файла дважды есть колонка, которую нужно прочитать: {value}",
  ],
  statement_date: [
    "Row {row} of the file has a date or time that cannot be: {value}",
    "В строке {row} файла невозможная дата или время: {value}",
  ],
  statement_amount: [
    "Row {row} of the file has a sum that cannot be: {value}",
    "В строке {row} файла невозможная сумма: {value}",
  ],
  statement_word: [
    "Row {row} of the file has a word whose meaning is not known: {value}",
    "В строке {row} файла слово, смысл которого не известен: {value}",
  ],
  statement_not_own: [
    "Row {row} of the file: neither the payer's account nor the receiver's is the statement's own.",
    "Строка {row} файла: ни счёт плательщика, ни счёт получателя не принадлежит выписке.",
  ],
  statement_outside: [
    "Row {row} of the file: the statement of this account does not cover the day {value}.",
    "Строка {row} файла: выписка по этому счёту не охватывает день {value}.",
  ],
  statement_unbalanced: [
    "Row {row}: the statement of {from} to {to} does not add up: {opening} + {in} - {out} is not {closing}.",
    "Строка {row}: выписка с {from} по {to} не сходится: {opening} + {in} - {out} не равно {closing}.",
  ],
  statement_totals: [
    "Row {row}: the statement of {from} to {to} says {told} in all, and its lines are {sum} together.",
    "Строка {row}: выписка с {from} по {to} говорит, что всего {told}, а её строки вместе дают {sum}.",
  ],
  statement_overlapping: [
    "Row {row}: the statement of {from} to {to} has days that another one in this file has as well, and does not go on where that one ended. Take one statement of these days.",
    "Строка {row}: дни выписки с {from} по {to} есть и в другой выписке этого файла, и она её не продолжает. Возьмите одну выписку за эти дни.",
  ],
  statement_text_too_long: [
    "Row {row} of the file holds a text of more than {limit} characters.",
    "В строке {row} файла текст длиннее {limit} знаков.",
  ],
  statement_too_many_lines: [
    "The file has more than {limit} lines. Take a shorter period.",
    "В файле больше {limit} операций. Возьмите период короче.",
  ],
  statement_too_many_sections: [
    "The file has more than {limit} accounts and days. Take a shorter period.",
    "В файле больше {limit} счетов и дней. Возьмите период короче.",
  ],
  statement_doctype: [
    "Row {row} of the file: a document type or entities of its own are not taken.",
    "Строка {row} файла: объявление типа документа и свои сущности не принимаются.",
  ],
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
  statement_profile_status: [
    "A profile names the column status together with booked, its words for what is money.",
    "Профиль называет колонку status вместе с booked — её словами о проведённом.",
    "profile",
  ],
  statement_needs_requisite: [
    "The file names no account: say which requisite it is of.",
    "В файле нет номера счёта: укажите, какого он реквизита.",
    "requisite_id",
  ],
  statement_foreign_account: [
    "Row {row}: the account {account} is no requisite's. If it is yours, tell its requisite the account's number first.",
    "Строка {row}: счёт {account} не принадлежит ни одному реквизиту. Если он ваш, сначала укажите его номер у реквизита.",
  ],
  statement_account_missing: [
    "Row {row} names no account, and others do. Leave the column out of the profile, or name the account in each row.",
    "В строке {row} не указан счёт, а в других указан. Уберите столбец из профиля или укажите счёт в каждой строке.",
  ],
  statement_several_accounts: [
    "Row {row} is of another account than those before it: {value}. Let the bank write a file of each account.",
    "Строка {row} — другого счёта, чем предыдущие: {value}. Выгрузите из банка файл по каждому счёту отдельно.",
  ],
  statement_other_requisite: [
    "Row {row}: the account {account} is another requisite's.",
    "Строка {row}: счёт {account} принадлежит другому реквизиту.",
    "requisite_id",
  ],
  statement_other_currency: [
    "The statement is in {currency}, and its requisite is not.",
    "Выписка в {currency}, а реквизит — в другой валюте.",
  ],
  import_not_in_vain: [
    "Only an import that keeps failing can be dropped, while it waits for its next try and none has left anything.",
    "Удалить можно только загрузку, которая не удаётся, пока она ждёт новой попытки и ни одна ничего не оставила.",
  ],
  line_settled: ["The line does not wait for a decision.", "Строка не ждёт решения."],
  line_for_operators: [
    "An operator decides this: it takes money of the books' own.",
    "Это решает оператор: речь о собственных деньгах учёта.",
    "decision",
  ],
  line_is_no_income: [
    "Only money that came in can be income.",
    "Приходом может быть только поступление.",
    "kind",
  ],
  line_is_no_outflow: [
    "Only money that left can be that.",
    "Таким может быть только списание.",
    "kind",
  ],
  line_ahead: [
    "The line is of a moment that has not come yet.",
    "Строка относится к моменту, который ещё не наступил.",
  ],
} as const;
