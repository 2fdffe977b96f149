// /welcome/{token}: whoever has the link makes their first way in, or a new one. Guards that the link is good
// once, that opening it changes nothing, for mail programs open links, and that one that resets leaves nothing of
// before: no way in, no session, no known browser, no personal token.

import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import { isFailure } from "../../platform/failure.ts";
import { html } from "../../platform/html.ts";
import { postLetters } from "../../platform/mail.ts";
import type { PageAnswer, Visit, WebPage } from "../../platform/web-page.ts";
import { holdSecretKey } from "../operators/installation.ts";
import {
  codesShown,
  ENTRY_WORDS,
  newPasskeyButton,
  newPasswordForm,
} from "../people/entry-page.ts";
import { wayLetter } from "../people/letters.ts";
import { findInvitation, findLink } from "../people/link.ts";
import { People } from "../people/nouns.ts";
import { plainPage } from "../people/plain-page.ts";
import { endSessions, removeWaysIn, useLink } from "../people/queries.ts";
import { openSession } from "../people/session.ts";
import { recordProof, refuseTooManyTries } from "../people/sign-in.ts";
import {
  countWaysIn,
  freshCodes,
  type NewWay,
  passkeyWay,
  passwordWay,
} from "../people/ways-in.ts";
import { link as linkTo, notice } from "../screens/pieces.ts";
import { endMemberTokens } from "./queries.ts";

const WORDS = {
  en: {
    welcome: (name: string) => `Welcome, ${name}`,
    ended: "This link has been used, or its time is over",
    again: "Ask whoever sent it for another one.",
    choose: "Choose how you will sign in from now on.",
    resets:
      "Your passkeys, password, codes and personal tokens of before will open nothing any more.",
    on: "I have kept them: go on",
    submit: "Sign in with a password from now on",
  },
  ru: {
    welcome: (name: string) => `Здравствуйте, ${name}`,
    ended: "Ссылка уже использована, или её время вышло",
    again: "Попросите ещё одну у того, кто её прислал.",
    choose: "Выберите, как вы будете входить.",
    resets: "Прежние ключи доступа, пароль, коды и личные токены перестанут действовать.",
    on: "Коды сохранены: дальше",
    submit: "Входить паролем",
  },
};

function ended(visit: Visit): PageAnswer {
  const words = WORDS[visit.language];
  return plainPage(visit.language, words.ended, html`<p>${words.again}</p>`, 404);
}

async function welcomePage(
  app: App,
  visit: Visit,
  problems: readonly string[] = [],
): Promise<PageAnswer> {
  const token = visit.params["token"] ?? "";
  const link = await findLink(app, token);
  if (link === undefined) return ended(visit);
  const person = await People.find(app.db, link.person_id);
  const { language } = person;
  const words = WORDS[language];
  const look = { language, zone: app.config.timeZone, now: app.clock.now() };
  const action = `/welcome/${token}`;
  const passkey = await newPasskeyButton(
    app,
    visit,
    `${action}/passkey`,
    person,
    `link ${link.id}`,
  );
  const password = newPasswordForm(app, person, look, {
    action: `${action}/password`,
    submit: words.submit,
    problems,
    sealed: visit.form["sealed"],
  });
  const body = html`<p>${words.choose}</p>${link.resets && notice("warn", words.resets)}${passkey}<h2>${ENTRY_WORDS[language].or}</h2>${password}`;
  return plainPage(language, words.welcome(person.name), body, problems.length > 0 ? 422 : 200);
}

function enter(way: "passkey" | "password"): WebPage["answer"] {
  return async (app, visit) => {
    refuseTooManyTries(app, visit);
    const link = await findLink(app, visit.params["token"] ?? "");
    if (link === undefined) return ended(visit);
    const person = await People.find(app.db, link.person_id);
    const { language } = person;
    try {
      const add: NewWay =
        way === "passkey"
          ? passkeyWay(app, visit, person, `link ${link.id}`)
          : await passwordWay(app, visit, person);
      const now = app.clock.now();
      const hadWays = (await countWaysIn(app, person)) > 0;
      const { cookies, codes } = await app.db.transaction(async (tx) => {
        // Before any row of theirs: who rotates the key holds it first, too.
        await holdSecretKey(tx, app);
        // A way in that is being made has been made: it goes with the others.
        await People.lock(tx, person.id);
        if (!(await useLink(tx, link.id, now))) throw new Refusal("link_used");
        if (link.resets) {
          await removeWaysIn(tx, person.id);
          await endMemberTokens(tx, person.id, now);
        }
        await endSessions(tx, person.id, now);
        await add(tx);
        await recordProof(tx, app, person, "person.sign_in", "link");
        const fresh = await freshCodes(tx, app, person.id);
        return { codes: fresh, cookies: await openSession(tx, app, person, visit) };
      });
      // Who comes for the first time knows it; to everybody else it is news.
      if (hadWays) postLetters(app, [wayLetter(app, person, visit, "link")]);
      const words = WORDS[language];
      const { token = "" } = visit.params;
      const on = (await findInvitation(app, token)) ? `/join/${token}` : "/start";
      const body = html`${codesShown(codes, language)}<p>${linkTo(words.on, on, "main")}</p>`;
      const page = plainPage(language, words.welcome(person.name), body);
      return { ...page, cookies };
    } catch (error) {
      if (!isFailure(error) || error.status >= 429) throw error;
      return welcomePage(app, visit, [error.words(language)].flat());
    }
  };
}

export const showWelcome: WebPage = {
  method: "GET",
  path: "/welcome/:token",
  site: "people",
  answer: (app, visit) => welcomePage(app, visit),
};

export const enterByPasskey: WebPage = {
  method: "POST",
  path: "/welcome/:token/passkey",
  site: "people",
  answer: enter("passkey"),
};

export const enterByPassword: WebPage = {
  method: "POST",
  path: "/welcome/:token/password",
  site: "people",
  answer: enter("password"),
};
