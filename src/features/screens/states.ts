// The words of the wire for a state, a kind, a reason or an act of the audit log, in both languages.

/** good ●, waits for somebody ◐, wrong ✕, under way ◌, over ○. */
export type Standing = "good" | "wait" | "bad" | "live" | "over";

/** standing | state | English | Russian */
export const STATES = `
live|created|Created|Создан
wait|pending|Waiting for money|Ждёт оплаты
good|paid|Paid|Оплачен
over|expired|Expired|Истёк
bad|failed|Failed|Не удался
over|refunded|Refunded|Возвращён
live|live|Live|Идёт
over|lapsed|Lapsed|Время вышло
good|matched|Matched|Зачислен
wait|suspense|In suspense|Не выяснен
over|returned|Returned|Возвращён
good|cleared|Cleared|Выяснен
wait|open|Waits for a second approval|Ждёт второго подтверждения
good|equal|Equal|Сходится
good|explained|Explained|Объяснено
bad|unexplained|Unexplained|Не объяснено
wait|held|Held|Задержан
live|queued|In line|В очереди
live|sending|Being sent|Отправляется
wait|unknown|Outcome unknown|Исход неизвестен
good|done|Done|Выполнен
over|canceled|Canceled|Отменён
live|claimed|Taken|Взят в работу
live|dispatched|Handed over|Передан
good|accepted|Accepted|Принят
good|sent|Sent|Отправлен
over|not_sent|Not sent|Не отправлен
wait|waiting|Waiting|Ждёт
good|delivered|Delivered|Доставлено
bad|exhausted|Given up|Не доставлено
over|no_address|No address|Нет адреса
good|new|New money|Новые деньги
over|excluded|Excluded|Исключено
bad|missing|Gone from the file|Нет в новом файле
over|ignored|Excluded|Исключено
over|noted|Noted|Отмечено
over|duplicate|Repeated|Повтор
bad|broken|Broken|Остаток не сходится
wait|unclear|Unclear|Неясно
good|on|On|Включён
over|off|Off|Выключен
over|revoked|Revoked|Отозван
over|ended|Ended|Закончился
good|active|Active|Действует
wait|silent|Silent|Молчит
wait|resting|Resting|Отдыхает
wait|paused|Paused|На паузе
wait|invited|Invited|Приглашён
bad|late|Late|С опозданием
bad|dead|Dead|Не принимает
`;

/** code | English | Russian */
export const CODES = `
operator|Operator|Оператор
cashier|Cashier|Кассир
viewer|Viewer|Наблюдатель
bank|Bank account|Счёт в банке
owner|Owner|Владелец
developer|Developer|Разработчик
accountant|Accountant|Бухгалтер
support|Support|Поддержка
credit|Credit it|Зачислять
hold|Hold it|Задерживать
strict|To the letter|Строго по описанию
family|As existing clients|Как у прежних клиентов
success_url|After a success|После успеха
fail_url|After a failure|После неудачи
hook_url|Webhook address|Адрес вебхука
title|Title|Заголовок
logo_url|Logo|Логотип
color|Colour|Цвет
sber|Sberbank|Сбербанк
tinkoff|T-Bank|Т-Банк
vtb|VTB|ВТБ
alfa|Alfa-Bank|Альфа-Банк
akbars|Ak Bars|Ак Барс
ozon|Ozon Bank|Озон Банк
bspb|Bank Saint Petersburg|Банк Санкт-Петербург
mts|MTS Bank|МТС Банк
rosbank|Rosbank|Росбанк
translit|In Latin letters|Латиницей
direct|Host-to-host|Host-to-host
link|Payment page|Страница оплаты
made_at|When it was sent|Время отправки
received_at|When it was told|Время сообщения
nobody_expected|Nobody expected it|Никто не ждал
several_expected|Several expected it|Ждали несколько
paid_already|Paid already|Уже оплачен
invoice_closed|Invoice was canceled|Счёт отменён
late_held|Late, held by policy|Опоздал, задержан
contested|Late and contested|Опоздал, есть спор
other_currency|Other currency|Другая валюта
below_commission|Below the fee|Меньше комиссии
balance_break|Balance does not follow|Остаток не сходится
maybe_known|Perhaps known|Возможно, уже есть
payout_return|A payout came back|Вернулся вывод
told_by_hand|Told by a person alone|Сообщил только человек
sms|SMS|СМС
push|Push|Пуш
line|Statement|Выписка
hand|By hand|Вручную
api|API|API
nothing|Nothing|Ничего
other_card|Other card|Другая карта
amount|Amount|Сумма
not_issued|Not issued|Не выдавался
,|Comma|Запятая
;|Semicolon|Точка с запятой
tab|Tab|Табуляция
dd.mm.yyyy|31.12.2026|31.12.2026
dd.mm.yy|31.12.26|31.12.26
yyyy-mm-dd|2026-12-31|2026-12-31
outflow|Money that left|Списание
charge|Bank's fee|Комиссия банка
internal|Between own accounts|Между своими счетами
own|Own money|Свои деньги
in|In|Приход
out|Out|Расход
changed|A line changed|Строка изменилась
reversal|A return or reversal|Возврат или отмена
ahead|Of a day to come|Из будущего дня
account|Its account is not named|Счёт не назван
payout|Payout|Вывод
book|Book it|Провести
assign|Assign|Зачислить на платёж
statement_line|Statement line|Строка выписки
exclude|Exclude|Не учитывать
reopen|Reopen|Вернуть на решение
reopened|Reopened|Возвращена на решение
kopeck|Kopeck|Kopeck
p2p-processing|p2p.processing|p2p.processing
ownpay|OwnPay|OwnPay
device|Device|Устройство
sms-gateway|SMS Gateway|SMS Gateway
income-sms-webhook|Income SMS Webhook|Income SMS Webhook
sms-forwarder|SMS Forwarder|SMS Forwarder
income|Income|Приход
blocked|Blocked|Заблокировано
code|Code|Код
opening|Opening|Начальный остаток
opening_back|Opening taken back|Отмена нач. остатка
deposit|Put in|Внесено
withdrawal|Taken out|Изъято
available|Available|Доступно
frozen|Frozen|Заморожено
reserved|Reserved|В резерве
bank_out|On its way out|Исходящие в пути
fees|Fees|Комиссии
card|Card|Карта
sbp|SBP|СБП
p2p_card|Card|Карта
p2p_sbp|SBP|СБП
balance|From the balance|С баланса
1|From the balance|С баланса
2|From the amount|Из суммы
payoff|Payout request|Запрос вывода
approve|Approve|Одобрить
csv|CSV|CSV
1c|1C|1С
mt940|MT940|MT940
camt|camt.053|camt.053
by_hand|Asked for by hand|Запрошен вручную
large|Large|Крупный
first|First to this receiver|Первый этому получателю
day|Much for a day|Много за день
repeat|Looks repeated|Похож на повтор
payout_reserved|Set aside|Зарезервировано
payout_done|Left|Ушло
payout_released|Given back|Возвращено на баланс
payout_returned|Came back|Вернулось
payout_recovered|Had left after all|Всё же ушло
transfer_matched|Paid|Оплата
suspense_assigned|Paid, settled by hand|Оплата, разобрана вручную
freeze_over|Released|Разморожено
transfer_suspense|Waits in suspense|Ждёт разбора
suspense_returned|Returned|Возвращён
suspense_cleared|Known from before|Известны раньше
suspense_owned|The operator's own|Свои деньги
outflow_seen|Left the account|Ушло со счёта
bank_charge|The bank's fee|Комиссия банка
internal_seen|Between own accounts|Между своими счетами
own_seen|Own money, seen|Свои деньги, по выписке
line_corrected|Line corrected|Строка исправлена
own_opening|Was there before|Было до учёта
own_opening_back|No longer taken as before|Больше не считается бывшим до учёта
own_withdrawn|Own money taken|Изъятие своих денег
fees_withdrawn|Fees taken|Изъятие комиссий
success|Paid|Оплачен
fail|Failed|Не удался
error|Failed|Не удался
kopecks|Kopecks|Копейки
true|Yes|Да
false|No|Нет
transfers_to_approve|Assignments to approve|Зачисления ждут второго подтверждения
payouts_to_approve|Payouts to approve|Выводы ждут одобрения
payouts_to_take|Payouts to send by hand|Выводы отправить вручную
payouts_unknown|Payouts of unknown outcome|Выводы с неизвестным исходом
payouts_to_return|Returns to approve|Возвраты выводов ждут подтверждения
events_exhausted|Webhooks given up|Вебхуки не доставлены
imports_failing|Statements that fail|Выписки не применяются
lines_to_decide|Lines to decide|Строки ждут решения
lines_to_approve|Lines to approve|Строки ждут второго подтверждения
transfers_unproven|Not in a statement yet|Нет в выписке
requisites_at_limit|Requisites at their limit|Реквизиты исчерпали лимит
requisites_renumbered|Requisites with another number|Реквизиты с новым номером
requisites_off_with_live|Off, with payments under way|Выключены, но платежи идут
requisites_resting|Requisites that rest|Реквизиты отдыхают
requisites_dead|Requisites nobody can pay|Реквизиты не принимают
sources_silent|Phones that are silent|Телефоны молчат
rows_failing|Rows that fail|Строки с ошибкой
books_wrong|Violations in the books|Нарушения в учёте
invoices|Invoices|Счета
payouts|Payouts|Выводы
invoice|Invoice|Счёт
payment|Payment|Платёж
transfer|Transfer|Перевод
refund|Refund|Возврат
event|Event|Событие
user|Merchant|Мерчант
shop|Shop|Магазин
requisite|Requisite|Реквизит
key|Key|Ключ
import|Statement|Выписка
source|Phone|Телефон
message|Message|Сообщение
payout_batch|File of payouts|Файл выводов
own_move|Own money|Свои деньги
audit|Log|Журнал
sandbox|Sandbox|Песочница
desk|By hand|Вручную
file|By a file|Файлом
http|Program|Программа
postgres|PostgreSQL|PostgreSQL
embedded|Embedded|Встроенный
en|English|English
ru|Russian|Русский
none|None|Нет
hour|Hour|Час
method|Method|Способ
service|Method|Способ
quarantine|Quarantine|Карантин
books.check|Check of the books asked for|Запрошена проверка учёта
invoice.cancel|Invoice canceled|Счёт отменён
event.send|Webhook sent again|Вебхук отправлен ещё раз
event.test|Test event sent|Отправлено проверочное событие
import.add|Statement added|Загружена выписка
import.drop|Statement dropped|Выписка отброшена
invoice.create|Payment link made|Создана ссылка на оплату
key.create|Key made|Создан ключ
key.revoke|Key revoked|Отозван ключ
key.rotate|Key replaced|Заменён ключ
line.approve|Booking of a line approved|Проведение строки подтверждено
line.decide|Line decided|Решена строка выписки
member.invite|Person invited|Приглашён человек
member.link|Link to come back made|Создана ссылка для восстановления доступа
member.update|Person's role changed|Изменена роль
operator.create|Token of an operator made|Создан токен оператора
operator.revoke|Token of an operator revoked|Отозван токен оператора
own_move.create|Own money moved|Движение своих денег
payout.approve|Payout approved|Вывод одобрен
payout.cancel|Payout canceled|Вывод отменён
payout.create|Payout asked for|Запрошен вывод
payout.not_sent|Payout not sent|Вывод не отправлен
payout.recover|Payout had left after all|Вывод всё же ушёл
payout.refuse|Payout refused|Вывод отклонён
payout.resolve|Outcome of a payout said|Указан исход вывода
payout.return|Payout came back|Вывод вернулся
payout.sent|Payout sent|Вывод отправлен
payout.take|Payout taken to be sent|Вывод взят в работу
payout_batch.create|File of payouts made|Создан файл выводов
payout_batch.reveal|File of payouts shown|Показан файл выводов
payout_batch.settle|File of payouts settled|Закрыт файл выводов
payout_tariff.remove|Payout tariff removed|Убран тариф вывода
payout_tariff.set|Payout tariff set|Задан тариф вывода
person.join|Invitation accepted|Принято приглашение
person.set_password|Password set|Задан пароль
person.remove_passkey|Passkey removed|Убран ключ доступа
person.new_codes|Recovery codes made anew|Новые коды восстановления
person.add_passkey|Passkey added|Добавлен ключ доступа
person.end_sessions|Sessions ended|Сеансы завершены
person.invite|Person invited|Приглашён человек
person.link|Link to come in made|Создана ссылка для входа
person.prove|Proved anew|Вход подтверждён
person.sign_in|Signed in|Вход
person.update|Person changed|Изменён человек
rail.add|Rail added|Добавлен канал
rail.rotate_secret|Secret of a rail made anew|Новый секрет канала
rail.update|Rail changed|Изменён канал
refund.create|Refund|Возврат
requisite.add|Requisite added|Добавлен реквизит
requisite.block|Requisite withdrawn|Реквизит снят
requisite.reveal|Whole numbers shown|Показаны номера целиком
requisite.update|Requisite changed|Изменён реквизит
sbp_banks.replace|List of banks replaced|Заменён список банков
secret.rotate|Secret key of the gateway replaced|Заменён секретный ключ
service.update|Method changed|Изменён способ оплаты
shop.create|Shop created|Создан магазин
shop.rotate_webhook_keys|Webhook keys of a shop made anew|Новые ключи вебхуков магазина
shop.update|Shop changed|Изменён магазин
source.add|Phone added|Добавлен телефон
source.revoke|Phone revoked|Отозван телефон
source.update|Phone changed|Изменён телефон
tariff.remove|Tariff removed|Убран тариф
tariff.set|Tariff set|Задан тариф
token.create|Token made|Создан токен
token.revoke|Token revoked|Отозван токен
transfer.add|Transfer added by hand|Внесён перевод
transfer.approve|Assignment approved|Зачисление подтверждено
transfer.assign|Transfer assigned|Перевод отнесён
transfer.return|Transfer returned|Перевод возвращён
transfer.withdraw|Approval withdrawn|Подтверждение отозвано
user.create|Merchant created|Создан мерчант
user.look|Cabinet looked at by an operator|Кабинет смотрел оператор
user.rotate_webhook_keys|Webhook keys of payouts made anew|Новые ключи вебхуков выводов
user.update|Merchant changed|Изменён мерчант
`;
