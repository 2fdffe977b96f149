// The page of signing in and of proving anew, and its parts: a passkey's button, the form of a password
// and a code, fresh secrets.

import { renderSVG } from "uqr";
import type { App } from "../../platform/app.ts";
import type { Language } from "../../platform/failure.ts";
import { Html, html } from "../../platform/html.ts";
import { creationOptions, requestOptions } from "../../platform/passkey.ts";
import { freshTotpSecret, otpauthUrl } from "../../platform/totp.ts";
import type { Document, Visit } from "../../platform/web-page.ts";
import type { Look } from "../screens/locale.ts";
import { button, type FormField, form, link, notice } from "../screens/pieces.ts";
import type { PersonRow } from "./nouns.ts";
import { plainPage } from "./plain-page.ts";
import { passkeysOf, type SessionWithPerson } from "./queries.ts";
import { type ChallengeUse, freshChallenge, placeOf } from "./sign-in.ts";

export const ENTRY_WORDS = {
  en: {
    usePasskey: "Use a passkey",
    makePasskey: "Make a passkey on this device",
    needsScript: "Passkeys need JavaScript. Without it, use a password and a code.",
    email: "E-mail",
    password: "Password",
    noPassword: "With a passkey and no password: leave it empty, and give a recovery code below.",
    newPassword: "New password, 12 characters or more",
    code: "Code from your app, or a recovery code",
    newCode: "Code that your app shows now",
    scan: "Scan this with an app for one-time codes, or type the key into it:",
    here: "The app is on this device: open it there",
    or: "Or with a password",
    codes: "Your recovery codes",
    keepCodes:
      "Each opens once: with your password in the place of a code, or by itself where you have no password. Keep them where a thief of this device does not find them: they are shown only now.",
  },
  ru: {
    usePasskey: "Войти ключом доступа",
    makePasskey: "Создать ключ доступа на этом устройстве",
    needsScript: "Для ключей доступа нужен JavaScript. Без него — пароль и код.",
    email: "Почта",
    password: "Пароль",
    noPassword:
      "Если пароля нет, а есть ключ доступа: оставьте пустым и введите код восстановления.",
    newPassword: "Новый пароль, от 12 знаков",
    code: "Код из приложения или код восстановления",
    newCode: "Код, который приложение показывает сейчас",
    scan: "Отсканируйте приложением для одноразовых кодов или введите в него ключ:",
    here: "Приложение на этом устройстве: открыть в нём",
    or: "Или паролем",
    codes: "Ваши коды восстановления",
    keepCodes:
      "Каждый действует один раз: с паролем вместо кода, а если пароля нет — сам по себе. Храните их там, где их не найдёт вор этого устройства: они показаны только сейчас.",
  },
};

function passkeyForm(
  kind: "create" | "get",
  action: string,
  options: object,
  hidden: Readonly<Record<string, string>>,
  language: Language,
): Html {
  const words = ENTRY_WORDS[language];
  const label = kind === "create" ? words.makePasskey : words.usePasskey;
  return html`<form class="form" method="post" action="${action}" data-passkey="${kind}" data-options="${JSON.stringify(options)}"${
    kind === "get" && html` data-conditional`
  }><input type="hidden" name="credential">${Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${button(label, { kind: "main" })}<noscript><p class="note">${words.needsScript}</p></noscript></form>`;
}

/** Where a proof leads, and what was typed into a form that was sent too late for the proof before. */
interface Aim {
  readonly then: string;
  readonly typed?: string | undefined;
}

interface ProofWish extends Aim {
  readonly action: string;
  readonly language: Language;
  readonly signed?: SessionWithPerson | undefined;
}

function hiddenOf({ then, typed }: Aim): Readonly<Record<string, string>> {
  return { then, ...(typed === undefined ? {} : { typed }) };
}

/** A button that proves by a passkey; of this person, where it is known who they are. */
async function passkeyButton(
  app: App,
  visit: Visit,
  { action, then, typed, language, signed }: ProofWish,
): Promise<Html> {
  const challenge = freshChallenge(app, signed ? `session ${signed.session.id}` : "sign-in");
  const { rpId } = placeOf(app, visit);
  const own = signed === undefined ? [] : await passkeysOf(app.db, signed.person.id);
  const allowed = own.map(({ credential_id: id }) => id.toString("base64url"));
  const options = requestOptions({ rpId, challenge, ...(signed === undefined ? {} : { allowed }) });
  const hidden = { challenge, ...hiddenOf({ then, typed }) };
  return passkeyForm("get", action, options, hidden, language);
}

/** A button that makes a passkey for them. */
export async function newPasskeyButton(
  app: App,
  visit: Visit,
  action: string,
  person: PersonRow,
  use: ChallengeUse,
): Promise<Html> {
  const challenge = freshChallenge(app, use);
  const { rpId } = placeOf(app, visit);
  const known = (await passkeysOf(app.db, person.id)).map(({ credential_id: id }) =>
    id.toString("base64url"),
  );
  const { id, email, name } = person;
  const options = creationOptions({
    rpId,
    siteName: "Kopeck",
    challenge,
    known,
    person: { id, name: email, displayName: name },
  });
  return passkeyForm("create", action, options, { challenge }, person.language);
}

function passwordForm(
  action: string,
  look: Look,
  wish: Aim & {
    readonly email?: string | undefined;
    readonly problems: readonly string[];
    readonly submit: string;
    readonly withEmail: boolean;
  },
): Html {
  const words = ENTRY_WORDS[look.language];
  const email: FormField = {
    name: "email",
    label: words.email,
    kind: "email",
    required: true,
    autocomplete: "username webauthn",
    value: wish.email ?? "",
  };
  const fields: FormField[] = [
    ...(wish.withEmail ? [email] : []),
    {
      name: "password",
      label: words.password,
      kind: "password",
      hint: words.noPassword,
      autocomplete: "current-password",
    },
    {
      name: "code",
      label: words.code,
      kind: "code",
      required: true,
      autocomplete: "one-time-code",
    },
  ];
  return form({
    action,
    fields,
    submit: wish.submit,
    look,
    problems: wish.problems,
    hidden: hiddenOf(wish),
  });
}

/** A new password with the app that gives codes; the app's key travels sealed, for nothing is stored yet. */
export function newPasswordForm(
  app: App,
  person: PersonRow,
  look: Look,
  wish: {
    readonly action: string;
    readonly submit: string;
    readonly problems: readonly string[];
    readonly sealed?: string | undefined;
  },
): Html {
  const words = ENTRY_WORDS[look.language];
  const known = wish.sealed === undefined ? undefined : openedSecret(app, person, wish.sealed);
  const secret = known ?? freshTotpSecret(app.secrets);
  const sealed = app.secrets.seal(person.id, secret).toString("base64url");
  const url = otpauthUrl({ secret, issuer: "Kopeck", account: person.email });
  // uqr writes nothing but numbers into its picture.
  const picture = new Html(renderSVG(url, { border: 2 }));
  const note = html`<p>${words.scan}</p><div class="qr" role="img" aria-label="QR">${picture}</div><p><code>${secret.match(/.{1,4}/g)?.join(" ")}</code></p><p>${link(words.here, url)}</p>`;
  const fields: FormField[] = [
    {
      name: "password",
      label: words.newPassword,
      kind: "new-password",
      required: true,
      autocomplete: "new-password",
    },
    {
      name: "code",
      label: words.newCode,
      kind: "code",
      required: true,
      autocomplete: "one-time-code",
    },
  ];
  return html`${note}${form({
    action: wish.action,
    fields,
    submit: wish.submit,
    look,
    problems: wish.problems,
    hidden: { sealed },
  })}`;
}

export function openedSecret(app: App, person: PersonRow, sealed: string): string | undefined {
  try {
    return app.secrets.open(person.id, Buffer.from(sealed, "base64url"));
  } catch {
    return undefined;
  }
}

/** Shown once, when they were made. */
export function codesShown(codes: readonly string[], language: Language): Html {
  const words = ENTRY_WORDS[language];
  return html`<h2>${words.codes}</h2>${notice("warn", words.keepCodes)}<ul class="codes">${codes.map(
    (code) => html`<li><code>${code}</code></li>`,
  )}</ul>`;
}

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
