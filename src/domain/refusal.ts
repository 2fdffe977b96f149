// Every expected failure of the business: its status and its words in both languages, in one table.
// Throwing (or returning, for one call of a set) a Refusal is how the rooms say no.

import { MANAGEMENT_REFUSALS, type RefusalEntry } from "./refusal-manage.ts";

const REFUSALS = {
  unauthorized: {
    status: 401,
    en: () => "Authorization error: wrong identifier or secret key.",
    ru: () => "Ошибка авторизации: неверный идентификатор или секретный ключ.",
  },
  h2h_unavailable: {
    status: 422,
    en: () => "H2H payments are not available for this shop.",
    ru: () => "H2H-платежи недоступны для этого магазина.",
  },
  one_service_for_direct: {
    status: 422,
    en: () => "The include service field must hold exactly one service for the type direct.",
    ru: () => "Поле include service должно содержать ровно один сервис для типа direct.",
  },
  success_url_required: {
    status: 422,
    en: () => "The success url field is required.",
    ru: () => "Поле success url обязательно.",
  },
  service_unavailable: {
    status: 422,
    en: ({ service }) => `The include service field holds ${service}, which the shop cannot use.`,
    ru: ({ service }) => `Поле include service содержит ${service}, недоступный магазину.`,
  },
  currency_unavailable: {
    status: 422,
    en: ({ currency }) => `The currency field holds ${currency}, which the shop cannot use.`,
    ru: ({ currency }) => `Поле currency содержит ${currency}, недоступную магазину.`,
  },
  amount_too_small: {
    status: 422,
    en: ({ service, limit }) => `The amount field must be at least ${limit} for ${service}.`,
    ru: ({ service, limit }) => `Поле amount должно быть не меньше ${limit} для ${service}.`,
  },
  amount_too_large: {
    status: 422,
    en: ({ service, limit }) => `The amount field must be at most ${limit} for ${service}.`,
    ru: ({ service, limit }) => `Поле amount должно быть не больше ${limit} для ${service}.`,
  },
  order_id_taken: {
    status: 422,
    en: () => "The order id field belongs to another invoice with other content.",
    ru: () => "Поле order id уже принадлежит другому счёту с другим содержимым.",
  },
  invoice_not_found: {
    status: 404,
    en: () => "The invoice was not found.",
    ru: () => "Счёт не найден.",
  },
  invoice_id_required: {
    status: 422,
    en: () => "The invoice id field is required when there is no order id.",
    ru: () => "Поле invoice id обязательно, если нет order id.",
  },
  invoice_not_direct: {
    status: 422,
    en: () => "The invoice is not of the type direct.",
    ru: () => "Счёт не относится к типу direct.",
  },
  invoice_expired: {
    status: 422,
    en: () => "The invoice has expired.",
    ru: () => "Срок действия счёта истёк.",
  },
  invoice_paid: {
    status: 422,
    en: () => "The invoice has already been paid.",
    ru: () => "Счёт уже оплачен.",
  },
  invoice_closed: {
    status: 422,
    en: () => "The invoice is closed.",
    ru: () => "Счёт закрыт.",
  },
  method_unavailable: {
    status: 422,
    en: ({ service }) => `The payment method ${service} is not available for this invoice.`,
    ru: ({ service }) => `Способ оплаты ${service} недоступен для этого счёта.`,
  },
  fee_reaches_amount: {
    status: 422,
    en: ({ service }) =>
      `The commission of ${service} would leave nothing of the invoice's amount.`,
    ru: ({ service }) => `Комиссия ${service} не оставила бы ничего от суммы счёта.`,
  },
  too_many_details: {
    status: 422,
    en: () => "The invoice was given payment details too many times. Create a new one.",
    ru: () => "Реквизиты для счёта запрашивались слишком много раз. Создайте новый счёт.",
  },
  no_requisite: {
    status: 422,
    en: () => "No payment details are free for this bank and amount. Try again later.",
    ru: () => "Нет свободных реквизитов для этого банка и суммы. Попробуйте позже.",
  },
  share_used_up: {
    status: 422,
    en: () =>
      "This shop, its owner or this payer holds too many payment details already. Try again later.",
    ru: () =>
      "Этот магазин, его владелец или этот плательщик уже занял слишком много реквизитов. Попробуйте позже.",
  },
  invoice_not_paid: {
    status: 422,
    en: () => "The invoice has not been paid.",
    ru: () => "Счёт не оплачен.",
  },
  refund_too_large: {
    status: 422,
    en: ({ limit }) => `The refund must be at most ${limit}, what was credited and not refunded.`,
    ru: ({ limit }) => `Возврат должен быть не больше ${limit}: зачислено и ещё не возвращено.`,
  },
  refund_reference_taken: {
    status: 422,
    en: () => "The reference field belongs to another refund of this invoice with other content.",
    ru: () => "Поле reference уже принадлежит другому возврату этого счёта с другим содержимым.",
  },
  balance_too_small: {
    status: 422,
    en: () => "The available balance is too small.",
    ru: () => "Доступного баланса недостаточно.",
  },
  transfer_not_found: {
    status: 404,
    en: () => "The transfer was not found.",
    ru: () => "Перевод не найден.",
  },
  transfer_reference_taken: {
    status: 422,
    en: () => "The reference field belongs to another transfer, with another amount.",
    ru: () => "Поле reference уже принадлежит другому переводу с другой суммой.",
  },
  reference_holds_card: {
    status: 422,
    en: () =>
      "The reference field holds a card number; name the transfer by the bank's own reference.",
    ru: () => "Поле reference содержит номер карты; укажите собственный номер перевода в банке.",
  },
  made_at_ahead: {
    status: 422,
    en: () => "The made at field lies in the future.",
    ru: () => "Поле made at указывает на будущее.",
  },
  one_transfer_or_list: {
    status: 422,
    en: () => "Send either one transfer or a list of items.",
    ru: () => "Отправьте либо один перевод, либо список items.",
  },
  transfer_settled: {
    status: 422,
    en: () => "The transfer is not waiting in suspense.",
    ru: () => "Перевод не находится в невыясненных.",
  },
  transfer_too_small: {
    status: 422,
    en: () => "The transfer does not cover the commission.",
    ru: () => "Перевод не покрывает комиссию.",
  },
  payment_not_found: {
    status: 404,
    en: () => "The payment was not found.",
    ru: () => "Платёж не найден.",
  },
  payment_not_payable: {
    status: 422,
    en: () => "The payment or its invoice can no longer be paid.",
    ru: () => "Платёж или его счёт больше не может быть оплачен.",
  },
  clock_too_far: {
    status: 422,
    en: () => "The sandbox's clock does not go beyond the year 9000.",
    ru: () => "Часы песочницы не идут дальше 9000 года.",
  },
  wallet_unknown: {
    status: 422,
    en: () => "The wallet field is no card or phone of a requisite.",
    ru: () => "Поле wallet не является картой или телефоном реквизита.",
  },
  tariffs_not_found: {
    status: 404,
    en: () => "Tariffs were not found.",
    ru: () => "Тарифы не найдены.",
  },
  account_not_found: {
    status: 404,
    en: ({ currency }) => `The user has no account in ${currency}.`,
    ru: ({ currency }) => `У пользователя нет счёта в ${currency}.`,
  },
  ...MANAGEMENT_REFUSALS,
} as const satisfies Record<string, RefusalEntry>;

export type RefusalCode = keyof typeof REFUSALS;

export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;
  readonly params: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, params: Readonly<Record<string, string>> = {}) {
    super(code);
    this.code = code;
    this.status = REFUSALS[code].status;
    this.params = params;
  }

  words(language: "en" | "ru"): string {
    const entry: RefusalEntry = REFUSALS[this.code];
    return entry[language](this.params);
  }
}
