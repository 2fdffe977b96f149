// What a payer says to have done: a button, then what happens now, and after a while a few questions that help
// whoever looks for the transfer. Nothing of it is believed, and none of it moves money.

import { type Html, html } from "../../platform/html.ts";
import { MAX_TIMES_TOLD, MAX_WORD } from "../payments/payer-word.ts";
import { here } from "./markup.ts";
import { type Checkout, isTooLate, mayWait, saidOf } from "./screen.ts";
import { WORDS } from "./words.ts";

export function saidPart(checkout: Checkout): Html {
  const { row, language, screen } = checkout;
  const words = WORDS[language];
  if (row.payment_id === null) return html``;
  if (saidOf(checkout) === "no") {
    return html`${havePaid(checkout)}${
      screen === "details" && html`<p class="state"><span class="dot"></span>${words.waiting}</p>`
    }`;
  }
  const looks = html`<p class="state" role="status"><span class="dot"></span><strong>${words.said}</strong></p><p class="muted">${words.saidText}</p>`;
  return html`${isTooLate(checkout) ? html`<p class="warn" role="status">${words.notFoundYet}</p>` : looks}${
    row.other_amount_came && html`<p class="warn" role="status">${words.otherAmount}</p>`
  }${isAsked(checkout) && questions(checkout, words.tell)}<noscript><a class="button choice" href="${here(checkout)}">${words.refresh}</a></noscript>`;
}

/** Whether there are fields that somebody may be writing in: such a page does not reload by itself. */
export function isAsked(checkout: Checkout): boolean {
  return mayWait(checkout.screen) && saidOf(checkout) === "before";
}

export function havePaid(checkout: Checkout): Html {
  const words = WORDS[checkout.language];
  return html`<form method="post" action="${action(checkout)}"><button>${words.havePaid}</button></form>`;
}

export function questions(checkout: Checkout, heading: string): Html {
  const { row, language } = checkout;
  const words = WORDS[language];
  const times = row.times ?? 0;
  if (times === 0) return html`<h2>${heading}</h2>${form(checkout)}`;
  const told = html`<p class="muted">${words.told}</p>`;
  if (times >= MAX_TIMES_TOLD) return told;
  return html`${told}<details><summary>${words.mend}</summary>${form(checkout)}</details>`;
}

function form(checkout: Checkout): Html {
  const words = WORDS[checkout.language];
  return html`<form method="post" action="${action(checkout)}"><p class="muted">${words.tellText}</p>
<label>${words.sentAmount}<input name="amount" inputmode="decimal" pattern="[\\d\\s.,₽]+" maxlength="20" autocomplete="off"></label>
<label>${words.sentBank}<input name="bank" maxlength="${MAX_WORD}" autocomplete="off"></label>
<label>${words.sentWhen}<input name="when" maxlength="${MAX_WORD}" autocomplete="off"></label>
<button class="second">${words.send}</button></form>`;
}

function action({ row, language }: Checkout): string {
  return `/pay/${row.id}/paid?lang=${language}`;
}
