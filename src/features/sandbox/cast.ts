// The sandbox's fixed users, shops, keys and requisites, and its welcome. Live mode has none of them.

import type { Tariff } from "../../domain/tariff.ts";
import type { App } from "../../platform/app.ts";
import type { Config } from "../../platform/config.ts";
import type { Tx } from "../../platform/db.ts";
import type { Language } from "../../platform/failure.ts";
import { sourceTokenDigest } from "../intake/source-gate.ts";
import { bindRequisites, insertSource, type NewSource } from "../intake/source-queries.ts";
import { openBalances } from "../ledger/queries.ts";
import { memberTokenDigest } from "../merchants/member.ts";
import { keyDigest } from "../merchants/principal.ts";
import {
  addKeys,
  addMemberships,
  addMemberTokens,
  addShops,
  addUsers,
  type NewKey,
  type NewShop,
  setWebhookKeys,
} from "../merchants/queries.ts";
import { tokenDigest } from "../operators/operator.ts";
import { addOperator } from "../operators/queries.ts";
import { addRail, type NewRail } from "../payouts/rail-queries.ts";
import { addPayoutTariffs, type NewPayoutTariff } from "../payouts/tariff-queries.ts";
import { SANDBOX_EMAIL } from "../people/entry-page.ts";
import { addPerson } from "../people/queries.ts";
import { addRequisites, type NewRequisite } from "../requisites/queries.ts";
import { sealWallets } from "../requisites/wallet.ts";
import { addTariffs, type NewTariff } from "../tariffs/queries.ts";

function castId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export const SANDBOX_USER = {
  id: castId(1),
  name: "Sandbox user",
  secret: "0123456789abcdef0123456789abcdef01234567",
} as const;

export const OTHER_USER = {
  id: castId(6),
  name: "Another sandbox user",
  secret: "76543210fedcba9876543210fedcba9876543210",
} as const;

interface CastShop {
  readonly shop: NewShop;
  readonly secret: string;
  readonly tariffs: "split" | "all charged to the shop" | "none";
  /** What it is there to be tried with. */
  readonly about: Readonly<Record<Language, string>>;
}

export const PAGE_SHOP_ID = castId(3);

export const SANDBOX_SHOP = {
  shop: { id: castId(2), user_id: castId(1), name: "Paper and Ink", h2h_enabled: true },
  secret: "sandbox_shop_key",
  tariffs: "split",
  about: {
    en: "host-to-host: it shows the details itself",
    ru: "host-to-host: показывает реквизиты сам",
  },
} as const satisfies CastShop;

export const SHOPS: readonly CastShop[] = [
  SANDBOX_SHOP,
  {
    shop: {
      id: castId(3),
      user_id: castId(1),
      name: "Tea and Spoon",
      h2h_enabled: false,
      success_url: "https://shop.example/success",
    },
    secret: "sandbox_shop_key_link",
    tariffs: "split",
    about: {
      en: "on the payment page; the demo shop's",
      ru: "через страницу оплаты; им играет демо-магазин",
    },
  },
  {
    shop: {
      id: castId(4),
      user_id: castId(1),
      name: "Northern Wool",
      h2h_enabled: true,
      success_url: "https://shop.example/success",
      fail_url: "https://shop.example/fail",
      hook_url: "https://shop.example/hook",
    },
    secret: "sandbox_shop_key_urls",
    tariffs: "all charged to the shop",
    about: {
      en: "host-to-host, all addresses set; it bears the whole commission",
      ru: "host-to-host, все адреса заданы; вся комиссия на магазине",
    },
  },
  {
    shop: { id: castId(5), user_id: castId(1), name: "Empty Shelf", h2h_enabled: true },
    secret: "sandbox_shop_key_empty",
    tariffs: "none",
    about: { en: "has no tariffs yet", ru: "ещё без тарифов" },
  },
  {
    shop: {
      id: castId(8),
      user_id: castId(1),
      name: "Corner Books",
      h2h_enabled: true,
      dialect: "family",
    },
    secret: "sandbox_shop_key_family",
    tariffs: "split",
    about: {
      en: "host-to-host, takes what existing clients of this family of API send",
      ru: "host-to-host, понимает уже написанные клиенты этого семейства API",
    },
  },
  {
    shop: { id: castId(7), user_id: castId(6), name: "Maple Bikes", h2h_enabled: true },
    secret: "sandbox_shop_key_other",
    tariffs: "split",
    about: { en: "host-to-host, of the other user", ru: "host-to-host, другого пользователя" },
  },
];

/** Numbers that no bank has given out: their check digits are wrong. */
export const REQUISITES = [
  { bank: "sber", receiver: "Иван И.", card: "2202200000000007", phone: "+79990000001" },
  { bank: "sber", receiver: "Мария С.", card: "2202200000000015", phone: "+79990000002" },
  { bank: "sber", receiver: "Пётр К.", card: "2202200000000023", phone: "+79990000003" },
  { bank: "tinkoff", receiver: "Анна В.", card: "2200700000000008", phone: "+79990000004" },
  { bank: "tinkoff", receiver: "Олег Д.", card: "2200700000000016", phone: "+79990000005" },
  { bank: "tinkoff", receiver: "Юлия М.", card: "2200700000000024", phone: "+79990000006" },
] as const;

/** Of the requisite at a place among them. */
export function requisiteIdAt(index: number): string {
  return castId(101 + index);
}

const CURRENCY = "RUB";

/** Whoever manages the sandbox, by a token that everybody knows. */
export const OPERATOR = { id: castId(8), name: "sandbox", token: "sandbox_operator_token" };

/** A phone that tells of all requisites, by a token that everybody knows. */
const SOURCE = { id: castId(301), name: "sandbox phone", token: "sandbox_source_token" };

/** Whose cabinet the sandbox user's is, by a token that everybody knows. */
const OWNER = { id: castId(501), name: "Anna", token: "sandbox_owner_token" };

/** The secrets of the examples, by their headers, or by the gate where several have one header. */
export const SANDBOX_SECRETS = {
  member: OWNER.token,
  "x-api-key": SANDBOX_SHOP.secret,
  "x-api-signature-sha256": SANDBOX_USER.secret,
  authorization: OPERATOR.token,
  "access-token": SOURCE.token,
};

export const WEBHOOK_KEYS = {
  key: "sandbox_webhook_key",
  secret: "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=",
};

/** Written again at every start: what is there already stays as it is. */
export async function createCast(tx: Tx, app: App): Promise<void> {
  const now = app.clock.now();
  const { id: operatorId, name: operatorName, token } = OPERATOR;
  const digest = tokenDigest(app.secrets, token);
  const operator = { id: operatorId, name: operatorName, digest, ends_at: null, created_by: null };
  await addOperator(tx, { ...operator, role: "operator" }, now);
  const users = [SANDBOX_USER, OTHER_USER];
  await addUsers(
    tx,
    users.map(({ id, name }) => ({ id, name })),
    now,
  );
  await addShops(
    tx,
    SHOPS.map(({ shop }) => shop),
    now,
  );
  await addKeys(tx, [...users.map((user) => userKey(app, user)), ...SHOPS.map(shopKey(app))], now);
  await addTariffs(tx, SHOPS.flatMap(tariffsOf));
  await addPayoutTariffs(tx, PAYOUT_TARIFFS);
  await addRail(tx, RAIL, now);
  await openBalances(
    tx,
    users.map(({ id }) => id),
    CURRENCY,
  );
  await addRequisites(tx, REQUISITES.map(requisite(app)), now);
  await addPhone(tx, app, now);
  await addOwner(tx, app, now);
  await setWebhookKeys(
    tx,
    app,
    [...SHOPS.map(({ shop }) => shop), ...users].map(({ id }) => ({
      ownerId: id,
      ...WEBHOOK_KEYS,
    })),
  );
}

/** A payout of more than 50,000 waits for an operator, one of more than 80,000 for two. */
const PAYOUT_TARIFFS: readonly NewPayoutTariff[] = (
  [
    ["card", 20_000, 0n],
    ["sbp", 5_000, 1_000n],
  ] as const
).map(([service, percentPpm, fixMinor], index) => ({
  id: castId(401 + index),
  userId: null,
  service,
  currency: CURRENCY,
  percentPpm,
  fixMinor,
  minMinor: 1_000n,
  maxMinor: 10_000_000n,
  daySumMinor: 100_000_000n,
  dayCount: 10_000,
  destinationDaySumMinor: null,
  destinationDayCount: null,
  holdDaySumMinor: null,
  holdOverMinor: 5_000_000n,
  fourEyesOverMinor: 8_000_000n,
  holdFirst: false,
  holdSeconds: 259_200,
  refundsFee: false,
  enabled: true,
}));

/** What becomes of a payout is told by the last two digits of its number. */
const RAIL: NewRail = {
  code: "sandbox",
  kind: "sandbox",
  services: ["card", "sbp"],
  paused: false,
  url: null,
  secret_sealed: null,
  repeatable_seconds: 0,
};

async function addOwner(tx: Tx, { secrets }: App, now: Date): Promise<void> {
  const { id, name, token } = OWNER;
  const membership = { personId: id, userId: SANDBOX_USER.id, role: "owner" } as const;
  const own = { id: castId(502), person_id: id, user_id: SANDBOX_USER.id, name: "sandbox" };
  await addPerson(tx, { id, name, email: SANDBOX_EMAIL, language: "en", created_at: now });
  await addMemberships(tx, [membership], now);
  const digest = memberTokenDigest(secrets, token);
  await addMemberTokens(tx, [{ ...own, digest, ends_at: null }], now);
}

async function addPhone(tx: Tx, { secrets }: App, now: Date): Promise<void> {
  const { id, name, token } = SOURCE;
  const source: NewSource = {
    id,
    name,
    adapter: "kopeck",
    channel: "sms",
    banks: ["sber", "tinkoff"],
    senders: ["900", "T-Bank"],
    needs_statement: true,
    key_sealed: null,
    token_digest: sourceTokenDigest(secrets, id, token),
  };
  const isNew = await insertSource(tx, source, now);
  const bindings = REQUISITES.map((_, index) => ({
    requisite_id: requisiteIdAt(index),
    endings: [],
  }));
  if (isNew) await bindRequisites(tx, id, bindings);
}

function userKey({ newId, secrets }: App, user: { id: string; secret: string }): NewKey {
  const digest = keyDigest(secrets, user.id, user.secret);
  return { id: newId(), shop_id: null, user_id: user.id, digest };
}

function shopKey({ newId, secrets }: App): (cast: CastShop) => NewKey {
  return ({ shop, secret }) => {
    const digest = keyDigest(secrets, shop.id, secret);
    return { id: newId(), shop_id: shop.id, user_id: null, digest };
  };
}

function tariffsOf({ shop, tariffs }: CastShop): NewTariff[] {
  if (tariffs === "none") return [];
  const userPpm = tariffs === "split" ? 20_000 : 0;
  const one = (service: string, percentPpm: number, userPercentPpm: number): Tariff => ({
    service,
    currency: CURRENCY,
    percentPpm,
    shopPercentPpm: percentPpm - userPercentPpm,
    userPercentPpm,
    fixMinor: service === "p2p_sbp" ? 1_000n : 0n,
    minMinor: 10_000n,
    maxMinor: 10_000_000n,
    enabled: service !== "card",
  });
  return [
    one("p2p_card", 60_000, userPpm),
    one("p2p_sbp", 40_000, 0),
    one("card", 60_000, userPpm),
  ].map((tariff) => ({ ...tariff, shopId: shop.id }));
}

function requisite({ secrets }: App) {
  return (numbers: (typeof REQUISITES)[number], index: number): NewRequisite => ({
    id: requisiteIdAt(index),
    numbers: sealWallets(secrets, requisiteIdAt(index), {
      ...numbers,
      account: `40817810000000000${101 + index}`,
    }),
    bank: numbers.bank,
    currency: CURRENCY,
    receiver_name: numbers.receiver,
    min_minor: 1n,
    max_minor: 100_000_000n,
    max_live_payments: 1_000,
    max_day_payments: 1_000_000,
    max_day_sum_minor: 100_000_000_000_000n,
  });
}

export function firstCurl(baseUrl: string): string {
  const { shop, secret } = SANDBOX_SHOP;
  return `curl -s ${baseUrl}/invoice/create -H 'x-api-key: ${secret}' -H 'content-type: application/json' \\
    -d '{"shop_id":"${shop.id}","order_id":"order-1","amount":1000,"type":"direct","include_service":["p2p_card"],"success_url":"https://shop.example/ok"}'`;
}

type Addresses = Pick<Config, "baseUrl" | "deskUrl" | "cabinetUrl">;

export function welcome({ baseUrl, deskUrl, cabinetUrl }: Addresses): string {
  const { shop, secret } = SANDBOX_SHOP;
  return `
Kopeck's sandbox is up at ${baseUrl}

  the desk, for whoever runs it   ${deskUrl}/desk
  the cabinet, for a merchant     ${cabinetUrl}/my
  a shop with a payment page      ${baseUrl}/demo
  the API's reference             ${baseUrl}/docs

  shop  ${shop.id}   x-api-key: ${secret}
  user  ${SANDBOX_USER.id}   x-api-signature-sha256: ${SANDBOX_USER.secret}
  operator                                     authorization: Bearer ${OPERATOR.token}
  webhooks are signed with                     ${WEBHOOK_KEYS.key}

Try it:

  ${firstCurl(baseUrl)}

`;
}
