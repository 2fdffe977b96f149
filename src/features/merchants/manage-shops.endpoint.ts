// /manage/shops: who takes payments for a user, and how.

import Type from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import { LATE_POLICIES } from "../../domain/transfer.ts";
import {
  checked,
  httpUrl,
  integer,
  listOf,
  oneOf,
  text,
  textOrNull,
  uuid,
  yesNo,
} from "../../platform/field.ts";
import { homeOf } from "../../platform/id.ts";
import { pageFields, pageOf, toPage } from "../../platform/page.ts";
import { change, view } from "../operators/doors.ts";
import { issueKey, issueWebhookKeys } from "./keys.ts";
import {
  addShops,
  findShop,
  listShops,
  lockShop,
  lockUser,
  type ShopView,
  updateShop,
} from "./queries.ts";

const CLEARABLE = ["success_url", "fail_url", "hook_url", "title", "logo_url", "color"] as const;

const late_policy = oneOf(LATE_POLICIES, {
  description: "Whether late money is credited or held in suspense for the operator to decide.",
});

const Shop = Type.Object({
  shop_id: Type.String({ description: "The shop." }),
  user_id: Type.String({ description: "The user whose balance its payments go to." }),
  name: Type.String({ description: "What the operator calls it." }),
  h2h_enabled: Type.Boolean({ description: "Whether it may ask for details host-to-host." }),
  late_policy,
  nudge_max_kopecks: Type.Integer({
    description: "How far an amount may be raised to find a free slot; 0 turns it off.",
  }),
  success_url: textOrNull({ description: "Where the payer goes after a success." }),
  fail_url: textOrNull({ description: "Where the payer goes after a failure." }),
  hook_url: textOrNull({ description: "Where webhooks go." }),
  title: textOrNull({ description: "What the payment page calls the shop; else its name." }),
  logo_url: textOrNull({ description: "The image on the payment page." }),
  color: textOrNull({ description: "The colour of the payment page's buttons." }),
  created_at: Type.String({ description: "When it was made." }),
});

const settings = {
  h2h_enabled: Type.Optional(yesNo({ description: "Host-to-host payments; off for a new shop." })),
  late_policy: Type.Optional(late_policy),
  nudge_max_kopecks: Type.Optional(
    integer({ min: 0, max: 99 }, { description: "How far an amount may be raised; 99, 0 is off." }),
  ),
  success_url: Type.Optional(httpUrl({ description: "Where the payer goes after a success." })),
  fail_url: Type.Optional(httpUrl({ description: "Where the payer goes after a failure." })),
  hook_url: Type.Optional(httpUrl({ description: "Where webhooks go." })),
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
      description: "The colour of the payment page's buttons.",
      examples: ["#1f6feb"],
    }),
  ),
};

const shop_id = uuid({ description: "The shop." });
const name = text({ max: 100 }, { description: "What to call it.", examples: ["Acme store"] });

export const readShops = view({
  path: "/manage/shops",
  summary: "List shops",
  input: Type.Object({
    ...pageFields,
    user_id: Type.Optional(uuid({ description: "Shops of this user." })),
  }),
  data: pageOf(Shop),
  async read({ db }, { user_id: userId, ...wish }) {
    return toPage(await listShops(db, wish, userId), toWire);
  },
});

export const readShop = view({
  path: "/manage/shops/:shop_id",
  summary: "Show a shop",
  input: Type.Object({ shop_id }),
  data: Shop,
  notFound: "There is no such shop.",
  async read({ db }, input) {
    const row = await findShop(db, input.shop_id);
    if (row === undefined) throw new Refusal("shop_not_found");
    return toWire(row);
  },
});

const WebhookKeys = {
  webhook_key: Type.String({
    description: "What x-api-sha256-signature is made with; it is shown only now.",
  }),
  webhook_secret: Type.String({
    description: "The Standard Webhooks secret; it is shown only now.",
  }),
};

export const createShop = change({
  path: "/manage/shops",
  summary: "Create a shop",
  act: "shop.create",
  input: Type.Object({
    user_id: uuid({ description: "The user whose balance its payments go to." }),
    name,
    ...settings,
  }),
  data: Type.Object({
    shop: Shop,
    api_key: Type.String({ description: "The secret of x-api-key; it is shown only now." }),
    ...WebhookKeys,
  }),
  notFound: "There is no such user.",
  async make(tx, app, input) {
    const user = await lockUser(tx, input.user_id);
    if (user === undefined) throw new Refusal("user_not_found");
    const fresh: ShopView = {
      id: app.newId(homeOf(user.id)),
      user_id: user.id,
      name: input.name,
      h2h_enabled: false,
      late_policy: "credit",
      nudge_max_minor: 99n,
      success_url: null,
      fail_url: null,
      hook_url: null,
      title: null,
      logo_url: null,
      color: null,
      created_at: app.clock.now(),
    };
    const row = withSettings(fresh, input);
    await addShops(tx, [row], row.created_at);
    const { secret: api_key } = await issueKey(tx, app, { shopId: row.id, userId: null });
    const { key, secret } = await issueWebhookKeys(tx, app, row.id);
    const shop = toWire(row);
    const data = { shop, api_key, webhook_key: key, webhook_secret: secret };
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
    clear: Type.Optional(
      listOf(
        oneOf(CLEARABLE, { description: "A setting." }),
        { min: 1, max: CLEARABLE.length },
        {
          description: "Settings to forget.",
        },
      ),
    ),
  }),
  data: Shop,
  notFound: "There is no such shop.",
  async make(tx, _app, input) {
    const row = await lockShop(tx, input.shop_id);
    if (row === undefined) throw new Refusal("shop_not_found");
    const cleared = Object.fromEntries((input.clear ?? []).map((url) => [url, null]));
    const changed = { ...withSettings(row, input), ...cleared };
    await updateShop(tx, changed);
    const after = toWire(changed);
    return { data: after, subject: row.id, before: toWire(row), after };
  },
});

export const rotateWebhookKeys = change({
  path: "/manage/shops/:shop_id/rotate-webhook-keys",
  summary: "Make new webhook keys for a shop",
  description: "The next webhook is signed with the new keys; the old ones are gone.",
  act: "shop.rotate_webhook_keys",
  input: Type.Object({ shop_id }),
  data: Type.Object(WebhookKeys),
  notFound: "There is no such shop.",
  async make(tx, app, input) {
    const row = await lockShop(tx, input.shop_id);
    if (row === undefined) throw new Refusal("shop_not_found");
    const { key, secret } = await issueWebhookKeys(tx, app, row.id);
    const data = { webhook_key: key, webhook_secret: secret };
    return { data, subject: row.id, before: null, after: null };
  },
});

type Settings = Type.Static<Type.TObject<typeof settings>> & { readonly name?: string };

function withSettings(row: ShopView, input: Settings): ShopView {
  const { nudge_max_kopecks: nudge } = input;
  return {
    ...row,
    name: input.name ?? row.name,
    h2h_enabled: input.h2h_enabled ?? row.h2h_enabled,
    late_policy: input.late_policy ?? row.late_policy,
    nudge_max_minor: nudge === undefined ? row.nudge_max_minor : BigInt(nudge),
    success_url: normal(input.success_url) ?? row.success_url,
    fail_url: normal(input.fail_url) ?? row.fail_url,
    hook_url: normal(input.hook_url) ?? row.hook_url,
    title: input.title ?? row.title,
    logo_url: normal(input.logo_url) ?? row.logo_url,
    color: input.color ?? row.color,
  };
}

/** Stored as it is understood, not as it was written. */
function normal(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).href;
}

function toWire(row: ShopView): Type.Static<typeof Shop> {
  return {
    shop_id: row.id,
    user_id: row.user_id,
    name: row.name,
    h2h_enabled: row.h2h_enabled,
    late_policy: row.late_policy,
    nudge_max_kopecks: Number(row.nudge_max_minor),
    success_url: row.success_url,
    fail_url: row.fail_url,
    hook_url: row.hook_url,
    title: row.title,
    logo_url: row.logo_url,
    color: row.color,
    created_at: row.created_at.toISOString(),
  };
}
