// /security: one's own ways in, sessions, language and keys. Guards that changing a way in is proven anew and
// ends every other session, and that nobody takes away their last one.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { isFailure } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import { postLetters } from "../../platform/mail.ts";
import type { PageAnswer, Visit, WebPage } from "../../platform/web-page.ts";
import { recordAudit } from "../operators/doors.ts";
import { holdSecretKey } from "../operators/installation.ts";
import { button, card, link, moment } from "../screens/pieces.ts";
import { codesShown, newPasskeyButton, newPasswordForm } from "./entry-page.ts";
import { type ChangedWay, deviceName, wayLetter } from "./letters.ts";
import { People } from "./nouns.ts";
import { plainPage } from "./plain-page.ts";
import {
  changePerson,
  countRecoveryCodes,
  endSession,
  endSessions,
  livingSessions,
  passkeysOf,
  removePasskey,
  type SessionWithPerson,
  sessionsOf,
} from "./queries.ts";
import { isProven, signedIn } from "./session.ts";
import { redirect } from "./site.ts";
import { freshCodes, passkeyWay, passwordWay } from "./ways-in.ts";

const WORDS = {
  en: {
    title: "Your security",
    passkeys: "Passkeys",
    password: "Password and codes of an app",
    codes: "Recovery codes",
    sessions: "Where you are signed in",
    settings: "Language and keys",
    remove: "Remove",
    made: "made",
    used: "last used",
    unused: "not used yet",
    here: "this one",
    hasPassword: "You have a password with an app's codes. A new one replaces both.",
    noPassword: "You have none: passkeys alone open your account.",
    left: (count: number) => `${count} left of ten.`,
    fresh: "Make ten new ones",
    end: "Sign out",
    endOthers: "Sign out everywhere else",
    save: "Save",
    back: "Back",
    setPassword: "Set password",
    keys: "Single letters are keys of the pages",
    language: "Language",
  },
  ru: {
    title: "Ваша безопасность",
    passkeys: "Ключи доступа",
    password: "Пароль и коды приложения",
    codes: "Коды восстановления",
    sessions: "Где выполнен вход",
    settings: "Язык и клавиши",
    remove: "Удалить",
    made: "создан",
    used: "использован",
    unused: "ещё не использован",
    here: "этот",
    hasPassword: "У вас есть пароль с кодами приложения. Новый заменит и то и другое.",
    noPassword: "Пароля нет: вход только по ключам доступа.",
    left: (count: number) => `Осталось ${count} из десяти.`,
    fresh: "Сделать десять новых",
    end: "Выйти",
    endOthers: "Завершить все остальные сеансы",
    save: "Сохранить",
    back: "Назад",
    setPassword: "Задать пароль",
    keys: "Отдельные буквы — клавиши страниц",
    language: "Язык",
  },
};

function act(path: string, label: string, hidden: Readonly<Record<string, string>> = {}): Html {
  return html`<form method="post" action="/security/${path}">${Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${button(label, { kind: "plain" })}</form>`;
}

async function securityPage(
  app: App,
  visit: Visit,
  { person, session }: SessionWithPerson,
  problems: readonly string[] = [],
): Promise<PageAnswer> {
  const { language } = person;
  const words = WORDS[language];
  const look = { language, zone: app.config.timeZone, now: app.clock.now() };
  const passkeys = await passkeysOf(app.db, person.id);
  const sessions = await sessionsOf(app.db, person.id, look.now);
  const when = (at: Date) => moment(at.toISOString(), look);
  const listed = passkeys.map(
    ({ id, name, created_at, used_at }) =>
      html`<li>${name}: ${words.made} ${when(created_at)}, ${used_at === null ? words.unused : html`${words.used} ${when(used_at)}`} ${act("remove-passkey", `${words.remove}: ${name}`, { id })}</li>`,
  );
  const places = sessions.map(
    ({ id, address, agent, seen_at }) =>
      html`<li>${address}, ${deviceName(agent)}, ${when(seen_at)} ${
        id === session.id
          ? html`<b>${words.here}</b>`
          : act("end-session", `${words.end}: ${address}`, { id })
      }</li>`,
  );
  const password = newPasswordForm(app, person, look, {
    action: "/security/password",
    submit: words.setPassword,
    problems,
    sealed: visit.form["sealed"],
  });
  const choice = (value: "en" | "ru", label: string) =>
    html`<option value="${value}"${value === language && html` selected`}>${label}</option>`;
  const body = html`<p>${link(words.back, "/start")}</p>
${card(words.passkeys, html`<ul>${listed}</ul>${await newPasskeyButton(app, visit, "/security/passkey", person, `session ${session.id}`)}`)}
${card(words.password, html`<p>${person.password === null ? words.noPassword : words.hasPassword}</p><details><summary>${words.setPassword}</summary>${password}</details>`)}
${card(words.codes, html`<p>${words.left(await countRecoveryCodes(app.db, person.id))}</p>${act("codes", words.fresh)}`)}
${card(words.sessions, html`<ul>${places}</ul>${act("end-others", words.endOthers)}`)}
${card(words.settings, html`<form class="form" method="post" action="/security/settings"><label>${words.language} <select name="language">${choice("en", "English")}${choice("ru", "Русский")}</select></label><label><input type="checkbox" name="keys" value="on"${person.has_keys && html` checked`}> ${words.keys}</label>${button(words.save, { kind: "main" })}</form>`)}`;
  return plainPage(language, words.title, body, problems.length > 0 ? 422 : 200);
}

export const showSecurity: WebPage = {
  method: "GET",
  path: "/security",
  site: "people",
  async answer(app, visit) {
    const signed = await signedIn(app, visit);
    return signed ? securityPage(app, visit, signed) : redirect("/sign-in?then=/security");
  },
};

interface Act {
  readonly path: string;
  /** What leads nowhere near a way in needs no proof. */
  readonly isHarmless?: true;
  make(app: App, visit: Visit, signed: SessionWithPerson): Promise<Html | undefined>;
}

/** Done, with its row in the log; every other session ends, for whoever opened it may be a thief. */
async function changeWays(
  app: App,
  visit: Visit,
  { person, session }: SessionWithPerson,
  what: ChangedWay,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  await app.db.transaction(async (tx) => {
    // Before any row of theirs: who rotates the key holds it first, too.
    await holdSecretKey(tx, app);
    // Two who change ways in at once do it one after the other: else both could take away the last but one.
    await People.lock(tx, person.id);
    // Nor does a session that has ended meanwhile: it may have been a thief's.
    const isStill = (await livingSessions(tx, [session.id], app.clock.now())).length > 0;
    if (!isStill) throw new Refusal("unauthorized");
    await work(tx);
    await endSessions(tx, person.id, app.clock.now(), session.id);
    const audit = { by: person.name, act: `person.${what}`, subject: person.id };
    await recordAudit(tx, app, { ...audit, before: null, after: { what } });
  });
  postLetters(app, [wayLetter(app, person, visit, what)]);
}

const ACTS: readonly Act[] = [
  {
    path: "passkey",
    async make(app, visit, signed) {
      const { person, session } = signed;
      const add = passkeyWay(app, visit, person, `session ${session.id}`);
      await changeWays(app, visit, signed, "add_passkey", add);
      return undefined;
    },
  },
  {
    path: "password",
    async make(app, visit, signed) {
      const add = await passwordWay(app, visit, signed.person);
      await changeWays(app, visit, signed, "set_password", add);
      return undefined;
    },
  },
  {
    path: "remove-passkey",
    async make(app, visit, signed) {
      const { person } = signed;
      await changeWays(app, visit, signed, "remove_passkey", async (tx) => {
        const own = await passkeysOf(tx, person.id);
        if (own.length === 1 && person.password === null) throw new Refusal("last_way_in");
        const found = own.find(({ id }) => id === visit.form["id"]);
        if (found !== undefined) await removePasskey(tx, person.id, found.id);
      });
      return undefined;
    },
  },
  {
    path: "codes",
    async make(app, visit, signed) {
      let codes: string[] = [];
      await changeWays(app, visit, signed, "new_codes", async (tx) => {
        codes = await freshCodes(tx, app, signed.person.id);
      });
      const { language } = signed.person;
      return html`${codesShown(codes, language)}<p>${link(WORDS[language].back, "/security")}</p>`;
    },
  },
  {
    path: "end-session",
    async make(app, visit, { person }) {
      const { id = "" } = visit.form;
      const own = await sessionsOf(app.db, person.id, app.clock.now());
      if (own.some((one) => one.id === id))
        await endSession(app.db, person.id, id, app.clock.now());
      return undefined;
    },
  },
  {
    path: "end-others",
    async make(app, _visit, { person, session }) {
      await app.db.transaction((tx) => endSessions(tx, person.id, app.clock.now(), session.id));
      return undefined;
    },
  },
  {
    path: "settings",
    isHarmless: true,
    async make(app, visit, { person }) {
      const language = visit.form["language"] === "ru" ? "ru" : "en";
      const changes = { language, has_keys: visit.form["keys"] === "on" } as const;
      await app.db.transaction((tx) => changePerson(tx, person.id, changes));
      return undefined;
    },
  },
];

export const changeSecurity: readonly WebPage[] = ACTS.map(({ path, isHarmless, make }) => ({
  method: "POST",
  path: `/security/${path}`,
  site: "people",
  async answer(app, visit) {
    const signed = await signedIn(app, visit);
    if (signed === undefined) return redirect("/sign-in?then=/security");
    if (!isHarmless && !isProven(app, signed.session)) return redirect("/prove?then=/security");
    try {
      const shown = await make(app, visit, signed);
      if (shown === undefined) return redirect("/security");
      const { language } = signed.person;
      return plainPage(language, WORDS[language].title, shown);
    } catch (error) {
      if (!isFailure(error) || error.status >= 429) throw error;
      if (error.status === 401) return redirect("/sign-in?then=/security");
      const said = [error.words(signed.person.language)].flat();
      return securityPage(app, visit, signed, said);
    }
  },
}));
