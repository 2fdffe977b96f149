// On the bench: an assignment that waits for a second approval. It is approved by choosing the payment, as everything
// here is, so that the approver approves what they looked at.

import { type Html, html, type Part } from "../../platform/html.ts";
import { readApprovals } from "../approvals/list-approvals.endpoint.ts";
import { factsOf } from "../people/parts.ts";
import { card, link, money } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import { type DeskSight, shopNames } from "./site.ts";

const WORDS = {
  en: {
    title: "One person has approved this assignment",
    other:
      "This amount needs a second approval. Check whose money it is, then choose the payment and approve it, or withdraw the approval.",
    own: "You have approved this assignment: another person has to approve it as well. Nothing has moved yet.",
    why: "Why; it stays with the transfer",
    approve: "Approve",
    withdraw: "Withdraw",
  },
  ru: {
    title: "Зачисление подтвердил один человек",
    other:
      "Такой сумме нужно второе подтверждение. Проверьте сами, чьи это деньги, затем выберите платёж и подтвердите или отзовите подтверждение.",
    own: "Вы подтвердили зачисление: нужно подтверждение другого человека. Деньги пока не двигались.",
    why: "Причина; останется у перевода",
    approve: "Подтвердить",
    withdraw: "Отозвать",
  },
};

/** As many as a door gives at once. */
const MOST = 200;

/** All assignments that wait for a second approval, or that of one transfer. */
export async function waitingApprovals(sight: DeskSight, subject_id?: string) {
  const only = subject_id === undefined ? { limit: MOST } : { subject_id };
  const wish = { subject_type: "transfer", waiting: true, ...only } as const;
  return (await sight.ask(readApprovals, wish)).items;
}

type Approval = Awaited<ReturnType<typeof waitingApprovals>>[number];

interface Around {
  readonly action: string;
  readonly alert: Part;
  readonly skip: Part;
  readonly next: string | undefined;
}

export async function approvalForm(
  sight: DeskSight,
  one: Approval,
  { action, alert, skip, next }: Around,
): Promise<Html> {
  const { look, root, visit, who } = sight;
  const words = WORDS[look.language];
  const isOwn = one.by === who.id;
  const { shop_id, payment_id } = one;
  const shops = shop_id === null ? undefined : await shopNames(sight, [shop_id]);
  const shop = html`<bdi>${shops?.get(shop_id ?? "") ?? ""}</bdi>`;
  const invoice = link(labelOf("invoice_id", look.language), `${root}/invoices/${one.invoice_id}`);
  const known = factsOf(sight, readApprovals, "items", one, [
    "by_name",
    "at",
    "reason",
    ...(isOwn ? [["shop_id", shop] as const, "order_id", "to_pay"] : []),
  ]);
  const choice =
    !isOwn &&
    html`<fieldset class="plain"><legend class="unseen">${words.title}</legend><ul class="near"><li><label><input type="radio" name="payment_id" value="${payment_id}"><span><kbd>1</kbd> <b>${shop}</b><small><bdi>${one.order_id}</bdi></small></span><span>${money(one.to_pay ?? 0, look)}<small>${invoice}</small></span></label></li></ul></fieldset>`;
  const field = html`<div class="field"><label for="f-reason">${words.why}</label><input id="f-reason" name="reason" required maxlength="500" value="${visit.form["reason"]}"></div>`;
  // Enter in a field sends the first button: without a choice that is refused.
  const approve =
    !isOwn &&
    html`<button class="button main" name="act" value="assign" data-act="a">${words.approve} <kbd>a</kbd></button>`;
  const withdraw = html`<button class="button danger" name="act" value="withdraw" data-act="d">${words.withdraw} <kbd>d</kbd></button>`;
  const form = html`<form class="form" method="post" action="${action}" data-bench>${alert}<input type="hidden" name="next" value="${next}"><p>${isOwn ? words.own : words.other}</p>${known}${choice}${field}<div class="acts">${approve}${withdraw}${skip}</div></form>`;
  return card(words.title, form);
}
