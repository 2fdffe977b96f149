// Requests made from the API's description: right ones for every operation, and what is then done to them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { pagesOf } from "../../src/features/pages.ts";
import { anyCard, WRITINGS } from "../../test/card-writings.ts";
import { OTHER_SHOP, SHOP, USER } from "../../test/cast.ts";
import { SERVICE_PATHS } from "../../test/contract-doors.ts";
import { resultsFile } from "../../test/desk.ts";
import { HOSTILE_TEXTS } from "../../test/hostile-texts.ts";
import { OPERATOR_TOKEN } from "../../test/manage.ts";
import { statement1c } from "../../test/statement-file.ts";

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

type Pair = [name: string, value: unknown];
type Edit = (body: Buffer) => Buffer;

export interface Operation {
  readonly name: string;
  readonly kind: "json" | "page" | "service";
  readonly method: string;
  readonly path: string;
  readonly schema: Schema;
  readonly secret: readonly [header: string, value: string] | undefined;
}

export interface Request {
  readonly operation: Operation;
  readonly harms: readonly string[];
  /** Of whoever is named as a payer. */
  readonly card: string;
  method: string;
  path: string;
  headers: Pair[];
  fields: Pair[];
  edit: Edit;
}

/** Ids by the names of their fields, for one operation or for all, to be asked for again. */
export type Known = Map<string, string[]>;

const OPERATOR = ["authorization", `Bearer ${OPERATOR_TOKEN}`] as const;
const SECRETS: Readonly<Record<string, Operation["secret"]>> = {
  shopKey: ["x-api-key", SHOP.key],
  userSecret: ["x-api-signature-sha256", USER.secret],
  sourceToken: ["access-token", "sandbox_source_token"],
  member: ["authorization", "Bearer sandbox_owner_token"],
};

export function readOperations(): readonly Operation[] {
  const file = join(import.meta.dirname, "../../openapi.json");
  const { paths } = JSON.parse(readFileSync(file, "utf8"));
  const described = Object.keys(paths).flatMap((path) =>
    // biome-ignore lint/suspicious/noExplicitAny: the description's own shape is held by its tests.
    Object.entries<any>(paths[path]).map(([lower, { parameters = [], security, requestBody }]) => {
      const body: Schema = requestBody?.content["application/json"].schema ?? {};
      const properties: Record<string, Schema> = { ...body.properties };
      const required = [...(body.required ?? [])];
      for (const one of parameters) {
        properties[one.name] = one.schema;
        if (one.required) required.push(one.name);
      }
      const secret = SECRETS[Object.keys(security[0]).join()] ?? OPERATOR;
      return plain("json", lower.toUpperCase(), path, { properties, required }, secret);
    }),
  );
  // Who has not signed in is led to the door by all the others, whatever was sent.
  const open = pagesOf("sandbox").filter(({ site }) => site === undefined);
  const pages = open.map(({ method, path }) => {
    const properties = method === "GET" ? { lang: {} } : { service: {}, bank: {} };
    const schema = { properties, required: Object.keys(properties) };
    return plain("page", method, path, schema);
  });
  return [...described, ...pages, ...SERVICE_PATHS.map((path) => plain("service", "GET", path))];
}

function plain(
  kind: Operation["kind"],
  method: string,
  pattern: string,
  schema: Schema = {},
  secret?: Operation["secret"],
): Operation {
  const path = pattern.replace(/:(\w+)/g, "{$1}");
  const required = [...(schema.required ?? []), ...(path.match(/(?<=\{)\w+/g) ?? [])];
  const inPath = Object.fromEntries(required.map((name) => [name, {}]));
  const whole = { properties: { ...inPath, ...schema.properties }, required };
  return { name: `${method} ${path}`, kind, method, path, schema: whole, secret };
}

const CARD = "2202200000000007";
/** With its check digit. */
const PAYOUT_CARD = "2200000000000400";
const REQUISITE = "00000000-0000-4000-8000-000000000101";
/** A day to come: its lines wait for somebody. */
const days = { "2099-01-01": Array.from({ length: 24 }, (_, index) => ({ sum: 1 + index })) };

export const STATEMENT = Buffer.from(
  statement1c([{ account: "40817810000000000101", days }]),
).toString("base64");

const RESULTS = resultsFile();

/** What is right for a name, of one operation or of all, or for a format; nothing: it is left out. */
const RIGHT: Readonly<Record<string, readonly unknown[]>> = {
  ...{ shopId: [SHOP.id], shop_id: [SHOP.id], userId: [USER.id], user_id: [USER.id], lang: ["ru"] },
  ...{
    service: ["p2p_card"],
    bank: ["sber", "tinkoff"],
    type: ["direct"],
    account_id: ["fees.RUB"],
  },
  ...{
    amount: [100, 1234.56, 3_000],
    min_sum: [1],
    max_sum: [5_000],
    fix: [0.5],
    wallet: ["0007"],
  },
  ...{ shop_percent: [4.25], user_percent: [2], currency: ["RUB"], custom_fields: [{ a: [1] }] },
  ...{
    after: [],
    clear: [],
    items: [],
    card: [],
    advance_seconds: [0, 60],
    made_at: ["2026-01-01"],
  },
  ...{
    "POST /invoice/create currency": [],
    "POST /invoice/create success_url": ["https://a.example"],
  },
  ...{
    logo_url: ["https://a.example/logo.png"],
    "POST /manage/transfers amount": [77.5],
    "GET /invoice/info order_id": [],
  },
  ...{ banks: [["sber"]], senders: [["900"]], requisite_ids: [[REQUISITE]] },
  ids: [REQUISITE],
  ...{ endings: [[`${REQUISITE}:4006`]], messages: [], sender: ["900"] },
  "POST /intake/{source_id} source_id": ["00000000-0000-4000-8000-000000000301"],
  "POST /intake/{source_id} text": ["VISA0007 12:00 Перевод 77.5р от Иван П. Баланс: 77.5р"],
  ...{ code: ["fuzz"], "POST /manage/rails code": ["a", "b", "c", "d"], services: [["card"]] },
  ...{ "POST /rails/{code}/notice state": ["sent"], key: ["nothing"] },
  ...{ "POST /payoff/create service": ["card"], "POST /payoff/create amount": [10] },
  ...{ "POST /payoff/create wallet_to": [PAYOUT_CARD], "POST /payoff/create currency": [] },
  ...{ subtract: [1, 2], "GET /payoff/info order_id": [], "POST /payoff/cancel order_id": [] },
  ...{ "GET /payoff/info payoff_id": [], "POST /payoff/cancel payoff_id": [] },
  ...{ "POST /manage/payouts/{payout_id}/return transfer_id": [] },
  ...{ "POST /manage/payouts service": ["card"], "POST /manage/payouts amount": [10] },
  ...{ "POST /manage/payouts user_id": [USER.id], "POST /manage/payouts wallet_to": [PAYOUT_CARD] },
  ...{ payoff_data: [], "POST /manage/payouts order_id": [], outcome: ["not_sent"] },
  ...{ "POST /manage/payout-batches service": ["card"], payouts: [], account: [] },
  ...{ "POST /manage/payout-batches limit": [1], "GET /manage/payouts order_id": [] },
  "POST /manage/payout-batches/{batch_id}/results content": [RESULTS],
  ...{ "POST /manage/payout-tariffs service": ["card"], percent: [1.5] },
  ...{ "POST /manage/payout-tariffs/remove service": ["card"], hold_seconds: [3_600] },
  ...{ "POST /cabinet/payouts service": ["card"], "POST /cabinet/payouts amount": [10] },
  ...{ "POST /cabinet/payouts wallet_to": [PAYOUT_CARD], "POST /cabinet/payouts order_id": [] },
  ...{ "POST /cabinet/payouts currency": [], "POST /cabinet/payouts bank": [] },
  ...{ "POST /cabinet/refunds amount": [0.01], "POST /cabinet/refunds reference": [] },
  "POST /cabinet/rotate-webhook-keys overlap_hours": [0],
  ...{ "GET /cabinet/tallies from": [], "GET /cabinet/tallies to": [] },
  ...{ "GET /cabinet/pay-speeds from": [], "GET /cabinet/pay-speeds to": [] },
  ...{ "GET /manage/tallies from": [], "GET /manage/tallies to": [] },
  ...{ "GET /manage/pay-speeds from": [], "GET /manage/pay-speeds to": [] },
  ...{ "GET /manage/hook-tallies from": [], "GET /manage/hook-tallies to": [] },
  ...{ "GET /manage/details-tallies from": [], "GET /manage/details-tallies to": [] },
  ...{ "GET /manage/suspense-flows from": [], "GET /manage/suspense-flows to": [] },
  ...{ "GET /cabinet/hook-tallies from": [], "GET /cabinet/hook-tallies to": [] },
  // Nobody is let go, so that there is somebody to ask about.
  ...{ "POST /manage/people/{person_id} disabled": [], desk_role: ["viewer"] },
  ...{ "POST /cabinet/people/{person_id} role": ["support"] },
  ...{ "POST /manage/users/{user_id}/people/{person_id} role": ["support"] },
  ...{ profile: [], "POST /manage/imports requisite_id": [] },
  "POST /manage/imports content": [STATEMENT],
  "POST /manage/sbp-banks banks": [[{ id: "1", name: "One" }]],
  "POST /manage/lines/{line_id}/decide decision": ["ignore"],
  ...{ "POST /invoice/create include_service": [["p2p_card"]], include_service: [["p2p_card"]] },
  ...{ "POST /manage/keys user_id": [], "POST /manage/keys/rotate user_id": [] },
  ...{ "GET /manage/keys user_id": [], "POST /manage/services/{service} service": ["card"] },
  ...{ "POST /manage/refunds amount": [0.01], "POST /manage/refunds reference": [] },
  ...{ "POST /manage/own-moves kind": ["opening"], "POST /manage/own-moves transfer_id": [] },
  ...{ "POST /manage/own-moves requisite_id": [REQUISITE], "POST /manage/own-moves account": [] },
  ...{ "POST /manage/transfers wallet": [CARD], "POST /manage/transfers requisite_id": [] },
  ...{
    "POST /sandbox/transfers wallet": [CARD],
    "POST /sandbox/transfers invoice_id": [],
    "POST /sandbox/transfers ending": [],
    "#uuid": ["01900000-0000-7000-8000-000000000000"],
  },
  ...{
    from: ["2020-01-01"],
    since: ["2020-01-01"],
    to: ["2099-01-01T00:00:00Z"],
    "#uri": ["http://127.0.0.1:9/"],
  },
  ...{ "#email": ["a@example.org"], "#ipv4": ["192.0.2.7"], "#^#[0-9a-f]{6}$": ["#12ab9f"] },
};

/** Valid by construction; undefined is left out. */
function right(known: Known, asked: string, name: string, schema: Schema): fc.Arbitrary<unknown> {
  const { enum: values, items, properties, maximum = 50 } = schema;
  if (properties !== undefined) {
    // What is said of a field of this very operation says that it is needed.
    const isNeeded = (field: string) =>
      schema.required?.includes(field) ||
      `${asked} ${field}` in RIGHT ||
      known.has(`${asked} ${field}`);
    const all = Object.entries(properties).map(([field, one]) => {
      const value = right(known, asked, field, one);
      return [field, isNeeded(field) ? value : fc.option(value, { nil: undefined })];
    });
    return fc.record(Object.fromEntries(all));
  }
  const own = `${asked} ${name}`;
  const pool = known.get(own) ?? (own in RIGHT ? undefined : known.get(name));
  if (pool !== undefined) return fc.nat(99).map((n) => pool.at(-1 - (n % pool.length)));
  const format = `#${schema.format ?? schema.pattern}`;
  const listed = RIGHT[own] ?? RIGHT[name] ?? values ?? RIGHT[format];
  if (listed !== undefined) return fc.constantFrom(...(listed.length > 0 ? listed : [undefined]));
  if (items !== undefined)
    return fc.array(right(known, asked, `${name}.`, items), { minLength: 1, maxLength: 3 });
  if (schema.type === "boolean") return fc.constant(true);
  if (schema.type === "string") return fc.nat(999_999).map((n) => `${name} ${n}`.slice(0, 32));
  return fc.integer({ min: 1, max: Math.min(maximum, 50) });
}

/** Written into a body without quotes. */
const raw = (text: string): string => `@raw ${text}@`;
const written = (value: unknown): string =>
  (JSON.stringify(value) ?? "null").replaceAll(/"@raw (.*?)@"/g, (_, number: string) => number);

const PROTOTYPES = "__proto__ constructor prototype toString then toJSON length".split(" ");
const ODD_TEXTS = [
  ...[
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "\u0001\u007f",
    "\ufffe",
    "e\u0301",
    "a\r\nx: 1",
    OTHER_SHOP.id,
  ],
  ..."'; drop table invoices; --|null|$1|%00|../../etc/passwd|infinity|epoch|1e3|-0|rub|İ|١٢".split(
    "|",
  ),
  ..."9999-12-31T23:59:59Z 2026-01-01T00:00:00+99:99 275760-09-13 2026-02-30 1969-12-31".split(" "),
  ..."http://127.0.0.1:99999/ http://[::1]:1/ javascript:alert(1) //127.0.0.1 http://".split(" "),
  ...["00000000-0000-0000-0000-000000000000", "4111111111111111".repeat(9), ...PROTOTYPES],
];
const ODD_NUMBERS = [
  ..."1e400 -1e400 1e-400 -0 0 -1 1e-7 9007199254740993 1e18 1e21 92233720368547758.07".split(" "),
  ..."9223372036854775808 2147483648 100.005 1.0 0.1e4 01 1. NaN Infinity".split(" "),
  ...[`1${"0".repeat(60_000)}`, `0.${"0".repeat(60_000)}1`, `1e${"9".repeat(9_000)}`],
];
const anyOdd = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: 1 }),
  fc.constantFrom(...ODD_NUMBERS.map(raw)),
  fc.constantFrom(...ODD_TEXTS, ...HOSTILE_TEXTS),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.nat(70_000).map((length) => "я".repeat(length)),
  fc.nat(9_000).map((depth) => raw("[".repeat(depth) + "]".repeat(depth))),
  fc.nat(4_000).map((count) => raw(`{${Array.from({ length: count }, (_, n) => `"${n}":0`)}}`)),
  fc.double().map((value) => raw(String(value))),
  fc.jsonValue(),
);

const METHODS = "HEAD OPTIONS PUT PATCH DELETE TRACE QUERY SEARCH POST GET".split(" ");
const TYPES = [
  ..."text/plain application/x-www-form-urlencoded multipart/form-data ; */* a/b/c".split(" "),
  ...["application/json; charset=utf-16", "application/vnd.api+json", "Application/JSON"],
];
const HEADERS = [
  ..."accept accept-language cookie host origin range if-none-match sec-fetch-site".split(" "),
  ..."user-agent x-forwarded-for x-http-method-override x-request-id te __proto__".split(" "),
  ..."content-encoding x-api-key authorization x-api-signature-sha256 content-type".split(" "),
];
const PATHS = [
  ..."// /% /%00 /%2e%2e/ /.. ;a=b ? ?a[__proto__]=1 # %ED%A0%80 * ?limit=1&limit=2".split(" "),
  ...["/".repeat(5_000), `?${"a=b&".repeat(900)}`, "\u00ff", "/../manage/me"],
];
const EDITS: readonly Edit[] = [
  (body) => Buffer.from(body.toString(), "utf16le"),
  (body) => Buffer.from(body.toString(), "latin1"),
  (body) => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), body]),
  (body) => Buffer.concat([body, Buffer.of(0xff, 0xc0, 0xaf)]),
  (body) => gzipSync(body),
  (body) => body.subarray(0, body.length >> 1),
  (body) => Buffer.concat([Buffer.alloc(3_000_000, " "), body]),
];

type Harm = (request: Request, odd: unknown, at: number) => unknown;
const nth = <One>(all: readonly One[], at: number): One => all[at % all.length] as One;
const inLine = (odd: unknown): string =>
  (typeof odd === "string" ? odd.replace(/^@raw |@$/g, "") : written(odd))
    .toWellFormed()
    .replace(/[\r\n\0]/g, "")
    .slice(0, 9_000);

export const HARMS: Readonly<Record<string, Harm>> = {
  "wrong value": ({ fields }, odd, at) =>
    fields.splice(at % (fields.length || 1), 1, [fields[at % fields.length]?.[0] ?? "a", odd]),
  "missing field": ({ fields }, _, at) => fields.splice(at % (fields.length || 1), 1),
  "additional field": ({ fields }, odd, at) => fields.push([nth(PROTOTYPES, at), odd]),
  "doubled field": ({ fields }, odd, at) => fields.push([nth(fields, at)?.[0] ?? "a", odd]),
  "other bytes": (request, _, at) => Object.assign(request, { edit: nth(EDITS, at) }),
  "odd body": (request, odd) => Object.assign(request, { edit: () => Buffer.from(written(odd)) }),
  "other content type": ({ headers }, _, at) => headers.push(["content-type", nth(TYPES, at)]),
  "odd header": ({ headers }, odd, at) => headers.push([nth(HEADERS, at), inLine(odd)]),
  "other method": (request, _, at) => Object.assign(request, { method: nth(METHODS, at) }),
  "odd path": (request, _, at) => Object.assign(request, { path: request.path + nth(PATHS, at) }),
  "odd part of a path": (request, odd) =>
    Object.assign(request, {
      path: request.operation.path.replace(/\{\w+\}/, encodeURIComponent(inLine(odd))),
    }),
  "no secret": (request) => Object.assign(request, { headers: request.headers.slice(1) }),
};

export function anyRequest(
  known: Known,
  operation: Operation,
  maxLength = 2,
): fc.Arbitrary<Request> {
  const { name, method, schema, kind, secret } = operation;
  const harm = fc.record({
    name: fc.constantFrom(...Object.keys(HARMS)),
    odd: anyOdd,
    at: fc.nat(999),
  });
  const payer = fc.tuple(anyCard, fc.constantFrom(...Object.values(WRITINGS)));
  const values = right(known, name, "", schema) as fc.Arbitrary<Record<string, unknown>>;
  const harms = fc.array(harm, { maxLength });
  return fc.record({ values, harms, payer, address: fc.ipV4() }).map((made) => {
    const [card, write] = made.payer;
    const path = operation.path.replace(/\{(\w+)\}/g, (_, part: string) =>
      String(made.values[part]),
    );
    const isLeft = ([field, value]: Pair) =>
      value !== undefined && !operation.path.includes(`{${field}}`);
    const isForm = kind === "page";
    const request: Request = {
      ...{ operation, method, path, card, harms: made.harms.map((one) => one.name) },
      headers: [
        [...(secret ?? ["x-nobody", "1"])],
        ["accept", isForm ? "text/html" : "application/json"],
        ["content-type", isForm ? "application/x-www-form-urlencoded" : "application/json"],
        ["x-forwarded-for", made.address],
      ],
      fields: Object.entries(made.values)
        .filter(isLeft)
        .map(([field, value]): Pair => [field, field === "payer" ? write(card) : value]),
      edit: (body) => body,
    };
    for (const { name: harmed, odd, at } of made.harms) HARMS[harmed]?.(request, odd, at);
    return request;
  });
}

export function toBytes({ operation, method, path, headers, fields, edit }: Request): Buffer {
  const isGet = operation.method === "GET";
  const json = fields.map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`);
  const form = fields.map(([name, value]) => `${name}=${encodeURIComponent(inLine(value))}`);
  const plainBody = operation.kind === "page" ? form.join("&") : `{${json.join()}}`;
  const body = edit(Buffer.from(isGet ? "" : plainBody));
  const query =
    isGet && form.length > 0 ? `${path.includes("?") ? "&" : "?"}${form.join("&")}` : "";
  const isLast = ([name]: Pair, index: number) =>
    index === headers.findLastIndex((one) => one[0] === name);
  const lines = [
    `${method} ${path}${query} HTTP/1.1`,
    ...["host: kopeck.test", "connection: close"],
    ...headers.filter(isLast).map(([name, value]) => `${name}: ${value}`),
    ...(isGet && body.length === 0 ? [] : [`content-length: ${body.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
}
