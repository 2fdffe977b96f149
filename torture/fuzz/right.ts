// What is right for each field of an operation: ids of what is there, values that its door takes, or else
// whatever its schema allows.

import fc from "fast-check";
import { SHOP, USER } from "../../test/cast.ts";
import { resultsFile } from "../../test/desk.ts";
import { CARD as PAYOUT_CARD } from "../../test/payouts.ts";
import { statement1c } from "../../test/statement-file.ts";
import type { Schema } from "./operations.ts";

/** Ids by the names of their fields, for one operation or for all, to be asked for again. */
export type Known = Map<string, string[]>;

const CARD = "2202200000000007";
const REQUISITE = "00000000-0000-4000-8000-000000000101";
/** A day to come: its lines wait for somebody. */
const days = { "2099-01-01": Array.from({ length: 24 }, (_, index) => ({ sum: 1 + index })) };
const file = statement1c([{ account: "40817810000000000101", days }]);
export const STATEMENT = Buffer.from(file).toString("base64");

type Values = Readonly<Record<string, readonly unknown[]>>;
/** It is left out. */
const NONE: readonly unknown[] = [];
const PAYOUT = { service: ["card"], amount: [10], wallet_to: [PAYOUT_CARD] };
const REFUND = { amount: [0.01], reference: NONE };

/** By the name of a field, of all operations. */
const OF_ALL: Values = {
  shopId: [SHOP.id],
  shop_id: [SHOP.id],
  userId: [USER.id],
  user_id: [USER.id],
  lang: ["ru"],
  service: ["p2p_card"],
  include_service: [["p2p_card"]],
  services: [["card"]],
  bank: ["sber", "tinkoff"],
  banks: [["sber"]],
  sender: ["900"],
  senders: [["900"]],
  amount: [100, 1234.56, 3_000],
  min_sum: [1],
  max_sum: [5_000],
  fix: [0.5],
  percent: [1.5],
  shop_percent: [4.25],
  user_percent: [2],
  currency: ["RUB"],
  custom_fields: [{ a: [1] }],
  type: ["direct"],
  account_id: ["fees.RUB"],
  wallet: ["0007"],
  advance_seconds: [0, 60],
  made_at: ["2026-01-01"],
  logo_url: ["https://a.example/logo.png"],
  desk_role: ["viewer"],
  ids: [REQUISITE],
  requisite_ids: [[REQUISITE]],
  endings: [[`${REQUISITE}:4006`]],
  code: ["fuzz"],
  key: ["nothing"],
  subtract: [1, 2],
  outcome: ["not_sent"],
  from: ["2020-01-01"],
  since: ["2020-01-01"],
  to: ["2099-01-01T00:00:00Z"],
  hold_seconds: [3_600],
  after: NONE,
  clear: NONE,
  items: NONE,
  card: NONE,
  profile: NONE,
  messages: NONE,
  payoff_data: NONE,
  payouts: NONE,
  account: NONE,
};

const STATISTICS = ["/cabinet/statistics", "/manage/statistics"];

/** By the name of a field, of one operation, which then always has it. */
const OF_ONE: Readonly<Record<string, Values>> = {
  ...Object.fromEntries(STATISTICS.map((path) => [`GET ${path}`, { from: NONE, to: NONE }])),
  "POST /invoice/create": {
    include_service: [["p2p_card"]],
    success_url: ["https://a.example"],
    currency: NONE,
  },
  "GET /invoice/info": { order_id: NONE },
  "POST /intake/{source_id}": {
    source_id: ["00000000-0000-4000-8000-000000000301"],
    text: ["VISA0007 12:00 Перевод 77.5р от Иван П. Баланс: 77.5р"],
  },
  // A rail that is open takes the payouts that others want to cancel.
  "POST /manage/rails": { code: ["a", "b", "c", "d"], paused: [true] },
  "POST /manage/rails/{code}": { paused: [true] },
  "POST /rails/{code}/notice": { state: ["sent"] },
  "POST /payoff/create": { ...PAYOUT, currency: NONE },
  "GET /payoff/info": { order_id: NONE, payoff_id: NONE },
  "POST /payoff/cancel": { order_id: NONE, payoff_id: NONE },
  "GET /manage/payouts": { order_id: NONE },
  "POST /manage/payouts": { ...PAYOUT, user_id: [USER.id], order_id: NONE },
  "POST /manage/payouts/{payout_id}/return": { transfer_id: NONE },
  "POST /manage/payout-batches": { service: ["card"], limit: [1] },
  "POST /manage/payout-batches/{batch_id}/results": { content: [resultsFile()] },
  "POST /manage/payout-tariffs": { service: ["card"] },
  "POST /manage/payout-tariffs/remove": { service: ["card"] },
  "POST /cabinet/payouts": { ...PAYOUT, order_id: NONE, currency: NONE, bank: NONE },
  "POST /cabinet/refunds": REFUND,
  "POST /cabinet/rotate-webhook-keys": { overlap_hours: [0] },
  // Nobody is let go, so that there is somebody to ask about.
  "POST /manage/people/{person_id}": { disabled: NONE },
  "POST /cabinet/people/{person_id}": { role: ["support"] },
  "POST /manage/users/{user_id}/people/{person_id}": { role: ["support"] },
  "POST /manage/imports": { content: [STATEMENT], requisite_id: NONE },
  "POST /manage/sbp-banks": { banks: [[{ id: "1", name: "One" }]] },
  "POST /manage/lines/{line_id}/decide": { decision: ["exclude"] },
  "POST /manage/lines/decide": { decision: ["exclude"] },
  "GET /manage/keys": { user_id: NONE },
  "POST /manage/keys": { user_id: NONE },
  "POST /manage/keys/rotate": { user_id: NONE },
  "POST /manage/services/{service}": { service: ["card"] },
  "POST /manage/refunds": REFUND,
  "POST /manage/own-moves": {
    kind: ["opening"],
    requisite_id: [REQUISITE],
    transfer_id: NONE,
    account: NONE,
  },
  "POST /manage/transfers": { wallet: [CARD], amount: [77.5], requisite_id: NONE },
  "POST /sandbox/transfers": { wallet: [CARD], invoice_id: NONE, ending: NONE },
};

const OF_FORMATS: Values = {
  uuid: ["01900000-0000-7000-8000-000000000000"],
  uri: ["http://127.0.0.1:9/"],
  email: ["a@example.org"],
  ipv4: ["192.0.2.7"],
  "^#[0-9a-f]{6}$": ["#12ab9f"],
};

/** Valid by construction; undefined is left out. */
export function right(
  known: Known,
  asked: string,
  schema: Schema,
  name = "",
): fc.Arbitrary<unknown> {
  const { enum: values, items, properties, maximum = 50 } = schema;
  const own = OF_ONE[asked] ?? {};
  if (properties !== undefined) {
    const all = Object.entries(properties).map(([field, one]) => {
      const value = right(known, asked, one, field);
      const isNeeded =
        schema.required?.includes(field) || field in own || known.has(`${asked} ${field}`);
      return [field, isNeeded ? value : fc.option(value, { nil: undefined })];
    });
    return fc.record(Object.fromEntries(all));
  }
  const pool = known.get(`${asked} ${name}`) ?? (name in own ? undefined : known.get(name));
  if (pool !== undefined) return fc.nat(99).map((n) => pool.at(-1 - (n % pool.length)));
  const format = schema.format ?? schema.pattern ?? "";
  const listed = own[name] ?? OF_ALL[name] ?? values ?? OF_FORMATS[format];
  if (listed !== undefined) return fc.constantFrom(...(listed.length > 0 ? listed : [undefined]));
  if (items !== undefined)
    return fc.array(right(known, asked, items, `${name}.`), { minLength: 1, maxLength: 3 });
  if (schema.type === "boolean") return fc.constant(true);
  if (schema.type === "string") return fc.nat(999_999).map((n) => `${name} ${n}`.slice(0, 32));
  return fc.integer({ min: 1, max: Math.min(maximum, 50) });
}
