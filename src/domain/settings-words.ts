// Why operators, shops, keys, tariffs and requisites cannot be set so, in both languages. Part of the table in
// refusal.ts.

export const SETTINGS_WORDS = {
  last_operator: [
    "This is the last operator: nobody could manage the gateway any more.",
    "Это последний оператор: управлять шлюзом стало бы некому.",
  ],
  webhook_keys_rotating: [
    "The keys before these still sign until {until}. Rotate again after that, or with overlap_hours 0, which ends all older keys at once.",
    "Прежние ключи ещё подписывают до {until}. Смените ключи после этого или с overlap_hours 0: тогда все прежние ключи сразу перестанут действовать.",
  ],
  key_owner_required: [
    "Name either a shop id or a user id.",
    "Укажите либо shop id, либо user id.",
  ],
  percent_too_large: [
    "Shop percent and user percent must be at most 100 together.",
    "Вместе shop percent и user percent должны быть не больше 100.",
  ],
  limits_crossed: [
    "The smallest amount must not be above the largest.",
    "Наименьшая сумма не должна превышать наибольшую.",
  ],
  fee_too_large: [
    "At the smallest amount the commission would leave nothing to credit.",
    "При наименьшей сумме комиссия не оставила бы ничего к зачислению.",
  ],
  requisite_needs_number: [
    "A requisite needs a card or a phone.",
    "Реквизиту нужна карта или телефон.",
  ],
  requisite_account_stays: [
    "The account stays: statements that were imported are of this account, and another requisite that got it would have their money once more.",
    "Счёт не меняется: по нему уже загружены выписки, и другой реквизит с этим счётом получил бы их деньги ещё раз.",
    "account",
  ],
  requisite_taken: [
    "The card, the phone or the account belongs to a requisite already.",
    "Карта, телефон или счёт уже принадлежит реквизиту.",
  ],
} as const satisfies Record<string, readonly [en: string, ru: string, field?: string]>;
