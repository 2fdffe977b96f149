// /desk/payouts: money that leaves. What needs a person stands first, what nobody knows of apart; one payout with
// its story and the acts that its state allows.

import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { addPayout, readPayout, readPayouts } from "../payouts/manage-payouts.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { named, nameOf } from "../people/naming.ts";
import { factsOf, sheetsOf, story, sumsOf } from "../people/parts.ts";
import type { Words } from "../people/site.ts";
import { choicesOf } from "../screens/form.ts";
import { card, chip, link, moneyText, notice } from "../screens/pieces.ts";
import { stateWord, wordOf } from "../screens/words.ts";
import { bankNames } from "./names.ts";
import { newestOf, PAGE } from "./newest.ts";
import { actsOf, type PayoutWhole, payoutActPages } from "./payout-acts.ts";
import { type DeskSight, desk } from "./site.ts";

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
