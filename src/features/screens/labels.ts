// What fields of the wire are called on a screen, in both languages: short, as a column's head is.
// Its test guards that every field of an endpoint is here.

/** field | English | Russian */
export const LABELS = `
about|About|О чём
account|Account|Счёт
account_changed|Another account|Другой счёт
by_hand|To send by hand|Отправить вручную
card_changed|Another card|Другая карта
phone_changed|Another phone|Другой телефон
account_id|Account|Счёт
act|Act|Действие
action|Action|Действие
after|After|После
amount|Amount|Сумма
api_key|API key|Ключ API
at|When|Когда
attempt|Attempt|Попытка
attempts|Attempts|Попыток
audit_id|Entry|Запись
author|By|Кто
author_id|Asked by|Кто запросил
available|Available|Доступно
balance|Balance|Остаток
bank|Bank|Банк
bank_id|Bank|Банк
bank_name|Bank|Банк
before|Before|Было
body|Body|Тело
card|Card|Карта
channel|Heard from|Откуда известно
clear|Clear|Очистить
code|Code|Код
color|Colour|Цвет
comment|Comment|Комментарий
count|Count|Количество
invoices|Invoices|Счета
events|Events|События
as_of|As of|На момент
created|Created|Создано
paid|Paid|Оплачено
converted|Paid of those|Из них оплачено
expired|Expired|Истекло
paid_in_time|Paid in time|Оплачено вовремя
total|Total|Итого
method|Method|Способ оплаты
created_at|Created|Создано
created_by|Created by|Кто создал
credited|Credited|Зачислено
currencies|Currencies|Валюты
currency|Currency|Валюта
data|Data|Данные
day|Day|День
day_payments|Payments today|Платежей за день
day_sum|Sum of the day|Сумма за день
deliveries|Deliveries|Доставки
detail|Detail|Подробности
dialect|Requests|Вид запросов
duration_ms|Took, ms|Длилось, мс
enabled|On|Включено
ends_at|Ends|Истекает
error|Error|Ошибка
event|Event|Событие
event_id|Event|Событие
expire|Minutes to pay|Минут на оплату
expires_at|Expires|Истекает
expires_in_days|Valid, days|Срок, дней
fail_url|After a failure|После неудачи
fee|Fee|Комиссия
fees|Fees|Комиссии
fix|Fixed fee|Фикс. комиссия
freeze_seconds|Freeze, s|Заморозка, с
fresh|New|Новое
from|From|С
frozen|Frozen|Заморожено
h2h_enabled|Host-to-host|Host-to-host
had_address|Had an address|Адрес был
held_from|Held from|Занято с
held_until|Held until|Занято до
hook_url|Webhook address|Адрес вебхука
id|ID|ID
include_service|Methods|Способы
invoice|Invoice|Счёт на оплату
invoice_id|Invoice|Счёт на оплату
issued_at|Details issued|Реквизиты выданы
items|Rows|Строки
key|Key|Ключ
key_id|Key|Ключ
kind|Kind|Вид
label|Name|Название
last_used_at|Last used|Выдавался
late|Late|С опозданием
late_policy|Late money|Опоздавшие деньги
limit|Rows|Строк
live_payments|Live payments|Идёт платежей
logo_url|Logo|Логотип
max_day_payments|Payments a day, at most|Платежей в день, не более
max_day_sum|Sum a day, at most|Сумма в день, не более
max_live_payments|Live payments, at most|Идёт платежей, не более
max_sum|At most|Не более
min_sum|At least|Не менее
name|Name|Имя
nearest_off|What is off|Что не сходится
nearest_payment_id|Nearest payment|Ближайший платёж
next|Next|Дальше
next_attempt_at|Next attempt|Следующая попытка
nudge_max_kopecks|Nudge, kopecks|Сдвиг, копеек
number|Number|Номер
off|What is off|Что не сходится
old_until|Old keys until|Старые ключи до
operator|Operator|Оператор
operator_id|Operator|Оператор
operator_name|Operator|Оператор
order_id|Order|Заказ
overlap_hours|Old keys for, h|Старые ключи, ч
paid_at|Paid|Оплачено
parts|Parts|Части
payer|Payer|Плательщик
payer_said_amount|Payer says: amount|Плательщик: сумма
payer_said_bank|Payer says: bank|Плательщик: банк
payer_said_paid_at|Payer says: paid|Плательщик: оплачено
payer_said_when|Payer says: when|Плательщик: когда
payer_word|Payer's word|Слова плательщика
payment_id|Payment|Платёж
payments|Payments|Платежи
percent|Fee, %|Комиссия, %
phone|Phone|Телефон
posting_id|Posting|Проводка
postings|Postings|Проводки
reason|Reason|Причина
reasons|Reasons|Причины
received|Received|Получено
received_at|Received|Получено
receiver_name|Receiver|Получатель
reference|Reference|Номер операции
refund_id|Refund|Возврат
refunded|Refunded|Возвращено
refunds|Refunds|Возвраты
refunds_fee|Fee goes back|Комиссия возвращается
requisite_id|Requisite|Реквизит
requisite_ids|Requisites|Реквизиты
requisites|Requisites|Реквизиты
reserved|Reserved|В резерве
revoked_at|Revoked|Отозвано
role|Role|Роль
said_at|Payer said so|Плательщик сообщил
secret|Secret|Секрет
sent_when|When, by the payer|Когда, со слов
sequence|No.|№
service|Method|Способ
services|Methods|Способы
settled_at|Settled|Решено
settled_by|Settled by|Кто решил
settled_reason|Why|Почему
shop|Shop|Магазин
shop_id|Shop|Магазин
shop_percent|Shop's fee, %|С магазина, %
slot|Matched by|Совпало по
started_at|Started|Начато
state|State|Состояние
status|Status|Статус
status_check|Status check|Проверка статуса
subject|Subject|Предмет
subtract|Fee is taken|Комиссия берётся
success_url|After a success|После успеха
sum|Sum|Сумма
support|Support|Поддержка
suspense|In suspense|Невыясненные
suspense_reason|Why it waits|Почему ждёт
text|Text|Текст
time_zone|Time zone|Часовой пояс
timeline|Timeline|Ход событий
title|Title|Заголовок
to|To|По
to_approve|Wait for a second approval|Ждут второго подтверждения
to_pay|To pay|К оплате
token|Token|Токен
token_id|Token|Токен
transfer_id|Transfer|Перевод
transfers|Transfers|Переводы
type|Type|Тип
url|Address|Адрес
user|Merchant|Мерчант
user_id|Merchant|Мерчант
user_percent|Payer's fee, %|С плательщика, %
wallet|Card or phone|Карта или телефон
webhook_key|Webhook key|Ключ вебхуков
webhook_secret|Webhook secret|Секрет вебхуков
what|What|Что
why|Why|Почему
archive_failed_at|Archiving failed|Ошибка архивации
archived_at|Archived|В архиве
asked|Asked|Спрошено
asked_at|Asked for|Запрошена
books|Books|Учёт
by|By|Как
bytes|Bytes|Байт
capped|More than counted|Больше, чем сосчитано
check_id|Check|Проверка
checked_at|Checked|Проверено
checks|Checks|Проверки
clock_ahead_seconds|Clock ahead, s|Часы спешат, с
database|Database|База
desk_role|Role at the desk|Роль в шлюзе
details|Details|Подробности
disabled|Disabled|Отключён
disabled_at|Disabled|Отключён
email|E-mail|Эл. почта
ended|Ended|Закончено
ended_at|Ended|Закончено
ended_by|Ended by|Кто закончил
engine|Engine|Движок
first_id|The oldest|Самое старое
free_at|Free|Свободна
invariants|What must hold|Что должно выполняться
jobs|Jobs|Задачи
language|Language|Язык
last_good_seconds|Last good run, s ago|Последний раз, с назад
link|Link|Ссылка
mode|Mode|Режим
now|Now|Сейчас
of_shops|Of shops|Магазинов
oldest_at|Oldest|Самое старое
payer_fee|Paid by payers|С плательщиков
payment_state|Payment|Платёж
person|Person|Человек
person_id|Person|Человек
phase|Phase|Стадия
refused|Refused|Не прошло бы
resets|Old ways in go|Старые входы пропадут
settings|Settings|Настройки
tried_fee|Fees then|Комиссии стали бы
tried_payer_fee|Payers would pay|С плательщиков стало бы
value|Value|Значение
version|Version|Версия
violations|Violations|Нарушений
words|Words|Слова
failed|Failed|Не удалось
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
dry_run|Only try|Только проверить
endings|Other digits|Другие цифры
evidence|Evidence|Подтверждения
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
needs_proof|Needs proof|Нужно подтверждение
needs_statement|Needs a statement|Нужна выписка
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
duplicate|Known before|Уже известно
excluded|Excluded|Исключено
movement_id|Movement|Движение
new|New money|Новые деньги
`;
