// /my/payouts: money that leaves; asking for it, what it costs in words, and one payout with its story: what an
// unknown outcome means is explained, for it frightens.

import type { Answer } from "../../platform/endpoint.ts";
import { html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import {
  askOwnPayout,
  cancelOwnPayout,
  readOwnPayout,
  readOwnPayouts,
  readOwnPayoutTariffs,
} from "../payouts/manage-payouts.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { factsOf, story, sumsOf } from "../people/parts.ts";
import type { Words } from "../people/site.ts";
import { decimalText } from "../screens/locale.ts";
import { card, chip, choicesOf, facts, link, money, moneyText, notice } from "../screens/pieces.ts";
import { stateWord, wordOf } from "../screens/words.ts";
import { balanceFigures } from "./balance.page.ts";
import { cabinet, type MySight } from "./site.ts";

const NEW = { en: "Ask for a payout", ru: "Запросить вывод" };
const USUAL = "RUB";

/** What each way costs, and how much may leave. */
async function tariffs(sight: MySight): Promise<Part> {
  const { say, look } = sight;
  const { items } = await sight.ask(readOwnPayoutTariffs, {});
  const rows = items.map((one): readonly [string, string] => {
    const sum = (amount: number) => moneyText(amount, look.language, one.currency);
    const service = wordOf(one.service, look.language);
    const name = one.currency === USUAL ? service : `${service}, ${one.currency}`;
    if (!one.enabled) return [name, say({ en: "switched off", ru: "выключено" })];
    const fix = one.fix > 0 ? ` + ${sum(one.fix)}` : "";
    const day =
      one.day_sum === null
        ? ""
        : say({ en: `, ${sum(one.day_sum)} a day`, ru: `, в день до ${sum(one.day_sum)}` });
    const bounds = say({
      en: `from ${sum(one.min_sum)} to ${sum(one.max_sum)}`,
      ru: `от ${sum(one.min_sum)} до ${sum(one.max_sum)}`,
    });
    return [name, `${decimalText(one.percent, look.language)} %${fix}, ${bounds}${day}`];
  });
  const none = say({
    en: "Your operator has set no way of paying out yet.",
    ru: "Оператор ещё не настроил способы вывода.",
  });
  return card(
    say({ en: "What it costs", ru: "Сколько стоит" }),
    rows.length === 0 ? html`<p>${none}</p>` : facts(rows),
  );
}

async function bankNames(sight: MySight): Promise<ReadonlyMap<string, string>> {
  const { banks } = await sight.ask(readOwnPayoutTariffs, {});
  return new Map(banks.map(({ id, name }) => [id, name]));
}

const list = listPages(cabinet, {
  path: "/my/payouts",
  title: { en: "Payouts", ru: "Выводы" },
  door: readOwnPayouts,
  columns: () => ["created_at", "receive", "state", "service", "wallet", "fee", "order_id"],
  filters: ["state", "order_id", "currency", "from", "to"],
  open: ({ payout_id: id }, root) => `${root}/payouts/${id}`,
  async above(sight) {
    const { say, look, may } = sight;
    const states = (["held", "unknown"] as const).map((state) =>
      link(stateWord(state, look.language), `/my/payouts?state=${state}`, "plain"),
    );
    return html`<p class="acts">${may(askOwnPayout) && link(say(NEW), "/my/payouts/new", "main")}${states}</p>${await tariffs(sight)}`;
  },
  nothing: {
    en: "No such payouts. Ask for one here, or by the API",
    ru: "Таких выводов нет. Запросите здесь или по API",
  },
  command: "kopeck my payout list",
  live: "payouts",
});

function currencyField(currencies: readonly string[]) {
  const all = [...new Set([USUAL, ...currencies])];
  const choices = all.map((value) => ({ value, label: value }));
  return all.length === 1 ? [] : [{ name: "currency", value: USUAL, choices }];
}

const add = formPages(cabinet, {
  path: "/my/payouts/new",
  title: NEW,
  door: askOwnPayout,
  async fields(sight) {
    const { say } = sight;
    const { items } = await sight.ask(readOwnPayoutTariffs, {});
    const choices = choicesOf(await bankNames(sight));
    return [
      "service",
      "wallet_to",
      "amount",
      // Where there are several, a bare number would be of whichever one thinks of.
      ...currencyField(items.map(({ currency }) => currency)),
      { name: "bank_id", choices, hint: say({ en: "For SBP", ru: "Для СБП" }) },
      {
        name: "subtract",
        hint: say({
          en: "From the amount when empty: less arrives",
          ru: "Пусто — из суммы: придёт меньше",
        }),
      },
      {
        name: "order_id",
        hint: say({
          en: "Yours; the same one again is the same payout",
          ru: "Ваш; тот же номер ещё раз — тот же вывод",
        }),
      },
      "comment",
    ];
  },
  above: async (sight) =>
    html`${card(undefined, await balanceFigures(sight))}${await tariffs(sight)}`,
  note: {
    en: "The money is set aside at once. What an accountant asks for waits until the operator approves it.",
    ru: "Деньги сразу резервируются. Запрошенное бухгалтером ждёт одобрения оператора.",
  },
  then: ({ payout_id: id }) => `/my/payouts/${id}`,
  command: "kopeck my payout create",
});

const CANCEL = { en: "Cancel the payout", ru: "Отменить вывод" };

const cancel = formPages(cabinet, {
  path: "/my/payouts/:payout_id/cancel",
  title: CANCEL,
  door: cancelOwnPayout,
  danger: true,
  async above(sight) {
    const { payout } = await sight.askHere(readOwnPayout);
    return html`<p>${money(payout.withdraw, sight.look, payout.currency)} → <bdi>${payout.wallet}</bdi></p>`;
  },
  note: {
    en: "The money is on your balance again. What somebody has begun to send cannot be taken back.",
    ru: "Деньги вернутся на баланс. Если отправка уже началась, отменить нельзя.",
  },
  command: "kopeck my payout cancel",
});

type State = Answer<typeof readOwnPayout>["payout"]["state"];

const SENTENCES: Readonly<Record<State, Words>> = {
  held: {
    en: "The operator looks at it before it leaves; the money is set aside.",
    ru: "Перед отправкой его проверит оператор; деньги в резерве.",
  },
  queued: { en: "It is in line to be sent.", ru: "Ждёт отправки." },
  sending: { en: "It is being sent.", ru: "Идёт отправка." },
  unknown: { en: "Whether it left is not known yet.", ru: "Ушёл ли он, пока не известно." },
  done: { en: "The money has left.", ru: "Деньги ушли." },
  failed: {
    en: "It has not left; the money is on your balance again.",
    ru: "Не ушёл; деньги снова на балансе.",
  },
  canceled: {
    en: "It was canceled; the money is on your balance again.",
    ru: "Деньги снова на балансе.",
  },
  returned: {
    en: "It left and came back; what came back is on your balance again.",
    ru: "Ушёл и вернулся; вернувшееся снова на балансе.",
  },
};

const UNKNOWN = {
  en: "The bank was told to pay, and its answer was lost. The money is neither on your balance nor surely with the receiver, so it stays set aside: the operator looks into the bank's own list, and it then becomes done or comes back. Please do not ask for it a second time: it could arrive twice.",
  ru: "Банку дали поручение, а ответ потерялся. На балансе этих денег нет, а дошли ли они до получателя, неизвестно, поэтому они остаются в резерве: оператор проверит в самом банке, и вывод станет выполненным или деньги вернутся. Не запрашивайте его второй раз: деньги могут прийти дважды.",
};

const detail = cabinet.page({
  path: "/my/payouts/:payout_id",
  async show(sight) {
    const { say, look } = sight;
    const { payout, timeline } = await sight.askHere(readOwnPayout);
    const { receive, fee, withdraw, currency } = payout;
    const told = html`<p class="lead" data-say>${chip(payout.state, look)} ${say(SENTENCES[payout.state])}</p>${payout.error !== null && notice("warn", html`<bdi>${payout.error}</bdi>`)}`;
    const mayStop = payout.state === "held" || payout.state === "queued";
    const stop =
      mayStop &&
      sight.may(cancelOwnPayout) &&
      html`<p class="acts">${link(say(CANCEL), `/my/payouts/${payout.payout_id}/cancel`, "plain")}</p>`;
    const body = html`${card(undefined, html`${told}${stop}`)}${payout.state === "unknown" && notice("warn", say(UNKNOWN))}${card(undefined, sumsOf(sight, currency, { receive, fee, withdraw }))}${card(
      undefined,
      factsOf(sight, readOwnPayout, "payout", payout, [
        "wallet",
        "service",
        ["bank_id", (await bankNames(sight)).get(payout.bank_id ?? "")],
        "order_id",
        "comment",
        "bank_reference",
        ["subtract", wordOf(payout.subtract === "amount" ? "2" : "1", look.language)],
        "created_at",
        "settled_at",
        "payout_id",
      ]),
    )}${story(sight, timeline)}`;
    const title = say({ en: `Payout to ${payout.wallet}`, ru: `Вывод на ${payout.wallet}` });
    const live = { of: "payouts,events", mode: "figures" } as const;
    return { title, body, command: `kopeck my payout show ${payout.payout_id}`, live };
  },
});

export const payoutPages: readonly WebPage[] = [...list, ...add, ...cancel, detail];
