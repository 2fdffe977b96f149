// The payment page as HTML: one function a screen. Whatever a shop or a payer wrote goes through the
// template, which escapes it.

import { momentFormat } from "../../domain/moment.ts";
import { toDecimalText } from "../../domain/money.ts";
import { BANKS, type BankCode } from "../../domain/requisite.ts";
import type { Config } from "../../platform/config.ts";
import type { Language } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import type { Document } from "../../platform/web-page.ts";
import { SCRIPT_PATH } from "./payment-script.page.ts";
import type { CheckoutRow } from "./queries.ts";
import type { Screen } from "./screen.ts";
import { styleOf } from "./style.ts";
import { WORDS } from "./words.ts";

/** A method that can be chosen: its banks, and what it costs the payer. */
export interface Method {
  readonly service: "p2p_card" | "p2p_sbp";
  readonly feeMinor: bigint;
  readonly toPayMinor: bigint;
  readonly banks: readonly BankCode[];
}

export interface Checkout {
  readonly config: Config;
  readonly language: Language;
  readonly now: Date;
  readonly row: CheckoutRow;
  readonly screen: Screen;
  /** The card or phone to pay to, on the screen that shows it. */
  readonly wallet: string | null;
  readonly methods: readonly Method[];
  /** The method that was chosen, where there are several. */
  readonly chosen: string | undefined;
  /** The payer wants to choose again, though there were details already. */
  readonly isChange: boolean;
  /** Why the last wish could not be met. */
  readonly problem: string | undefined;
}

const REFRESH_SECONDS = 10;

export function checkoutPage(checkout: Checkout): Document {
  const { row, language, screen } = checkout;
  const words = WORDS[language];
  const other = language === "ru" ? "en" : "ru";
  const logo = row.logo_url === null ? undefined : new URL(row.logo_url).origin;
  const waits = screen === "choose" || screen === "details" || screen === "lapsed";
  const isWatched = waits || screen === "expired";
  return {
    kind: "document",
    status: 200,
    language,
    title: titleOf(checkout),
    style: styleOf(row.color),
    script: SCRIPT_PATH,
    ...(isWatched && screen !== "choose" ? { refreshSeconds: REFRESH_SECONDS } : {}),
    ...(logo === undefined ? {} : { imageOrigin: logo }),
    body: html`${
      checkout.config.mode === "sandbox" && html`<div class="ribbon">${words.sandbox}</div>`
    }<header>${row.logo_url !== null && html`<img src="${row.logo_url}" alt="">`}<p><strong><bdi>${shopName(row)}</bdi></strong><span>${words.order} <bdi>${row.order_id}</bdi></span></p>
<a href="${here(checkout, { language: other })}" lang="${other}">${words.language}</a></header>
<main data-standing="${standingOf(checkout)}" data-now="${checkout.now.toISOString()}" ${
      isWatched &&
      html`data-watch="/pay/${row.id}/changes?from=${encodeURIComponent(standing(row))}" data-ask="/pay/${row.id}/standing"`
    }>${SCREENS[screen](checkout)}</main>
<footer>${linkBack(checkout)}</footer>`,
  };
}

/** What stands in the tab: the end of the matter, or what is to be done. */
function titleOf({ row, language, screen }: Checkout): string {
  const words = WORDS[language];
  if (screen !== "choose" && screen !== "details") return `${words[screen]} · ${shopName(row)}`;
  return `${words.pay} ${money(row.amount_minor, row.currency)} ${words.to} ${shopName(row)}`;
}

/** The address of this page with other wishes; what is not named stays as it was wished. */
function here(
  { language, chosen, isChange }: Checkout,
  wish: { language?: Language; service?: string | null; isChange?: boolean },
): string {
  const service = wish.service === undefined ? chosen : wish.service;
  return `?${new URLSearchParams({
    ...((wish.isChange ?? isChange) ? { change: "1" } : {}),
    ...(service ? { service } : {}),
    lang: wish.language ?? language,
  })}`;
}

function shopName({ title, shop_name: name }: CheckoutRow): string {
  return title ?? name;
}

/** The same word that the watchers' statement gives. */
function standing({ state, payment_state, payment_id }: CheckoutRow): string {
  return payment_state === "live" ? `${state} ${payment_id}` : state;
}

/** What the script compares: a page that would say the same is left as it is. */
function standingOf({ screen, row, chosen }: Checkout): string {
  return [screen, row.payment_id ?? "", chosen ?? ""].join(" ");
}

const SCREENS: Readonly<Record<Screen, (checkout: Checkout) => Html>> = {
  choose: chooseScreen,
  details: detailsScreen,
  lapsed: lapsedScreen,
  paid: paidScreen,
  expired: (one) => endScreen(one, "expired", "expiredText"),
  failed: (one) => endScreen(one, "failed", "failedText"),
  refunded: (one) => endScreen(one, "refunded", "refundedText"),
};

function chooseScreen(checkout: Checkout): Html {
  const { methods, row, chosen, language, problem } = checkout;
  const words = WORDS[language];
  const method = methods.length === 1 ? methods[0] : methods.find((one) => one.service === chosen);
  const asked = html`<p class="amount">${amount(row.amount_minor, row.currency, 0n)}</p>`;
  if (methods.length === 0) {
    return html`<div class="card">${asked}<p class="warn" role="alert">${words.noBank}</p></div>`;
  }
  if (method === undefined) {
    return html`<div class="card">${asked}${trouble(problem)}</div><h1>${words.chooseMethod}</h1>
${methods.map(
  ({ service, feeMinor }) =>
    html`<a class="button choice" href="${here(checkout, { service })}">${words.methods[service]}<span>${fee(checkout, feeMinor)}</span></a>`,
)}`;
  }
  const { service, banks, feeMinor, toPayMinor } = method;
  return html`<div class="card">${asked}<p class="muted">${words.methods[service]}: ${fee(checkout, feeMinor)}, ${words.total} ${money(toPayMinor, row.currency)}</p>${trouble(problem)}</div>
<h1>${words.chooseBank}</h1>
${banks.map((bank) => bankForm(checkout, service, bank, html`${BANKS[bank]}`, "choice"))}${
  methods.length > 1 &&
  html`<a class="button quiet" href="${here(checkout, { service: null })}">${words.back}</a>`
}`;
}

function detailsScreen(checkout: Checkout): Html {
  const { row, wallet, language, config, problem } = checkout;
  const words = WORDS[language];
  const toPay = row.to_pay_minor ?? 0n;
  const nudge = row.nudge_minor ?? 0n;
  const isCard = row.service === "p2p_card";
  const digits = wallet ?? "";
  const receiver = row.receiver_name ?? "";
  const bank = row.bank === null ? "" : BANKS[row.bank];
  return html`<div class="card"><h1>${words.transfer}</h1>${trouble(problem)}
<div class="row"><p class="amount">${amount(toPay, row.currency, nudge)}</p>${copy(checkout, toDecimalText(toPay))}</div>
<p class="muted">${nudge > 0n ? words.nudged : words.exactly}</p>
<dl>${line(isCard ? words.card : words.phone, spaced(digits, isCard), copy(checkout, digits))}${line(words.receiver, receiver, copy(checkout, receiver))}${line(words.bank, bank, copy(checkout, bank))}${line(words.left, timeLeft(checkout))}</dl><p class="unseen" role="status" data-said></p></div>
<div class="card"><p class="state"><span class="dot"></span>${words.waiting}</p></div>
${config.mode === "sandbox" && simulateForm(checkout)}<noscript><a class="button" href="${here(checkout, {})}">${words.refresh}</a></noscript>
${otherBank(checkout)}<div class="card qr"><img src="/pay/${row.id}/code.svg" alt="${words.onPhone}" width="132" height="132" loading="lazy"><span class="muted">${words.onPhone}</span></div>`;
}

function lapsedScreen(checkout: Checkout): Html {
  const { row, language, problem } = checkout;
  const words = WORDS[language];
  const again =
    row.service !== null && row.bank !== null
      ? bankForm(checkout, row.service, row.bank, html`${words.newDetails}`, "")
      : html``;
  return html`<div class="card"><h1>${words.lapsed}</h1><p class="warn">${words.lapsedText}</p>${trouble(problem)}${again}</div>${otherBank(checkout)}`;
}

function otherBank(checkout: Checkout): Html {
  const href = here(checkout, { service: null, isChange: true });
  return html`<a class="button quiet" href="${href}">${WORDS[checkout.language].otherBank}</a>`;
}

/** Past it a receipt is looked at again, and nobody wants to be taken away from it. */
const FRESH_MS = 60_000;

function paidScreen(checkout: Checkout): Html {
  const { row, language, config, now } = checkout;
  const words = WORDS[language];
  const at = row.paid_at === null ? "" : momentFormat(config.timeZone).text(row.paid_at);
  const isFresh = now.getTime() - (row.paid_at?.getTime() ?? 0) < FRESH_MS;
  return html`<div class="card"><div class="tick" aria-hidden="true">${icon(html`<path d="${TICK}"/>`)}</div><h1>${words.paid}</h1><p>${words.paidText}</p>
<dl>${line(words.received, money(row.received_minor ?? row.amount_minor, row.currency))}${line(words.order, row.order_id)}${line(words.paidAt, at)}${line("№", row.id)}</dl></div>
${
  row.success_url !== null &&
  html`<a class="button" ${isFresh && html`data-return`} href="${row.success_url}" rel="noreferrer">${backTo(checkout, row.success_url)}</a>${
    isFresh && html`<p class="muted soon" hidden data-soon>${words.soon}</p>`
  }`
}`;
}

function endScreen(
  { language }: Checkout,
  title: "expired" | "failed" | "refunded",
  text: "expiredText" | "failedText" | "refundedText",
): Html {
  const words = WORDS[language];
  return html`<div class="card"><h1>${words[title]}</h1><p>${words[text]}</p></div>`;
}

function linkBack(checkout: Checkout): Html {
  const { row, screen } = checkout;
  const url = row.fail_url ?? row.success_url;
  if (screen === "paid" || url === null) return html``;
  return html`<a href="${url}" rel="noreferrer">${backTo(checkout, url)}</a>`;
}

/** The shop's name, and the host that the link really leads to, whatever is in the name. */
function backTo({ row, language }: Checkout, url: string): Html {
  const { host } = new URL(url);
  return html`<span>${WORDS[language].backToShop} <bdi>${shopName(row)}</bdi> (<bdi>${host}</bdi>)</span>`;
}

function bankForm(
  checkout: Checkout,
  service: string,
  bank: BankCode,
  label: Html,
  look: string,
): Html {
  // What was chosen stays in the address, so that a refusal can be looked at again.
  const action = `/pay/${checkout.row.id}${here(checkout, { service })}`;
  return html`<form method="post" action="${action}"><input type="hidden" name="service" value="${service}"><input type="hidden" name="bank" value="${bank}"><button class="${look}">${label}</button></form>`;
}

function simulateForm({ row, language }: Checkout): Html {
  return html`<form method="post" action="/pay/${row.id}/simulate?lang=${language}"><button class="play">${WORDS[language].simulate}</button></form>`;
}

function line(name: string, value: string | Html, act?: Html): Html {
  return html`<div class="row"><dt>${name}</dt><dd><bdi>${value}</bdi></dd>${act && html`<dd class="act">${act}</dd>`}</div>`;
}

const TICK = "M5 13l5 5L20 6";

function icon(paths: Html): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${paths}</svg>`;
}

/** Shown by the script: without it there is nothing that could copy. */
function copy({ language }: Checkout, value: string): Html {
  const { copy: label, copied } = WORDS[language];
  const sheets = html`<path class="no" d="M9 9h11v12H9zM5 15H4V3h11v2"/><path class="yes" d="${TICK}"/>`;
  return html`<button type="button" class="copy" hidden data-copy="${value}" data-label="${label}" data-done="${copied}" aria-label="${label}: ${value}">${icon(sheets)}<span>${label}</span></button>`;
}

function trouble(problem: string | undefined): Html {
  return problem === undefined ? html`` : html`<p class="warn" role="alert">${problem}</p>`;
}

/** As it stands now; the script goes on counting. */
function timeLeft({ row, now }: Checkout): Html {
  const { ends_at: endsAt } = row;
  if (endsAt === null) return html``;
  const seconds = Math.ceil((endsAt.getTime() - now.getTime()) / 1000);
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return html`<span role="timer" data-ends="${endsAt.toISOString()}">${text}</span>`;
}

function fee({ language, row }: Checkout, feeMinor: bigint): string {
  const words = WORDS[language];
  return feeMinor === 0n ? words.noFee : `${words.fee} ${money(feeMinor, row.currency)}`;
}

const SIGNS: Readonly<Record<string, string>> = { RUB: "₽", USD: "$", EUR: "€", KZT: "₸" };

function money(minor: bigint, currency: string): string {
  return `${grouped(minor)} ${SIGNS[currency] ?? currency}`;
}

/** The kopecks are marked where they were changed to tell this payment from others. */
function amount(minor: bigint, currency: string, nudge: bigint): Html {
  const text = grouped(minor);
  const kopecks = nudge > 0n ? html`<mark>${text.slice(-3)}</mark>` : html`${text.slice(-3)}`;
  return html`${text.slice(0, -3)}${kopecks} <small>${SIGNS[currency] ?? currency}</small>`;
}

function grouped(minor: bigint): string {
  return toDecimalText(minor).replace(/\B(?=(?:\d{3})+\.)/g, "\u00a0");
}

function spaced(wallet: string, isCard: boolean): string {
  return isCard ? wallet.replace(/(\d{4})(?=\d)/g, "$1 ") : wallet;
}
