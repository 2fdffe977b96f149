// Why money waits, and what is off about a payment that it may be meant for, in words that say what to do.

import type { Answer } from "../../platform/endpoint.ts";
import { html, type Part } from "../../platform/html.ts";
import type { Words } from "../people/site.ts";
import type { Look } from "../screens/locale.ts";
import { moneyText } from "../screens/pieces.ts";
import type { findCandidates, readTransfers } from "../transfers/manage-transfers.endpoint.ts";

export type Candidate = Answer<typeof findCandidates>["items"][number];
export type Waiting = Answer<typeof readTransfers>["items"][number];

export const WAITS: Readonly<Record<NonNullable<Waiting["suspense_reason"]>, Words>> = {
  nobody_expected: {
    en: "Nobody was told to pay this amount to this card at that time.",
    ru: "Эту сумму на эту карту в то время никто не должен был платить.",
  },
  several_expected: {
    en: "Several payments expected the same money: choose whose it is.",
    ru: "Эти деньги ждали несколько платежей: выберите, чьи они.",
  },
  paid_already: {
    en: "The payment was paid before: somebody has likely paid twice.",
    ru: "Платёж уже оплачен: вероятно, заплатили дважды.",
  },
  invoice_closed: {
    en: "The invoice was canceled: the money can only go back, or to another payment.",
    ru: "Счёт отменён: деньги можно только вернуть или зачислить другому платежу.",
  },
  late_held: {
    en: "It came late, and the shop's policy is to hold late money.",
    ru: "Перевод опоздал, а правило магазина — задерживать опоздавшие деньги.",
  },
  contested: {
    en: "It came late, and another payment of nearly the same amount was under way.",
    ru: "Перевод опоздал, а рядом шёл другой платёж почти на ту же сумму.",
  },
  other_currency: { en: "It is of another currency.", ru: "Другая валюта." },
  below_commission: { en: "It is less than the fee.", ru: "Меньше комиссии." },
  balance_break: {
    en: "The balance in the message does not follow from the last one: a message is missing, or this one is made up. Bring the statement before you assign it.",
    ru: "Остаток в сообщении не следует из прошлого: сообщение пропало или это подделка. Сначала загрузите выписку.",
  },
  maybe_known: {
    en: "Equal money was told of before. If it is the same, return it; if not, assign it.",
    ru: "О таких же деньгах уже сообщали. Если это они, верните; если нет, отнесите.",
  },
  payout_return: {
    en: "A payout of this amount has likely come back: book it on the payout's own page. Where it is said not to have left, return the money here.",
    ru: "Вероятно, вернулся вывод на эту сумму: проведите возврат на странице вывода. Если он значится как не ушедший, верните деньги здесь.",
  },
  told_by_hand: {
    en: "A person alone has told of so much money: it takes a second one, or a statement that shows it.",
    ru: "О такой сумме сообщил только человек: нужен второй или выписка, где она есть.",
  },
};

const HOUR_MS = 3_600_000;

/** 3 h; 2 days. */
function span(ms: number, { language }: Look): string {
  const hours = Math.max(1, Math.round(Math.abs(ms) / HOUR_MS));
  const days = Math.round(hours / 24);
  if (hours < 48) return language === "ru" ? `${hours} ч` : `${hours} h`;
  return language === "ru" ? `${days} дн.` : `${days} days`;
}

/** The one thing that is off. */
export function offWords(one: Candidate, transfer: Waiting, look: Look): string {
  const { language } = look;
  const paidAt = Date.parse(transfer.made_at ?? transfer.received_at);
  const sign = one.difference > 0 ? "+" : "";
  const ended = span(paidAt - Date.parse(one.ends_at), look);
  const early = span(Date.parse(one.issued_at) - paidAt, look);
  const words: Record<Candidate["off"], Words> = {
    nothing: { en: "nothing is off: others expect it, too", ru: "всё сходится: ждут и другие" },
    paid_already: { en: "paid already", ru: "уже оплачен" },
    canceled: { en: "its invoice was canceled", ru: "счёт отменён" },
    ended: {
      en: `its details had ended ${ended} before`,
      ru: `реквизиты истекли за ${ended} до того`,
    },
    other_card: { en: "was to be paid to another card", ru: "платить надо было на другую карту" },
    amount: {
      en: `amount ${sign}${moneyText(one.difference, language)}`,
      ru: `сумма ${sign}${moneyText(one.difference, language)}`,
    },
    not_issued: {
      en: `its details were issued ${early} later`,
      ru: `реквизиты выданы на ${early} позже`,
    },
  };
  return words[one.off][language];
}

/** What the payer says; nobody has proven it. */
export function payerWords(one: Candidate, look: Look): Part {
  if (one.payer_said_paid_at === null) return "";
  const { payer_said_amount: amount, payer_said_bank: bank, payer_said_when: when } = one;
  const told = [amount === null ? null : moneyText(amount, look.language), bank, when];
  const said =
    look.language === "ru" ? "плательщик говорит, что оплатил" : "the payer says to have paid";
  return html`<small>${said}${told.some(Boolean) && ": "}<bdi>${told.filter(Boolean).join(", ")}</bdi></small>`;
}
