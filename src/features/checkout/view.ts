// The payment page as HTML: what stands around every screen, and what its script and its watchers go by.

import type { Language } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import type { Document } from "../../platform/web-page.ts";
import { chooseScreen } from "./choose-screen.ts";
import { detailsScreen } from "./details-screen.ts";
import {
  expiredScreen,
  failedScreen,
  lapsedScreen,
  paidScreen,
  refundedScreen,
} from "./end-screens.ts";
import { money, shortNumber } from "./locale.ts";
import { backTo, here, shopName, support } from "./markup.ts";
import { SCRIPT_PATH } from "./payment-script.page.ts";
import type { CheckoutRow } from "./queries.ts";
import { isAsked } from "./said-part.ts";
import { type Checkout, isTooLate, mayWait, type Screen, saidOf } from "./screen.ts";
import { styleOf } from "./style.ts";
import { WORDS } from "./words.ts";

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
