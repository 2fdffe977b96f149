// What stands around every screen of the desk and the cabinet: where one is, where one can go, how to find
// anything, who one is. Guards that there is one heading and one main part, that the keyboard can skip to it,
// and that all of it works without the script.

import type { Language } from "../../platform/failure.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import { copyable } from "./pieces.ts";
import { WORDS } from "./words.ts";

export interface Frame {
  /** What the site is called, and the path that it begins at. */
  readonly site: { readonly name: string; readonly root: string };
  readonly title: string;
  readonly language: Language;
  readonly person?: { readonly name: string };
  /** The other site, for who has a place on both. */
  readonly other?: { readonly label: string; readonly href: string } | undefined;
  readonly places: readonly {
    readonly label: string;
    readonly href: string;
    readonly isHere: boolean;
  }[];
  /** The switch between the merchants of a person. */
  readonly merchant?: Part;
  readonly ribbon?: string;
  readonly body: Part;
  /** What the screen's main act is on its right. */
  readonly actions?: Part;
  /** The same, on the command line. */
  readonly command?: string;
  /** Where the forms go that end the session and that look for something. */
  readonly signOut: string;
  readonly find: string;
  /** The stream that tells of changes, and what a change does: figures change, lists say how many are new. */
  readonly live?: string;
  readonly liveMode?: "figures" | "list";
  /** Whose page it is: the script takes nobody else's figures into it. */
  readonly of?: string;
  /** Whether single letters are keys. */
  readonly keys: boolean;
  /** The server's time, by which the script counts; else the visitor's own. */
  readonly now?: Date;
}

export function frame(wanted: Frame): Html {
  const { site, title, language, merchant, ribbon, body, actions, command, live, now } = wanted;
  const words = WORDS[language];
  const { liveMode = "figures" } = wanted;
  return html`<a class="skip" href="#main">${words.skip}</a><div class="frame" data-root="${site.root}" data-keys="${wanted.keys ? "on" : "off"}"${
    now && html` data-now="${now.toISOString()}"`
  }${wanted.of !== undefined && html` data-of="${wanted.of}"`}>${ribbon && html`<aside class="ribbon" aria-label="${ribbon}">${ribbon}</aside>`}<header class="side"><div><a class="brand" href="${site.root}">${site.name}</a>${merchant}${findForm(wanted)}${nav(wanted)}${who(wanted)}<details class="menu"><summary>${words.menu}</summary><div>${merchant}${findForm(wanted)}${nav(wanted)}${who(wanted)}</div></details></div></header><main id="main" tabindex="-1"${
    live !== undefined && html` data-live="${live}" data-live-mode="${liveMode}"`
  }><div class="top"><h1>${title}</h1>${actions && html`<div class="acts">${actions}</div>`}</div>${
    live !== undefined &&
    liveMode === "list" &&
    html`<p class="new"><button type="button" class="button main" data-new hidden></button></p>`
  }${body}${
    command !== undefined &&
    html`<details class="command"><summary>${words.command}</summary>${copyable(command, words.command)}</details>`
  }</main></div><p class="unseen" role="status" data-said></p>${wanted.person && dialogs(wanted)}`;
}

function nav({ language, places }: Frame): Html | false {
  if (places.length === 0) return false;
  const links = places.map(
    ({ label, href, isHere }) =>
      html`<li><a href="${href}"${isHere && html` aria-current="page"`}>${label}</a></li>`,
  );
  return html`<nav aria-label="${WORDS[language].places}"><ul class="places">${links}</ul></nav>`;
}

/** Only for somebody who is signed in: a stranger has nothing to find. */
function findForm({ language, find, person }: Frame): Html | false {
  if (person === undefined) return false;
  const { find: label, findWhat } = WORDS[language];
  return html`<form class="find" role="search" action="${find}"><input type="search" name="q" aria-label="${label}" placeholder="${findWhat}" autocomplete="off"><kbd aria-hidden="true">/</kbd></form>`;
}

function who({ language, person, signOut, other }: Frame): Html | false {
  if (person === undefined) return false;
  const words = WORDS[language];
  return html`<div class="who"><a class="bare" href="/security"><bdi>${person.name}</bdi></a>${other && html`<a class="bare" href="${other.href}">${other.label}</a>`}<button type="button" class="bare" data-opens="keys" hidden>${words.keys}</button><form method="post" action="${signOut}"><button class="bare">${words.signOut}</button></form></div>`;
}

function dialogs({ language, find }: Frame): Html {
  const words = WORDS[language];
  const close = html`<form method="dialog"><button class="bare">${words.close}</button></form>`;
  const keys = words.keysList.map(
    ([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`,
  );
  return html`<dialog id="palette" aria-label="${words.find}"><form role="search" action="${find}"><input type="search" name="q" aria-label="${words.find}" placeholder="${words.findWhat}" autocomplete="off"></form><div data-found aria-live="polite"></div></dialog><dialog id="keys" aria-labelledby="keys-title"><div class="top"><h2 id="keys-title">${words.keys}</h2>${close}</div><dl class="facts">${keys}</dl></dialog>`;
}
