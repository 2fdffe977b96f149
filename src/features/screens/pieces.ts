// What every screen is put together from. Whatever somebody wrote goes through the template, which escapes
// it, and stands in an element of its own, so that it cannot turn the text around it.

import { momentFormat } from "../../domain/moment.ts";
import { minorFromNumber, toDecimalText } from "../../domain/money.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import { DECIMAL, distanceText, fullMomentText, signOf, thousands } from "./locale.ts";
import type { Look } from "./look.ts";
import { standingOf, stateWord, WORDS } from "./words.ts";

/** A state: its shape, its colour and its word. */
export function chip(state: string, { language }: Look): Html {
  return html`<span class="chip ${standingOf(state)}">${stateWord(state, language)}</span>`;
}

const NONE = html`<span class="none">—</span>`;

/** A decimal number of the wire; without a currency where the column's head carries it. */
export function money(amount: number | null, { language }: Look, currency?: string): Html {
  if (amount === null) return NONE;
  return html`<span class="money">${moneyText(amount, language, currency)}</span>`;
}

/** 1 519.80 and 1 519,80; −20.00. What is no amount of the wire, such as a mean, is rounded to kopecks. */
export function moneyText(amount: number, language: Language, currency?: string): string {
  if (!Number.isFinite(amount)) return "—";
  const size = Math.abs(amount);
  const minor = minorFromNumber(size) ?? BigInt(Math.round(size * 100));
  const [whole = "", kopecks = ""] = toDecimalText(minor).split(".");
  const sign = amount < 0 && minor > 0n ? "−" : "";
  const unit = currency === undefined ? "" : `\u00a0${signOf(currency)}`;
  return `${sign}${thousands(whole)}${DECIMAL[language]}${kopecks}${unit}`;
}

/** How long ago, within a day; the moment in full is its title. A day stays a day. */
export function moment(iso: string | null, look: Look): Html {
  if (iso === null) return NONE;
  const at = new Date(iso);
  const text = momentText(iso, look);
  if (!iso.includes("T") || Number.isNaN(at.getTime()))
    return html`<span class="when">${text}</span>`;
  const distance = distanceText(at, look);
  return html`<time datetime="${at.toISOString()}" title="${fullMomentText(at, look)}"${
    distance !== undefined && html` data-ago`
  }>${distance ?? text}</time>`;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** 14 Nov, 14:02; of another year, 14 Nov 2025, 14:02; of a day, the day. What is no moment stays as it is. */
export function momentText(iso: string, { language, zone, now }: Look): string {
  const isDay = DAY.test(iso);
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const format = momentFormat(zone);
  const text = isDay ? iso : format.text(at);
  const year = text.slice(0, 4) === format.text(now).slice(0, 4) ? "" : ` ${text.slice(0, 4)}`;
  const month = WORDS[language].months.split(" ")[Number(text.slice(5, 7)) - 1];
  const day = `${Number(text.slice(8, 10))} ${month}${year}`.replaceAll(" ", "\u00a0");
  return isDay ? day : `${day}, ${text.slice(11, 16)}`;
}

/** Cut in the middle, whole in its title, copied whole. The script shows the button: without it nothing copies. */
export function shortId(id: string, href?: string): Html {
  const cut = id.length > 13 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id;
  const code = html`<code title="${id}">${cut}</code>`;
  return html`<span class="id">${href === undefined ? code : html`<a href="${href}">${code}</a>`}${copyButton(id, cut)}</span>`;
}

function copyButton(text: string, label: string): Html {
  return html`<button type="button" class="copy" data-copy="${text}" data-label="${label}" hidden></button>`;
}

/** A number, a key, a line for the terminal, with a button that copies it. */
export function copyable(text: string, label: string): Html {
  return html`<span class="copyable"><code>${text}</code>${copyButton(text, label)}</span>`;
}

/** How much of a limit is used; where there is none, only the words. */
export function meter(value: number, limit: number | null, words: string): Html {
  if (limit === null || limit <= 0) return html`<span class="meter">${words}</span>`;
  return html`<label class="meter"><meter min="0" max="${limit}" high="${limit * 0.8}" optimum="0" value="${Math.min(value, limit)}"></meter><span>${words}</span></label>`;
}

export function facts(rows: readonly (readonly [string, Part])[]): Html {
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? NONE}</dd></div>`)}</dl>`;
}

/** Large figures side by side, each with its name and what it is to be compared with. */
export function figures(
  rows: readonly (readonly [name: string, value: Part, more?: Part])[],
): Html {
  return html`<dl class="figures">${rows.map(
    ([name, value, more]) =>
      html`<div><dt>${name}</dt><dd><b>${value}</b>${more && html`<span>${more}</span>`}</dd></div>`,
  )}</dl>`;
}

export function card(title: string | undefined, body: Part, actions?: Part): Html {
  const head =
    title !== undefined || actions !== undefined
      ? html`<div class="head">${title !== undefined && html`<h2>${title}</h2>`}${
          actions !== undefined && html`<div class="acts">${actions}</div>`
        }</div>`
      : html``;
  return html`<section class="card">${head}${body}</section>`;
}

export function notice(kind: "good" | "warn" | "bad" | "plain", body: Part): Html {
  return html`<div class="notice ${kind}">${body}</div>`;
}

/** Where nothing is yet: what will be here, and how it comes. */
export function empty(title: string, body: Part): Html {
  return html`<div class="empty"><p><b>${title}</b></p><div>${body}</div></div>`;
}

export type ButtonKind = "main" | "danger" | "plain";

export function button(
  label: Part,
  { name, value, kind = "main" }: { name?: string; value?: string; kind?: ButtonKind } = {},
): Html {
  return html`<button class="button ${kind}"${name !== undefined && html` name="${name}"`}${
    value !== undefined && html` value="${value}"`
  }>${label}</button>`;
}

/** A plain link, or one that looks like a button. */
export function link(label: Part, href: string, kind?: ButtonKind): Html {
  return html`<a href="${href}"${kind !== undefined && html` class="button ${kind}"`}>${label}</a>`;
}
