// /manage/shops: who takes payments for a user, and how.

import type { Static, TObject } from "typebox";
import {
  checked,
  contact,
  httpUrl,
  integer,
  listOf,
  oneOf,
  Type,
  text,
  uuid,
  uuids,
  yesNo,
} from "../../platform/field.ts";
import { byIds, change, changed, list, view } from "../operators/doors.ts";
import { freshWebhookKeys, issueKey, rotation } from "./keys.ts";
import { dialect, latePolicy, type ShopRow, Shops, Users } from "./nouns.ts";
import { addShops, FRESH_SHOP, updateShop } from "./queries.ts";

const CLEARABLE = [
  "success_url",
  "fail_url",
  "hook_url",
  "title",
  "logo_url",
  "color",
  "support",
] as const;

/** What an operator sets of a shop. */
const settings = {
  h2h_enabled: Type.Optional(yesNo({ description: "Host-to-host payments; off for a new shop." })),
  late_policy: Type.Optional(latePolicy),
  nudge_max_kopecks: Type.Optional(
    integer(
      { min: 0, max: 99 },
      { description: "How far an amount may be raised; 0 is off, 99 for a new shop." },
    ),
  ),
  success_url: Type.Optional(httpUrl({ description: "Where the payer goes after a success." })),
  fail_url: Type.Optional(
    httpUrl({ description: "Where the page's link back leads until the money came." }),
  ),
  hook_url: Type.Optional(
    httpUrl({ description: "Where webhooks go.", examples: ["http://localhost:3000/hook"] }),
  ),
  title: Type.Optional(
    text({ max: 100 }, { description: "What the payment page calls the shop; else its name." }),
  ),
  logo_url: Type.Optional(
    checked(httpUrl({ description: "The image on the payment page, https." }), "https", (url) =>
      /^https:\/\/[a-z0-9.-]+(?::\d+)?\//.test(URL.parse(url)?.href ?? ""),
    ),
  ),
  color: Type.Optional(
    Type.String({
      pattern: "^#[0-9a-f]{6}$",
      description: "The colour of the payment page's buttons, such as #1f6feb.",
      examples: ["#1f6feb"],
    }),
  ),
  support: Type.Optional(
    contact({ description: "Whom a payer may ask: a URL, an e-mail address or a phone number." }),
  ),
  dialect: Type.Optional(dialect),
};

const { h2h_enabled: _h2h, dialect: _dialect, ...own } = settings;

/** What its merchant sets: where things go, how it looks, what becomes of late money. */
export const ownSettings = own;

export const clear = Type.Optional(
  listOf(
    oneOf(CLEARABLE, { description: "A setting." }),
    { min: 1, max: CLEARABLE.length },
    { description: "Settings to forget." },
  ),
);

type Settings = Static<TObject<typeof settings & { clear: typeof clear }>> & {
  readonly name?: string;
};

/** Stored as they are understood, not as they were written. */
const URLS = ["success_url", "fail_url", "hook_url", "logo_url"] as const;

/** What was left out stays as it is; what is to be forgotten is. */
export function withSettings(
  row: ShopRow,
  { nudge_max_kopecks: nudge, clear: forgotten = [], ...given }: Settings,
): ShopRow {
  const urls = URLS.flatMap((name) => {
    const url = given[name];
    return url === undefined ? [] : [[name, new URL(url).href]];
  });
  const nudgeMax = nudge === undefined ? row.nudge_max_minor : BigInt(nudge);
  const cleared = Object.fromEntries(forgotten.map((setting) => [setting, null]));
  const settled = { ...row, ...given, ...Object.fromEntries(urls), nudge_max_minor: nudgeMax };
  return { ...settled, ...cleared };
}

const shop_id = uuid({
  description: "The shop.",
  examples: ["00000000-0000-4000-8000-000000000002"],
});
const name = text({ max: 100 }, { description: "What to call it.", examples: ["Acme store"] });

export const readShops = list({
  path: "/manage/shops",
  summary: "List shops",
  description: "The newest first.",
  noun: Shops,
  filters: {
    user_id: Type.Optional(uuid({ description: "Shops of this user." })),
    ids: Type.Optional(uuids("These shops alone", "00000000-0000-4000-8000-000000000002")),
  },
  ways: (_app, { user_id, ids }) => ({ leads: { user_id }, by: byIds(ids) }),
});

export const readShop = view({
  path: "/manage/shops/:shop_id",
  summary: "Show a shop",
  description: "With all of its settings, and none of its secrets.",
  input: Type.Object({ shop_id }),
  data: Shops.wire,
  notFound: "There is no such shop.",
  async read({ db }, input) {
    return Shops.toWire(await Shops.find(db, input.shop_id));
  },
});

export const createShop = change({
  path: "/manage/shops",
  summary: "Create a shop",
  description: "The answer holds its API key and its webhook keys, which are shown only once.",
  act: "shop.create",
  input: Type.Object({
    user_id: uuid({
      description: "The user whose balance its payments go to.",
      examples: ["00000000-0000-4000-8000-000000000001"],
    }),
    name,
    ...settings,
  }),
  data: Type.Object({
    shop: Shops.wire,
    api_key: Type.String({
      description: "The secret of x-api-key; it is shown only now.",
      examples: ["kop_…"],
    }),
    ...freshWebhookKeys.fields,
  }),
  notFound: "There is no such user.",
  async make(tx, app, { user_id, ...wanted }) {
    const user = await Users.lock(tx, user_id);
    const id = app.newId();
    const own = { id, user_id: user.id, created_at: app.clock.now() };
    const row = withSettings({ ...FRESH_SHOP, ...own, name: wanted.name }, wanted);
    await addShops(tx, [row], row.created_at);
    const { secret: api_key } = await issueKey(tx, app, { shop_id: row.id, user_id: null });
    const shop = Shops.toWire(row);
    const data = { shop, api_key, ...(await freshWebhookKeys.make(tx, app, row.id)) };
    return { data, subject: row.id, before: null, after: shop };
  },
});

export const changeShop = change({
  path: "/manage/shops/:shop_id",
  summary: "Change a shop",
  description: "What is left out stays as it is; `clear` names settings to forget.",
  act: "shop.update",
  input: Type.Object({
    shop_id,
    name: Type.Optional(name),
    ...settings,
    clear,
  }),
  data: Shops.wire,
  notFound: "There is no such shop.",
  async make(tx, _app, { shop_id: id, ...wanted }) {
    const row = await Shops.lock(tx, id);
    const next = withSettings(row, wanted);
    await updateShop(tx, next);
    return changed(Shops, row, next);
  },
});

export const rotateShopWebhookKeys = change({
  path: "/manage/shops/:shop_id/rotate-webhook-keys",
  summary: "Make new webhook keys for a shop",
  description: rotation.description,
  act: "shop.rotate_webhook_keys",
  input: Type.Object({ shop_id, ...rotation.input }),
  data: rotation.data,
  notFound: "There is no such shop.",
  async make(tx, app, { shop_id: id, overlap_hours }) {
    return rotation.make(tx, app, (await Shops.lock(tx, id)).id, overlap_hours);
  },
});
