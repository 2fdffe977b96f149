// Refusals about payouts and rails, in both languages.

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
    "The payoff data.sbp bank type field is required for sbp, and must be a bank of the directory.",
    "Поле payoff data.sbp bank type обязательно для sbp и должно быть банком из справочника.",
    "payoff_data.sbp_bank_type",
  ],
  payout_bank_id_required: [
    "The bank id field is required for sbp, and must be a bank of the directory.",
    "Поле bank id обязательно для sbp и должно быть банком из справочника.",
    "bank_id",
  ],
  payout_unavailable: [
    "Payouts by {service} in {currency} are not available.",
    "Выводы через {service} в {currency} недоступны.",
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
    "Состояние вывода — «{state}»: это уже или ещё невозможно.",
  ],
  payout_never_approved: [
    "Too few have approved this payout for it to have left. If money has left all the same, have it asked for and approved anew.",
    "Вывод одобрили не все, кто должен: уйти он не мог. Если деньги всё же ушли, запросите и одобрите его заново.",
  ],
  payout_never_sent: [
    "Nobody has ever had this payout to send, nor seen its whole number: it cannot have left.",
    "Этот вывод никто не брал в отправку и не видел номера целиком: уйти он не мог.",
  ],
  payout_taken: [
    "Somebody else has this payout in their hands.",
    "Этот вывод уже взял кто-то другой.",
  ],
  payout_needs_two: [
    "Nobody knows any more whether it has left: two have to say that it has not, each by resolve.",
    "Больше не известно, ушли ли деньги: что не ушли, должны сказать двое, каждый через resolve.",
  ],
  payout_left_before: [
    "An earlier attempt is said to have left after all: do not send it again. If you have not sent it, say so by not-sent.",
    "Сказано, что более ранняя попытка всё же ушла: не отправляйте ещё раз. Если вы не отправляли, скажите это через not-sent.",
  ],
  payout_shown: [
    "A statement shows this payout to have left: its money is not given back, unless an operator says that the line is something else.",
    "По выписке этот вывод ушёл: деньги не возвращаются, пока оператор не скажет, что строка о другом.",
  ],
  payout_reference_required: [
    "The bank reference field is required: what says that money has left needs a proof.",
    "Поле bank reference обязательно: то, что деньги ушли, нужно доказать.",
    "bank_reference",
  ],
  payout_reference_taken: [
    "The bank reference field proves another payout already.",
    "Поле bank reference уже подтверждает другой вывод.",
    "bank_reference",
  ],
  payout_reference_holds_card: [
    "The bank reference field holds a card number; give the bank's own name for the money.",
    "Поле bank reference содержит номер карты; укажите, как эти деньги называет банк.",
    "bank_reference",
  ],
  rail_paused: ["The rail {rail} is paused.", "Канал {rail} приостановлен."],
  payout_batch_empty: [
    "No payout stands in line for such a file.",
    "Нет выводов, которые ждут такого файла.",
  ],
  payout_batch_account_required: [
    "The account field is required for 1c: such a file names the payer's account, 20 digits.",
    "Поле account обязательно для 1c: в таком файле назван счёт плательщика, 20 цифр.",
    "account",
  ],
  payout_batch_over: [
    "{count} payouts of this file are no longer sent by it, or may have left: {documents}. Do not bring it to the bank: what it has sent, or another way has, would be paid twice. To look at it all the same, say not_for_bank.",
    "Выводов этого файла, которые им больше не отправляются или могли уже уйти: {count}. {documents}. Не отдавайте его в банк: ушедшее было бы выплачено дважды. Чтобы всё же посмотреть файл, укажите not_for_bank.",
  ],
  payout_batch_mixed: [
    "The payouts of a file have one currency, and a service that the rail takes.",
    "У выводов одного файла одна валюта и сервис, который принимает канал.",
    "payouts",
  ],
  result_unknown: [
    "Row {row} of the file: no payout of this batch has the number {value}",
    "Строка {row} файла: в файле для банка нет вывода с номером {value}",
  ],
  result_twice: [
    "Row {row} of the file says something a second time: {value}",
    "Строка {row} файла говорит о том же второй раз: {value}",
  ],
  result_state: [
    "Row {row} of the file: the state must be sent, not_sent or retry, not {value}",
    "Строка {row} файла: состояние должно быть sent, not_sent или retry, а не {value}",
  ],
  result_unproven: [
    "Row {row} of the file: sent needs a reference that is no other payout's, and the others a reason. {value}",
    "Строка {row} файла: для sent нужен reference, не занятый другим выводом, для остальных — reason. {value}",
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
  rail_has_open_attempts: [
    "The rail has payouts that have not ended: another program would be told of them again. Add another rail, and pause this one.",
    "У канала есть незавершённые выводы: другая программа узнала бы о них ещё раз. Добавьте другой канал, а этот приостановите.",
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
