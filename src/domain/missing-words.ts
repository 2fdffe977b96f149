// What is said of something that is not there, in both languages.

/** What was asked for is not there. */
export const NOT_FOUND = {
  invoice_not_found: ["The invoice was not found.", "Счёт не найден."],
  transfer_not_found: ["The transfer was not found.", "Перевод не найден."],
  import_not_found: ["The import was not found.", "Выписка не найдена."],
  line_not_found: ["The line was not found.", "Строка не найдена."],
  payment_not_found: ["The payment was not found.", "Платёж не найден."],
  tariffs_not_found: ["Tariffs were not found.", "Тарифы не найдены."],
  account_not_found: [
    "The user has no account in {currency}.",
    "У пользователя нет счёта в {currency}.",
  ],
  operator_not_found: ["The operator was not found.", "Оператор не найден."],
  person_not_found: ["The person was not found.", "Человек не найден."],
  user_not_found: ["The user was not found.", "Пользователь не найден."],
  shop_not_found: ["The shop was not found.", "Магазин не найден."],
  key_not_found: ["The key was not found.", "Ключ не найден."],
  token_not_found: ["The token was not found.", "Токен не найден."],
  service_not_found: ["The service was not found.", "Сервис не найден."],
  tariff_not_found: ["The tariff was not found.", "Тариф не найден."],
  requisite_not_found: ["The requisite was not found.", "Реквизит не найден."],
  source_not_found: ["The source was not found.", "Источник не найден."],
  rail_not_found: ["The rail was not found.", "Канал выводов не найден."],
  payout_not_found: ["The payout was not found.", "Вывод не найден."],
  payout_batch_not_found: ["The file of payouts was not found.", "Файл выводов не найден."],
  event_not_found: ["The event was not found.", "Событие не найдено."],
  ledger_account_not_found: ["The account was not found.", "Счёт учёта не найден."],
} as const;
