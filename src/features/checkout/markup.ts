// What the screens are put together from. Whatever a shop or a payer wrote goes through the template, which
// escapes it, and stands in an element of its own, so that it cannot turn the text around it.

import type { WantedBank } from "../../domain/requisite.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import { signOf } from "../screens/locale.ts";
import { grouped } from "./locale.ts";
import type { CheckoutRow } from "./queries.ts";
import type { Checkout } from "./screen.ts";
import { WORDS } from "./words.ts";

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
