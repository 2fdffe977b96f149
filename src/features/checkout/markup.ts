// What the screens are put together from. Whatever a shop or a payer wrote goes through the template, which
// escapes it, and stands in an element of its own, so that it cannot turn the text around it.

import { momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import type { WantedBank } from "../../domain/requisite.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import { signOf, zoneName } from "../screens/locale.ts";
import type { Checkout } from "./look-up.ts";
import type { CheckoutRow } from "./queries.ts";
import { WORDS } from "./words.ts";

const MARKS = { en: { thousands: ",", decimal: "." }, ru: { thousands: "\u00a0", decimal: "," } };

/** 1,490.00 and 1 490,00. */
export function grouped(minor: bigint, language: Language): string {
  const { thousands, decimal } = MARKS[language];
  const [whole = "", kopecks = ""] = toDecimalText(minor).split(".");
  return whole.replace(/\B(?=(?:\d{3})+$)/g, thousands) + decimal + kopecks;
}

export function money(minor: bigint, currency: string, language: Language): string {
  return `${grouped(minor, language)}\u00a0${signOf(currency)}`;
}

const MONTHS = {
  en: "January February March April May June July August September October November December",
  ru: "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
};

/** 15 November, 20:58 (MSK). */
export function moment(at: Date, timeZone: string, language: Language): string {
  const text = momentFormat(timeZone).text(at);
  const month = MONTHS[language].split(" ")[Number(text.slice(5, 7)) - 1];
  return `${Number(text.slice(8, 10))}\u00a0${month}, ${text.slice(11, 16)}\u00a0(${zoneName(at, timeZone, language)})`;
}

/** +7 999 000-00-01; a number of another country stays as it is. */
export function phone(number: string): string {
  return number.replace(/^\+7(\d{3})(\d{3})(\d\d)(\d\d)$/, "+7\u00a0$1\u00a0$2-$3-$4");
}

/** 2202 2000 0000 0007. */
export function cardNumber(digits: string): string {
  return digits.replace(/(\d{4})(?=\d)/g, "$1 ");
}

/** By which a payer names a payment: the end of its invoice's id. */
export function shortNumber(id: string): string {
  return id.slice(-8);
}

/** The address of the page with other wishes; what is not named stays as it was wished. */
export function here(
  { row, language, chosen, isChange }: Checkout,
  wish: { language?: Language; service?: string | null; isChange?: boolean } = {},
): string {
  const service = wish.service === undefined ? chosen : wish.service;
  return `/pay/${row.id}?${new URLSearchParams({
    ...((wish.isChange ?? isChange) ? { change: "1" } : {}),
    ...(service ? { service } : {}),
    lang: wish.language ?? language,
  })}`;
}

export function shopName({ title, shop_name: name }: CheckoutRow): string {
  return title ?? name;
}

/** The shop's name, and the host that the link really leads to, whatever is in the name. */
export function backTo({ row, language }: Checkout, url: string): Html {
  const { host } = new URL(url);
  return html`<span>${WORDS[language].backToShop} <bdi>${shopName(row)}</bdi> (<bdi>${host}</bdi>)</span>`;
}

/** How to reach whoever answers for the order. */
export function support({ row, language }: Checkout): Html {
  if (row.support === null) return html``;
  const [href, text] = linkTo(row.support);
  return html`<p>${WORDS[language].support} <a href="${href}" rel="noreferrer"><bdi>${text}</bdi></a></p>`;
}

function linkTo(contact: string): readonly [href: string, text: string] {
  if (/^\+\d+$/.test(contact)) return [`tel:${contact}`, contact];
  const url = URL.parse(contact);
  if (url !== null && /^https?:$/.test(url.protocol)) {
    return [url.href, url.host + url.pathname.replace(/\/$/, "")];
  }
  return [`mailto:${encodeURIComponent(contact).replace("%40", "@")}`, contact];
}

export function bankForm(
  checkout: Checkout,
  service: string,
  bank: WantedBank,
  label: Html,
  look: string,
): Html {
  // What was chosen stays in the address, so that a refusal can be looked at again.
  const action = here(checkout, { service });
  return html`<form method="post" action="${action}"><input type="hidden" name="service" value="${service}"><input type="hidden" name="bank" value="${bank}"><button class="${look}">${label}</button></form>`;
}

export function line(name: string | Html, value: string | Html, act?: Html): Html {
  return html`<div class="row"><dt>${name}</dt><dd><bdi>${value}</bdi></dd>${act && html`<dd class="act">${act}</dd>`}</div>`;
}

const TICK = "M5 13l5 5L20 6";

function icon(paths: Html): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${paths}</svg>`;
}

export function tick(): Html {
  return html`<div class="tick" aria-hidden="true">${icon(html`<path d="${TICK}"/>`)}</div>`;
}

/** Shown by the script: without it there is nothing that could copy. */
export function copy({ language }: Checkout, value: string): Html {
  const { copy: label, copied } = WORDS[language];
  const sheets = html`<path class="no" d="M9 9h11v12H9zM5 15H4V3h11v2"/><path class="yes" d="${TICK}"/>`;
  return html`<button type="button" class="copy" hidden data-copy="${value}" data-label="${label}" data-done="${copied}" aria-label="${label}: ${value}">${icon(sheets)}<span>${label}</span></button>`;
}

export function trouble(problem: string | undefined): Html {
  return problem === undefined ? html`` : html`<p class="warn" role="alert">${problem}</p>`;
}

/** As it stands now; the script goes on counting. */
export function timeLeft({ row, now }: Checkout): Html {
  const { ends_at: endsAt } = row;
  if (endsAt === null) return html``;
  const seconds = Math.ceil((endsAt.getTime() - now.getTime()) / 1000);
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return html`<span role="timer" data-ends="${endsAt.toISOString()}">${text}</span>`;
}

/** The kopecks are marked where they were changed to tell this payment from others. */
export function amount({ row, language }: Checkout, minor: bigint, nudgeMinor = 0n): Html {
  const text = grouped(minor, language);
  const tail = text.slice(-3);
  const kopecks = nudgeMinor > 0n ? html`<mark>${tail}</mark>` : html`${tail}`;
  return html`<span class="amount">${text.slice(0, -3)}${kopecks}\u00a0<small>${signOf(row.currency)}</small></span>`;
}
