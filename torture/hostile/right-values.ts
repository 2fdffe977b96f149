// What a well-meant request says: right values by a field's name and schema, and for some operations
// by what they are about. Nothing of the sandbox's cast is changed or ended: that is done only to what
// the run itself has made, so that the installation stays one that can be asked.

import { LINK_SHOP, OTHER_SHOP, SHOP, USER } from "../../test/cast.ts";
import type { Random } from "../random.ts";
import type { Known } from "./known.ts";
import type { Operation, Schema } from "./operations.ts";

export interface Moment {
  readonly random: Random;
  readonly known: Known;
  /** Where webhooks may go. */
  readonly hookUrl: string;
}

/** Fields by name; one that is undefined is left out. */
export type Fields = Record<string, unknown>;

const SHOPS = [SHOP, OTHER_SHOP];
const BANKS = ["sber", "tinkoff"];
const SERVICES = ["p2p_card", "p2p_sbp"];
const NOBODYS = "01900000-0000-7000-8000-000000000000";

const NO_FILTERS = {
  ...{ shop_id: undefined, invoice_id: undefined, order_id: undefined, amount: undefined },
  ...{ requisite_id: undefined, wallet: undefined, after: undefined },
};

/** Given instead of what name and schema say. */
const SPECIAL: Readonly<Record<string, (moment: Moment) => Fields>> = {
  "POST /invoice/create": ({ random, known, hookUrl }) => {
    const isLink = random.chance(0.3);
    const shop = isLink ? LINK_SHOP : random.pick(SHOPS);
    return {
      ...{ shop_id: shop.id, type: isLink ? "link" : "direct", currency: undefined },
      include_service: isLink ? SERVICES : [random.pick(SERVICES)],
      order_id: `order ${known.unique()}`,
      amount: random.between(10_000, 300_000) / 100,
      success_url: "https://shop.example/ok",
      ...(random.chance(0.7) ? { hook_url: hookUrl } : {}),
      custom_fields: random.chance(0.3) ? { cart: [1, { gift: true }] } : undefined,
    };
  },
  "POST /invoice/h2h": ({ random, known }) => {
    const invoice = known.direct.at(-random.between(1, 8)) ?? known.direct.at(-1);
    return {
      ...{ invoice_id: invoice?.id, shop_id: invoice?.shopId ?? SHOP.id },
      payment_data: { bank: random.pick(BANKS) },
    };
  },
  "GET /invoice/info": ({ random, known }) => {
    const invoice = known.direct.length === 0 ? undefined : random.pick(known.direct);
    const fields = { invoice_id: invoice?.id, shop_id: invoice?.shopId ?? SHOP.id };
    return { ...fields, order_id: undefined };
  },
  "GET /account/users/{userId}/balance": ({ random }) => ({
    currency: random.chance(0.5) ? "RUB" : undefined,
  }),
  "POST /manage/operators/{operator_id}/revoke": ownId("operator_id"),
  "POST /manage/users/{user_id}": ownId("user_id"),
  "POST /manage/shops": ({ known, random }) => ({
    user_id: known.id("own user_id", random) ?? USER.id,
  }),
  "POST /manage/shops/{shop_id}": (moment) => ({
    ...{ ...ownId("shop_id")(moment), hook_url: moment.hookUrl, name: "another name" },
    clear: moment.random.chance(0.3) ? ["title"] : undefined,
    title: undefined,
  }),
  "POST /manage/shops/{shop_id}/rotate-webhook-keys": ownId("shop_id"),
  "GET /manage/keys": ({ known, random }) => ({
    ...{ shop_id: known.id("shop_id", random) ?? SHOP.id, user_id: undefined },
  }),
  "POST /manage/keys": (moment) => ({ ...ownId("shop_id")(moment), user_id: undefined }),
  "POST /manage/keys/rotate": (moment) => ({
    ...{ ...ownId("shop_id")(moment), user_id: undefined, overlap_hours: 1 },
  }),
  "POST /manage/keys/{key_id}/revoke": ownId("key_id"),
  "POST /manage/services/{service}": ({ random }) => ({
    ...{ service: "card", label: `label ${random.below(9)}`, freeze_seconds: random.below(9) },
  }),
  "POST /manage/tariffs": (moment) => ({
    ...{ ...ownId("shop_id")(moment), service: "p2p_card", currency: "RUB" },
    ...{ shop_percent: 4.25, user_percent: 2, fix: 0.5, min_sum: 1, max_sum: 5_000 },
  }),
  "POST /manage/tariffs/remove": ({ known, random }) => ({
    shop_id: known.take("own tariff", random) ?? NOBODYS,
    ...{ service: "p2p_card", currency: "RUB" },
  }),
  "POST /manage/requisites": ({ known, random }) => ({
    ...{ bank: random.pick(BANKS), currency: undefined, min_sum: 1, max_sum: 50, card: undefined },
    phone: `+7916${String(known.unique()).padStart(7, "0")}`,
  }),
  "POST /manage/requisites/{requisite_id}": (moment) => ({
    ...{ ...ownId("requisite_id")(moment), min_sum: 1, max_sum: moment.random.between(2, 60) },
  }),
  "GET /manage/payments": ({ random }) =>
    random.chance(0.5) ? { ...NO_FILTERS, state: random.pick(["live", "lapsed"]) } : {},
  "POST /manage/transfers": (moment) => ({
    ...{ ...arrival(moment), requisite_id: undefined, items: undefined, made_at: undefined },
    reference: `statement ${moment.known.unique()}`,
  }),
  "POST /manage/transfers/{transfer_id}/assign": ({ known, random }) => {
    const payment_id = known.take("payable", random);
    const transfer_id = payment_id === undefined ? undefined : known.take("suspense", random);
    return { transfer_id: transfer_id ?? NOBODYS, payment_id: payment_id ?? NOBODYS };
  },
  "POST /manage/transfers/{transfer_id}/return": ({ known, random }) => ({
    transfer_id: known.take("suspense", random) ?? NOBODYS,
  }),
  "POST /manage/refunds": ({ known, random }) => ({
    ...{ invoice_id: known.id("paid", random) ?? NOBODYS, amount: 0.01 },
  }),
  "POST /manage/sbp-banks": ({ random }) => ({
    banks: Array.from({ length: random.between(1, 4) }, (_, index) => ({
      ...{ id: `10000000${index}`, name: `Bank ${random.below(9)}` },
    })),
  }),
  "POST /sandbox/transfers": (moment) => ({
    ...{ ...arrival(moment), reference: `sandbox ${moment.known.unique()}` },
  }),
  // A minute at most: hours would end every invoice before anything is done with it.
  "POST /sandbox/clock": ({ random }) => ({ advance_seconds: random.between(0, 60) }),
  "POST /pay/{invoice}": ({ random }) => ({
    ...{ service: random.pick(SERVICES), bank: random.pick(BANKS) },
  }),
};

function ownId(name: string): (moment: Moment) => Fields {
  return ({ known, random }) => ({ [name]: known.id(`own ${name}`, random) ?? NOBODYS });
}

/** What somebody was told to send, or money that nobody waits for; some payments stay unpaid. */
function arrival({ known, random }: Moment): Fields {
  const details =
    known.details.length > 3 && random.chance(0.6) ? known.details.shift() : undefined;
  if (details !== undefined) return { ...details };
  return { wallet: "2202200000000007", amount: random.between(1, 99) + 0.5 };
}

export function rightFields(operation: Operation, moment: Moment): Fields {
  const { random } = moment;
  const fields: Fields = {};
  for (const name of operation.inPath) fields[name] = byName(name, moment);
  for (const { name, schema, isRequired } of operation.fields) {
    if (isRequired || random.chance(0.25))
      fields[name] = rightValue(operation, name, schema, moment);
  }
  return { ...fields, ...SPECIAL[operation.name]?.(moment) };
}

function byName(name: string, { known, random }: Moment): unknown {
  switch (name) {
    case "shopId":
      return SHOP.id;
    case "shop_id":
      return known.id("shop_id", random) ?? SHOP.id;
    case "userId":
    case "user_id":
      return USER.id;
    case "service":
      return random.pick(SERVICES);
    case "invoice":
      return known.links.at(-random.between(1, 4)) ?? known.links.at(-1) ?? NOBODYS;
    case "lang":
      return random.pick(["en", "ru", "de"]);
    case "wallet":
      return "0007";
    default:
      return known.id(name, random);
  }
}

function rightValue(operation: Operation, name: string, schema: Schema, moment: Moment): unknown {
  const { random, known } = moment;
  const named = byName(name, moment);
  if (named !== undefined) return named;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const { minimum = 0, maximum = 100 } = schema;
  switch (schema.format) {
    case "uuid":
      return NOBODYS;
    case "cursor":
      return known.id(`after ${operation.name}`, random);
    case "moment":
      return name === "to" ? "2099-01-01T00:00:00Z" : "2020-01-01";
    case "http-url":
      return name === "hook_url" ? moment.hookUrl : "https://shop.example/page";
    case "email":
      return "payer@example.org";
    case "ipv4":
      return "192.0.2.7";
    default:
  }
  if (name === "currency") return "RUB";
  if (name === "color") return "#12ab9f";
  switch (schema.type) {
    case "integer":
      return random.between(Math.max(1, minimum), Math.min(maximum, 50));
    case "number":
      return random.between(Math.max(1, Math.ceil(minimum)), Math.min(maximum, 1_000));
    case "boolean":
      return random.chance(0.5);
    default:
      return `${name} ${random.below(100)} ёж`.slice(0, schema.maxLength ?? 50);
  }
}
