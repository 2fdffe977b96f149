// /desk/payouts: money that leaves. What needs a person stands first, what nobody knows of apart; one payout with
// its story and the acts that its state allows.

import { APPROVALS_NEEDED } from "../../domain/approval.ts";
import type { Answer } from "../../platform/endpoint.ts";
import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import type { Operator } from "../operators/operator.ts";
import {
  approvePayout,
  recoverPayout,
  refusePayout,
  returnPayout,
} from "../payouts/decide-payouts.endpoint.ts";
import { addPayout, readPayout, readPayouts } from "../payouts/manage-payouts.endpoint.ts";
import {
  markNotSent,
  markSent,
  resolvePayout,
  takePayout,
} from "../payouts/send-by-hand.endpoint.ts";
import { named, nameOf } from "../people/cells.ts";
import { type FormDefinition, formOf, formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { factsOf, sheetsOf, story, sumsOf } from "../people/parts.ts";
import type { Words } from "../people/site.ts";
import {
  card,
  chip,
  choicesOf,
  copyable,
  facts,
  link,
  momentText,
  moneyText,
  notice,
} from "../screens/pieces.ts";
import { stateWord, wordOf } from "../screens/words.ts";
import { bankNames, type DeskSight, desk } from "./site.ts";

const MOST_COUNTED = 1000;
/** As many as a door gives at once. */
const PAGE = 200;

/** All of a list, the newest first, or its newest: `next` says whether there are more. */
async function newestOf<Item>(
  pageAfter: (
    after: string | undefined,
  ) => Promise<{ items: readonly Item[]; next: string | null }>,
) {
  const all: Item[] = [];
  let next: string | null = null;
  do {
    const page = await pageAfter(next ?? undefined);
    all.push(...page.items);
    next = page.next;
  } while (next !== null && all.length < MOST_COUNTED);
  return { items: all, next };
}

type PayoutWhole = Answer<typeof readPayout>;

/** What all of them have in common: by itself, as after a proof of who acts, a form says of which payout it is. */
const act = <Door>(name: string, door: Door) => ({
  path: `/desk/payouts/:payout_id/${name}`,
  door,
  above: payoutOf,
});

async function payoutOf(sight: DeskSight): Promise<Part> {
  const { payout } = await sight.askHere(readPayout);
  const sum = moneyText(payout.receive, sight.look.language, payout.currency);
  const whose = await nameOf(sight, "user_id", payout.user_id);
  const facts = factsOf(sight, readPayout, "payout", payout, [["user_id", whose], "wallet"]);
  return card(
    undefined,
    html`<p class="lead">${chip(payout.state, sight.look)} ${sum}</p>${facts}`,
  );
}

const approve = {
  ...act("approve", approvePayout),
  title: { en: "Approve", ru: "Одобрить" },
  note: {
    en: "Once enough have approved it, it is sent.",
    ru: "Вывод отправится, когда наберётся нужное число одобрений.",
  },
};

const refuse = {
  ...act("refuse", refusePayout),
  title: { en: "Refuse", ru: "Отказать" },
  note: {
    en: "The money is the merchant's again, and they are told why.",
    ru: "Деньги вернутся мерчанту, он узнает причину.",
  },
  danger: true,
};

const take = {
  ...act("take", takePayout),
  title: { en: "Take it to send", ru: "Взять в отправку" },
  note: {
    en: "You see the whole number, and it is yours alone for 30 minutes. Send it in your bank's program, then say here what came of it. The audit log keeps that you looked.",
    ru: "Вы увидите номер целиком; 30 минут вывод только ваш. Отправьте его в программе банка и отметьте здесь, что вышло. Просмотр остаётся в журнале.",
  },
  shows: takenPart,
};

type Taken = Answer<typeof takePayout>;

/** The one place where the whole number stands. */
function takenPart(
  { payout, wallet, bank_name, receive, lease_until }: Taken,
  { say, look }: DeskSight,
): Part {
  const lead = say({
    en: `Send exactly this, until ${momentText(lease_until, look)}. Then say what came of it.`,
    ru: `Отправьте ровно это до ${momentText(lease_until, look)}. Потом отметьте, что вышло.`,
  });
  const number = say({ en: "To", ru: "Куда" });
  const sum = moneyText(receive, look.language);
  return card(
    undefined,
    html`<p class="lead">${lead}</p>${facts([
      [
        `${say({ en: "Amount", ru: "Сумма" })}, ${payout.currency}`,
        copyable(sum.replaceAll("\u202f", ""), sum),
      ],
      [number, copyable(wallet, number)],
      [say({ en: "Bank", ru: "Банк" }), bank_name ?? "—"],
    ])}`,
  );
}

const sent = {
  ...act("sent", markSent),
  title: { en: "It has left", ru: "Ушёл" },
  note: {
    en: "With the bank's own reference, which proves it. The money is booked as gone.",
    ru: "С номером операции банка, он это доказывает. Деньги проведутся как ушедшие.",
  },
};

const notSent = {
  ...act("not-sent", markNotSent),
  title: { en: "It has not left", ru: "Не ушёл" },
  note: {
    en: "Only where you are certain. It stands in line again, or has failed and the money is the merchant's; a large one needs a second approval.",
    ru: "Только если вы уверены. Вывод снова встанет в очередь или не состоится, и деньги вернутся мерчанту; крупному нужно второе подтверждение.",
  },
  fields: (sight: DeskSight) => ["reason", retryField(sight)],
  danger: true,
};

const resolve = {
  ...act("resolve", resolvePayout),
  title: { en: "Say what became of it", ru: "Указать исход" },
  note: {
    en: "Look at the bank's own list first. That it has left is proven by the reference; that it has not needs two approvals: the first one is kept, the second one decides.",
    ru: "Сначала посмотрите в банке. Что вывод ушёл, доказывает номер операции; что не ушёл, подтверждают двое: первое подтверждение записывается, второе решает.",
  },
  fields: (sight: DeskSight) => ["outcome", "bank_reference", "reason", retryField(sight)],
  danger: true,
};

const giveBack = {
  ...act("return", returnPayout),
  title: { en: "It came back", ru: "Деньги вернулись" },
  note: {
    en: "What came back is the merchant's again; a large sum needs two approvals. With the transfer that it came back as, which then waits no longer.",
    ru: "Вернувшееся снова у мерчанта; крупной сумме нужны два подтверждения. Укажите перевод, которым оно пришло: он больше не будет ждать разбора.",
  },
  fields: () => ["reason", "transfer_id"],
  danger: true,
};

const notBack = {
  ...act("not-returned", returnPayout),
  title: { en: "It has not come back after all", ru: "Всё же не вернулись" },
  note: {
    en: "This withdraws the approval of its return. No money moves.",
    ru: "Подтверждение возврата отзывается. Деньги не двигаются.",
  },
  fields: () => ["reason"],
  also: () => ({ withdraw: true }),
};

const recover = {
  ...act("recover", recoverPayout),
  title: { en: "It had left after all", ru: "Всё же ушёл" },
  note: {
    en: "The money is taken from the merchant's available balance once more.",
    ru: "Деньги ещё раз спишутся с доступного баланса мерчанта.",
  },
  danger: true,
};

const payoutActPages: readonly WebPage[] = [
  ...formPages(desk, approve),
  ...formPages(desk, refuse),
  ...formPages(desk, take),
  ...formPages(desk, sent),
  ...formPages(desk, notSent),
  ...formPages(desk, resolve),
  ...formPages(desk, giveBack),
  ...formPages(desk, notBack),
  ...formPages(desk, recover),
];

/** The forms that this payout allows to this person, in the order that they are likely wanted. */
async function actsOf(
  sight: DeskSight,
  { payout, attempts, approvals }: PayoutWhole,
): Promise<Part> {
  const { who, say, look } = sight;
  if (!sight.may(approvePayout)) return "";
  const last = attempts.at(-1);
  const isMine = last?.rail === "desk" && last.author === who.name;
  const isTimely = last !== undefined && Date.parse(last.lease_until) > look.now.getTime();
  const parts: Promise<Part>[] = [];
  const offer = <Input, Data>(one: FormDefinition<Operator, Input, Data>): void => {
    parts.push(formOf(sight, one).then((form) => card(say(one.title), form)));
  };
  const tell = (words: Words): void => {
    parts.push(Promise.resolve(card(undefined, say(words))));
  };
  const counting = (what: (typeof approvals)[number]["action"]) =>
    approvals.filter(({ action, counts }) => action === what && counts);
  /** Where enough people approve it, one of them approves it again: a role that was taken away is there again. */
  const isTheirs = (what: (typeof approvals)[number]["action"], needed: number): boolean =>
    counting(what).length < needed && counting(what).some(({ by }) => by === who.id);
  const { state } = payout;
  if (state === "held") {
    const isOwn = payout.author_id === who.id;
    const isForOthers = isOwn || isTheirs("approve", payout.approvals_needed);
    if (isForOthers) tell(isOwn ? OWN : APPROVED);
    else offer(approve);
    offer(refuse);
  }
  if (state === "queued") {
    offer(take);
    offer(refuse);
  }
  if (state === "sending" && isMine) {
    offer(sent);
    if (isTimely) offer(notSent);
    if (isTimely) offer({ ...take, title: AGAIN });
  }
  if (state === "unknown" || (state === "sending" && last?.state === "accepted")) offer(resolve);
  if (state === "done") {
    if (isTheirs("returned", APPROVALS_NEEDED)) tell(RETURN_APPROVED);
    else offer(giveBack);
    if (counting("returned").length > 0) offer(notBack);
  }
  if (state === "returned") offer(giveBack);
  if (state === "failed" || state === "canceled") offer(recover);
  return html`<div class="grid">${await Promise.all(parts)}</div>`;
}

/** Instead of having failed. */
function retryField({ say }: DeskSight) {
  const label = say({ en: "Put it in line again", ru: "Поставить снова в очередь" });
  return { name: "retry", kind: "yes" as const, label };
}

const AGAIN = { en: "See the number again", ru: "Показать номер ещё раз" };
const OWN = {
  en: "You have asked for it: somebody else has to approve it.",
  ru: "Вывод запросили вы: одобрить должен кто-то другой.",
};
const APPROVED = {
  en: "You have approved it: another person has to approve it as well.",
  ru: "Вы уже одобрили: нужно одобрение ещё одного человека.",
};
const RETURN_APPROVED = {
  en: "You approved that it came back: another person has to approve it as well.",
  ru: "Вы подтвердили возврат: нужно подтверждение ещё одного человека.",
};

const NEW = { en: "Ask for a payout", ru: "Запросить вывод" };
const OPEN = ["held", "queued", "sending"] as const;

const MOST_UNKNOWN = 10;

/** The oldest that nobody knows of are not to be overlooked, however many there are. */
async function unknownOf(sight: DeskSight): Promise<Part> {
  if (sight.visit.query["state"] !== undefined) return "";
  const { items, next } = await newestOf((after) =>
    sight.ask(readPayouts, { state: "unknown", limit: PAGE, ...(after && { after }) }),
  );
  if (items.length === 0) return "";
  const title = sight.say({
    en: "Outcome unknown: may have left, may not. Look into the bank's list",
    ru: "Исход неизвестен: могли уйти, могли нет. Посмотрите в банке",
  });
  const count = `${items.length}${next === null ? "" : "+"}`;
  const all = sight.say({ en: `All ${count}`, ru: `Все, ${count}` });
  const columns = ["created_at", "receive", "wallet", "order_id", "attempts"];
  const oldest = { items: items.slice(-MOST_UNKNOWN), next };
  return sheetsOf(sight, readPayouts, oldest)("items", columns, {
    title,
    ...(items.length > MOST_UNKNOWN && { acts: link(all, "/desk/payouts?state=unknown") }),
    open: ({ payout_id: id }) => `/desk/payouts/${id}`,
  });
}

const list = listPages(desk, {
  path: "/desk/payouts",
  title: { en: "Payouts", ru: "Выводы" },
  door: readPayouts,
  columns: () => [
    "created_at",
    "receive",
    "state",
    named("user_id"),
    "service",
    "wallet",
    "held_reason",
    "order_id",
  ],
  filters: ["state", "by_hand", named("user_id"), "order_id", "currency", "from", "to"],
  open: ({ payout_id: id }, root) => `${root}/payouts/${id}`,
  async above(sight) {
    const { say, look, may } = sight;
    const states = OPEN.map((state) =>
      link(stateWord(state, look.language), `/desk/payouts?state=${state}`, "plain"),
    );
    return html`<p class="acts">${may(addPayout) && link(say(NEW), "/desk/payouts/new", "main")}${states}${link(say({ en: "Files for the bank", ru: "Файлы для банка" }), "/desk/payouts/files", "plain")}</p>${await unknownOf(sight)}`;
  },
  nothing: {
    en: "No such payouts. A merchant asks for them by the API or in the cabinet",
    ru: "Таких выводов нет. Мерчант запрашивает их по API или в кабинете",
  },
  command: "kopeck payout list",
  live: "payouts",
});

const add = formPages(desk, {
  path: "/desk/payouts/new",
  title: NEW,
  door: addPayout,
  async fields(sight) {
    return [
      named("user_id"),
      "service",
      "wallet_to",
      "amount",
      { name: "bank_id", choices: choicesOf(await bankNames(sight)) },
      "subtract",
      "order_id",
      "comment",
    ];
  },
  note: {
    en: "The money is set aside at once, and waits until another operator approves it.",
    ru: "Деньги сразу зарезервируются и будут ждать одобрения другого оператора.",
  },
  then: ({ payout_id: id }) => `/desk/payouts/${id}`,
  command: "kopeck payout add",
});

type Payout = PayoutWhole["payout"];

const SENTENCES: Readonly<Record<Payout["state"], Words>> = {
  held: { en: "It waits for approval", ru: "Ждёт одобрения" },
  queued: {
    en: "A rail sends it, or somebody takes it by hand.",
    ru: "Отправит канал, или кто-то возьмёт вручную.",
  },
  sending: { en: "Somebody is sending it.", ru: "Его отправляют." },
  unknown: {
    en: "It may have left, and nobody knows: look into the bank's own list.",
    ru: "Мог уйти, точно не известно: посмотрите в банке.",
  },
  done: { en: "The money has left.", ru: "Деньги ушли." },
  failed: {
    en: "It has not left; the money is the merchant's again.",
    ru: "Не ушёл; деньги снова у мерчанта.",
  },
  canceled: {
    en: "It was canceled; the money is the merchant's again.",
    ru: "Деньги снова у мерчанта.",
  },
  returned: { en: "It left and came back.", ru: "Ушёл и вернулся." },
};

const ONE_SAYS_BACK = {
  en: "One person approved that it came back, and another one has to as well.",
  ru: "Возврат подтвердил один человек; нужно второе подтверждение.",
};

function sentence({ say, look }: DeskSight, { payout, approvals }: PayoutWhole): string {
  const { state, held_reason: reason, approvals_needed: needed } = payout;
  const isDoubted =
    state === "done" && approvals.some(({ action, counts }) => action === "returned" && counts);
  if (isDoubted) return `${say(SENTENCES.done)} ${say(ONE_SAYS_BACK)}`;
  if (state !== "held") return say(SENTENCES[state]);
  const given = approvals.filter(({ action, counts }) => action === "approve" && counts).length;
  return `${say(SENTENCES.held)} (${given} / ${needed}): ${wordOf(reason ?? "", look.language)}.`;
}

const detail = desk.page({
  path: "/desk/payouts/:payout_id",
  async show(sight) {
    const { say, look } = sight;
    const whole = await sight.askHere(readPayout);
    const { payout } = whole;
    const sheet = sheetsOf(sight, readPayout, whole);
    const { receive, fee, withdraw, currency } = payout;
    const body = html`${card(undefined, html`<p class="lead" data-say>${chip(payout.state, look)} ${sentence(sight, whole)}</p>${payout.error !== null && notice("warn", html`<bdi>${payout.error}</bdi>`)}`)}${card(undefined, sumsOf(sight, currency, { receive, fee, withdraw }))}${await actsOf(sight, whole)}${card(
      undefined,
      factsOf(sight, readPayout, "payout", payout, [
        ["user_id", await nameOf(sight, "user_id", payout.user_id)],
        "wallet",
        "service",
        ["bank_id", (await bankNames(sight)).get(payout.bank_id ?? "")],
        "order_id",
        "comment",
        "origin",
        "bank_reference",
        ["subtract", wordOf(payout.subtract === "amount" ? "2" : "1", look.language)],
        "created_at",
        "settled_at",
        "payout_id",
      ]),
    )}${sheet(
      "attempts",
      ["claimed_at", "number", "rail", "state", "author", "lease_until", "detail", "batch_id"],
      { title: say({ en: "Attempts", ru: "Попытки" }) },
    )}${sheet("approvals", ["at", "by_name", "action", "reason", "withdrawn_at"], {
      title: say({ en: "Approvals", ru: "Подтверждения" }),
    })}${sheet("postings", ["created_at", "kind", "available", "reserved", "bank_out", "fees"])}${story(sight, whole.timeline)}`;
    const sum = moneyText(payout.receive, look.language, payout.currency);
    const title = say({ en: `Payout of ${sum}`, ru: `Вывод ${sum}` });
    const live = { of: "events", mode: "figures" } as const;
    return { title, body, command: `kopeck payout show ${payout.payout_id}`, live };
  },
});

export const payoutPages: readonly WebPage[] = [...list, ...add, ...payoutActPages, detail];
