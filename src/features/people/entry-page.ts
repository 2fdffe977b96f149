// The page of signing in, and of proving anew who one is: a passkey's button, a password, in a sandbox Anna's button.

import type { App } from "../../platform/app.ts";
import { html } from "../../platform/html.ts";
import type { Document, Visit } from "../../platform/web-page.ts";
import { button, notice } from "../screens/pieces.ts";
import { ENTRY_WORDS, hiddenOf, passkeyButton, passwordForm } from "./entry-parts.ts";
import { plainPage } from "./plain-page.ts";
import type { SessionWithPerson } from "./session-queries.ts";

const WORDS = {
  en: {
    signIn: "Sign in",
    prove: "Prove that it is you",
    why: "What you are about to do wants a proof that is not older than ten minutes.",
    waits: "What you sent was not carried out yet. Prove that it is you, then send it again.",
    go: "Go on",
    lost: "Lost every way in? An operator or your merchant's owner can make you a link; on the machine itself, `kopeck person recover` does.",
    sandbox: "Come in as Anna, who runs this sandbox",
  },
  ru: {
    signIn: "Вход",
    prove: "Подтвердите, что это вы",
    why: "Для того, что вы делаете, нужно подтверждение не старше десяти минут.",
    waits: "Отправленное ещё не выполнено. Подтвердите, что это вы, и отправьте ещё раз.",
    go: "Дальше",
    lost: "Не осталось ни одного способа войти? Ссылку сделает оператор или владелец вашего магазина; на самой машине — команда `kopeck person recover`.",
    sandbox: "Войти как Анна, хозяйка этой песочницы",
  },
};

/** Whom everybody is in a sandbox; the room of that name makes her. */
export const SANDBOX_EMAIL = "anna@sandbox.example";

export async function entryPage(
  app: App,
  visit: Visit,
  kind: "sign-in" | "prove",
  wish: {
    readonly then: string;
    /** What was typed into a form that was sent too late for its proof. */
    readonly typed?: string | undefined;
    readonly problems?: readonly string[];
    readonly signed?: SessionWithPerson;
  },
): Promise<Document> {
  const { then, typed, problems = [], signed } = wish;
  const person = signed?.person;
  const language = person?.language ?? visit.language;
  const words = WORDS[language];
  const look = { language, zone: app.config.timeZone, now: app.clock.now() };
  const submit = kind === "prove" ? words.go : words.signIn;
  const byPassword = passwordForm(`/${kind}`, look, {
    then,
    typed,
    problems,
    submit,
    withEmail: kind === "sign-in",
    email: visit.form["email"],
  });
  const action = `/${kind}/passkey`;
  const byPasskey = await passkeyButton(app, visit, { action, then, typed, language, signed });
  const hasPassword = person === undefined || person.password !== null;
  const inputs = Object.entries(hiddenOf({ then, typed })).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const body = html`${kind === "prove" && html`<p>${words.why}</p>`}${typed !== undefined && notice("warn", words.waits)}${
    app.config.mode === "sandbox" &&
    (person?.email ?? SANDBOX_EMAIL) === SANDBOX_EMAIL &&
    html`<form class="form" method="post" action="/${kind}/sandbox">${inputs}${button(words.sandbox, { kind: "main" })}</form>`
  }${byPasskey}${
    hasPassword && html`<h2>${ENTRY_WORDS[language].or}</h2>${byPassword}`
  }${!hasPassword && problems.map((problem) => notice("bad", problem))}<p class="note">${words.lost}</p>`;
  const title = kind === "prove" ? words.prove : words.signIn;
  const isRefused = problems.length > 0 || typed !== undefined;
  return plainPage(language, title, body, isRefused ? 401 : 200);
}
