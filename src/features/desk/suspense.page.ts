// /desk/suspense: the bench, where money that belongs to no payment gets its owner. Guards that nothing is chosen
// for whoever decides, that each transfer gets a reason of its own, and that a return is asked about first.

import { assigningNeedsTwo } from "../../domain/approval.ts";
import { minorFromNumber } from "../../domain/money.ts";
import { type Failure, isFailure } from "../../platform/failure.ts";
import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { nameOf, refusedWords } from "../people/cells.ts";
import { factsOf } from "../people/parts.ts";
import { redirect, type Screen } from "../people/site.ts";
import { card, chip, empty, link, moment, money, moneyText, notice } from "../screens/pieces.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import {
  assignSuspense,
  findCandidates,
  readTransfers,
  returnSuspense,
  showTransfer,
  withdrawSuspense,
} from "../transfers/manage-transfers.endpoint.ts";
import { type DeskSight, desk, shopNames } from "./site.ts";
import { approvalForm, waitingApprovals } from "./suspense-second.ts";
import { type Candidate, offWords, payerWords, WAITS, type Waiting } from "./suspense-words.ts";

const PATH = "/desk/suspense";
const TITLE = { en: "Suspense", ru: "Разбор" };

const WORDS = {
  en: {
    queue: "Waiting, the newest first",
    older: "Older",
    near: "Whose may it be?",
    none: "No payment is near: nobody expected such money on any card. Return it, or name the payment yourself.",
    other: "Another payment, by its ID",
    why: "Why; it stays with the transfer",
    assign: "Assign",
    give: "Return",
    skip: "Skip",
    done: "Nothing waits",
    doneMore:
      "Every transfer has its payment. What nobody expected will stand here, with the payments that it may be meant for.",
    sure: "Return this money to its sender? This cannot be undone; the bank is told by hand.",
    no: "No, go back",
    gone: "This one waits no more",
    late: "It was settled before: what you sent has moved nothing. What stands here now is another transfer.",
    open: "Its story",
    final:
      "Neither can be undone. The shop is told of what is assigned; of what is returned the bank is told by hand.",
    second:
      "Assigning this amount needs two people: the money moves when another person approves. A return cannot be undone; make it at the bank yourself.",
    choose: "Choose a payment first: nothing has moved.",
    whole: "One transfer pays one payment: it cannot be split.",
  },
  ru: {
    queue: "Ждут, новые сверху",
    older: "Старее",
    near: "Чьи это деньги?",
    none: "Похожих платежей нет: таких денег ни на одной карте не ждали. Верните их или укажите платёж сами.",
    other: "Другой платёж, по ID",
    why: "Причина; останется у перевода",
    assign: "Отнести",
    give: "Вернуть",
    skip: "Пропустить",
    done: "Разбирать нечего",
    doneMore:
      "У каждого перевода есть платёж. Здесь появится то, чего никто не ждал, и платежи, для которых это могло быть.",
    sure: "Вернуть эти деньги отправителю? Отменить нельзя; банку о возврате сообщают вручную.",
    no: "Нет, назад",
    gone: "Этот перевод уже разобран",
    late: "Его разобрали раньше: отправленное вами ничего не сдвинуло. Сейчас здесь другой перевод.",
    open: "История",
    final: "Отменить нельзя. Об отнесённом узнает магазин; о возврате банку сообщают вручную.",
    second:
      "Чтобы зачислить такую сумму, нужно второе подтверждение: до него деньги не двинутся. Возврат отменить нельзя; о нём банку сообщают вручную.",
    choose: "Сначала выберите платёж: деньги не двигались.",
    whole: "Один перевод оплачивает один платёж: разделить его нельзя.",
  },
};

/** The address of one of them; the page of the list stays. */
function addressOf({ visit }: DeskSight, transfer: string | undefined): string {
  const { after } = visit.query;
  const kept = { ...(transfer && { transfer }), ...(after && { after }) };
  return `${PATH}?${new URLSearchParams(kept)}`;
}

async function queueOf(
  sight: DeskSight,
  items: readonly Waiting[],
  chosen: string | undefined,
): Promise<Html> {
  const { look } = sight;
  const approved = new Set((await waitingApprovals(sight)).map((one) => one.subject_id));
  const rows = items.map(
    (one) =>
      html`<li><a href="${addressOf(sight, one.transfer_id)}"${
        one.transfer_id === chosen && html` aria-current="true"`
      }><span><b>${wordOf(one.suspense_reason ?? "", look.language)}</b><small>${moment(one.received_at, look)} <bdi>${one.payer}</bdi></small>${
        approved.has(one.transfer_id) && html`<small>${chip("open", look)}</small>`
      }</span>${money(one.amount, look, one.currency)}</a></li>`,
  );
  return html`<ul class="queue">${rows}</ul>`;
}

async function candidatesOf(sight: DeskSight, transfer: Waiting): Promise<Html> {
  const { look, visit } = sight;
  const words = WORDS[look.language];
  const { items } = await sight.ask(findCandidates, { transfer_id: transfer.transfer_id });
  const shops = await shopNames(
    sight,
    items.map(({ shop_id }) => shop_id),
  );
  const wanted = visit.form["payment_id"];
  const row = (one: Candidate, at: number): Html =>
    html`<li><label><input type="radio" name="payment_id" value="${one.payment_id}"${one.payment_id === wanted && html` checked`}><span>${
      at < 9 && html`<kbd>${at + 1}</kbd> `
    }<b>${offWords(one, transfer, look)}</b><small><bdi>${shops.get(one.shop_id) ?? ""}</bdi> · <bdi>${one.order_id}</bdi> · ${moment(one.issued_at, look)} ${chip(one.state, look)}</small>${payerWords(one, look)}</span><span>${money(one.to_pay, look, transfer.currency)}<small>${link(labelOf("invoice_id", look.language), `/desk/invoices/${one.invoice_id}`)}</small></span></label></li>`;
  const other = html`<div class="field"><label for="f-other">${words.other}</label><input id="f-other" name="other" value="${visit.form["other"]}" autocomplete="off"></div>`;
  if (items.length === 0) return html`<p class="muted">${words.none}</p>${other}`;
  return html`<fieldset class="plain"><legend class="unseen">${words.near}</legend><ul class="near">${items.map(row)}</ul></fieldset><details><summary>${words.other}</summary>${other}</details>`;
}

async function chosenOf(
  sight: DeskSight,
  one: Waiting,
  next: string | undefined,
  alert?: Html,
): Promise<Html> {
  const { look, root, say, visit } = sight;
  const words = WORDS[look.language];
  const known = factsOf(sight, showTransfer, undefined, one, [
    ["amount", money(one.amount, look, one.currency)],
    ["requisite_id", await nameOf(sight, "requisite_id", one.requisite_id)],
    "payer",
    "reference",
    "made_at",
    "received_at",
  ]);
  const about = html`<p class="lead">${say(WAITS[one.suspense_reason ?? "nobody_expected"])}</p>${known}`;
  const first = card(
    moneyText(one.amount, look.language, one.currency),
    about,
    link(words.open, `${root}/transfers/${one.transfer_id}`),
  );
  if (!sight.may(assignSuspense)) return first;
  const skip =
    next !== undefined &&
    html`<a class="button plain" data-act="s" href="${addressOf(sight, next)}">${words.skip}\u00a0<kbd>s</kbd></a>`;
  const action = addressOf(sight, one.transfer_id);
  const [approved] = await waitingApprovals(sight, one.transfer_id);
  if (approved !== undefined) {
    return html`${first}${await approvalForm(sight, approved, { action, alert, skip, next })}`;
  }
  const { fourEyesFrom } = sight.app.config;
  const minor = minorFromNumber(one.amount) ?? 0n;
  const needsTwo = assigningNeedsTwo(minor, one.suspense_reason, fourEyesFrom);
  // Enter in a field sends the first button, and must not move money without a choice.
  const give = html`<button class="button danger" name="act" value="return" data-act="r">${words.give} ${moneyText(one.amount, look.language, one.currency)} <kbd>r</kbd></button>`;
  const acts = html`<div class="acts"><button class="button main" name="act" value="assign" data-act="a">${words.assign} <kbd>a</kbd></button>${give}${skip}</div>`;
  const field = html`<div class="field"><label for="f-reason">${words.why}</label><input id="f-reason" name="reason" required maxlength="500" value="${visit.form["reason"]}"></div>`;
  if (visit.form["act"] === "return") {
    const no = html`<a class="button plain" href="${action}">${words.no}</a>`;
    const sure = html`<form class="form" method="post" action="${action}" data-bench>${alert}<input type="hidden" name="next" value="${next}"><input type="hidden" name="sure" value="yes">${field}<div class="acts">${give}${no}</div></form>`;
    return html`${first}${card(words.sure, sure)}`;
  }
  const form = html`<form class="form" method="post" action="${action}" data-bench>${alert}<input type="hidden" name="next" value="${next}">${await candidatesOf(sight, one)}${field}<p class="note muted">${needsTwo ? words.second : words.final} ${words.whole}</p>${acts}</form>`;
  return html`${first}${card(words.near, form)}`;
}

async function bench(sight: DeskSight, failure?: Failure): Promise<Screen> {
  const { say, look, visit } = sight;
  const words = WORDS[look.language];
  const { after, transfer: wanted } = visit.query;
  const title = say(TITLE);
  const { items, next: older } = await sight.ask(readTransfers, {
    state: "suspense",
    ...(after === undefined ? {} : { after }),
  });
  const command = "kopeck suspense list";
  const status = failure && { status: failure.status };
  const alert = alertOf(sight, failure);
  if (items.length === 0) {
    const none = empty(words.done, words.doneMore);
    return { title, body: html`${alert}${none}`, command, ...status };
  }
  const at = items.findIndex(({ transfer_id }) => transfer_id === wanted);
  // One that stands on another page of the list is shown all the same.
  const elsewhere = wanted !== undefined && at < 0 ? await elsewhereOf(sight, wanted) : undefined;
  const one = elsewhere ?? items[Math.max(at, 0)];
  const next = items[elsewhere === undefined ? Math.max(at, 0) + 1 : 0]?.transfer_id;
  const isGone = wanted !== undefined && wanted !== "" && one?.transfer_id !== wanted;
  const gone =
    failure === undefined ? notice("plain", words.gone) : html`${alert}<p>${words.late}</p>`;
  const queue = html`${await queueOf(sight, items, one?.transfer_id)}${older !== null && html`<p class="pages">${link(words.older, `${PATH}?after=${encodeURIComponent(older)}`)}</p>`}`;
  const body = html`${isGone && gone}<div class="bench">${card(words.queue, queue)}<div class="stack">${one && (await chosenOf(isGone ? untyped(sight) : sight, one, next, isGone ? undefined : alert))}</div></div>`;
  const live = { of: "transfers", mode: "list" } as const;
  return { title, body, command, live, ...status };
}

/** What was typed was of another one: choice and reason would settle this one by them. */
function untyped(sight: DeskSight): DeskSight {
  return { ...sight, visit: { ...sight.visit, form: {} } };
}

/** What was refused, and why. */
function alertOf({ look, visit }: DeskSight, failure?: Failure): Html | undefined {
  if (failure === undefined) return undefined;
  const isUnmade = isUnchosen(visit.form);
  const wrong = isUnmade ? [WORDS[look.language].choose] : refusedWords(failure, look.language);
  const problem = notice("bad", wrong.join(" "));
  return html`<div class="problems" role="alert" tabindex="-1" autofocus>${problem}</div>`;
}

async function elsewhereOf(sight: DeskSight, id: string): Promise<Waiting | undefined> {
  if (!/^[\da-f-]{36}$/i.test(id)) return undefined;
  const found = await sight.askIfAllowed(showTransfer, { transfer_id: id });
  if (found?.state !== "suspense") return undefined;
  return { ...found, nearest_payment_id: null, nearest_off: null };
}

/** An act that needs a choice, and came without one. */
function isUnchosen(form: DeskSight["visit"]["form"]): boolean {
  const { act, payment_id = "", other = "" } = form;
  return act === "assign" && payment_id === "" && other.trim() === "";
}

async function settle(sight: DeskSight): Promise<void> {
  const { act, payment_id = "", other = "", reason = "" } = sight.visit.form;
  const transfer_id = sight.visit.query["transfer"] ?? "";
  if (act === "withdraw") await sight.ask(withdrawSuspense, { transfer_id, reason });
  else if (act === "return") await sight.ask(returnSuspense, { transfer_id, reason });
  else {
    const wanted = other.trim() === "" ? payment_id : other.trim();
    await sight.ask(assignSuspense, { transfer_id, payment_id: wanted, reason });
  }
}

export const suspensePages: readonly WebPage[] = [
  desk.page({ path: PATH, show: (sight) => bench(sight) }),
  desk.page({
    method: "POST",
    path: PATH,
    needsProof: true,
    async show(sight) {
      const { act, sure, next } = sight.visit.form;
      const isQuestion = act === "return" && sure === undefined && sight.may(returnSuspense);
      if (isQuestion) return bench(sight);
      try {
        await settle(sight);
      } catch (error) {
        if (!isFailure(error) || error.status >= 500) throw error;
        return bench(sight, error);
      }
      return redirect(addressOf(sight, next === "" ? undefined : next));
    },
  }),
];
