// /desk/people: who signs in, what each may do at the desk, and links that let them in. Guards that a link is
// shown once, and that whoever gives a role sees what it opens.

import type { Answer } from "../../platform/endpoint.ts";
import { type Html, html } from "../../platform/html.ts";
import { stateColumn } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { listPages } from "../people/list-page.ts";
import {
  changePersonDoor,
  endPersonSessions,
  invitePerson,
  makePersonLink,
  readPeople,
  readPerson,
} from "../people/manage-people.endpoint.ts";
import { DESK_ROLES, type DeskRole } from "../people/nouns.ts";
import { factsOf } from "../people/parts.ts";
import type { Words } from "../people/site.ts";
import { card, chip, link, shortId, table } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { foldedAct, linkOnce, wayTo } from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

type Person = Answer<typeof readPerson>;

const INVITE = { en: "Invite somebody", ru: "Пригласить" };

const stateOf = ({ disabled_at: disabled }: Person): string =>
  disabled === null ? "active" : "off";

const lists = listPages(desk, {
  path: "/desk/people",
  title: { en: "People", ru: "Люди" },
  door: readPeople,
  columns: ({ look }) => ["name", "email", "desk_role", stateColumn(look, stateOf), "created_at"],
  open: ({ person_id: id }, root) => `${root}/people/${id}`,
  above: (sight) =>
    html`${wayTo(sight, invitePerson, INVITE, "/desk/people/invite")}<p>${link(sight.say({ en: "Tokens of programs", ru: "Токены программ" }), "/desk/operators")} · ${link(sight.say({ en: "Your own security", ru: "Ваша безопасность" }), "/security")}</p>`,
  nothing: { en: "Nobody signs in yet", ru: "Пока никто не входит" },
});

/** What it takes at least to do what. */
const RIGHTS: readonly (readonly [least: DeskRole, what: Words])[] = [
  ["viewer", { en: "See everything", ru: "Видеть всё" }],
  [
    "cashier",
    {
      en: "Money: suspense, statements, refunds, payouts by hand",
      ru: "Деньги: разбор, выписки, возвраты, выводы вручную",
    },
  ],
  [
    "operator",
    { en: "Requisites, whole numbers, phones", ru: "Реквизиты, номера целиком, телефоны" },
  ],
  [
    "operator",
    {
      en: "Merchants, shops, keys, webhooks' addresses",
      ru: "Мерчанты, магазины, ключи, адреса вебхуков",
    },
  ],
  ["operator", { en: "Tariffs, methods, rails", ru: "Тарифы, способы, каналы" }],
  ["operator", { en: "People, tokens", ru: "Люди, токены" }],
];

/** What each role of the desk may do. */
function rightsTable({ say, look }: DeskSight): Html {
  const title = say({ en: "What each role may do", ru: "Что может каждая роль" });
  const rows = table<(typeof RIGHTS)[number]>({
    caption: title,
    rows: RIGHTS,
    columns: [
      { label: say({ en: "May", ru: "Может" }), cell: ([, what]) => say(what) },
      ...DESK_ROLES.map((role, at) => ({
        label: wordOf(role, look.language),
        cell: ([least]: (typeof RIGHTS)[number]) =>
          DESK_ROLES.indexOf(least) <= at
            ? say({ en: "yes", ru: "да" })
            : html`<span class="none">—</span>`,
      })),
    ],
  });
  return card(title, rows);
}

const inviting = formPages(desk, {
  path: "/desk/people/invite",
  title: INVITE,
  submit: { en: "Make the link", ru: "Создать ссылку" },
  door: invitePerson,
  fields: ({ look }) => ["email", "name", "desk_role", { name: "language", value: look.language }],
  above: rightsTable,
  note: {
    en: "You copy the link and give it to them; where a mail server is set up, they get it by e-mail, too. It is good once, for three days.",
    ru: "Вы копируете ссылку и передаёте сами; если настроена почта, она придёт и письмом. Действует один раз, три дня.",
  },
  then: ({ person }) => `/desk/people/${person.person_id}`,
  shows: (way, sight) => linkOnce(way, sight),
});

const CHANGE = {
  path: "/desk/people/:person_id/change",
  title: { en: "Name and role", ru: "Имя и роль" },
  submit: { en: "Save", ru: "Сохранить" },
  door: changePersonDoor,
  fields: ({ say }: DeskSight) => [
    "name",
    {
      name: "desk_role",
      hint: say({
        en: "No role also takes back an invitation that is open.",
        ru: "«Нет» отзывает и приглашение, которое ещё открыто.",
      }),
    },
  ],
  // Who is nobody at the desk may be invited: to send "none" along with a name would take that back.
  values: async (sight: DeskSight) => ({ ...(await sight.askHere(readPerson)) }),
  above: rightsTable,
};

async function personOf(sight: DeskSight): Promise<Html> {
  const { name, email } = await sight.askHere(readPerson);
  return html`<p class="lead"><bdi>${name}</bdi>, <bdi>${email}</bdi></p>`;
}

const DISABLE = {
  path: "/desk/people/:person_id/disable",
  door: changePersonDoor,
  above: personOf,
  title: { en: "Let them in no more", ru: "Закрыть доступ" },
  submit: { en: "Disable", ru: "Отключить" },
  fields: () => [],
  also: () => ({ disabled: true }),
  danger: true,
  note: {
    en: "Their sessions end at once, and links open nothing.",
    ru: "Все сеансы сразу закончатся, ссылки ничего не откроют.",
  },
};

const ENABLE = {
  ...DISABLE,
  path: "/desk/people/:person_id/enable",
  danger: false,
  title: { en: "Let them in again", ru: "Вернуть доступ" },
  submit: { en: "Enable", ru: "Включить" },
  also: () => ({ disabled: false }),
  note: { en: "Give them a role afterwards.", ru: "Затем дайте роль." },
};

const RECOVER = {
  path: "/desk/people/:person_id/link",
  door: makePersonLink,
  above: personOf,
  title: { en: "A link for who cannot come in", ru: "Ссылка для того, кто не может войти" },
  submit: { en: "Make the link", ru: "Создать ссылку" },
  fields: ({ say }: DeskSight) => [
    {
      name: "resets",
      kind: "yes" as const,
      label: say({
        en: "Their old passkeys, password, codes and personal tokens go when it is used",
        ru: "Прежние ключи доступа, пароль, коды и личные токены перестанут действовать, когда по ней войдут",
      }),
    },
  ],
  note: { en: "Good once, for an hour.", ru: "Действует один раз, час." },
  shows: linkOnce,
};

const END = {
  path: "/desk/people/:person_id/end-sessions",
  door: endPersonSessions,
  above: personOf,
  title: { en: "Sign them out everywhere", ru: "Завершить все сеансы" },
  submit: { en: "End all sessions", ru: "Завершить сеансы" },
  danger: true,
};

const detail = desk.page({
  path: "/desk/people/:person_id",
  async show(sight) {
    const { look, say } = sight;
    const person = await sight.askHere(readPerson);
    const isOff = person.disabled_at !== null;
    const about = factsOf(sight, readPerson, undefined, person, [
      ["state", chip(stateOf(person), look)],
      ["email", html`<bdi>${person.email}</bdi>`],
      ["desk_role", person.desk_role === null ? "—" : wordOf(person.desk_role, look.language)],
      "language",
      "created_at",
      ["person_id", shortId(person.person_id)],
    ]);
    const ways = link(
      say({ en: "What they changed", ru: "Что меняли" }),
      `/desk/audit?operator_id=${person.person_id}`,
    );
    const acts = isOff
      ? [await foldedAct(sight, ENABLE)]
      : [
          await foldedAct(sight, CHANGE),
          await foldedAct(sight, RECOVER),
          await foldedAct(sight, END),
          await foldedAct(sight, DISABLE),
        ];
    const body = html`${card(undefined, about, ways)}${sight.may(changePersonDoor) && card(undefined, acts)}`;
    return { title: person.name, body };
  },
});

export const peoplePages = [
  ...lists,
  ...inviting,
  detail,
  ...formPages(desk, CHANGE),
  ...formPages(desk, RECOVER),
  ...formPages(desk, END),
  ...formPages(desk, DISABLE),
  ...formPages(desk, ENABLE),
];
