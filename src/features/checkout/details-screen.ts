// The screen that says where to send the money and exactly how much, and why so much.

import { toDecimalText } from "../../domain/money.ts";
import { type Html, html } from "../../platform/html.ts";
import { cardNumber, moment, money, phone } from "./locale.ts";
import { amount, copy, here, line, timeLeft, trouble } from "./markup.ts";
import { saidPart } from "./said-part.ts";
import { type Checkout, isSpent } from "./screen.ts";
import { WORDS } from "./words.ts";

export function detailsScreen(checkout: Checkout): Html {
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

export function otherBank(checkout: Checkout): Html {
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
