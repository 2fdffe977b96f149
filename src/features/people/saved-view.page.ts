// Saved views: a name for what an address says of a list, kept by whoever made it.

import { cutText } from "../../domain/cut-text.ts";
import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { button } from "../screens/pieces.ts";
import { ownPath } from "./own-path.ts";
import { signedIn } from "./session.ts";
import { addSavedView, removeSavedView, savedViewsOf } from "./session-queries.ts";
import { redirect, type Sight } from "./site.ts";

const MOST = 100;
const MOST_CHARACTERS = 60;

const WORDS = {
  en: { save: "Save this view", name: "Name of the view", remove: "Forget", views: "Saved views" },
  ru: { save: "Сохранить вид", name: "Название вида", remove: "Забыть", views: "Сохранённые виды" },
};

/** What an address looks for, without the place that somebody had come to, or what they had left unsent. */
function soughtBy(query: string | undefined): string {
  const wanted = new URLSearchParams(query);
  for (const name of ["after", "unsent"]) wanted.delete(name);
  return wanted.toString();
}

/** Those of this list, and a way to save what the address says now. */
export async function savedViews<Who>(
  { app, person, look, onlyLooks }: Sight<Who>,
  path: string,
  asked: string,
): Promise<Html | false> {
  if (onlyLooks) return false;
  const query = soughtBy(asked);
  const views = await savedViewsOf(app.db, person.id, path);
  if (views.length === 0 && query === "") return false;
  const words = WORDS[look.language];
  const saved = views.map(
    ({ id, name, query: wanted }) =>
      html`<li><a href="${path}?${soughtBy(wanted)}">${name}</a><form method="post" action="/views/remove"><input type="hidden" name="id" value="${id}"><input type="hidden" name="then" value="${path}">${button(`${words.remove}: ${name}`, { kind: "plain" })}</form></li>`,
  );
  const save =
    query !== "" &&
    html`<form class="inline" method="post" action="/views"><input type="hidden" name="path" value="${path}"><input type="hidden" name="query" value="${query}"><label>${words.name} <input name="name" required maxlength="${MOST_CHARACTERS}"></label>${button(words.save, { kind: "plain" })}</form>`;
  return html`<details class="views"><summary>${words.views}</summary><ul>${saved}</ul>${save}</details>`;
}

export const saveView: WebPage = {
  method: "POST",
  path: "/views",
  site: "people",
  async answer(app, visit) {
    const signed = await signedIn(app, visit);
    if (signed === undefined) return redirect("/sign-in");
    const path = ownPath(visit.form["path"]?.split("?")[0]);
    const query = soughtBy(visit.form["query"]).slice(0, 2_000);
    const typed = (visit.form["name"] ?? "").replace(/\p{Cc}/gu, "").trim();
    const name = cutText(typed, MOST_CHARACTERS);
    const view = { id: app.newId(), person_id: signed.person.id, path, name, query };
    const now = app.clock.now();
    if (name !== "") {
      await app.db.transaction((tx) => addSavedView(tx, { ...view, created_at: now }, MOST));
    }
    return redirect(query === "" ? path : `${path}?${query}`);
  },
};

export const removeView: WebPage = {
  method: "POST",
  path: "/views/remove",
  site: "people",
  async answer(app, visit) {
    const signed = await signedIn(app, visit);
    if (signed === undefined) return redirect("/sign-in");
    const { id = "", then } = visit.form;
    if (/^[0-9a-f-]{36}$/.test(id)) await removeSavedView(app.db, signed.person.id, id);
    return redirect(ownPath(then));
  },
};
