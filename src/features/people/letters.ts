// What people are written: a link that was made for them, and that somebody has come in or can come in as them.
// Guards that a letter holds no word of a stranger's that a mail program would make a link of: names lose all
// but letters, and where to go is ours alone.

import type { App } from "../../platform/app.ts";
import type { Language } from "../../platform/failure.ts";
import type { Letter } from "../../platform/mail.ts";
import type { Visit } from "../../platform/web-page.ts";
import { momentText } from "../screens/pieces.ts";
import type { PersonRow } from "./nouns.ts";

type Reader = Pick<PersonRow, "email" | "language">;

interface Made {
  readonly link: string;
  readonly ends_at: string;
}

const WORDS = {
  en: {
    invited: (host: string) => `An invitation to ${host}`,
    invites: (by: string, place: string) => `${by} invites you: ${place}.`,
    desk: "the desk of this payment gateway",
    open: (until: string) => `Open this link to come in. It is good once, until ${until}:`,
    unknown: "If you do not know what this is about, do nothing: nobody comes in without the link.",
    recovery: (host: string) => `A link to come back to ${host}`,
    made: (by: string) => `${by} has made a link for you, because you have lost every way in.`,
    notAsked: "If you have not asked for it, tell them, and do not hand the link on.",
    device: (host: string) => `A new browser at ${host}`,
    signedIn: "Somebody has signed in as you in a browser that was not seen before.",
    way: (host: string) => `Your ways into ${host} have changed`,
    add_passkey: "A passkey was added.",
    remove_passkey: "A passkey was removed.",
    set_password: "A password with an app's codes was set.",
    new_codes: "New recovery codes were made; the old ones open nothing any more.",
    link: "Somebody has come in by a link that was made for you, and has made a new way in.",
    where: (at: string, address: string, browser: string) => `${at}, ${address}, ${browser}`,
    notYou: (url: string) =>
      `If it was not you: open ${url}/security, sign out everywhere else, and tell an operator.`,
  },
  ru: {
    invited: (host: string) => `Приглашение: ${host}`,
    invites: (by: string, place: string) => `Вас приглашает ${by}: ${place}.`,
    desk: "стол оператора этого платёжного шлюза",
    open: (until: string) => `Чтобы войти, откройте ссылку. Она действует один раз, до ${until}:`,
    unknown: "Если вы не понимаете, о чём речь, ничего не делайте: без ссылки никто не войдёт.",
    recovery: (host: string) => `Ссылка для восстановления доступа: ${host}`,
    made: (by: string) => `${by}: для вас сделана ссылка, потому что других способов войти нет.`,
    notAsked: "Если вы о ней не просили, сообщите об этом и никому её не передавайте.",
    device: (host: string) => `Новый браузер: ${host}`,
    signedIn: "Кто-то вошёл от вашего имени в браузере, которого раньше не было.",
    way: (host: string) => `Изменились ваши способы входа: ${host}`,
    add_passkey: "Добавлен ключ доступа.",
    remove_passkey: "Удалён ключ доступа.",
    set_password: "Задан пароль с кодами приложения.",
    new_codes: "Сделаны новые коды восстановления; прежние больше не действуют.",
    link: "Кто-то вошёл по ссылке, сделанной для вас, и создал новый способ входа.",
    where: (at: string, address: string, browser: string) => `${at}, ${address}, ${browser}`,
    notYou: (url: string) =>
      `Если это были не вы: откройте ${url}/security, завершите все остальные сеансы и сообщите оператору.`,
  },
};

/** For who was invited; to the desk, or to a merchant by its name. */
export function invitationLetter(
  app: App,
  reader: Reader,
  made: Made,
  from: { readonly by: string; readonly merchant?: string },
): Letter {
  const words = WORDS[reader.language];
  const place = from.merchant === undefined ? words.desk : plain(from.merchant);
  return letter(reader, words.invited(hostOf(made.link)), [
    words.invites(plain(from.by), place),
    words.open(untilOf(app, made, reader.language)),
    made.link,
    words.unknown,
  ]);
}

/** For who has lost every way in. */
export function recoveryLetter(app: App, reader: Reader, made: Made, by: string): Letter {
  const words = WORDS[reader.language];
  return letter(reader, words.recovery(hostOf(made.link)), [
    words.made(plain(by)),
    words.open(untilOf(app, made, reader.language)),
    made.link,
    words.notAsked,
  ]);
}

/** That somebody has come in where nobody had before. */
export function deviceLetter(app: App, person: PersonRow, visit: Visit): Letter {
  const words = WORDS[person.language];
  const url = urlOf(app, person);
  const said = [words.signedIn, placeOf(app, person, visit), words.notYou(url)];
  return letter(person, words.device(hostOf(url)), said);
}

export type ChangedWay = ("add_passkey" | "remove_passkey" | "set_password" | "new_codes") | "link";

/** That there is another way to come in as them. */
export function wayLetter(app: App, person: PersonRow, visit: Visit, what: ChangedWay): Letter {
  const words = WORDS[person.language];
  const url = urlOf(app, person);
  const said = [words[what], placeOf(app, person, visit), words.notYou(url)];
  return letter(person, words.way(hostOf(url)), said);
}

function letter({ email: to }: Reader, subject: string, paragraphs: readonly string[]): Letter {
  return { to, subject, text: `${paragraphs.join("\n\n")}\n` };
}

/** Letters of any script, digits and what stands within names. */
function plain(name: string): string {
  return name.replace(/[^\p{L}\p{M}\p{N} '’-]+/gu, " ").trim();
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function urlOf({ config }: App, { desk_role: role }: PersonRow): string {
  return role === null ? config.cabinetUrl : config.deskUrl;
}

function untilOf(app: App, { ends_at: endsAt }: Made, language: Language): string {
  return momentText(endsAt, lookOf(app, language));
}

function placeOf(app: App, { language }: PersonRow, { address, userAgent }: Visit): string {
  const now = app.clock.now();
  const at = momentText(now.toISOString(), lookOf(app, language));
  return WORDS[language].where(at, address, deviceName(userAgent));
}

function lookOf({ config, clock }: App, language: Language) {
  return { language, zone: config.timeZone, now: clock.now() };
}

/** What people call their devices by: "Firefox, Android". */
export function deviceName(agent: string): string {
  // In this order: Edge names Chrome and Safari as well, Android Linux, and an iPhone Mac OS.
  const first = (names: string): string =>
    names.split("|").find((name) => agent.includes(name)) ?? "?";
  const browser = first("Firefox|Edg|OPR|Chrome|Safari");
  const system = first("Android|iPhone|iPad|Windows|Mac OS|Linux");
  return `${browser}, ${system}`;
}
