// GET /: what runs here, for a person who opens the address in a browser, and no more than that. The
// sandbox has a page of its own.

import { HttpFailure } from "../../platform/failure.ts";
import { html } from "../../platform/html.ts";
import { webPage } from "../../platform/web-page.ts";
import { styleOf } from "./style.ts";

const WORDS = {
  en: { what: "A payment gateway for bank transfers runs here.", docs: "API reference" },
  ru: { what: "Здесь работает платёжный шлюз для банковских переводов.", docs: "Описание API" },
};

export const showHome = webPage({
  method: "GET",
  path: "/",
  async answer(_app, { language, wantsJson }) {
    // To a program this address is what it always was: nothing.
    if (wantsJson) throw new HttpFailure("path_not_found");
    const words = WORDS[language];
    return {
      kind: "document",
      status: 200,
      language,
      title: "Kopeck",
      style: styleOf(null),
      body: html`<header><p><strong>Kopeck</strong></p></header>
<main><div class="card"><h1>Kopeck</h1><p>${words.what}</p><a class="button choice" href="/docs">${words.docs}</a></div></main>`,
    };
  },
});
