// /desk/wall: large figures for a screen on the wall. It loads itself again, script or not. /wall#{key}, a link,
// opens it without anybody signing in. Guards that such a link shows figures alone: nothing on its board leads
// anywhere, and no other page knows its cookie; and that its secret stands in no address that a server is told.

import { type App, perApp } from "../../platform/app.ts";
import { ask } from "../../platform/ask.ts";
import type { Asked } from "../../platform/endpoint.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { Html, html } from "../../platform/html.ts";
import { openThrottle } from "../../platform/throttle.ts";
import type { Document, Visit, WebPage } from "../../platform/web-page.ts";
import type { Operator } from "../operators/operator.ts";
import { showHealth } from "../overview/show-health.endpoint.ts";
import { showWaiting } from "../overview/show-waiting.endpoint.ts";
import { createWallLink } from "../people/manage-wall-links.endpoint.ts";
import { operatorOf } from "../people/person.ts";
import { plainPage } from "../people/plain-page.ts";
import { signedIn } from "../people/session.ts";
import { refuseTooManyTries } from "../people/sign-in.ts";
import { redirect } from "../people/site.ts";
import { openWall, WALL_PATH, type Wall, wallOf } from "../people/wall-link.ts";
import { readRequisites } from "../requisites/manage-requisites.endpoint.ts";
import { form } from "../screens/form.ts";
import { card, figures, link, moment, money } from "../screens/pieces.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import { readTransfers } from "../transfers/manage-transfers.endpoint.ts";
import { checkLine } from "./books.page.ts";
import { doorTable } from "./door-parts.ts";
import { homeFigures } from "./home-figures.ts";
import { newestOf, PAGE } from "./newest.ts";
import { type DeskSight, desk } from "./site.ts";
import { LINKS } from "./wall-links.page.ts";

const AGAIN_SECONDS = 30;
const NEWEST = 8;

/** Whoever sees it, signed in or by a link. */
type BoardSight = Pick<DeskSight, "say" | "look" | "root" | "ask" | "askIfAllowed">;

async function board(sight: BoardSight): Promise<Html> {
  const { say, look } = sight;
  const [waiting, requisites, transfers, health, today] = await Promise.all([
    sight.ask(showWaiting, {}),
    newestOf((after) => sight.ask(readRequisites, { limit: PAGE, ...(after && { after }) })),
    sight.ask(readTransfers, { limit: NEWEST }),
    sight.ask(showHealth, {}),
    homeFigures(sight),
  ]);
  const live = requisites.items.reduce((sum, { live_payments: count }) => sum + count, 0);
  // What is switched off is given out no more, and still waits for its payers.
  const giving = requisites.items.filter(
    ({ enabled, resting_since: since }) => enabled && since === null,
  ).length;
  const more = requisites.next !== null && "+";
  const [last] = transfers.items;
  const now = figures([
    [
      say({ en: "Payments under way", ru: "Идёт платежей" }),
      html`<a href="/desk/requisites">${live}${more}</a>`,
    ],
    [
      say({ en: "Requisites given out", ru: "Реквизитов выдаётся" }),
      html`<a href="/desk/requisites?enabled=true">${giving}${more}</a>`,
    ],
    ...(last === undefined
      ? []
      : [
          [
            say({ en: "Last money", ru: "Последние деньги" }),
            html`<a href="/desk/transfers/${last.transfer_id}">${money(last.amount, look, last.currency)}</a>`,
            moment(last.received_at, look),
          ] as const,
        ]),
  ]);
  const waits =
    waiting.items.length === 0
      ? html`<p class="lead">${say({ en: "Nothing waits for anybody.", ru: "Никого ничего не ждёт." })}</p>`
      : figures(
          waiting.items.map(({ kind, count, capped, amount, currency, first_id: id }) => [
            wordOf(kind, look.language),
            html`<a href="/desk/go/${id}">${count}${capped && "+"}</a>`,
            amount !== null && money(amount, look, currency ?? "RUB"),
          ]),
        );
  const newest =
    transfers.items.length > 0 &&
    card(
      say({ en: "Money that arrived", ru: "Поступления" }),
      doorTable(sight, readTransfers, labelOf("transfers", look.language), transfers.items, [
        "received_at",
        "amount",
        "state",
      ]),
    );
  const checked = health.books.checked_at;
  return html`${today.map((one) => html`<div class="wall">${one}</div>`)}<div class="grid wall">${card(undefined, now)}${card(say({ en: "Waits for you", ru: "Ждёт вас" }), waits)}</div>${newest}${checkLine(checked === null ? undefined : { ended_at: checked, violations: health.books.violations }, sight)}`;
}

const TITLE = { en: "Wallboard", ru: "Табло" };

const atDesk = desk.page({
  path: WALL_PATH,
  async show(sight) {
    const links =
      sight.may(createWallLink) && html`<p>${link(sight.say(LINKS), "/desk/wall-links")}</p>`;
    const body = html`${await board(sight)}${links}`;
    const page = await desk.documentOf(sight, { title: sight.say(TITLE), body });
    return { ...page, reloadSeconds: AGAIN_SECONDS };
  },
});

async function isAtDesk(app: App, visit: Visit): Promise<boolean> {
  const signed = await signedIn(app, visit);
  return signed !== undefined && (await operatorOf(app, signed.person)) !== undefined;
}

/** Of one link, on however many screens: each costs what a page of figures costs. */
const BOARDS = { burst: 60, perSecond: 1 };
const boards = perApp(({ clock }) => openThrottle(clock, BOARDS));

/** It asks as one who looks; and what would lead to something else is not there. */
async function byLink(
  app: App,
  { language }: Visit,
  { link: by, cookie }: Wall,
): Promise<Document> {
  if (!boards(app).allows(by.id)) throw new HttpFailure("too_many_screens", AGAIN_SECONDS);
  const who: Operator = { id: by.id, name: by.name, role: "viewer" };
  const asking = <Input, Data>(door: Asked<Input, Data>, input: Input) =>
    ask(app, door, input, who);
  const shown = await board({
    ...{ say: (words) => words[language], root: desk.root, ask: asking, askIfAllowed: asking },
    look: { language, zone: app.config.timeZone, now: app.clock.now() },
  });
  const unlinked = new Html(shown.text.replace(/<\/?a\b[^>]*>/g, ""));
  // It loads itself again before the script would have anything to do.
  const { script: _, ...page } = plainPage(language, TITLE[language], unlinked, 200, "board");
  return { ...page, cookies: [cookie], reloadSeconds: AGAIN_SECONDS };
}

const WORDS = {
  en: {
    title: "Wallboard",
    key: "The link, or what stands after its #",
    open: "Open",
    ended: "This link opens nothing. Ask whoever runs the gateway for another one.",
  },
  ru: {
    title: "Табло",
    key: "Ссылка или то, что стоит в ней после #",
    open: "Открыть",
    ended: "Эта ссылка ничего не открывает. Попросите новую у того, кто управляет шлюзом.",
  },
};

function keyPage({ config, clock }: App, { language }: Visit, problems: readonly string[] = []) {
  const words = WORDS[language];
  const asked = form({
    ...{ action: "/wall", submit: words.open, problems },
    fields: [
      { name: "key", label: words.key, kind: "password", required: true, autocomplete: "off" },
    ],
    look: { language, zone: config.timeZone, now: clock.now() },
  });
  return plainPage(language, words.title, asked, problems.length === 0 ? 200 : 404);
}

export const wallPages: readonly WebPage[] = [
  {
    ...atDesk,
    async answer(app, visit) {
      const wall = await wallOf(app, visit);
      const isScreen = wall !== undefined && !(await isAtDesk(app, visit));
      return isScreen ? byLink(app, visit, wall) : atDesk.answer(app, visit);
    },
  },
  {
    ...{ method: "GET", path: "/wall", site: "desk" },
    answer: async (app, visit) => keyPage(app, visit),
  },
  {
    ...{ method: "POST", path: "/wall", site: "desk" },
    async answer(app, visit) {
      const wall = await openWall(app, visit.form["key"]?.replace(/^.*#/, "").trim());
      if (wall !== undefined) return redirect(WALL_PATH, [wall.cookie]);
      refuseTooManyTries(app, visit);
      return keyPage(app, visit, [WORDS[visit.language].ended]);
    },
  },
];
