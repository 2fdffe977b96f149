// /desk/wall-links: links that open the wallboard on a screen. Guards that a link is seen once.

import type { WebPage } from "../../platform/web-page.ts";
import { formPages } from "../people/form-page.ts";
import { dayAsMoment } from "../people/list-address.ts";
import { listPages } from "../people/list-page.ts";
import {
  createWallLink,
  readWallLinks,
  revokeWallLink,
} from "../people/manage-wall-links.endpoint.ts";
import { REVOKE, shownOnce, tokenColumns, wayTo } from "./door-parts.ts";
import { desk } from "./site.ts";

export const LINKS = { en: "Links for screens", ru: "Ссылки для экранов" };
const MAKE = { en: "Make a link", ru: "Создать ссылку" };
const HERE = "/desk/wall-links";

const lists = listPages(desk, {
  path: HERE,
  title: LINKS,
  door: readWallLinks,
  columns(sight, items) {
    type Link = (typeof items)[number];
    const hrefOf = ({ wall_link_id: id }: Link) => `${HERE}/${id}/revoke`;
    const { state, act } = tokenColumns(sight, revokeWallLink, hrefOf);
    return ["name", state, "created_at", "created_by", "seen_at", "ends_at", act];
  },
  above: (sight) => wayTo(sight, createWallLink, MAKE, `${HERE}/new`),
  nothing: {
    en: "No link yet: one opens the wallboard on a screen that nobody signs in on",
    ru: "Ссылок пока нет: по ссылке табло откроется на экране, где никто не входит",
  },
  command: "kopeck wall list",
});

const making = formPages(desk, {
  path: `${HERE}/new`,
  title: MAKE,
  door: createWallLink,
  note: {
    en: "Whoever has the link sees the figures of the wallboard, and nothing else. Without a day it does not end by itself; with one it ends as that day begins.",
    ru: "У кого есть ссылка, видит цифры табло и больше ничего. Без даты она бессрочная; с датой действует до начала этого дня.",
  },
  also: (sight) => {
    const day = dayAsMoment(sight.visit.form["ends_at"], sight);
    return day ? { ends_at: day } : {};
  },
  shows: ({ link: way }, sight) => shownOnce(sight, { link: way }),
  command: 'kopeck wall create "Hall" --ends-at 2030-01-01',
});

const revoking = formPages(desk, {
  path: `${HERE}/:wall_link_id/revoke`,
  title: { en: "Revoke a link", ru: "Отозвать ссылку" },
  submit: REVOKE,
  door: revokeWallLink,
  danger: true,
  note: {
    en: "Its screens show the board for half a minute more at most.",
    ru: "Экраны по ней перестанут показывать табло не позже чем через полминуты.",
  },
  command: "kopeck wall revoke",
});

export const wallLinkPages: readonly WebPage[] = [...lists, ...making, ...revoking];
