// What stands on pages where people prove who they are: a passkey's button, the form of a password and a code,
// and what is shown of fresh secrets.

import { renderSVG } from "uqr";
import type { App } from "../../platform/app.ts";
import type { Language } from "../../platform/failure.ts";
import { Html, html } from "../../platform/html.ts";
import { creationOptions, requestOptions } from "../../platform/passkey.ts";
import { freshTotpSecret, otpauthUrl } from "../../platform/totp.ts";
import type { Visit } from "../../platform/web-page.ts";
import { type FormField, form } from "../screens/form.ts";
import type { Look } from "../screens/look.ts";
import { button, link, notice } from "../screens/pieces.ts";
import { type ChallengeUse, freshChallenge } from "./challenge.ts";
import type { PersonRow } from "./nouns.ts";
import { passkeysOf } from "./queries.ts";
import type { SessionWithPerson } from "./session-queries.ts";
import { placeOf } from "./sign-in.ts";

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

export function hiddenOf({ then, typed }: Aim): Readonly<Record<string, string>> {
  return { then, ...(typed === undefined ? {} : { typed }) };
}

/** A button that proves by a passkey; of this person, where it is known who they are. */
export async function passkeyButton(
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

export function passwordForm(
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
