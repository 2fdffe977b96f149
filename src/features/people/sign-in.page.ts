// /sign-in, /prove, /sign-out, /start: coming in, proving anew who one is, leaving, and where one belongs.

import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { isFailure } from "../../platform/failure.ts";
import { html } from "../../platform/html.ts";
import { postLetters } from "../../platform/mail.ts";
import type { PageAnswer, Visit, WebPage } from "../../platform/web-page.ts";
import { button, notice } from "../screens/pieces.ts";
import { ENTRY_WORDS, passkeyButton, passwordForm } from "./entry-parts.ts";
import { deviceLetter } from "./letters.ts";
import { ownPath } from "./own-path.ts";
import { plainPage } from "./plain-page.ts";
import { isKnownBrowser, openSession, proveSession, signedIn, signOut } from "./session.ts";
import type { SessionWithPerson } from "./session-queries.ts";
import { provenByPasskey, provenByPassword, recordProof } from "./sign-in.ts";
import { redirect } from "./site.ts";

const WORDS = {
  en: {
    signIn: "Sign in",
    prove: "Prove that it is you",
    why: "What you are about to do wants a proof that is not older than ten minutes.",
    go: "Go on",
    lost: "Lost every way in? An operator or your merchant's owner can make you a link; on the machine itself, `kopeck person recover` does.",
    sandbox: "Come in as Anna, who runs this sandbox",
  },
  ru: {
    signIn: "Вход",
    prove: "Подтвердите, что это вы",
    why: "Для того, что вы делаете, нужно подтверждение не старше десяти минут.",
    go: "Дальше",
    lost: "Не осталось ни одного способа войти? Ссылку сделает оператор или владелец вашего магазина; на самой машине — команда `kopeck person recover`.",
    sandbox: "Войти как Анна, хозяйка этой песочницы",
  },
};

/** Whom everybody is in a sandbox; the room of that name makes her. */
export const SANDBOX_EMAIL = "anna@sandbox.example";

async function entryPage(
  app: App,
  visit: Visit,
  kind: "sign-in" | "prove",
  problems: readonly string[] = [],
  signed?: SessionWithPerson,
): Promise<PageAnswer> {
  const person = signed?.person;
  const language = person?.language ?? visit.language;
  const words = WORDS[language];
  const look = { language, zone: app.config.timeZone, now: app.clock.now() };
  const then = ownPath(visit.form["then"] ?? visit.query["then"]);
  const submit = kind === "prove" ? words.go : words.signIn;
  const byPassword = passwordForm(`/${kind}`, look, {
    ...{ then, problems, submit, email: visit.form["email"], withEmail: kind === "sign-in" },
  });
  const byPasskey = await passkeyButton(app, visit, `/${kind}/passkey`, then, language, signed);
  const hasPassword = person === undefined || person.password !== null;
  const body = html`${kind === "prove" && html`<p>${words.why}</p>`}${
    app.config.mode === "sandbox" &&
    (person?.email ?? SANDBOX_EMAIL) === SANDBOX_EMAIL &&
    html`<form class="form" method="post" action="/${kind}/sandbox"><input type="hidden" name="then" value="${then}">${button(words.sandbox, { kind: "main" })}</form>`
  }${byPasskey}${
    hasPassword && html`<h2>${ENTRY_WORDS[language].or}</h2>${byPassword}`
  }${!hasPassword && problems.map((problem) => notice("bad", problem))}<p class="note">${words.lost}</p>`;
  const title = kind === "prove" ? words.prove : words.signIn;
  return plainPage(language, title, body, problems.length > 0 ? 401 : 200);
}

function page(method: "GET" | "POST", path: string, answer: WebPage["answer"]): WebPage {
  return { method, path, site: "people", answer };
}

export const showSignIn = page("GET", "/sign-in", async (app, visit) => {
  const signed = await signedIn(app, visit);
  return signed ? redirect(ownPath(visit.query["then"])) : entryPage(app, visit, "sign-in");
});

type Way = "password" | "passkey";

/** Whoever is proven gets in; whoever is not sees the page again, with words that tell nothing. */
function signIn(way: Way): WebPage["answer"] {
  return async (app, visit) => {
    try {
      const proven = way === "password" ? provenByPassword : provenByPasskey;
      const { cookies, letters } = await proven(app, visit, async (tx, person) => {
        await recordProof(tx, app, person, "person.sign_in", way);
        const isSeen = await isKnownBrowser(tx, app, visit, person.id);
        const news = isSeen ? [] : [deviceLetter(app, person, visit)];
        return { letters: news, cookies: await openSession(tx, app, person, visit) };
      });
      postLetters(app, letters);
      return redirect(ownPath(visit.form["then"]), cookies);
    } catch (error) {
      if (!isFailure(error) || error.status >= 429) throw error;
      return entryPage(app, visit, "sign-in", [error.words(visit.language)].flat());
    }
  };
}

export const signInByPassword = page("POST", "/sign-in", signIn("password"));
export const signInByPasskey = page("POST", "/sign-in/passkey", signIn("passkey"));

/** For who was to prove who they are, and has no session any more: where they go on stays the same. */
export function toSignIn({ form, query }: Visit): PageAnswer {
  const then = form["then"] ?? query["then"];
  return redirect(then ? `/sign-in?then=${encodeURIComponent(ownPath(then))}` : "/sign-in");
}

export const showProve = page("GET", "/prove", async (app, visit) => {
  const signed = await signedIn(app, visit);
  if (signed === undefined) return toSignIn(visit);
  return entryPage(app, visit, "prove", [], signed);
});

function prove(way: Way): WebPage["answer"] {
  return async (app, visit) => {
    const signed = await signedIn(app, visit);
    if (signed === undefined) return toSignIn(visit);
    const { person, session } = signed;
    try {
      // Who has signed in is known: their own e-mail address, whatever the form says.
      const own = { ...visit, form: { ...visit.form, email: person.email } };
      const renew = async (tx: Tx): Promise<string[]> => {
        await recordProof(tx, app, person, "person.prove", way);
        return proveSession(tx, app, person, session, visit);
      };
      const cookies =
        way === "password"
          ? await provenByPassword(app, own, renew)
          : await provenByPasskey(app, own, renew, signed);
      return redirect(ownPath(visit.form["then"]), cookies);
    } catch (error) {
      if (!isFailure(error) || error.status >= 429) throw error;
      return entryPage(app, visit, "prove", [error.words(person.language)].flat(), signed);
    }
  };
}

export const proveByPassword = page("POST", "/prove", prove("password"));
export const proveByPasskey = page("POST", "/prove/passkey", prove("passkey"));

export const leave = page("POST", "/sign-out", async (app, visit) => {
  const signed = await signedIn(app, visit);
  return redirect("/sign-in", signed ? await signOut(app, signed) : []);
});

/** Where somebody belongs who has said no more than who they are. */
export const start = page("GET", "/start", async (app, visit) => {
  const signed = await signedIn(app, visit);
  if (signed === undefined) return redirect("/sign-in");
  const { deskUrl, cabinetUrl } = app.config;
  const [path, url] = signed.person.desk_role === null ? ["/my", cabinetUrl] : ["/desk", deskUrl];
  return redirect(deskUrl === cabinetUrl ? path : url + path);
});
