// /desk/sources: phones that tell of money. Guards that a token is seen once, by who has just proven who they are.

import type { Answer } from "../../platform/endpoint.ts";
import { html } from "../../platform/html.ts";
import {
  addSource,
  changeSource,
  readMessages,
  readSources,
  revokeSource,
} from "../intake/manage-sources.endpoint.ts";
import { stateColumn } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import { readRequisites } from "../requisites/manage-requisites.endpoint.ts";
import { chip, copyable } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { foldedAct, shownOnce, wayTo } from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

type Source = Answer<typeof changeSource>;

const ADD = { en: "Add a phone", ru: "Добавить телефон" };

function stateOf({ revoked_at: revoked, silent_since: silent }: Source): string {
  if (revoked !== null) return "revoked";
  return silent === null ? "on" : "silent";
}

const lists = listPages(desk, {
  path: "/desk/sources",
  title: { en: "Phones that tell of money", ru: "Телефоны, которые сообщают о деньгах" },
  door: readSources,
  columns: ({ look }) => [
    "name",
    stateColumn(look, stateOf),
    "adapter",
    "banks",
    "last_heard_at",
    "unread",
    "needs_statement",
    "created_at",
  ],
  open: ({ source_id: id }, root) => `${root}/sources/${id}`,
  above: (sight) => wayTo(sight, addSource, ADD, "/desk/sources/new"),
  nothing: {
    en: "No phone yet: money is heard of by hand or by statements. A phone that forwards the bank's texts tells within seconds",
    ru: "Телефонов пока нет: о деньгах узнают вручную или из выписок. Телефон, пересылающий сообщения банка, расскажет за секунды",
  },
  command: "kopeck source list",
});

const MOST = 200;

/** The newest, and those that it tells of already, however old they are: else they would not be sent again. */
async function requisitesFor(sight: DeskSight, bound: readonly string[]) {
  const [newest, own] = await Promise.all([
    sight.ask(readRequisites, { limit: MOST }),
    bound.length === 0 ? undefined : sight.ask(readRequisites, { limit: MOST, ids: bound.join() }),
  ]);
  const all = [...newest.items, ...(own?.items ?? [])].map(
    ({ requisite_id: id, bank, receiver_name: name, card, phone }) =>
      [id, `${wordOf(bank, sight.look.language)}, ${name}, ${card ?? phone}`] as const,
  );
  return [...new Map(all)].map(([value, label]) => ({ value, label }));
}

const wishes = async (sight: DeskSight, bound: readonly string[] = []) => {
  const { say } = sight;
  const requisites = await requisitesFor(sight, bound);
  return [
    "banks",
    {
      name: "senders",
      hint: say({
        en: "Who may tell of money, one on a line: 900",
        ru: "Кто может сообщать о деньгах, по одному в строке: 900",
      }),
    },
    { name: "requisite_ids", choices: requisites },
    {
      name: "needs_statement",
      hint: say({
        en: "Whether its money stays frozen until a statement shows it.",
        ru: "Ждать ли выписки, прежде чем разморозить деньги.",
      }),
    },
  ];
};

const adding = formPages(desk, {
  path: "/desk/sources/new",
  title: ADD,
  submit: { en: "Add", ru: "Добавить" },
  door: addSource,
  fields: async (sight) => ["name", "adapter", "channel", ...(await wishes(sight))],
  then: ({ source }) => `/desk/sources/${source.source_id}`,
  shows: ({ source, token }, sight) =>
    html`${shownOnce(sight, { token })}<p>${sight.say({ en: "Where the phone reports:", ru: "Куда телефон сообщает:" })}</p>${copyable(`${sight.app.config.baseUrl}/intake/${source.source_id}`, "URL")}`,
  command: "kopeck source add",
});

const sourceOf = async ({ ask, visit }: DeskSight): Promise<Source | undefined> => {
  let page = await ask(readSources, { limit: MOST });
  for (;;) {
    const found = page.items.find(({ source_id: id }) => id === visit.params["source_id"]);
    if (found !== undefined || page.next === null) return found;
    page = await ask(readSources, { limit: MOST, after: page.next });
  }
};

const CHANGE = {
  path: "/desk/sources/:source_id",
  title: { en: "A phone", ru: "Телефон" },
  submit: { en: "Save", ru: "Сохранить" },
  door: changeSource,
  async fields(sight: DeskSight) {
    const { requisite_ids: bound } = (await sourceOf(sight)) ?? {};
    return ["name", ...(await wishes(sight, bound)), "endings"];
  },
  values: async (sight: DeskSight) => ({ ...(await sourceOf(sight)) }),
  async above(sight: DeskSight) {
    const source = await sourceOf(sight);
    const isLiving = source !== undefined && source.revoked_at === null;
    return html`${source && html`<p>${chip(stateOf(source), sight.look)}</p>`}${sight.may(readMessages) && html`<p><a href="/desk/messages?source_id=${sight.visit.params["source_id"]}">${sight.say({ en: "What it told", ru: "Что сообщил" })}</a></p>`}${isLiving && (await foldedAct(sight, REVOKE))}`;
  },
  command: "kopeck source change",
};

const REVOKE = {
  path: "/desk/sources/:source_id/revoke",
  title: { en: "Revoke this phone", ru: "Отозвать этот телефон" },
  submit: { en: "Revoke", ru: "Отозвать" },
  door: revokeSource,
  danger: true,
  above: async (sight: DeskSight) =>
    html`<p class="lead"><bdi>${(await sourceOf(sight))?.name}</bdi></p>`,
  note: {
    en: "What it tells of is taken no more; its money comes with the statement.",
    ru: "Его сообщения больше не принимаются; деньги придут с выпиской.",
  },
  then: () => "/desk/sources",
  command: "kopeck source revoke",
};

const messages = listPages(desk, {
  path: "/desk/messages",
  title: { en: "What phones told", ru: "Сообщения телефонов" },
  door: readMessages,
  columns: () => ["received_at", "fate", "kind", "amount", "balance", "text", "transfer_id"],
  filters: ["fate", "source_id"],
  nothing: { en: "No message yet", ru: "Сообщений пока нет" },
  command: "kopeck message list",
});

export const sourcePages = [
  ...lists,
  ...adding,
  ...formPages(desk, CHANGE),
  ...formPages(desk, REVOKE),
  ...messages,
];
