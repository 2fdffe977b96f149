// The payment page as HTML: what stands around every screen, and what its script and its watchers go by.

import { toDecimalText } from "../../domain/money.ts";
import { ANY_BANK } from "../../domain/requisite.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import type { Document } from "../../platform/web-page.ts";
import { MAX_TIMES_TOLD, MAX_WORD } from "../payments/payer-word.ts";
import {
  type Checkout,
  isSpent,
  isTooLate,
  type Method,
  mayWait,
  type Screen,
  saidOf,
} from "./look-up.ts";
import {
  amount,
  backTo,
  bankForm,
  cardNumber,
  copy,
  here,
  line,
  moment,
  money,
  phone,
  shopName,
  shortNumber,
  support,
  tick,
  timeLeft,
  trouble,
} from "./markup.ts";
import { SCRIPT_PATH } from "./payment-script.page.ts";
import type { CheckoutRow } from "./queries.ts";
import { styleOf } from "./style.ts";
import { WORDS } from "./words.ts";

function chooseScreen(checkout: Checkout): Html {
  const { methods, row, chosen, language, problem } = checkout;
  const words = WORDS[language];
  const asked = html`<p class="muted">${words.asked}</p><p>${amount(checkout, row.amount_minor)}</p>`;
  if (isSpent(row) || methods.length === 0) {
    const why = isSpent(row) ? words.spent : words.noBank;
    return html`<h1 class="unseen">${words.pay}</h1><div class="card">${asked}${trouble(why)}${
      !isSpent(row) && html`<a class="button choice" href="${here(checkout)}">${words.refresh}</a>`
    }</div>${backToDetails(checkout)}`;
  }
  const method = methods.length === 1 ? methods[0] : methods.find((one) => one.service === chosen);
  if (method === undefined) {
    return html`<div class="card">${asked}${trouble(problem)}</div><h1>${words.chooseMethod}</h1>
${methods.map((one) => methodRow(checkout, one))}${backToDetails(checkout)}`;
  }
  const { service, banks, feeMinor, toPayMinor } = method;
  const sum = html`<p class="muted">${words.methods[service]}: ${fee(checkout, feeMinor)}, ${words.total} ${money(toPayMinor, row.currency, language)}</p>`;
  const choices =
    banks.length > 1
      ? html`<h1>${words.chooseBank}</h1>
${[...banks, ANY_BANK].map((bank) => bankForm(checkout, service, bank, html`${words.banks[bank]}`, "choice"))}`
      : html`<h1 class="unseen">${words.methods[service]}</h1>${bankForm(checkout, service, ANY_BANK, html`${words.getDetails}`, "")}`;
  return html`<div class="card">${asked}${sum}${trouble(problem)}</div>${choices}${
    methods.length > 1 &&
    html`<a class="button quiet" href="${here(checkout, { service: null })}">${words.back}</a>`
  }${backToDetails(checkout)}`;
}

/** One press where there is one bank; details are issued by a form, never by a link. */
function methodRow(checkout: Checkout, { service, feeMinor, banks }: Method): Html {
  const name = WORDS[checkout.language].methods[service];
  const label = html`${name}<span>${fee(checkout, feeMinor)}</span>`;
  if (banks.length === 1) return bankForm(checkout, service, ANY_BANK, label, "choice");
  return html`<a class="button choice" href="${here(checkout, { service })}">${label}</a>`;
}

function backToDetails(checkout: Checkout): Html {
  if (!checkout.hasDetails) return html``;
  const href = here(checkout, { service: null, isChange: false });
  return html`<a class="button quiet" href="${href}">${WORDS[checkout.language].backToDetails}</a>`;
}

function fee({ language, row }: Checkout, feeMinor: bigint): string {
  const words = WORDS[language];
  return feeMinor === 0n ? words.noFee : `${words.fee} ${money(feeMinor, row.currency, language)}`;
}

function saidPart(checkout: Checkout): Html {
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
function isAsked(checkout: Checkout): boolean {
  return mayWait(checkout.screen) && saidOf(checkout) === "before";
}

function havePaid(checkout: Checkout): Html {
  const words = WORDS[checkout.language];
  return html`<form method="post" action="${action(checkout)}"><button>${words.havePaid}</button></form>`;
}

function questions(checkout: Checkout, heading: string): Html {
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

function detailsScreen(checkout: Checkout): Html {
  const { row, wallet, language, config, problem } = checkout;
  const words = WORDS[language];
  const toPay = row.to_pay_minor ?? 0n;
  const digits = wallet ?? "";
  const isCard = row.service === "p2p_card";
  const bank = row.bank === null ? "" : words.banks[row.bank];
  const until = row.ends_at === null ? "" : moment(row.ends_at, config.timeZone, language);
  const number = isCard
    ? line(words.card, cardNumber(digits), copy(checkout, digits))
    : line(words.phone, phone(digits), copy(checkout, digits));
  const { p2p_card, p2p_sbp, toCard, toPhone, say } = words.steps;
  const [open, send] = isCard ? [p2p_card, toCard] : [p2p_sbp, toPhone(bank)];
  const steps = html`<ol data-due><li>${open}</li><li>${send}</li><li>${say}</li></ol>`;
  // Where the server cannot be asked once they are over, the script shows what stands here for that.
  const ended = html`<div class="card" hidden data-ended><h1>${words.lapsed}</h1><p class="warn" role="alert">${words.lapsedText}</p></div>`;
  return html`<div class="card" data-due><div class="head"><h1>${words.transfer} ${amount(checkout, toPay, row.nudge_minor ?? 0n)}</h1>${copy(checkout, toDecimalText(toPay))}</div>
${trouble(problem)}${whyThisMuch(checkout)}
<dl>${number}${line(isCard ? words.bank : words.receiverBank, bank)}${line(words.receiver, row.receiver_name ?? "")}${line(`${words.until} ${until}`, timeLeft(checkout))}</dl><p class="unseen" role="status" data-said></p></div>${ended}
<div class="card">${row.paid_said_at === null && steps}${saidPart(checkout)}</div>
${config.mode === "sandbox" && simulateForm(checkout)}${otherBank(checkout)}<div class="card qr"><img src="/pay/${row.id}/code.svg" alt="${words.onPhone}" width="132" height="132" loading="lazy"><span class="muted">${words.onPhone}</span></div>`;
}

/** The order, and what was added to it. */
function whyThisMuch({ row, language }: Checkout): Html {
  const words = WORDS[language];
  const parts: [minor: bigint, what: string][] = [
    [row.amount_minor, words.forOrder],
    [row.payer_fee_minor ?? 0n, words.forFee],
    [row.nudge_minor ?? 0n, words.forNudge],
  ];
  const sum = parts
    .filter(([minor]) => minor > 0n)
    .map(([minor, what]) => `${money(minor, row.currency, language)} ${what}`);
  return html`<p class="muted">${sum.length > 1 && `${sum.join(" + ")}. `}${words.exactly}</p>`;
}

function otherBank(checkout: Checkout): Html {
  if (isSpent(checkout.row)) return html``;
  const href = here(checkout, { service: null, isChange: true });
  return html`<a class="button quiet" href="${href}">${WORDS[checkout.language].otherBank}</a>`;
}

/** In the sandbox the payer plays the bank: what should arrive, and what else may. */
function simulateForm({ row, language }: Checkout): Html {
  const { simulate, endings, ending } = WORDS[language];
  const others = Object.entries(ending).map(
    ([value, label]) =>
      html`<button class="choice" name="ending" value="${value}">${label}</button>`,
  );
  return html`<form method="post" action="/pay/${row.id}/simulate?lang=${language}"><button class="play" name="ending" value="exact">${simulate}</button>
<details><summary>${endings}</summary>${others}</details></form>`;
}

function lapsedScreen(checkout: Checkout): Html {
  const { row, language, problem } = checkout;
  const words = WORDS[language];
  const again =
    isSpent(row) || row.service === null || row.bank === null
      ? html`<p class="warn">${words.spent}</p>`
      : bankForm(checkout, row.service, row.bank, html`${words.newDetails}`, "");
  return html`<div class="card"><h1>${words.lapsed}</h1><p class="warn">${words.lapsedText}</p>${trouble(problem)}${again}</div>
<div class="card">${row.paid_said_at === null && html`<p>${isTooLate(checkout) ? words.expiredLong : words.lapsedSent}</p>`}${saidPart(checkout)}</div>${otherBank(checkout)}`;
}

function expiredScreen(checkout: Checkout): Html {
  const { row, language, problem } = checkout;
  const words = WORDS[language];
  const inTime = row.paid_said_at === null ? words.expiredSent : words.expiredSaid;
  const sent = isTooLate(checkout) ? words.expiredLong : inTime;
  return html`<div class="card"><h1>${words.expired}</h1><p>${words.expiredText}</p>${trouble(problem)}</div>${
    row.payment_id !== null && html`<div class="card"><p>${sent}</p>${saidPart(checkout)}</div>`
  }`;
}

/** It is not said that the money will be recognised: an operator has to look for it, and gives it back. */
function failedScreen(checkout: Checkout): Html {
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

function paidScreen(checkout: Checkout): Html {
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

function refundedScreen(checkout: Checkout): Html {
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

const REFRESH_SECONDS = 10;
/** So often the page of a payer who says to have paid looks for what its standing does not tell. */
const LOOK_AGAIN_SECONDS = 30;

export function checkoutPage(checkout: Checkout): Document {
  const { row, language, screen } = checkout;
  const words = WORDS[language];
  const other = language === "ru" ? "en" : "ru";
  const logo = row.logo_url === null ? undefined : new URL(row.logo_url).origin;
  const isOpen = mayWait(screen);
  const isWatched = isOpen || screen === "choose";
  return {
    kind: "document",
    status: 200,
    language,
    title: titleOf(checkout),
    style: styleOf(row.color),
    script: SCRIPT_PATH,
    ...refresh(checkout),
    ...(logo === undefined ? {} : { imageOrigin: logo }),
    body: html`${
      checkout.config.mode === "sandbox" && html`<aside class="ribbon">${words.sandbox}</aside>`
    }<header>${row.logo_url !== null && html`<img src="${row.logo_url}" alt="">`}<p><strong><bdi>${shopName(row)}</bdi></strong><span>${words.order} <bdi>${row.order_id}</bdi></span>${
      row.comment !== null && html`<span><bdi>${row.comment}</bdi></span>`
    }</p>
<a href="${here(checkout, { language: other })}" lang="${other}">${words.language}</a></header>
<main data-standing="${standingOf(checkout)}" data-now="${checkout.now.toISOString()}" ${
      isWatched &&
      html`data-watch="/pay/${row.id}/changes?from=${encodeURIComponent(standing(row))}" data-ask="/pay/${row.id}/standing"`
    }${isOpen && row.paid_said_at !== null && html` data-again="${LOOK_AGAIN_SECONDS}"`}>${SCREENS[screen](checkout)}</main>
<footer>${support(checkout)}${linkBack(checkout)}${
      (isWatched || screen === "failed") && html`<p>${words.number} № ${shortNumber(row.id)}</p>`
    }</footer>`,
  };
}

const SCREENS: Readonly<Record<Screen, (checkout: Checkout) => Html>> = {
  choose: chooseScreen,
  details: detailsScreen,
  lapsed: lapsedScreen,
  paid: paidScreen,
  expired: expiredScreen,
  failed: failedScreen,
  refunded: refundedScreen,
};

/** What stands in the tab: the end of the matter, or what is to be done. */
function titleOf({ row, language, screen }: Checkout): string {
  const words = WORDS[language];
  if (screen !== "choose" && screen !== "details") return `${words[screen]} · ${shopName(row)}`;
  return `${words.pay} ${money(row.amount_minor, row.currency, language)} ${words.to} ${shopName(row)}`;
}

/** Without script, fields that somebody may be writing in are taken away by the end of the details alone. */
function refresh(checkout: Checkout): Pick<Document, "refreshSeconds"> {
  const { screen, row, now } = checkout;
  if (!mayWait(screen)) return {};
  if (!isAsked(checkout)) return { refreshSeconds: REFRESH_SECONDS };
  if (screen !== "details" || row.ends_at === null) return {};
  return { refreshSeconds: Math.ceil((row.ends_at.getTime() - now.getTime()) / 1000) + 1 };
}

/** The same word that the watchers' statement gives. */
function standing(row: CheckoutRow): string {
  if (row.payment_state !== "live") return row.state;
  return `${row.state} ${row.payment_id} ${row.number_mark}${row.other_amount_came ? "!" : ""}`;
}

/** What the script compares: a page that would say the same is left as it is. */
function standingOf(checkout: Checkout): string {
  const { screen, row, chosen, wallet, methods } = checkout;
  const said = [saidOf(checkout), row.times, row.other_amount_came, isTooLate(checkout)];
  const offers = methods.map(({ service, banks, toPayMinor }) => [service, ...banks, toPayMinor]);
  return [screen, row.payment_id, chosen, ...said, wallet, row.receiver_name, offers].join(" ");
}

/** To the shop's own address for whoever has not paid; never to the one that thanks for the money. */
function linkBack(checkout: Checkout): Html {
  const { row, screen } = checkout;
  if (screen === "paid" || row.fail_url === null) return html``;
  return html`<a href="${row.fail_url}" rel="noreferrer">${backTo(checkout, row.fail_url)}</a>`;
}

/** Where there is nothing to show. */
export function notFoundPage(language: Language): Document {
  const words = WORDS[language];
  return {
    kind: "document",
    status: 404,
    language,
    title: words.notFound,
    style: styleOf(null),
    body: html`<main><div class="card"><h1>${words.notFound}</h1><p>${words.notFoundText}</p></div></main>`,
  };
}
