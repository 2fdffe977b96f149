// The cabinet: the pages of a merchant's own people. Each asks the doors under /cabinet, as a member.

import { may, type Right } from "../../domain/role.ts";
import { html } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { type Cabinet, cabinetOf } from "../merchants/member.ts";
import { readOwnShops } from "../merchants/own-shops.endpoint.ts";
import type { Names } from "../people/cells.ts";
import { turnSession } from "../people/queries.ts";
import { openSite, type Place, redirect, type Sight } from "../people/site.ts";
import { button, moment, notice } from "../screens/pieces.ts";

/** As many as a door gives at once. */
const MOST = 200;

export async function shopNames(sight: Pick<MySight, "ask">): Promise<Names> {
  const { items } = await sight.ask(readOwnShops, { limit: MOST });
  return new Map(items.map(({ shop_id, name }) => [shop_id, name]));
}

const naming = {
  shop_id: { names: shopNames, href: (id: string): string => `/my/shops/${id}` },
};

export type MySight = Sight<Cabinet>;

interface RightPlace extends Place {
  readonly right: Right;
}

const PLACES: readonly RightPlace[] = [
  { label: { en: "Home", ru: "Главная" }, href: "/my", right: "look" },
  { label: { en: "Invoices", ru: "Счета" }, href: "/my/invoices", right: "look" },
  { label: { en: "Refunds", ru: "Возвраты" }, href: "/my/refunds", right: "look" },
  { label: { en: "Balance", ru: "Баланс" }, href: "/my/balance", right: "balance" },
  { label: { en: "Payouts", ru: "Выводы" }, href: "/my/payouts", right: "balance" },
  { label: { en: "Statistics", ru: "Статистика" }, href: "/my/statistics", right: "balance" },
  { label: { en: "Webhooks", ru: "Вебхуки" }, href: "/my/events", right: "look" },
  { label: { en: "Shops", ru: "Магазины" }, href: "/my/shops", right: "look" },
  { label: { en: "Keys", ru: "Ключи" }, href: "/my/keys", right: "look" },
  { label: { en: "Reports", ru: "Отчёты" }, href: "/my/reports", right: "balance" },
  { label: { en: "People", ru: "Люди" }, href: "/my/people", right: "people" },
  { label: { en: "Log", ru: "Журнал" }, href: "/my/log", right: "people" },
];

const LOOKS = { en: "You are looking at", ru: "Вы смотрите кабинет мерчанта" };
const NOTHING = {
  en: "as they do; nothing can be changed, and they see in their log that you looked. It ends",
  ru: "его глазами; изменить ничего нельзя, в его журнале есть запись о просмотре. Закончится",
};
const LEAVE = { en: "Leave", ru: "Выйти из просмотра" };
const SWITCH = { en: "Look at this one", ru: "Перейти" };

export const cabinet = openSite<Cabinet>({
  kind: "cabinet",
  root: "/my",
  name: { en: "Cabinet", ru: "Кабинет" },
  naming,
  whoOf: cabinetOf,
  onlyLooks: ({ onlyLooks = false }) => onlyLooks,
  formOf: ({ userId }) => userId,
  places: ({ role }) => PLACES.filter(({ right }) => may(role, right)),
  banner: ({ who, session, look, say }) =>
    who.onlyLooks &&
    notice(
      "warn",
      html`<form class="inline" method="post" action="/desk/merchants/${who.userId}/look"><p>${say(LOOKS)} <b><bdi>${who.merchant}</bdi></b> ${say(NOTHING)} ${moment(session.looks_until?.toISOString() ?? null, look)}.</p>${button(say(LEAVE), { kind: "plain", name: "leave", value: "yes" })}</form>`,
    ),
  async heading({ who, look }) {
    if (who.all.length < 2) return html`<p class="merchant">${who.merchant}</p>`;
    return html`<form class="merchant" method="post" action="/my/switch"><label><span class="unseen">${SWITCH[look.language]}</span><select name="user_id">${who.all.map(
      ({ userId, merchant }) =>
        html`<option value="${userId}"${userId === who.userId && html` selected`}>${merchant}</option>`,
    )}</select></label>${button(SWITCH[look.language], { kind: "plain" })}</form>`;
  },
});

export const switchMerchant: WebPage = cabinet.page({
  method: "POST",
  path: "/my/switch",
  async show({ app, who, session, visit }) {
    const wanted = who.all.find(({ userId }) => userId === visit.form["user_id"]);
    if (wanted !== undefined) await turnSession(app.db, session.id, wanted.userId);
    return redirect("/my");
  },
});

/** The places that this role has, by their names. */
export function placesOf({ who, say }: MySight): readonly { title: string; href: string }[] {
  return PLACES.filter(({ right }) => may(who.role, right)).map(({ label, href }) => ({
    title: say(label),
    href,
  }));
}
