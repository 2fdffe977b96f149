// /my/keys: what opens doors, shop by shop: keys of the API, what webhooks are signed with, and one's own tokens.
// Guards that a secret is shown once, to who has just proven who they are.

import { Refusal } from "../../domain/refusal.ts";
import { may } from "../../domain/role.ts";
import { type Html, html, type Part } from "../../platform/html.ts";
import type { WebPage } from "../../platform/web-page.ts";
import { refuseWithout } from "../merchants/member.ts";
import {
  createOwnKey,
  createOwnToken,
  readOwnKeys,
  readOwnTokens,
  revokeOwnKey,
  revokeOwnToken,
  rotateOwnShopWebhookKeys,
  rotateOwnWebhookKeys,
} from "../merchants/own-keys.endpoint.ts";
import { readOwnShop } from "../merchants/own-shops.endpoint.ts";
import { formPages } from "../people/form-page.ts";
import { card, chip, copyable, link, moment, notice, shortId, table } from "../screens/pieces.ts";
import { cabinet, type MySight, shopNames } from "./site.ts";

const ONCE = {
  en: "Copy it now: it is shown only this once, and nobody can show it again.",
  ru: "Скопируйте сейчас: показывается один раз, ещё раз не покажет никто.",
};

function shownOnce({ say }: MySight, secrets: readonly (readonly [string, string])[]): Html {
  return html`${notice("warn", say(ONCE))}${secrets.map(([name, secret]) => card(name, copyable(secret, name)))}`;
}

const MOST = 200;

const keysOf = async (sight: MySight) => (await sight.ask(readOwnKeys, { limit: MOST })).items;
const tokensOf = async (sight: MySight) => (await sight.ask(readOwnTokens, { limit: MOST })).items;

type Key = Awaited<ReturnType<typeof keysOf>>[number];

const NEW_KEY = { en: "New key", ru: "Новый ключ" };
const REVOKE = { en: "Revoke", ru: "Отозвать" };
const ROTATE = { en: "New webhook keys", ru: "Новые ключи вебхуков" };
const OF_PAYOUTS = { en: "Payouts and balance", ru: "Выводы и баланс" };
const NEW_TOKEN = { en: "New personal token", ru: "Новый личный токен" };

function living({ ends_at: ends }: { ends_at: string | null }, { look }: MySight): boolean {
  return ends === null || new Date(ends) > look.now;
}

function keyCard(sight: MySight, title: string, keys: readonly Key[], acts: Part): Html {
  const { say, look } = sight;
  const rows = keys.filter((key) => living(key, sight));
  const none = say({
    en: "No key that lives: nothing can call the API.",
    ru: "Действующих ключей нет: вызвать API нечем.",
  });
  const body = table({
    caption: title,
    rows,
    columns: [
      { label: say({ en: "Key", ru: "Ключ" }), cell: ({ key_id }) => shortId(key_id) },
      {
        label: say({ en: "Made", ru: "Создан" }),
        cell: ({ created_at }) => moment(created_at, look),
      },
      { label: say({ en: "Ends", ru: "Истекает" }), cell: ({ ends_at }) => moment(ends_at, look) },
      {
        label: "",
        cell: ({ key_id }) =>
          sight.may(revokeOwnKey) && link(say(REVOKE), `/my/keys/${key_id}/revoke`),
      },
    ],
  });
  return card(title, rows.length === 0 ? html`<p class="muted">${none}</p>` : body, acts);
}

const keys = cabinet.page({
  path: "/my/keys",
  async show(sight) {
    const { say, look, who } = sight;
    const hasKeys = sight.may(readOwnKeys);
    const mayMake = sight.may(createOwnKey);
    const all = hasKeys ? await keysOf(sight) : [];
    const [names, tokens] = await Promise.all([shopNames(sight), tokensOf(sight)]);
    const shops = [...names].map(([id, name]) =>
      keyCard(
        sight,
        name,
        all.filter(({ shop_id }) => shop_id === id),
        mayMake &&
          html`${link(say(NEW_KEY), `/my/keys/new?shop_id=${id}`, "plain")}${link(say(ROTATE), `/my/keys/webhooks/${id}`, "plain")}`,
      ),
    );
    const mayPay = may(who.role, "confirm_payout");
    const own = keyCard(
      sight,
      say(OF_PAYOUTS),
      all.filter(({ shop_id }) => shop_id === null),
      mayMake &&
        html`${mayPay && link(say(NEW_KEY), "/my/keys/new-own", "plain")}${link(say(ROTATE), "/my/keys/webhooks", "plain")}`,
    );
    const isOver = (one: (typeof tokens)[number]) => one.revoked_at !== null || !living(one, sight);
    const personal = card(
      say({ en: "Your personal tokens", ru: "Ваши личные токены" }),
      html`<p>${say({ en: "For scripts that do what you may do, such as a nightly export.", ru: "Для скриптов, которые делают то, что можете вы: например, ночную выгрузку." })}</p>${
        tokens.length > 0 &&
        table({
          caption: say({ en: "Your personal tokens", ru: "Ваши личные токены" }),
          rows: tokens,
          columns: [
            {
              label: say({ en: "Name", ru: "Название" }),
              cell: ({ name }) => html`<bdi>${name}</bdi>`,
            },
            {
              label: say({ en: "State", ru: "Состояние" }),
              cell: (one) =>
                chip(one.revoked_at !== null ? "revoked" : isOver(one) ? "ended" : "active", look),
            },
            {
              label: say({ en: "Made", ru: "Создан" }),
              cell: ({ created_at }) => moment(created_at, look),
            },
            {
              label: say({ en: "Ends", ru: "Истекает" }),
              cell: ({ ends_at }) => moment(ends_at, look),
            },
            {
              label: "",
              cell: (one) =>
                !isOver(one) &&
                sight.may(revokeOwnToken) &&
                link(say(REVOKE), `/my/tokens/${one.token_id}/revoke`),
            },
          ],
        })
      }`,
      sight.may(createOwnToken) && link(say(NEW_TOKEN), "/my/tokens/new", "plain"),
    );
    return {
      title: say({ en: "Keys", ru: "Ключи" }),
      body: html`${hasKeys && html`${shops}${own}`}${personal}`,
      command: hasKeys ? "kopeck my key list" : "kopeck my token list",
    };
  },
});

const toKeys = (): string => "/my/keys";

/** What a form is about is the merchant's, or it is not there. */
async function shopAbove(sight: MySight): Promise<Part> {
  const { params, query, form } = sight.visit;
  // A form that was refused has it among what was typed.
  const shop_id = params["shop_id"] ?? query["shop_id"] ?? form["shop_id"] ?? "";
  const { name } = await sight.ask(readOwnShop, { shop_id });
  return html`<p><b><bdi>${name}</bdi></b></p>`;
}

const newKey = {
  title: NEW_KEY,
  submit: { en: "Make a key", ru: "Создать ключ" },
  door: createOwnKey,
  command: "kopeck my key create",
  shows: (data: { secret: string }, sight: MySight) =>
    shownOnce(sight, [[sight.say({ en: "API key", ru: "Ключ API" }), data.secret]]),
};

const OVERLAP = {
  en: "Empty: the old ones sign for 24 hours, too, so that nothing is lost meanwhile. 0 ends them at once.",
  ru: "Пусто: старые ещё 24 часа подписывают вместе с новыми, и ничего не теряется. 0 — прекратить сразу.",
};

const rotate = {
  title: ROTATE,
  submit: { en: "Make new keys", ru: "Создать новые ключи" },
  note: OVERLAP,
  shows: (data: { webhook_key: string; webhook_secret: string }, sight: MySight) =>
    shownOnce(sight, [
      [sight.say({ en: "Webhook key", ru: "Ключ вебхуков" }), data.webhook_key],
      [sight.say({ en: "Webhook secret", ru: "Секрет вебхуков" }), data.webhook_secret],
    ]),
};

const AT_ONCE = {
  en: "Whatever uses it is refused from now on. This cannot be undone.",
  ru: "Всё, что им пользуется, сразу получит отказ. Отменить нельзя.",
};
const revoke = { title: REVOKE, danger: true, note: AT_ONCE };

export const keyPages: readonly WebPage[] = [
  keys,
  ...formPages(cabinet, {
    ...newKey,
    path: "/my/keys/new",
    above: shopAbove,
    fields: () => [{ name: "shop_id", kind: "hidden" as const }],
    // Without a shop it would be the merchant's own secret, which is made elsewhere.
    also: ({ visit }) => ({ shop_id: visit.form["shop_id"] ?? "" }),
  }),
  ...formPages(cabinet, {
    ...newKey,
    path: "/my/keys/new-own",
    fields: () => [],
    above({ say, who }) {
      refuseWithout("confirm_payout", who);
      return notice(
        "warn",
        say({
          en: "This secret sends money. Keep it where nothing else is.",
          ru: "С этим секретом можно отправлять деньги. Храните его отдельно.",
        }),
      );
    },
  }),
  ...formPages(cabinet, {
    ...revoke,
    path: "/my/keys/:key_id/revoke",
    door: revokeOwnKey,
    command: "kopeck my key revoke",
    async above(sight) {
      const key = (await keysOf(sight)).find(
        ({ key_id }) => key_id === sight.visit.params["key_id"],
      );
      if (key === undefined) throw new Refusal("key_not_found");
      const names = await shopNames(sight);
      return html`<p><b><bdi>${names.get(key.shop_id ?? "") ?? sight.say(OF_PAYOUTS)}</bdi></b> ${shortId(key.key_id)}</p>`;
    },
  }),
  ...formPages(cabinet, {
    ...rotate,
    path: "/my/keys/webhooks",
    door: rotateOwnWebhookKeys,
    command: "kopeck my rotate-webhook-keys",
  }),
  ...formPages(cabinet, {
    ...rotate,
    path: "/my/keys/webhooks/:shop_id",
    door: rotateOwnShopWebhookKeys,
    command: "kopeck my shop rotate-webhook-keys",
    above: shopAbove,
    then: toKeys,
  }),
  ...formPages(cabinet, {
    path: "/my/tokens/new",
    title: NEW_TOKEN,
    door: createOwnToken,
    then: toKeys,
    command: 'kopeck my token create "Nightly export"',
    submit: { en: "Make a token", ru: "Создать токен" },
    shows: ({ secret }, sight) =>
      shownOnce(sight, [[sight.say({ en: "Personal token", ru: "Личный токен" }), secret]]),
  }),
  ...formPages(cabinet, {
    ...revoke,
    path: "/my/tokens/:token_id/revoke",
    door: revokeOwnToken,
    then: toKeys,
    command: "kopeck my token revoke",
    async above(sight) {
      const token = (await tokensOf(sight)).find(
        ({ token_id }) => token_id === sight.visit.params["token_id"],
      );
      if (token === undefined) throw new Refusal("token_not_found");
      return html`<p><b><bdi>${token.name}</bdi></b></p>`;
    },
  }),
];
