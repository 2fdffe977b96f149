// Every expected failure of the business: its status, and its words in both languages.

import { PAYOUT_WORDS } from "./payout-words.ts";
import { STATEMENT_WORDS } from "./statement-words.ts";

type Words = readonly [en: string, ru: string, field?: string];

const UNKNOWN = {
  unauthorized: [
    "Authorization error: wrong identifier or secret key.",
    "Ошибка авторизации: неверный идентификатор или секретный ключ.",
  ],
  sign_in_failed: [
    "This did not fit. After several wrong tries the next ones have to wait.",
    "Не подошло. После нескольких неверных попыток следующим приходится ждать.",
  ],
} as const satisfies Record<string, Words>;

const FORBIDDEN = {
  viewer_cannot_change: [
    "A viewer may look, and change nothing.",
    "Наблюдатель может смотреть, но не менять.",
  ],
  looker_cannot_change: [
    "Whoever looks at a merchant's cabinet can only look, and change nothing.",
    "Кто смотрит кабинет мерчанта, может только смотреть и ничего не меняет.",
  ],
  cashier_sets_nothing: [
    "A cashier may handle transfers, payouts and refunds, and set nothing.",
    "Кассир работает с переводами, выводами и возвратами, но ничего не настраивает.",
  ],
  role_cannot: [
    "Your role does not allow this; {en} may do it.",
    "Ваша роль этого не позволяет; это может {ru}.",
  ],
  bank_only_adds_transfers: [
    "A bank's token can add transfers only.",
    "Банк может только добавлять переводы.",
  ],
} as const satisfies Record<string, Words>;

const PERSON_WORDS = {
  passkey_refused: [
    "The passkey could not be used here. Please try again.",
    "Этот ключ доступа здесь использовать нельзя. Попробуйте ещё раз.",
  ],
  code_refused: [
    "This is not the code that the app shows now.",
    "Это не тот код, который сейчас показывает приложение.",
    "code",
  ],
  link_used: ["This link has been used.", "Эта ссылка уже использована."],
  last_way_in: [
    "This is the last way in: make another one first.",
    "Это последний способ входа: сначала создайте другой.",
  ],
  password_too_short: [
    "The password has fewer than 12 characters.",
    "В пароле меньше 12 знаков.",
    "password",
  ],
  password_too_long: ["The password is too long.", "Пароль слишком длинный.", "password"],
  password_common: [
    "Many people have this password: it would be guessed.",
    "Такой пароль есть у многих: его угадают.",
    "password",
  ],
  password_personal: [
    "The password holds your name, your address or ours.",
    "В пароле есть ваше имя, ваш адрес или наше название.",
    "password",
  ],
  person_exists: [
    "Somebody with this e-mail address is here already.",
    "Человек с таким адресом уже есть.",
    "email",
  ],
  last_owner: [
    "This is the merchant's last owner: make another one first.",
    "Это последний владелец: сначала назначьте другого.",
  ],
  link_for_oneself: [
    "This is you, and you are in: change how you sign in at /security.",
    "Это вы, и вы уже вошли: способы входа меняются на /security.",
  ],
  person_shared: [
    "This person belongs to others, too, or cannot sign in: ask the operator.",
    "Этот человек есть и у других или не может входить: обратитесь к оператору.",
  ],
  person_must_accept: [
    "This person was never at the desk: invite them by their e-mail address, and they accept by the link.",
    "Этот человек ещё не работал в шлюзе: пригласите его по адресу почты, и он примет приглашение по ссылке.",
  ],
  changed_meanwhile: [
    "The saved values are not those that the form showed. Yours stand below, with the saved one beside each that differs: check them and save again.",
    "Сохранённые значения уже не те, что показывала форма. Ниже введённые вами, рядом с отличающимися — сохранённые: проверьте и сохраните ещё раз.",
  ],
  wrong_merchant: [
    "This page was opened for another merchant. Open it again for the one that you look at now.",
    "Эта страница открыта для другого мерчанта. Откройте её заново для того, который выбран сейчас.",
  ],
  person_disabled: [
    "This person cannot sign in: allow that first.",
    "Этот человек не может входить: сначала разрешите вход.",
  ],
} as const satisfies Record<string, Words>;

const SETTINGS_WORDS = {
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

const NOT_FOUND = {
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

/** What was asked for cannot be. Braces hold the places of what the refusal brings along. */
const IMPOSSIBLE = {
  h2h_unavailable: [
    "H2H payments are not available for this shop.",
    "H2H-платежи недоступны для этого магазина.",
  ],
  one_service_for_direct: [
    "The include service field must hold exactly one service for the type direct.",
    "Поле include service должно содержать ровно один сервис для типа direct.",
    "include_service",
  ],
  not_a_cursor_of_this_feed: [
    "The after field is not a cursor of this feed.",
    "Поле after не является курсором этой ленты.",
    "after",
  ],
  success_url_required: [
    "The success url field is required.",
    "Поле success url обязательно.",
    "success_url",
  ],
  service_unavailable: [
    "The include service field holds {service}, which the shop cannot use.",
    "Поле include service содержит {service}, недоступный магазину.",
    "include_service",
  ],
  currency_unavailable: [
    "The currency field holds {currency}, which the shop cannot use.",
    "Поле currency содержит {currency}, недоступную магазину.",
    "currency",
  ],
  amount_too_small: [
    "The amount field must be at least {limit} for {service}.",
    "Поле amount должно быть не меньше {limit} для {service}.",
    "amount",
  ],
  amount_too_large: [
    "The amount field must be at most {limit} for {service}.",
    "Поле amount должно быть не больше {limit} для {service}.",
    "amount",
  ],
  order_taken: [
    "The order id field belongs to another invoice with other content.",
    "Поле order id уже принадлежит другому счёту с другим содержимым.",
    "order_id",
  ],
  invoice_id_required: [
    "The invoice id field is required when there is no order id.",
    "Поле invoice id обязательно, если нет order id.",
    "invoice_id",
  ],
  invoice_not_direct: [
    "The invoice is not of the type direct.",
    "Счёт не относится к типу direct.",
  ],
  invoice_expired: ["The invoice has expired.", "Срок действия счёта истёк."],
  invoice_paid: ["The invoice has already been paid.", "Счёт уже оплачен."],
  invoice_closed: ["The invoice is closed.", "Счёт закрыт."],
  method_unavailable: [
    "The payment method {service} is not available for this invoice.",
    "Способ оплаты {service} недоступен для этого счёта.",
  ],
  fee_reaches_amount: [
    "The commission of {service} would leave nothing of the invoice's amount.",
    "Комиссия {service} не оставила бы ничего от суммы счёта.",
  ],
  too_many_details: [
    "The invoice was given payment details too many times. Create a new one.",
    "Реквизиты для счёта запрашивались слишком много раз. Создайте новый счёт.",
  ],
  no_requisite: [
    "No payment details are free for this bank and amount. Try again later.",
    "Нет свободных реквизитов для этого банка и суммы. Попробуйте позже.",
  ],
  share_used_up: [
    "This shop, its owner or this payer holds too many payment details already. Try again later.",
    "Этот магазин, его владелец или этот плательщик уже занял слишком много реквизитов. Попробуйте позже.",
  ],
  invoice_not_paid: ["The invoice has not been paid.", "Счёт не оплачен."],
  refund_too_large: [
    "The refund must be at most {limit}, what was credited and not refunded.",
    "Возврат должен быть не больше {limit}: зачислено и ещё не возвращено.",
    "amount",
  ],
  refund_unproven: ["No statement shows this money yet.", "Этих денег ещё нет ни в одной выписке."],
  refund_reference_taken: [
    "The reference field belongs to another refund of this invoice with other content.",
    "Поле reference уже принадлежит другому возврату этого счёта с другим содержимым.",
    "reference",
  ],
  balance_too_small: ["The available balance is too small.", "Доступного баланса недостаточно."],
  transfer_reference_taken: [
    "The reference field belongs to another transfer, with another amount.",
    "Поле reference уже принадлежит другому переводу с другой суммой.",
    "reference",
  ],
  reference_holds_card: [
    "The reference field holds a card number; name the transfer by the bank's own reference.",
    "Поле reference содержит номер карты; укажите собственный номер перевода в банке.",
    "reference",
  ],
  reference_of_telling: [
    "The reference field must not begin with line:, sms: or push:, by which the gateway names what it reads itself.",
    "Поле reference не может начинаться с line:, sms: или push:: так сервис называет то, что читает сам.",
    "reference",
  ],
  made_at_ahead: [
    "The made at field lies in the future.",
    "Поле made at указывает на будущее.",
    "made_at",
  ],
  one_transfer_or_list: [
    "Send either one transfer or a list of items.",
    "Отправьте либо один перевод, либо список items.",
  ],
  transfer_settled: [
    "The transfer is not waiting in suspense.",
    "Перевод не находится в невыясненных.",
  ],
  transfer_approved_otherwise: [
    "{name} approved another payment for this transfer. Assign it to that one, or withdraw that approval first.",
    "{name} предлагает зачислить этот перевод на другой платёж. Зачислите на него или сначала отзовите подтверждение.",
  ],
  approval_own: [
    "You cannot approve your own request: another person has to.",
    "Нельзя подтвердить свой запрос: это должен сделать другой человек.",
  ],
  approval_repeated: [
    "You have approved this already: another person has to as well.",
    "Вы уже подтвердили это: нужен ещё один человек.",
  ],
  approval_same_person: [
    "Your token and the first one belong to one person, who made one of them with the other. Another person has to approve this.",
    "Ваш токен и первый принадлежат одному человеку: один создан другим. Подтвердить должен другой человек.",
  ],
  approval_none: ["There is no approval to withdraw.", "Отзывать нечего: подтверждений нет."],
  payout_return_differs: [
    "The transfer is not of the amount and currency that the payout sent.",
    "Сумма или валюта перевода не те, что были отправлены выводом.",
    "transfer_id",
  ],
  own_move_incomplete: [
    "An opening names a requisite_id, a deposit a transfer_id, and a withdrawal neither.",
    "Для opening укажите requisite_id, для deposit — transfer_id, для withdrawal — ни того, ни другого.",
  ],
  own_fees_only_withdrawn: [
    "Only a withdrawal is of the fees.",
    "Со счёта комиссий возможно только изъятие.",
    "account",
  ],
  own_amount_differs: [
    "The transfer is of another amount: {amount}.",
    "Сумма перевода другая: {amount}.",
    "amount",
  ],
  own_balance_too_small: [
    "The {account} account holds {limit}.",
    "На счёте {account} есть {limit}.",
    "amount",
  ],
  own_opening_too_small: [
    "Of the openings of this requisite, {limit} can go back.",
    "Из начальных остатков этого реквизита можно отменить {limit}.",
    "amount",
  ],
  own_reference_taken: [
    "The reference field belongs to another move of this kind with other content.",
    "Поле reference уже принадлежит другому движению этого вида с другим содержимым.",
    "reference",
  ],
  transfer_too_small: [
    "The transfer does not cover the commission.",
    "Перевод не покрывает комиссию.",
  ],
  transfer_other_currency: [
    "The transfer is in {transfer}, the payment in {payment}: return it.",
    "Перевод в {transfer}, а платёж в {payment}: верните перевод.",
  ],
  payment_not_payable: [
    "The payment or its invoice can no longer be paid.",
    "Платёж или его счёт больше не может быть оплачен.",
  ],
  clock_too_far: [
    "The sandbox's clock does not go beyond the year 9000.",
    "Часы песочницы не идут дальше 9000 года.",
  ],
  wallet_or_invoice: [
    "Name either a wallet and an amount, or an invoice id and an ending.",
    "Укажите либо wallet и amount, либо invoice id и ending.",
  ],
  too_many_messages: [
    "A list holds 200 messages at most.",
    "В списке не больше 200 сообщений.",
    "messages",
  ],
  wallet_unknown: [
    "The wallet field is no card or phone of a requisite.",
    "Поле wallet не является картой или телефоном реквизита.",
    "wallet",
  ],
  period_too_long: [
    "The period must end after it begins and be at most {days} days.",
    "Период должен кончаться позже, чем начинается, и быть не длиннее {days} дней.",
  ],
  event_body_removed: [
    "The event was delivered long ago, and its body was removed since: nothing can be sent.",
    "Событие доставлено давно, и его тело с тех пор удалено: отправить нечего.",
  ],
  event_cannot_be_sent: ["The event waits for its delivery already.", "Событие уже ждёт доставки."],
  event_without_address: [
    "There is no address to send the event to: set one, or read the feed of events.",
    "Событие некуда отправить: укажите адрес или читайте ленту событий.",
  ],
} as const satisfies Record<string, Words>;

const REFUSALS = {
  ...UNKNOWN,
  ...FORBIDDEN,
  ...NOT_FOUND,
  ...IMPOSSIBLE,
  ...SETTINGS_WORDS,
  ...PAYOUT_WORDS,
  ...PERSON_WORDS,
  ...STATEMENT_WORDS,
} satisfies Record<string, Words>;

export type RefusalCode = keyof typeof REFUSALS;

function statusOf(code: RefusalCode): number {
  if (code in UNKNOWN) return 401;
  if (code in FORBIDDEN) return 403;
  if (code === "changed_meanwhile") return 409;
  return code in NOT_FOUND ? 404 : 422;
}

export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly status: number;
  readonly params: Readonly<Record<string, string>>;
  /** What it is about, as it was sent. */
  readonly fields: readonly string[];

  constructor(code: RefusalCode, params: Readonly<Record<string, string>> = {}, field?: string) {
    super(code);
    this.code = code;
    this.status = statusOf(code);
    this.params = params;
    const [, , own = field]: Words = REFUSALS[code];
    this.fields = own === undefined ? [] : [own];
  }

  words(language: "en" | "ru"): string {
    const [en, ru] = REFUSALS[this.code];
    const text = language === "ru" ? ru : en;
    return text.replace(/\{(\w+)\}/g, (_, name: string) => this.params[name] ?? "");
  }
}

/** Of a refusal that only its code is known of: undefined where its words need more, or it is none of these. */
export function wordsOfCode(code: string, language: "en" | "ru"): string | undefined {
  if (!Object.hasOwn(REFUSALS, code)) return undefined;
  const words = new Refusal(code as RefusalCode).words(language);
  return REFUSALS[code as RefusalCode][0].includes("{") ? undefined : words;
}
