// The refusals that only whoever manages the gateway hears; the others stand in refusal.ts.

type Words = (params: Readonly<Record<string, string>>) => string;

export interface RefusalEntry {
  readonly status: number;
  readonly en: Words;
  readonly ru: Words;
}

export const MANAGEMENT_REFUSALS = {
  viewer_cannot_change: {
    status: 403,
    en: () => "A viewer may look, and change nothing.",
    ru: () => "Наблюдатель может смотреть, но не менять.",
  },
  bank_only_adds_transfers: {
    status: 403,
    en: () => "A bank may add transfers, and do nothing else.",
    ru: () => "Банк может только добавлять переводы.",
  },
  operator_not_found: {
    status: 404,
    en: () => "The operator was not found.",
    ru: () => "Оператор не найден.",
  },
  last_operator: {
    status: 422,
    en: () => "This is the last operator: nobody could manage the gateway any more.",
    ru: () => "Это последний оператор: управлять шлюзом стало бы некому.",
  },
  user_not_found: {
    status: 404,
    en: () => "The user was not found.",
    ru: () => "Пользователь не найден.",
  },
  shop_not_found: {
    status: 404,
    en: () => "The shop was not found.",
    ru: () => "Магазин не найден.",
  },
  key_not_found: {
    status: 404,
    en: () => "The key was not found.",
    ru: () => "Ключ не найден.",
  },
  key_owner_required: {
    status: 422,
    en: () => "Name either a shop id or a user id.",
    ru: () => "Укажите либо shop id, либо user id.",
  },
  service_not_found: {
    status: 404,
    en: () => "The service was not found.",
    ru: () => "Сервис не найден.",
  },
  tariff_not_found: {
    status: 404,
    en: () => "The tariff was not found.",
    ru: () => "Тариф не найден.",
  },
  percent_too_large: {
    status: 422,
    en: () => "Shop percent and user percent must be at most 100 together.",
    ru: () => "Вместе shop percent и user percent должны быть не больше 100.",
  },
  limits_crossed: {
    status: 422,
    en: () => "The smallest amount must not be above the largest.",
    ru: () => "Наименьшая сумма не должна превышать наибольшую.",
  },
  fee_too_large: {
    status: 422,
    en: () => "At the smallest amount the commission would leave nothing to credit.",
    ru: () => "При наименьшей сумме комиссия не оставила бы ничего к зачислению.",
  },
  requisite_not_found: {
    status: 404,
    en: () => "The requisite was not found.",
    ru: () => "Реквизит не найден.",
  },
  requisite_needs_number: {
    status: 422,
    en: () => "A requisite needs a card or a phone.",
    ru: () => "Реквизиту нужна карта или телефон.",
  },
  requisite_taken: {
    status: 422,
    en: () => "The card or the phone belongs to a requisite already.",
    ru: () => "Карта или телефон уже принадлежит реквизиту.",
  },
  event_not_found: {
    status: 404,
    en: () => "The event was not found.",
    ru: () => "Событие не найдено.",
  },
  event_body_removed: {
    status: 422,
    en: () =>
      "The event was delivered long ago, and its body was removed since: nothing can be sent.",
    ru: () => "Событие доставлено давно, и его тело с тех пор удалено: отправить нечего.",
  },
  event_cannot_be_sent: {
    status: 422,
    en: () => "The event waits for its delivery already, or has no address.",
    ru: () => "Событие уже ждёт доставки или не имеет адреса.",
  },
  ledger_account_not_found: {
    status: 404,
    en: () => "The account was not found.",
    ru: () => "Счёт учёта не найден.",
  },
} as const satisfies Record<string, RefusalEntry>;
