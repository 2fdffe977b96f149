// /desk/now: what stands now, and how it went lately: money that waits by its age, requisites against their limits, receivers
// that hear nothing, payouts by state, the books. Guards that what was not counted to its end says so.

import { momentFormat } from "../../domain/moment.ts";
import type { PayoutState } from "../../domain/payout.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { readBooks } from "../ledger/manage-books.endpoint.ts";
import { showWaiting } from "../overview/show-waiting.endpoint.ts";
import { readPayouts } from "../payouts/manage-payouts.endpoint.ts";
import { readRequisites } from "../requisites/manage-requisites.endpoint.ts";
import { barChart } from "../screens/chart.ts";
import { numberText } from "../screens/locale.ts";
import {
  card,
  chip,
  empty,
  link,
  meter,
  moment,
  money,
  moneyText,
  notice,
} from "../screens/pieces.ts";
import { table } from "../screens/table.ts";
import { labelOf, wordOf } from "../screens/words.ts";
import { readTransfers } from "../transfers/manage-transfers.endpoint.ts";
import { readEvents } from "../webhooks/manage-events.endpoint.ts";
import { refusals, webhooks } from "./flow-charts.ts";
import { MOST_COUNTED, newestOf, PAGE } from "./newest.ts";
import { type DeskSight, desk } from "./site.ts";

/** Where there are more, it is said. */
const MOST = 50;
/** Of requisites, those that are nearest to a limit. */
const FULLEST = 12;
const HOUR_MS = 60 * 60 * 1000;

const AGES = [
  { hours: 1, words: { en: "< 1 h", ru: "< 1 ч" } },
  { hours: 24, words: { en: "1–24 h", ru: "1–24 ч" } },
  { hours: 7 * 24, words: { en: "1–7 d", ru: "1–7 д" } },
  { hours: Number.POSITIVE_INFINITY, words: { en: "> 7 d", ru: "> 7 д" } },
];

/** Kopecks are added, not their parts of a rouble. */
const sumOf = (amounts: readonly number[]): number =>
  amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0) / 100;

async function suspense(sight: DeskSight): Promise<Part> {
  const { say, look, root } = sight;
  const { items, next } = await newestOf((after) =>
    sight.ask(readTransfers, { state: "suspense", limit: PAGE, ...(after && { after }) }),
  );
  const ageOf = (iso: string): number => (look.now.getTime() - Date.parse(iso)) / HOUR_MS;
  // What was not read is older than all that was.
  const last = items.at(-1);
  const readTo = next === null || last === undefined ? undefined : ageOf(last.received_at);
  const title = say({ en: "Money that waits, by age", ru: "Невыясненные деньги по возрасту" });
  const charts = [...Map.groupBy(items, ({ currency }) => currency)].map(([currency, own]) => {
    const bars = AGES.map(({ hours, words }, at) => {
      const least = AGES[at - 1]?.hours ?? Number.NEGATIVE_INFINITY;
      const rows = own.filter(({ received_at: at }) => {
        const age = ageOf(at);
        return age >= least && age < hours;
      });
      const more = readTo !== undefined && hours > readTo ? "+" : "";
      const sum = sumOf(rows.map(({ amount }) => amount));
      const label = `${say(words)}: ${rows.length}${more}`;
      return { label, href: `${root}/suspense`, parts: [sum] };
    });
    const named = `${title}, ${currency}`;
    return barChart({
      title: next === null ? named : `${named} (${MOST_COUNTED}+)`,
      ...{ bars, series: [say({ en: "Amount", ru: "Сумма" })], look },
      format: (value) => moneyText(value, look.language),
    });
  });
  const all = say({ en: "Look through", ru: "Разобрать" });
  return items.length === 0
    ? card(title, empty(say({ en: "Nothing waits", ru: "Ничего не ждёт" }), ""))
    : card(undefined, html`${charts}<p>${link(all, `${root}/suspense`)}</p>`);
}

async function requisites(sight: DeskSight): Promise<Part> {
  const { say, look, root } = sight;
  const [{ items, next }, waiting] = await Promise.all([
    newestOf((after) =>
      sight.ask(readRequisites, { enabled: true, limit: PAGE, ...(after && { after }) }),
    ),
    sight.ask(showWaiting, {}),
  ]);
  const today = momentFormat(look.zone).day(look.now);
  const dead = waiting.items.find(({ kind }) => kind === "requisites_dead");
  const title = say({ en: "Requisites against their limits", ru: "Реквизиты и их лимиты" });
  if (items.length === 0) return false;
  const share = (one: (typeof items)[number]): number => {
    const [payments, sum] = one.day === today ? [one.day_payments, one.day_sum] : [0, 0];
    const parts = [
      [one.live_payments, one.max_live_payments],
      [payments, one.max_day_payments],
      [sum, one.max_day_sum],
    ] as const;
    return Math.max(...parts.map(([value, limit]) => (limit === 0 ? 1 : value / limit)));
  };
  const used = (count: number, most: number): Html =>
    meter(count, most, [count, most].map((one) => numberText(one, look.language)).join(" / "));
  const fullest = items.toSorted((left, right) => share(right) - share(left)).slice(0, FULLEST);
  const warning =
    dead !== undefined &&
    notice(
      "warn",
      html`${say({ en: "Given out again and again, and nobody has paid while others are paid", ru: "Выдаются, но на них не платят, хотя на другие платят" })}: <a href="${root}/requisites/${dead.first_id}">${dead.count}</a>`,
    );
  const rows = table({
    ...{ caption: title, rows: fullest },
    rowHref: ({ requisite_id: id }) => `${root}/requisites/${id}`,
    columns: [
      {
        label: say({ en: "Requisite", ru: "Реквизит" }),
        cell: ({ bank, card: number, phone, account }) =>
          `${wordOf(bank, look.language)} …${(number ?? phone ?? account ?? "").slice(-4)}`,
      },
      {
        label: say({ en: "Under way", ru: "Сейчас" }),
        cell: ({ live_payments: live, max_live_payments: most }) => used(live, most),
      },
      {
        label: say({ en: "Payments today", ru: "Платежей сегодня" }),
        cell: ({ day, day_payments: count, max_day_payments: most }) => {
          const now = day === today ? count : 0;
          return used(now, most);
        },
      },
      {
        label: say({ en: "Sum today", ru: "Сумма сегодня" }),
        cell: ({ day, day_sum: sum, max_day_sum: most, currency }) => {
          const now = day === today ? sum : 0;
          const limit = moneyText(most, look.language, currency);
          return meter(now, most, `${moneyText(now, look.language)} / ${limit}`);
        },
      },
      {
        label: say({ en: "Last given out", ru: "Последняя выдача" }),
        cell: ({ last_used_at: at }) => moment(at, look),
      },
    ],
  });
  const more =
    (next !== null || items.length > FULLEST) &&
    link(say({ en: "All", ru: "Все" }), `${root}/requisites`);
  return card(title, html`${warning}${rows}${more}`);
}

async function receivers(sight: DeskSight): Promise<Part> {
  const { say, look, root } = sight;
  const { items, next } = await sight.ask(readEvents, { state: "exhausted", limit: MOST });
  const title = say({ en: "Webhooks that were given up", ru: "Недоставленные вебхуки" });
  if (items.length === 0) {
    return card(title, empty(say({ en: "None was given up", ru: "Таких нет" }), ""));
  }
  const byHook = Map.groupBy(items, ({ hook_url: url }) => url ?? "—");
  const rows = [...byHook].map(([url, events]) => ({ url, events, oldest: events.at(-1) }));
  const listed = table({
    ...{ caption: title, rows },
    rowHref: ({ oldest }) => oldest && `${root}/events/${oldest.event_id}`,
    columns: [
      {
        label: say({ en: "Receiver", ru: "Получатель" }),
        cell: ({ url }) => html`<bdi>${url}</bdi>`,
      },
      {
        label: say({ en: "Events", ru: "События" }),
        align: "end",
        cell: (row) => row.events.length,
      },
      {
        label: say({ en: "The oldest", ru: "Старейшее" }),
        cell: ({ oldest }) => moment(oldest?.created_at ?? null, look),
      },
    ],
  });
  const all = link(say({ en: "All", ru: "Все" }), `${root}/events?state=exhausted`);
  return card(next === null ? title : `${title} (${MOST}+)`, html`${listed}<p>${all}</p>`);
}

const UNFINISHED: readonly PayoutState[] = ["held", "queued", "sending", "unknown"];

async function payouts(sight: DeskSight): Promise<Part> {
  const { say, look, root } = sight;
  const states = await Promise.all(
    UNFINISHED.map(async (state) => {
      const { items, next } = await newestOf((after) =>
        sight.ask(readPayouts, { state, limit: PAGE, ...(after && { after }) }),
      );
      const byCurrency = [...Map.groupBy(items, ({ currency }) => currency)];
      const own = byCurrency.length === 0 ? [["RUB", items] as const] : byCurrency;
      return own.map(([currency, some]) => ({
        ...{ state, currency, count: `${some.length}${next === null ? "" : "+"}` },
        sum: sumOf(some.map(({ receive }) => receive)),
        oldest: next === null ? (some.at(-1)?.created_at ?? null) : null,
      }));
    }),
  );
  const rows = states.flat();
  const title = say({ en: "Payouts under way", ru: "Выводы в работе" });
  const listed = table({
    ...{ caption: title, rows },
    rowHref: ({ state, currency }) => `${root}/payouts?state=${state}&currency=${currency}`,
    columns: [
      { label: say({ en: "State", ru: "Состояние" }), cell: ({ state }) => chip(state, look) },
      { label: say({ en: "How many", ru: "Сколько" }), align: "end", cell: ({ count }) => count },
      {
        // What was set aside for them is more, by their fees.
        label: labelOf("receive", look.language),
        align: "end",
        cell: ({ sum, currency }) => money(sum, look, currency),
      },
      {
        label: say({ en: "The oldest", ru: "Старейший" }),
        cell: ({ oldest }) => moment(oldest, look),
      },
    ],
  });
  return card(title, listed);
}

async function books(sight: DeskSight): Promise<Part> {
  const { say, look, root } = sight;
  const { checks, invariants } = await sight.ask(readBooks, {});
  const last = checks.find(({ ended_at: at }) => at !== null);
  const title = say({ en: "Books", ru: "Учёт" });
  const more = link(title, `${root}/books`);
  if (last === undefined) {
    const said = say({ en: "The books were never checked.", ru: "Учёт ещё не проверяли." });
    return notice("plain", html`${said} ${more}`);
  }
  const said = say({
    en: `Books checked, ${invariants.length} rules, violations: ${last.violations}`,
    ru: `Учёт проверен, правил: ${invariants.length}, нарушений: ${last.violations}`,
  });
  const kind = last.violations === 0 ? "good" : "bad";
  return notice(kind, html`${said}, ${moment(last.ended_at, look)}. ${more}`);
}

export const nowPages: readonly WebPage[] = [
  desk.page({
    path: "/desk/now",
    async show(sight) {
      const { say, root } = sight;
      const all = [suspense, requisites, receivers, payouts, books, webhooks, refusals];
      const [waiting, cards, hooks, out, checked, heard, refused] = await Promise.all(
        all.map((part) => part(sight)),
      );
      const days = link(
        say({ en: "Figures of days", ru: "Показатели по дням" }),
        `${root}/figures`,
      );
      const body = html`<p>${days}</p><div class="grid">${waiting}${out}</div>${cards}${hooks}${checked}${heard}${refused}`;
      const live = { of: "transfers,payouts,events", mode: "figures" } as const;
      return { title: say({ en: "Now", ru: "Сейчас" }), body, command: "kopeck waiting", live };
    },
  }),
];
