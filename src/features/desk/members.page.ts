// /desk/merchants/{user}/people: who signs in for a merchant. Guards that the link of somebody who was invited is
// shown once, and that nobody is invited, changed or let go without a fresh proof of who does it.

import { Refusal } from "../../domain/refusal.ts";
import { type Html, html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import {
  changeMerchantPerson,
  inviteMerchantPerson,
  readMembers,
} from "../merchants/manage-members.endpoint.ts";
import { stateColumn } from "../people/cells.ts";
import { formPages } from "../people/form-page.ts";
import { nameOf } from "../people/naming.ts";
import { card, empty, link } from "../screens/pieces.ts";
import { wordOf } from "../screens/words.ts";
import { doorTable, linkOnce } from "./door-parts.ts";
import { type DeskSight, desk } from "./site.ts";

const PEOPLE = { en: "People", ru: "Люди" };
const INVITE = { en: "Invite somebody", ru: "Пригласить" };
const CHANGE = { en: "Change or let go", ru: "Изменить или убрать" };

const pathOf = (userId = ""): string => `/desk/merchants/${userId}`;

export const memberPages: readonly WebPage[] = [
  ...formPages(desk, {
    path: "/desk/merchants/:user_id/people/invite",
    title: INVITE,
    door: inviteMerchantPerson,
    fields: ({ look }) => ["name", "email", "role", { name: "language", value: look.language }],
    note: {
      en: "The first one should be an owner: owners invite the others themselves. You copy the link and give it to them; where a mail server is set up, they get it by e-mail, too. It is good once, for three days.",
      ru: "Первым пригласите владельца: остальных он пригласит сам. Вы копируете ссылку и передаёте сами; если настроена почта, она придёт и письмом. Действует один раз, три дня.",
    },
    shows: linkOnce,
    command: "kopeck member invite",
  }),
  ...formPages(desk, {
    path: "/desk/merchants/:user_id/people/:person_id",
    title: CHANGE,
    submit: { en: "Change", ru: "Изменить" },
    door: changeMerchantPerson,
    above: memberOf,
    danger: true,
    note: { en: "The last owner stays.", ru: "Последний владелец остаётся." },
    command: "kopeck member change",
  }),
];

async function memberOf(sight: DeskSight): Promise<Html> {
  const { user_id: userId = "", person_id: personId } = sight.visit.params;
  const { items } = await sight.ask(readMembers, { user_id: userId });
  const whose = await nameOf(sight, "user_id", userId);
  const found = items.find(({ person_id: id, ended_at }) => id === personId && ended_at === null);
  if (found === undefined) throw new Refusal("person_not_found");
  const { name, email, role } = found;
  return html`<p class="lead"><bdi>${name}</bdi>, <bdi>${email}</bdi>, ${wordOf(role, sight.look.language)}: ${whose}</p>`;
}

/** As it stands on the merchant's own page. */
export async function memberCard(sight: DeskSight, userId: string): Promise<Html> {
  const { say, look } = sight;
  const { items } = await sight.ask(readMembers, { user_id: userId });
  const here = `${pathOf(userId)}/people`;
  const may = sight.may(inviteMerchantPerson);
  const none = say({
    en: "Nobody signs in for this merchant yet: invite an owner.",
    ru: "За этого мерчанта пока никто не входит: пригласите владельца.",
  });
  const rows = doorTable(sight, readMembers, say(PEOPLE), items, [
    "name",
    "email",
    "role",
    stateColumn(look, ({ ended_at: ended }) => (ended === null ? "active" : "ended")),
    {
      label: "",
      cell: ({ person_id: id, ended_at: ended }) =>
        may && ended === null && link(say(CHANGE), `${here}/${id}`),
    },
  ]);
  const body =
    items.length === 0 ? empty(say({ en: "Nobody yet", ru: "Пока никого" }), none) : rows;
  return card(say(PEOPLE), body, may && link(say(INVITE), `${here}/invite`, "plain"));
}
