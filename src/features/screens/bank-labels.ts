// What the fields are called that tell of banks: statements and their lines, phones and their messages,
// payouts and who sends them. Part of the table in labels.ts.

/** field | English | Russian */
export const BANK_LABELS = `
adapter|App|Приложение
added|New banks|Новых банков
amount_in|Came|Приход
amount_out|Left|Расход
applied_at|Applied|Применён
approval_id|Approval|Подтверждение
approval_reason|Why, by the first|Почему, по первому
approvals|Approvals|Подтверждения
approvals_needed|Approvals needed|Нужно одобрений
by_name|By|Кто
needed|Needed|Нужно
needs_two|Needs two approvals|Нужны два подтверждения
subject_id|Subject|Предмет
subject_type|Subject|Предмет
approved_at|First approved|Первое подтверждение
approved_by|First approved by|Первым подтвердил
approved_by_name|First approved by|Первым подтвердил
attempts_removed|Attempts removed|Попыток удалено
bank_balance|By the bank|По банку
bank_out|Left, not shown yet|Ушло, нет в выписке
bank_reference|Bank's reference|Номер операции в банке
banks|Banks|Банки
batch_id|File|Файл
booked|Booked|Проведено
books_balance|By the books|По учёту
charge|Bank's fees|Комиссии банка
claimed_at|Taken|Взят в работу
conflicts|Conflicts|Противоречий
content|File|Файл
date|Date|Дата
date_form|Date format|Вид даты
day_count|Payouts a day|Выводов в день
decision|Decision|Решение
delimiter|Delimiter|Разделитель
destination_day_count|To one receiver a day|Одному получателю в день
destination_day_sum|Sum to one receiver a day|Сумма одному получателю в день
difference|Difference|Разница
difference_amount|Difference|Расхождение
digest|Digest|Отпечаток
direction|Direction|Направление
dispatched_at|Handed over|Передан
done_lines|Lines done|Строк готово
duplicate|Known before|Уже известно
dry_run|Only try|Только проверить
endings|Other digits|Другие цифры
evidence|Evidence|Подтверждения
excluded|Excluded|Исключено
fate|Became|Стало
filename|File|Файл
format|Format|Формат
four_eyes_over|Two people over|Двое свыше
held_reason|Why it is held|Почему задержан
hold_day_sum|Hold over, a day|Задержать свыше в день
hold_first|Hold the first|Задержать первый
hold_over|Hold over|Задержать свыше
hold_seconds|Hold for, s|Ждать, с
ids|By id|По номеру
import_id|Statement|Выписка
internal|Between own accounts|Между своими счетами
joined|Known before|Уже известно
judged_by|Judged by|По какому времени
known|Known|Известно
known_lines|Known lines|Известных строк
last4|Last digits|Последние цифры
last_beat_at|Last heartbeat|Последний сигнал
last_heard_at|Last heard|Последняя связь
lease_until|Answer until|Ответить до
line_id|Line|Строка
line_ids|Lines|Строки
lines|Lines|Строки
made_at|Sent|Отправлено
matched|Matched|Совпало
message_id|Message|Сообщение
missing|Missing lines|Пропавших строк
missing_in|Missing in|Нет в файле
movement_id|Movement|Движение
needs_proof|Needs proof|Нужно подтверждение
needs_statement|Needs a statement|Нужна выписка
new|New money|Новые деньги
origin|Asked by|Откуда
outcome|Outcome|Исход
outflow|Money that left|Списания
own_move_id|Own move|Своё движение
party|Other side|Другая сторона
party_account|Other side's account|Счёт другой стороны
party_inn|Other side's INN|ИНН другой стороны
party_name|Other side|Другая сторона
paused|Paused|На паузе
payout|Payout|Вывод
payout_id|Payout|Вывод
payouts|Payouts|Выводы
pending|Not booked yet|Ещё не проведено
pending_lines|Not booked|Не проведено
profile|Columns|Столбцы
purpose|Purpose|Назначение
rail|Rail|Канал
rail_id|Rail's number|Номер канала
receive|To arrive|Придёт
removed|Banks gone|Банков убрано
renamed|Banks renamed|Банков переименовано
repeatable_seconds|Repeatable, s|Можно повторить, с
not_for_bank|Not for the bank|Не для банка
resting_since|Resting since|Отдыхает с
retry|Try again|Повторить
row|Row|Строка
rows|Rows|Строк
sender|Sender|Отправитель
senders|Senders|Отправители
settled|Settled|Закрыто
sha256|SHA-256|SHA-256
silent_since|Silent since|Молчит с
source|Source|Источник
source_id|Source|Источник
teller|Told by|Кто сообщил
told_at|Told|Сообщено
unexplained|Unexplained|Необъяснённых
unexplained_amount|Unexplained|Не объяснено
unread|Unread|Не прочитано
untried_lines|Not tried|Не проверено
counts|Counts|Учитывается
waiting|Waiting|Ждут
withdrawn_at|Withdrawn|Отозвано
withdrawn_by|Withdrawn by|Кто отозвал
withdrawn_by_name|Withdrawn by|Кто отозвал
withdrawn_reason|Why withdrawn|Почему отозвано
wallet_to|Card or phone|Карта или телефон
withdraw|Leaves the balance|Спишется
`;
