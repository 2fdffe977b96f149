// Why a payout is refused, in two languages: a part of the table in refusal.ts.

export const PAYOUT_WORDS = {
  payout_order_taken: [
    "The order id field belongs to another payout with other content.",
    "Поле order id уже принадлежит другому выводу с другим содержимым.",
    "order_id",
  ],
  payout_id_required: [
    "The id field is required when there is no order id.",
    "Поле id обязательно, если нет order id.",
    "id",
  ],
  wallet_invalid: ["The wallet is invalid.", "Недействительный кошелёк.", "wallet_to"],
  payout_bank_required: [
    "The payoff data.sbp bank type field must be a bank of the directory.",
    "Поле payoff data.sbp bank type должно быть банком из справочника.",
    "payoff_data.sbp_bank_type",
  ],
  payout_unavailable: [
    "Payouts by {service} are not available.",
    "Выводы через {service} недоступны.",
    "service",
  ],
  payout_fee_reaches_amount: [
    "The commission would leave nothing of the amount.",
    "Комиссия не оставила бы ничего от суммы.",
    "amount",
  ],
  payout_day_limit: [
    "The day's limit of payouts is used up.",
    "Дневной лимит выводов исчерпан.",
    "amount",
  ],
  payout_destination_limit: [
    "The day's limit of payouts to this wallet is used up.",
    "Дневной лимит выводов на этот кошелёк исчерпан.",
    "wallet_to",
  ],
  payout_cannot_move: [
    "The payout is {state}: this is no longer, or not yet, possible.",
    "Вывод в состоянии {state}: это уже или ещё невозможно.",
  ],
  rail_exists: [
    "The code field belongs to another rail.",
    "Поле code уже принадлежит другому каналу выводов.",
    "code",
  ],
  rail_is_no_program: [
    "The rail is no program: it has no address and no secret.",
    "Этот канал выводов не программа: у него нет ни адреса, ни секрета.",
    "code",
  ],
  rail_not_paused: [
    "The rail has to be paused first.",
    "Сначала приостановите этот канал выводов.",
    "code",
  ],
  rail_reason_required: [
    "The reason field is required when the state is not_sent.",
    "Поле reason обязательно, если state равен not_sent.",
    "reason",
  ],
} as const satisfies Record<string, readonly [en: string, ru: string, field?: string]>;
