// Pages without a menu, and the one path that a visit may go on to: one of this site.

import type { App } from "../../platform/app.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import type { Document } from "../../platform/web-page.ts";
import { link } from "../screens/pieces.ts";
import { SCRIPT_PATH, STYLE_PATH } from "./assets.page.ts";

export const OTHERS = {
  desk: { en: "To the cabinet", ru: "В кабинет" },
  cabinet: { en: "To the desk", ru: "Стол оператора" },
};

export function hrefOfOther(
  kind: "desk" | "cabinet",
  { config: { deskUrl, cabinetUrl } }: App,
): string {
  const [url, path] = kind === "desk" ? [cabinetUrl, "/my"] : [deskUrl, "/desk"];
  return deskUrl === cabinetUrl ? path : url + path;
}

const STRANGER = {
  en: ["Nothing here is yours", "You have signed in, and have no place on this page."],
  ru: ["Здесь для вас ничего нет", "Вы вошли, но эта страница не для вас."],
};

export function strangerPage(language: Language): Document {
  const [title = "", said = ""] = STRANGER[language];
  return plainPage(language, title, html`<p>${said}</p><p>${link("Kopeck", "/start")}</p>`, 403);
}

const LOOK_OVER = {
  en: [
    "You look at no cabinet now",
    "A look at a merchant's cabinet is over after an hour, and when you leave it. Begin another one on the merchant's page.",
  ],
  ru: [
    "Сейчас вы не смотрите ничей кабинет",
    "Просмотр кабинета заканчивается через час или когда вы из него выходите. Начать новый можно на странице мерчанта.",
  ],
};

export function lookOverPage(app: App, language: Language, status: number): Document {
  const [title = "", said = ""] = LOOK_OVER[language];
  const back = link(OTHERS.cabinet[language], hrefOfOther("cabinet", app));
  return plainPage(language, title, html`<p>${said}</p><p>${back}</p>`, status);
}

export function plainPage(language: Language, title: string, body: Html, status = 200): Document {
  const whole = html`<main class="alone" id="main" data-root="/start" data-keys="off"><p class="brand">Kopeck</p><h1>${title}</h1>${body}</main>`;
  return pageDocument(language, `${title} · Kopeck`, whole, status);
}

export function pageDocument(
  language: Language,
  title: string,
  body: Html,
  status: number,
): Document {
  return {
    kind: "document",
    status,
    language,
    title,
    body,
    style: { href: STYLE_PATH },
    script: SCRIPT_PATH,
  };
}

/** Longer than any address that a page makes; what stands before us may refuse a longer header. */
const MAX_PATH_CHARACTERS = 4_000;

/** A path of ours and nothing else, whatever it was made of. */
export function ownPath(wanted: string | undefined, otherwise = "/start"): string {
  const isShort = (wanted?.length ?? 0) <= MAX_PATH_CHARACTERS;
  const isOwn =
    wanted !== undefined && isShort && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wanted);
  return isOwn ? wanted : otherwise;
}

const SOUGHT_CHARACTERS = 255;

/** What somebody looks for, as doors take it: no longer than any name, and no character that was cut in two. */
export function soughtIn(text = ""): string {
  return [...text.toWellFormed().trim()].slice(0, SOUGHT_CHARACTERS).join("").trim();
}
