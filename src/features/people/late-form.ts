// A form that was sent too late for its proof, and is sent again after the proof. What was typed comes along as a hidden
// field of the proof's page. Guards that it stands in no address, and is seen before it is sent.

import type { Language } from "../../platform/failure.ts";
import { html } from "../../platform/html.ts";
import type { Document, Visit } from "../../platform/web-page.ts";
import { button, card, facts, link, notice } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import { ownPath, plainPage } from "./plain-page.ts";

/** The proof's own form takes 64 KiB, and a hidden field is encoded twice. A longer form is filled in anew. */
const MAX_CHARACTERS = 16_000;

/** Fields that a page fills in by itself. */
const OWN = new Set(["once", "of", "version", "next", "sure"]);

const UNSENT = /[?&]unsent=$/;

const WORDS = {
  en: {
    title: "Send it again",
    waits: "This was not carried out yet. Look through it and send it again.",
    send: "Send",
    anew: "Fill the form in anew",
  },
  ru: {
    title: "Отправьте ещё раз",
    waits: "Это ещё не выполнено. Проверьте и отправьте ещё раз.",
    send: "Отправить",
    anew: "Заполнить форму заново",
  },
};

/** Where a visit goes on after a proof. A form stands at the address that it is sent to; `unsent` makes it say so. */
export function thenOf({ url, form, query }: Visit): string {
  const isForm = Object.keys(form).length > 0 && query["unsent"] === undefined;
  return ownPath(isForm ? `${url}${url.includes("?") ? "&" : "?"}unsent=` : url);
}

/** What was typed into a form; undefined where nothing was, where it is too long, and where it holds a file. */
export function typedIn({ sent, form, files }: Visit): string | undefined {
  // Forms of the desk and the cabinet have no passwords and no codes: those stand on pages of their own.
  if (Object.keys(form).length === 0 || Object.keys(files).length > 0) return undefined;
  const pairs = Object.entries(sent).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const typed = new URLSearchParams(pairs).toString();
  return pairs.some(isSeen) && typed.length <= MAX_CHARACTERS ? typed : undefined;
}

const isSeen = ([name, value]: readonly [string, string]): boolean =>
  !OWN.has(name) && value.trim() !== "";

export function sendAgainPage(language: Language, then: string, typed: string): Document {
  const words = WORDS[language];
  const action = then.replace(UNSENT, "");
  const pairs = [...new URLSearchParams(typed)];
  const rows = pairs
    .filter(isSeen)
    .map(([name, value]) => [labelOf(name, language), html`<bdi>${value}</bdi>`] as const);
  const inputs = pairs.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const send = html`<form class="form" method="post" action="${action}">${inputs}${button(words.send, { kind: "main" })}</form>`;
  const body = html`${notice("warn", words.waits)}${card(undefined, html`<p><code>${action}</code></p>${facts(rows)}`)}${send}<p>${link(words.anew, then)}</p>`;
  return plainPage(language, words.title, body);
}
