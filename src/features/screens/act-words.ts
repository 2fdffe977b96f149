// What people and programs did, as the audit log names it, for people. Guards that the log reads as sentences
// and not as codes.

/** act | English | Russian */
export const ACTS = `
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
