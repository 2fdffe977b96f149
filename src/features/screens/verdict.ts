// What a webhook's receiver did, in words that say what its owner should change.

import type { Language } from "../../platform/failure.ts";

export interface Heard {
  readonly status: number | null;
  readonly error: string | null;
}

type Pair = Readonly<Record<Language, string>>;

/** What went wrong before anybody answered. */
const ERRORS: Readonly<Record<string, Pair>> = {
  timeout: {
    en: "No answer in 15 s, our limit: answer first, work afterwards",
    ru: "Нет ответа за 15 с, это наш предел: сначала ответьте, потом работайте",
  },
  "connection refused": {
    en: "Nothing listens at that address: is the server running?",
    ru: "По этому адресу никто не слушает: сервер запущен?",
  },
  "connection reset": {
    en: "The receiver broke the connection off before it answered",
    ru: "Получатель оборвал соединение, не ответив",
  },
  "host unreachable": { en: "There is no way to that host", ru: "Нет маршрута до этого сервера" },
  "name not found": {
    en: "There is no such host name: correct the URL",
    ru: "Такого имени сервера нет: исправьте адрес",
  },
  "name server failed": {
    en: "The receiver's name servers do not answer",
    ru: "Не отвечают серверы имён получателя",
  },
  "certificate or TLS failure": {
    en: "The certificate has ended, or is not for this name: renew it",
    ru: "Сертификат истёк или выдан не на это имя: обновите его",
  },
  "not an HTTP answer": {
    en: "What answers there speaks no HTTP: check the port",
    ru: "Там отвечает не HTTP: проверьте порт",
  },
  "no address": {
    en: "The shop has no webhook address: set one in its settings",
    ru: "У магазина нет адреса вебхука: задайте его в настройках",
  },
  "unusable url": {
    en: "The URL cannot be used: correct it",
    ru: "Адрес недопустим: исправьте его",
  },
  stopped: {
    en: "We were stopped while it was sent; it is sent again",
    ru: "Отправка прервалась у нас, будет повторена",
  },
  "internal failure": {
    en: "Our own failure; it is sent again",
    ru: "Сбой у нас, будет повторена",
  },
};

const STATUSES: Readonly<Record<number, Pair>> = {
  401: {
    en: "wants a password: webhooks bring a signature, let them in by that",
    ru: "требует входа: вебхуки приходят с подписью, пускайте по ней",
  },
  403: {
    en: "forbids us: a firewall, or the signature does not fit its key",
    ru: "не пускает нас: межсетевой экран, или подпись не сходится с ключом",
  },
  404: { en: "knows no such path: correct the URL", ru: "не знает такого пути: исправьте адрес" },
  405: { en: "takes no POST there", ru: "не принимает там POST" },
  410: { en: "says it is gone for good", ru: "говорит, что адреса больше нет" },
  413: { en: "finds it too large", ru: "считает запрос слишком большим" },
  429: { en: "says we come too often", ru: "говорит, что мы обращаемся слишком часто" },
};

const CLASSES: Readonly<Record<number, Pair>> = {
  3: {
    en: "sends us elsewhere, which we do not follow: change the URL",
    ru: "отсылает в другое место, а мы не переходим: поменяйте адрес",
  },
  4: { en: "does not accept it", ru: "не принимает" },
  5: { en: "has failed by itself: look into its log", ru: "сломался сам: смотрите его журнал" },
};

/** "Answers 301: …"; nothing was answered: why. */
export function verdictOf({ status, error }: Heard, language: Language): string {
  if (status === null) {
    const known = ERRORS[error ?? ""];
    if (known !== undefined) return known[language];
    return error ?? (language === "ru" ? "Ответ неизвестен" : "Nobody heard the answer");
  }
  const answers = language === "ru" ? `Отвечает ${status}` : `Answers ${status}`;
  if (status >= 200 && status < 300)
    return language === "ru" ? `Принято, ${status}` : `Heard, ${status}`;
  const said = (STATUSES[status] ?? CLASSES[Math.floor(status / 100)])?.[language];
  return said === undefined ? answers : `${answers}: ${said}`;
}
