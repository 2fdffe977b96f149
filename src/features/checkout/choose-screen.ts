// The screen that asks how to pay: first the method, then the bank, and neither where there is no choice.

import { ANY_BANK } from "../../domain/requisite.ts";
import { type Html, html } from "../../platform/html.ts";
import { money } from "./locale.ts";
import { amount, bankForm, here, trouble } from "./markup.ts";
import { type Checkout, isSpent, type Method } from "./screen.ts";
import { WORDS } from "./words.ts";

export function chooseScreen(checkout: Checkout): Html {
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
