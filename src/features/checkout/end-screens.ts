// The screens on which there is nothing to send: details that have run out, an order that is over, a receipt,
// money that went back. Each says what to do now, and nothing that may not be true.

import { type Html, html } from "../../platform/html.ts";
import { otherBank } from "./details-screen.ts";
import { moment, money, shortNumber } from "./locale.ts";
import { backTo, bankForm, line, tick, trouble } from "./markup.ts";
import { havePaid, questions, saidPart } from "./said-part.ts";
import { type Checkout, isSpent, isTooLate, saidOf } from "./screen.ts";
import { WORDS } from "./words.ts";

export function lapsedScreen(checkout: Checkout): Html {
  const { row, language, problem } = checkout;
  const words = WORDS[language];
  const again =
    isSpent(row) || row.service === null || row.bank === null
      ? html`<p class="warn">${words.spent}</p>`
      : bankForm(checkout, row.service, row.bank, html`${words.newDetails}`, "");
  return html`<div class="card"><h1>${words.lapsed}</h1><p class="warn">${words.lapsedText}</p>${trouble(problem)}${again}</div>
<div class="card">${row.paid_said_at === null && html`<p>${isTooLate(checkout) ? words.expiredLong : words.lapsedSent}</p>`}${saidPart(checkout)}</div>${otherBank(checkout)}`;
}

export function expiredScreen(checkout: Checkout): Html {
  const { row, language, problem } = checkout;
  const words = WORDS[language];
  const inTime = row.paid_said_at === null ? words.expiredSent : words.expiredSaid;
  const sent = isTooLate(checkout) ? words.expiredLong : inTime;
  return html`<div class="card"><h1>${words.expired}</h1><p>${words.expiredText}</p>${trouble(problem)}</div>${
    row.payment_id !== null && html`<div class="card"><p>${sent}</p>${saidPart(checkout)}</div>`
  }`;
}

/** It is not said that the money will be recognised: an operator has to look for it, and gives it back. */
export function failedScreen(checkout: Checkout): Html {
  const { row, language, problem } = checkout;
  const words = WORDS[language];
  return html`<div class="card"><h1>${words.failed}</h1><p>${words.failedText}</p>${trouble(problem)}</div>${
    row.payment_id !== null &&
    html`<div class="card"><p>${words.failedSaid}</p>${
      saidOf(checkout) === "no" ? havePaid(checkout) : questions(checkout, words.failedTell)
    }</div>`
  }`;
}

/** Past it a receipt is looked at again, and nobody wants to be taken away from it. */
const FRESH_MS = 60_000;
/** So long the receipt stays; the script counts. */
const STAY_SECONDS = 10;

export function paidScreen(checkout: Checkout): Html {
  const { row, language, now } = checkout;
  const words = WORDS[language];
  const isFresh = now.getTime() - (row.paid_at?.getTime() ?? 0) < FRESH_MS;
  const [soon, seconds] = words.soon;
  return html`<div class="card">${tick()}<h1>${words.paid}</h1><p>${words.paidText}</p>${receipt(checkout)}${refund(checkout)}</div>
${
  row.success_url !== null &&
  html`<a class="button" ${isFresh && html`data-return`} href="${row.success_url}" rel="noreferrer">${backTo(checkout, row.success_url)}</a>${
    isFresh &&
    html`<p class="muted soon" hidden data-soon>${soon} <b data-count>${STAY_SECONDS}</b>\u00a0${seconds}</p>`
  }`
}`;
}

export function refundedScreen(checkout: Checkout): Html {
  const words = WORDS[checkout.language];
  return html`<div class="card"><h1>${words.refunded}</h1>${refund(checkout)}${receipt(checkout)}</div>`;
}

function receipt({ row, language, config }: Checkout): Html {
  const words = WORDS[language];
  const at = row.paid_at === null ? "" : moment(row.paid_at, config.timeZone, language);
  const received = money(row.received_minor ?? row.amount_minor, row.currency, language);
  return html`<dl>${line(words.received, received)}${line(words.order, row.order_id)}${line(words.paidAt, at)}${line(words.number, `№ ${shortNumber(row.id)}`)}</dl>`;
}

/** What the shop has written down; whether its money has come the gateway does not know. */
function refund({ row, language, config }: Checkout): Html {
  const { refunded_minor: minor, refunded_at: at } = row;
  if (minor === null || at === null || minor === 0n) return html``;
  const when = moment(at, config.timeZone, language);
  const sum = money(minor, row.currency, language);
  return html`<p class="note">${WORDS[language].refundedText(sum, when)}</p>`;
}
