// GET /: what runs here, for a person who opens the address in a browser.

import { HttpFailure } from "../../platform/failure.ts";
import { html } from "../../platform/html.ts";
import { webPage } from "../../platform/web-page.ts";
import { styleOf } from "./style.ts";

const WORDS = {
  en: {
    what: "A payment gateway for bank transfers runs here.",
    docs: "API reference",
    demo: "Try it: the demo shop",
    sandbox: "Sandbox: no real money",
  },
  ru: {
    what: "Здесь работает платёжный шлюз для банковских переводов.",
    docs: "Описание API",
    demo: "Попробовать: демо-магазин",
    sandbox: "Песочница: деньги ненастоящие",
  },
};

export const showHome = webPage({
  method: "GET",
  path: "/",
  async answer({ config }, { language, wantsJson }) {
    // To a program this address is what it always was: nothing.
    if (wantsJson) throw new HttpFailure("path_not_found");
    const words = WORDS[language];
    const isSandbox = config.mode === "sandbox";
    return {
      kind: "document",
      status: 200,
      language,
      title: "Kopeck",
      style: styleOf(null),
      body: html`${isSandbox && html`<div class="ribbon">${words.sandbox}</div>`}<header><p><strong>Kopeck</strong></p></header>
<main><div class="card"><h1>Kopeck</h1><p>${words.what}</p>${
        isSandbox && html`<p><a class="button" href="/demo">${words.demo}</a></p>`
      }<a class="button choice" href="/docs">${words.docs}</a></div></main>`,
    };
  },
});
