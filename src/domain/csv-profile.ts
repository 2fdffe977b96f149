// The CSV files of banks that are known here: how each names its columns and says what became of a line.
// The day of a line is that of the operation: when the payer did it, which is what a transfer is matched
// by, and which does not change when it is booked.

import type { CsvProfile, CsvRead } from "./statement-csv.ts";

interface BankCsv extends CsvRead {
  /** The columns in the bank's order; more may follow. */
  readonly header: readonly string[];
}

const TBANK_STATUS = {
  column: "Статус",
  booked: ["OK", "Ок"],
  pending: ["WAITING", "В обработке"],
  failed: ["FAILED", "Ошибка"],
} as const;

const TBANK = {
  delimiter: ";",
  dateForm: "dd.mm.yyyy",
  date: "Дата операции",
  sums: { signed: "Сумма платежа" },
  currency: "Валюта платежа",
  status: TBANK_STATUS,
  purpose: ["Описание"],
} as const satisfies CsvProfile;

export const BANK_CSVS: readonly BankCsv[] = [
  {
    format: "csv-tbank",
    profile: TBANK,
    header: [
      "Дата операции",
      "Дата платежа",
      "Номер карты",
      "Статус",
      "Сумма операции",
      "Валюта операции",
      "Сумма платежа",
      "Валюта платежа",
      "Кэшбэк",
      "Категория",
      "MCC",
      "Описание",
      "Бонусы (включая кэшбэк)",
    ],
  },
  {
    // Of 2026, with the payer's message in a column of its own.
    format: "csv-tbank",
    profile: {
      ...TBANK,
      sums: { signed: "Сумма в валюте счёта" },
      accountName: "Имя счёта",
      currency: "Валюта счёта",
      purpose: ["Описание", "Сообщение"],
    },
    header: [
      "Имя счёта",
      "Номер карты",
      "Дата операции",
      "Сумма операции",
      "Валюта операции",
      "Сумма в валюте счёта",
      "Валюта счёта",
      "Статус",
      "Категория по-умолчанию",
      "Ваша категория",
      "MCC",
      "Описание",
      "Сообщение",
    ],
  },
  {
    format: "csv-alfa",
    profile: {
      delimiter: ",",
      dateForm: "dd.mm.yyyy",
      date: "operationDate",
      sums: {
        unsigned: "amount",
        direction: "type",
        inWords: ["Пополнение"],
        outWords: ["Списание"],
      },
      status: {
        column: "status",
        // What came from outside often has none.
        booked: ["Выполнен", ""],
        pending: ["В обработке"],
        failed: ["Отменён", "Отменен", "Отклонён", "Отклонен"],
      },
      account: "accountNumber",
      currency: "currency",
      partyName: "merchant",
      purpose: ["comment"],
    },
    header: [
      "operationDate",
      "transactionDate",
      "accountName",
      "accountNumber",
      "cardName",
      "cardNumber",
      "merchant",
      "amount",
      "currency",
      "status",
      "category",
      "mcc",
      "type",
      "comment",
      "bonusValue",
      "bonusTitle",
    ],
  },
  {
    format: "csv-alfa-old",
    profile: {
      delimiter: ";",
      dateForm: "dd.mm.yy",
      date: "Дата операции",
      sums: { in: "Приход", out: "Расход" },
      status: { column: "Референс проводки", booked: "others", pending: ["HOLD"], failed: [] },
      id: "Референс проводки",
      account: "Номер счета",
      currency: "Валюта",
      purpose: ["Описание операции"],
    },
    header: [
      "Тип счёта",
      "Номер счета",
      "Валюта",
      "Дата операции",
      "Референс проводки",
      "Описание операции",
      "Приход",
      "Расход",
      "",
    ],
  },
  {
    format: "csv-raiffeisen",
    profile: {
      delimiter: ";",
      dateForm: "dd.mm.yyyy",
      date: "Дата транзакции",
      sums: { signed: "Сумма в валюте счета" },
      currency: "Валюта счета",
      purpose: ["Описание"],
    },
    header: [
      "Дата транзакции",
      "Описание",
      "Валюта операции",
      "Сумма в валюте операции",
      "Валюта счета",
      "Сумма в валюте счета",
    ],
  },
];
