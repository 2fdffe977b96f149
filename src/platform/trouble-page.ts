// What a person sees where a request has failed: a page that says so in a few words and, where trying again may
// help, tries again by itself. It knows nothing of what the service is about.

import type { Failure, Language } from "./failure.ts";
import { html } from "./html.ts";
import type { Document } from "./web-page.ts";

const WORDS = {
  en: {
    trouble: "This did not work",
    missing: "There is no such page",
    kept: "Nothing is lost. This page tries again by itself in {seconds} seconds.",
    again:
      "What you pressed may not have arrived. The page opens again by itself in {seconds} seconds: then please press it once more.",
  },
  ru: {
    trouble: "Не получилось",
    missing: "Такой страницы нет",
    kept: "Ничего не потеряно. Страница сама попробует ещё раз через {seconds} с.",
    again:
      "Нажатие могло не дойти. Страница сама откроется снова через {seconds} с: тогда, пожалуйста, нажмите ещё раз.",
  },
};

const STYLE =
  ":root{color-scheme:light dark}*{box-sizing:border-box}" +
  "body{margin:0;padding:18vh 1rem 1rem;background:light-dark(#f2f4f7,#0f1216);color:light-dark(#14181f,#e8ebf0);" +
  'font:17px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}' +
  "main{max-width:27rem;margin:auto;padding:1.25rem;border:1px solid light-dark(#dfe3e8,#323945);" +
  "border-radius:18px;background:light-dark(#fff,#191d23)}h1{margin:0 0 .75rem;font-size:1.3rem;line-height:1.25}" +
  "p{margin:0 0 .75rem}p:last-child{margin:0;color:light-dark(#545d69,#a3adba)}";

/** Not so soon that a service in trouble is asked by everybody at once, and no sooner than it was told to. */
const AGAIN_SECONDS = 7;

/** By a reload, where there is something to load. */
export function troublePage(
  failure: Failure,
  language: Language,
  { mayReload, wasForm }: { readonly mayReload: boolean; readonly wasForm: boolean },
): Document {
  const { status } = failure;
  const words = WORDS[language];
  const title = status === 404 ? words.missing : words.trouble;
  const isPassing = mayReload && (status >= 500 || status === 429);
  const seconds = Math.max(AGAIN_SECONDS, failure.retryAfterSeconds ?? 0);
  const then = (wasForm ? words.again : words.kept).replace("{seconds}", String(seconds));
  const said = [failure.words(language)].flat().join(" ");
  return {
    kind: "document",
    status,
    language,
    title,
    style: STYLE,
    ...(isPassing ? { reloadSeconds: seconds } : {}),
    body: html`<main><h1>${title}</h1><p>${said}</p>${isPassing && html`<p>${then}</p>`}</main>`,
  };
}
