// On the bench: what somebody has assigned and another one has to confirm. Guards that it is confirmed by a choice, as
// everything here is, and that what was looked at is what is confirmed.

import { type Html, html, type Part } from "../../platform/html.ts";
import { factsOf } from "../people/parts.ts";
import { card, link, money } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import {
  confirmProposalDoor,
  declineProposalDoor,
  readProposals,
} from "../transfers/manage-proposals.endpoint.ts";
import { shopNames } from "./names.ts";
import type { DeskSight } from "./site.ts";

const WORDS = {
  en: {
    title: "Somebody has assigned it",
    other:
      "So much takes a second person. Look for yourself whose money it is, then choose it and confirm, or decline.",
    own: "You have assigned it: somebody else has to confirm that. Nothing has moved yet.",
    why: "Why; needed to decline",
    confirm: "Confirm",
    decline: "Decline",
    withdraw: "Withdraw",
  },
  ru: {
    title: "Перевод отнесён одним человеком",
    other:
      "Такой сумме нужен второй. Проверьте сами, чьи это деньги, затем выберите и подтвердите или отклоните.",
    own: "Перевод отнесли вы: подтвердить должен кто-то другой. Деньги пока не двигались.",
    why: "Причина; нужна, чтобы отклонить",
    confirm: "Подтвердить",
    decline: "Отклонить",
    withdraw: "Отозвать",
  },
};

/** As many as a door gives at once. */
const MOST = 200;

/** All that wait for a second person, or the one of this transfer. */
export async function openProposals(sight: DeskSight, transfer_id?: string) {
  const only = transfer_id === undefined ? { limit: MOST } : { transfer_id };
  return (await sight.ask(readProposals, { state: "open", ...only })).items;
}

type Proposal = Awaited<ReturnType<typeof openProposals>>[number];

interface Around {
  readonly action: string;
  readonly alert: Part;
  readonly skip: Part;
  readonly next: string | undefined;
}

export async function proposalForm(
  sight: DeskSight,
  one: Proposal,
  { action, alert, skip, next }: Around,
): Promise<Html> {
  const { look, root, visit, who } = sight;
  const words = WORDS[look.language];
  const isOwn = one.proposed_by === who.id;
  const shops = await shopNames(sight, [one.shop_id]);
  const shop = html`<bdi>${shops.get(one.shop_id) ?? ""}</bdi>`;
  const invoice = link(labelOf("invoice_id", look.language), `${root}/invoices/${one.invoice_id}`);
  const known = factsOf(sight, readProposals, "items", one, [
    "proposed_by_name",
    "created_at",
    "reason",
    ...(isOwn ? [["shop_id", shop] as const, "order_id", "to_pay"] : []),
  ]);
  const choice =
    !isOwn &&
    html`<fieldset class="plain"><legend class="unseen">${words.title}</legend><ul class="near"><li><label><input type="radio" name="proposal_id" value="${one.proposal_id}"><span><kbd>1</kbd> <b>${shop}</b><small><bdi>${one.order_id}</bdi></small></span><span>${money(one.to_pay, look)}<small>${invoice}</small></span></label></li></ul></fieldset>`;
  const field = html`<div class="field"><label for="f-reason">${words.why}</label><input id="f-reason" name="reason" maxlength="500" value="${visit.form["reason"]}"></div>`;
  // Enter in a field sends the first button: without a choice that is refused.
  const confirm =
    !isOwn &&
    html`<button class="button main" name="act" value="confirm" data-act="a">${words.confirm} <kbd>a</kbd></button>`;
  const decline = html`<button class="button danger" name="act" value="decline" data-act="d">${isOwn ? words.withdraw : words.decline} <kbd>d</kbd></button>`;
  const form = html`<form class="form" method="post" action="${action}" data-bench>${alert}<input type="hidden" name="next" value="${next}"><input type="hidden" name="declined_id" value="${one.proposal_id}"><p>${isOwn ? words.own : words.other}</p>${known}${choice}${field}<div class="acts">${confirm}${decline}${skip}</div></form>`;
  return card(words.title, form);
}

export async function decideProposal(sight: DeskSight, act: "confirm" | "decline"): Promise<void> {
  const { proposal_id = "", declined_id = "", reason = "" } = sight.visit.form;
  if (act === "confirm") await sight.ask(confirmProposalDoor, { proposal_id });
  else await sight.ask(declineProposalDoor, { proposal_id: declined_id, reason });
}
