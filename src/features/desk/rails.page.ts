// /desk/rails: who sends payouts, what they cost and when a person looks at one, and the banks that a user can
// name. Guards that what is not typed stands for what the form shows: a tariff is set whole.

import type { Answer } from "../../platform/endpoint.ts";
import { html } from "../../platform/html.ts";
import {
  deletePayoutTariff,
  putPayoutTariff,
  readPayoutTariffs,
} from "../payouts/manage-payout-tariffs.endpoint.ts";
import {
  addHttpRail,
  readRails,
  rotateRailSecret,
  updateRail,
} from "../payouts/manage-rails.endpoint.ts";
import { putSbpBanks, readSbpBanks } from "../payouts/manage-sbp-banks.endpoint.ts";
import { named, stateColumn } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { card, empty, link, table } from "../screens/pieces.ts";
import { labelOf } from "../screens/words.ts";
import { chosenIn, doorTable, filledIn, foldedAct, shownOnce } from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

const RAILS = { en: "Rails", ru: "Каналы выводов" };
const TARIFFS = { en: "Payout tariffs", ru: "Тарифы выводов" };
const BANKS = { en: "Banks of SBP", ru: "Банки СБП" };
const ADD = { en: "Add a program that sends", ru: "Добавить программу отправки" };
const SET = { en: "Set a payout tariff", ru: "Задать тариф выводов" };

type PayoutTariff = Answer<typeof putPayoutTariff>;

const page = desk.page({
  path: "/desk/rails",
  async show(sight) {
    const { say, look } = sight;
    const [rails, tariffs, banks] = await Promise.all([
      sight.ask(readRails, {}),
      sight.ask(readPayoutTariffs, {}),
      sight.ask(readSbpBanks, {}),
    ]);
    const railRows = doorTable(
      ...([sight, readRails, say(RAILS), rails.items] as const),
      [
        "code",
        "kind",
        "services",
        stateColumn(look, ({ paused }) => (paused ? "paused" : "on")),
        "url",
        "created_at",
      ],
      ({ code }) => (sight.may(updateRail) ? `/desk/rails/${code}` : undefined),
    );
    const acts = (row: PayoutTariff) =>
      html`<div class="acts">${link(say({ en: "Change", ru: "Изменить" }), filledIn("/desk/payout-tariffs/set", keyOf(row)))} ${link(say({ en: "Remove", ru: "Убрать" }), filledIn("/desk/payout-tariffs/remove", row))}</div>`;
    const tariffRows =
      tariffs.items.length === 0
        ? empty(
            say({ en: "No payout tariff for all", ru: "Общего тарифа выводов нет" }),
            say({
              en: "Without one nobody can have money sent.",
              ru: "Без него никто не может выводить деньги.",
            }),
          )
        : doorTable(sight, readPayoutTariffs, say(TARIFFS), tariffs.items, [
            "service",
            "percent",
            "fix",
            "min_sum",
            "max_sum",
            "day_sum",
            "hold_over",
            "hold_first",
            "four_eyes_over",
            "enabled",
            { label: "", cell: (row) => sight.may(putPayoutTariff) && acts(row) },
          ]);
    const add = sight.may(addHttpRail) && link(say(ADD), "/desk/rails/new", "plain");
    const set = sight.may(putPayoutTariff) && link(say(SET), "/desk/payout-tariffs/set", "plain");
    const replace =
      sight.may(putSbpBanks) &&
      link(
        say({ en: "Replace the list", ru: "Заменить список" }),
        "/desk/sbp-banks/replace",
        "plain",
      );
    const bankRows = html`<details><summary>${banks.items.length}</summary>${table({
      caption: say(BANKS),
      columns: [
        { label: "ID", cell: ({ id }) => html`<code>${id}</code>` },
        { label: labelOf("name", look.language), cell: ({ name }) => name },
      ],
      rows: banks.items,
    })}</details>`;
    const body = html`${card(say(RAILS), railRows, add)}${card(say(TARIFFS), tariffRows, set)}${card(say(BANKS), bankRows, replace)}`;
    return {
      title: say({ en: "Payouts: rails and tariffs", ru: "Выводы: каналы и тарифы" }),
      body,
      command: "kopeck rail list",
    };
  },
});

const adding = formPages(desk, {
  path: "/desk/rails/new",
  title: ADD,
  submit: { en: "Add", ru: "Добавить" },
  door: addHttpRail,
  shows: ({ secret }, sight) => shownOnce(sight, { secret }),
  command: "kopeck rail add acquirer --url http://127.0.0.1:9400 --services card",
});

const railOf = async ({ ask, visit }: DeskSight) =>
  (await ask(readRails, {})).items.find(({ code }) => code === visit.params["code"]);

const CHANGE = {
  path: "/desk/rails/:code",
  title: { en: "Change a rail", ru: "Изменить канал" },
  submit: { en: "Save", ru: "Сохранить" },
  door: updateRail,
  async fields(sight: DeskSight) {
    const isProgram = (await railOf(sight))?.kind === "http";
    return isProgram ? ["paused", "services", "url", "repeatable_seconds"] : ["paused", "services"];
  },
  values: async (sight: DeskSight) => ({ ...(await railOf(sight)) }),
  async above(sight: DeskSight) {
    const isProgram = (await railOf(sight))?.kind === "http";
    return html`<p><b>${sight.visit.params["code"]}</b></p>${isProgram && (await foldedAct(sight, ROTATE))}`;
  },
  note: {
    en: "One that is paused is given nothing more to send.",
    ru: "Каналу на паузе больше ничего не дают отправлять.",
  },
  command: "kopeck rail change",
};

const ROTATE = {
  path: "/desk/rails/:code/rotate-secret",
  title: { en: "Another secret", ru: "Другой секрет" },
  submit: { en: "Replace the secret", ru: "Заменить секрет" },
  door: rotateRailSecret,
  danger: true,
  note: {
    en: "Only while it is paused; the old one is refused from then on.",
    ru: "Только на паузе; старый с этой минуты не принимается.",
  },
  then: () => "/desk/rails",
  shows: ({ secret }: Answer<typeof rotateRailSecret>, sight: DeskSight) =>
    shownOnce(sight, { secret }),
  command: "kopeck rail rotate-secret",
};

const merchant = ({ say }: DeskSight) => ({
  ...named("user_id"),
  hint: say({
    en: "Left empty: for all who have none of their own.",
    ru: "Пусто: для всех, у кого нет своего.",
  }),
});

/** A link names the tariff and nothing of it: what it is, is read when the form is opened. */
const keyOf = ({ user_id, service, currency }: PayoutTariff) => ({ user_id, service, currency });

async function tariffAsItIs(sight: DeskSight): Promise<Partial<PayoutTariff>> {
  const { user_id, service, currency } = chosenIn(sight, ["user_id", "service", "currency"]);
  const { items } = await sight.ask(readPayoutTariffs, user_id === "" ? {} : { user_id });
  return {
    ...items.find((one) => one.service === service && one.currency === (currency || "RUB")),
  };
}

const tariff = formPages(desk, {
  path: "/desk/payout-tariffs/set",
  values: tariffAsItIs,
  setsWhole: true,
  title: SET,
  submit: { en: "Set", ru: "Задать" },
  door: putPayoutTariff,
  fields: (sight) => [
    merchant(sight),
    // Without it that in roubles would be meant, whichever row is changed.
    "service",
    { name: "currency", value: "RUB" },
    "percent",
    "fix",
    "min_sum",
    "max_sum",
    "day_sum",
    "day_count",
    "destination_day_sum",
    "destination_day_count",
    "hold_over",
    "hold_first",
    "hold_day_sum",
    "four_eyes_over",
    "hold_seconds",
    "refunds_fee",
    "enabled",
  ],
  note: {
    en: "All of it is set: a limit that is left empty is no limit.",
    ru: "Задаётся целиком: пустой лимит — нет лимита.",
  },
  then: ({ user_id: id }) => (id === null ? "/desk/rails" : `/desk/merchants/${id}`),
  command: "kopeck payout-tariff set card --percent 1.5 --min-sum 100 --max-sum 100000",
});

const removing = formPages(desk, {
  path: "/desk/payout-tariffs/remove",
  title: { en: "Remove a payout tariff", ru: "Убрать тариф выводов" },
  submit: { en: "Remove", ru: "Убрать" },
  door: deletePayoutTariff,
  fields: (sight) => [merchant(sight), "service", { name: "currency", kind: "hidden" }],
  danger: true,
  note: {
    en: "Who has no other tariff for it has no payouts any more.",
    ru: "У кого нет другого тарифа, тот больше не сможет выводить деньги.",
  },
  then: () => "/desk/rails",
  command: "kopeck payout-tariff remove card",
});

const banks = formPages(desk, {
  path: "/desk/sbp-banks/replace",
  // A form writes a letter of a name in six bytes.
  maxBodyBytes: 2 * 1024 * 1024,
  title: BANKS,
  submit: { en: "Replace", ru: "Заменить" },
  door: putSbpBanks,
  fields: ({ say }) => [
    {
      name: "banks",
      kind: "area",
      hint: say({
        en: "One on a line: its id, a space or tab, its name.",
        ru: "По одному в строке: ID, пробел или табуляция, название.",
      }),
    },
  ],
  async values({ ask }) {
    const { items } = await ask(readSbpBanks, {});
    return { banks: items.map(({ id, name }) => `${id}\t${name}`) };
  },
  also: ({ visit }) => ({ banks: banksIn(visit.form["banks"] ?? "") }),
  danger: true,
  note: {
    en: "Banks that the list does not name are gone.",
    ru: "Банки, которых нет в списке, будут удалены.",
  },
  then: () => "/desk/rails",
  command: "kopeck sbp-bank replace --file banks.tsv",
});

/** Of two megabytes at most: a pattern for the spaces around a line would try anew at each of them. */
export function banksIn(text: string): { id: string; name: string }[] {
  return text.split("\n").flatMap((line) => {
    const [id = ""] = /\S+/.exec(line) ?? [];
    // One without a name is refused, and not left out: what the list does not name is gone.
    return id === "" ? [] : [{ id, name: line.trimStart().slice(id.length).trim() }];
  });
}

export const railPages = [
  page,
  ...adding,
  ...formPages(desk, CHANGE),
  ...formPages(desk, ROTATE),
  ...tariff,
  ...removing,
  ...banks,
];
