// /my/people: who works here and what they may do. Guards that nobody is let in, changed or let go but by an owner
// who has just proven who they are, and that a link is shown once.

import { Refusal } from "../../domain/refusal.ts";
import { MEMBER_ROLES, may, RIGHTS, type Right } from "../../domain/role.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import {
  changeOwnPerson,
  inviteOwnPerson,
  makeOwnPersonLink,
  readOwnPeople,
} from "../merchants/manage-members.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import type { Words } from "../people/site.ts";
import { card, chip, copyable, link, moment, notice, table } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { cabinet, type MySight } from "./site.ts";

const INVITE = { en: "Invite", ru: "Пригласить" };
const ROLE = { en: "Change or let go", ru: "Изменить или убрать" };
const LINK = { en: "Link to come back", ru: "Ссылка для восстановления доступа" };

const RIGHT_WORDS: Readonly<Record<Right, Words>> = {
  look: { en: "See invoices, events, shops", ru: "Видеть счета, события, магазины" },
  payer: { en: "See who paid, masked", ru: "Видеть плательщика, частично скрыто" },
  balance: { en: "See balance, statement, payouts", ru: "Видеть баланс, движение средств, выводы" },
  resend: { en: "Send webhooks again", ru: "Повторять вебхуки" },
  link: { en: "Make payment links", ru: "Создавать ссылки на оплату" },
  refund: { en: "Refund", ru: "Делать возвраты" },
  ask_payout: { en: "Ask for payouts", ru: "Запрашивать выводы" },
  confirm_payout: { en: "Payouts without somebody else's look", ru: "Выводы без чужой проверки" },
  settings: { en: "Change shops", ru: "Менять настройки магазинов" },
  keys: { en: "Keys and webhook keys", ru: "Ключи API и вебхуков" },
  people: { en: "People, roles, log", ru: "Люди, роли, журнал" },
};

/** Drawn from the very table that doors ask. */
function rights({ say, look }: MySight): Html {
  const title = say({ en: "What each role may do", ru: "Что может каждая роль" });
  const [yes, no] = [say({ en: "yes", ru: "да" }), say({ en: "no", ru: "нет" })];
  const mark = (has: boolean): Part =>
    html`<span aria-hidden="true">${has ? "✓" : "–"}</span><span class="unseen">${has ? yes : no}</span>`;
  return card(
    title,
    table({
      caption: title,
      rows: Object.keys(RIGHTS) as Right[],
      columns: [
        { label: "", cell: (right) => say(RIGHT_WORDS[right]) },
        ...MEMBER_ROLES.map((role) => ({
          label: wordOf(role, look.language),
          cell: (right: Right) => mark(may(role, right)),
        })),
      ],
    }),
  );
}

const peopleOf = async (sight: MySight) => (await sight.ask(readOwnPeople, {})).items;

async function personAbove(sight: MySight): Promise<Html> {
  const id = sight.visit.params["person_id"]?.toLowerCase();
  const found = (await peopleOf(sight)).find(
    ({ person_id, ended_at }) => person_id === id && ended_at === null,
  );
  if (found === undefined) throw new Refusal("person_not_found");
  const { name, email, role } = found;
  return html`<p><b><bdi>${name}</bdi></b>, <bdi>${email}</bdi>, ${wordOf(role, sight.look.language)}</p>`;
}

const people = cabinet.page({
  path: "/my/people",
  async show(sight) {
    const { say, look, who } = sight;
    const all = await peopleOf(sight);
    const title = say({ en: "People", ru: "Люди" });
    const state = (one: (typeof all)[number]): string =>
      one.ended_at !== null ? "ended" : one.disabled_at !== null ? "off" : "active";
    const rows = all.toSorted((left, right) => state(left).localeCompare(state(right)));
    const list = table({
      caption: title,
      rows,
      columns: [
        {
          label: say({ en: "Name", ru: "Имя" }),
          cell: ({ name, person_id }) =>
            html`<bdi>${name}</bdi>${person_id === who.personId && html` <small>${say({ en: "you", ru: "это вы" })}</small>`}`,
        },
        {
          label: say({ en: "E-mail", ru: "Почта" }),
          cell: ({ email }) => html`<bdi>${email}</bdi>`,
        },
        { label: say({ en: "Role", ru: "Роль" }), cell: ({ role }) => wordOf(role, look.language) },
        { label: say({ en: "State", ru: "Состояние" }), cell: (one) => chip(state(one), look) },
        {
          label: say({ en: "Since", ru: "С" }),
          cell: ({ created_at }) => moment(created_at, look),
        },
        {
          label: "",
          cell: ({ person_id: id, ended_at }) =>
            ended_at === null &&
            sight.may(changeOwnPerson) &&
            html`<span class="acts">${link(say(ROLE), `/my/people/${id}`)}${id !== who.personId && link(say(LINK), `/my/people/${id}/link`)}</span>`,
        },
      ],
    });
    const acts =
      sight.may(inviteOwnPerson) &&
      html`<p class="acts">${link(say(INVITE), "/my/people/invite", "main")}</p>`;
    return {
      title,
      body: html`${acts}${card(undefined, list)}${rights(sight)}`,
      command: "kopeck my member list",
    };
  },
});

function linkShown({ say, look }: MySight, url: string, endsAt: string): Html {
  const label = say({ en: "Link", ru: "Ссылка" });
  const note = say({
    en: "Send it by a way you trust: whoever opens it comes in, or, if they are known here already, accepts by it. It is shown only now, is good once, and ends ",
    ru: "Передайте надёжным способом: кто откроет, тот и войдёт или, если его здесь уже знают, примет приглашение. Показывается один раз, действует один раз и истекает ",
  });
  return html`${notice("warn", html`${note}${moment(endsAt, look)}.`)}${copyable(url, label)}`;
}

const LETS_GO = { value: "none", label: { en: "None: let them go", ru: "Никакой: убрать" } };

export const peoplePages: readonly WebPage[] = [
  people,
  ...formPages(cabinet, {
    path: "/my/people/invite",
    title: INVITE,
    door: inviteOwnPerson,
    command: "kopeck my member invite",
    fields: ({ look }) => ["name", "email", "role", { name: "language", value: look.language }],
    above: rights,
    shows: ({ link: url, ends_at }, sight) => linkShown(sight, url, ends_at),
  }),
  ...formPages(cabinet, {
    path: "/my/people/:person_id",
    title: ROLE,
    danger: true,
    submit: { en: "Change", ru: "Изменить" },
    door: changeOwnPerson,
    command: "kopeck my member change",
    fields: ({ look, say }) => [
      {
        name: "role",
        choices: [
          ...MEMBER_ROLES.map((role) => ({ value: role, label: wordOf(role, look.language) })),
          { value: LETS_GO.value, label: say(LETS_GO.label) },
        ],
      },
    ],
    above: async (sight) => html`${await personAbove(sight)}${rights(sight)}`,
  }),
  ...formPages(cabinet, {
    path: "/my/people/:person_id/link",
    title: LINK,
    danger: true,
    then: () => "/my/people",
    submit: { en: "Make the link", ru: "Создать ссылку" },
    door: makeOwnPersonLink,
    command: "kopeck my member link",
    above: personAbove,
    note: {
      en: "For who has lost every way in. Their sessions end at once, and their old ways in when the link is used.",
      ru: "Для тех, кто потерял все способы входа. Сеансы закончатся сразу, прежние способы входа — когда ссылку откроют.",
    },
    shows: ({ link: url, ends_at }, sight) => linkShown(sight, url, ends_at),
  }),
];
