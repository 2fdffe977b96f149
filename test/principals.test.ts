// Every endpoint, called by everybody: who may, who may not, and what the answers give away. A new
// endpoint without an entry here fails; so does an entry whose endpoint is gone.

import assert from "node:assert/strict";
import { after, it } from "node:test";
import { may, type Right } from "../src/domain/role.ts";
import { endpointsOf } from "../src/features/index.ts";
import { refusalOf } from "../src/platform/ask.ts";
import { type Endpoint, endpointName } from "../src/platform/endpoint.ts";
import { assertBooksAreRight } from "./books.ts";
import { resultsFile } from "./desk.ts";
import type { Answer } from "./gateway.ts";
import { openOneGateway } from "./one-gateway.ts";
import { MINUTE, NOBODY, printOf } from "./orders.ts";
import { notice } from "./rails.ts";
import { createWorld, type Principal, type World } from "./tenants.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Entry {
  /** What the door is for; said here again, so that a wrong gate is noticed. */
  readonly door: "shop" | "user" | "view" | "change" | "money" | "book" | "source" | "rail" | "own";
  /** Of a merchant's own people, what their role has to allow. */
  readonly right?: Right;
  /** Whether what is named is the owner's alone, and no colleague's. */
  readonly isOwners?: true;
  /** What is asked for, beside the name of who asks. */
  readonly fields: (world: World) => Fields;
  /** What a merchant hears who is another one; their own, unless something of A's is named. */
  readonly others?: 404;
}

const shop = (fields: Entry["fields"], others?: 404): Entry =>
  others === undefined ? { door: "shop", fields } : { door: "shop", fields, others };
const user = (fields: Entry["fields"] = () => ({}), others?: 404): Entry =>
  others === undefined ? { door: "user", fields } : { door: "user", fields, others };
/** Of a merchant's own people. */
const own = (right: Right, fields: Entry["fields"] = () => ({}), others?: 404): Entry => ({
  door: "own",
  right,
  fields,
  ...(others === undefined ? {} : { others }),
});
const view = (fields: Entry["fields"] = () => ({})): Entry => ({ door: "view", fields });
const change = (fields: Entry["fields"]): Entry => ({ door: "change", fields });
/** A change that a cashier may make, too. */
const money = (fields: Entry["fields"]): Entry => ({ door: "money", fields });
const source = (fields: Entry["fields"]): Entry => ({ door: "source", fields });
const rail = (fields: Entry["fields"]): Entry => ({ door: "rail", fields });
const book = (fields: Entry["fields"]): Entry => ({ door: "book", fields });

/** The operator's calls are made in this order; a later one may need what an earlier one left. */
const TABLE: Readonly<Record<string, Entry>> = {
  "POST /invoice/create": shop(() => ({
    amount: 777,
    order_id: "matrix",
    include_service: ["p2p_card"],
    type: "direct",
    success_url: "https://shop.example/ok",
  })),
  "POST /invoice/h2h": shop(
    ({ openInvoiceId }) => ({ invoice_id: openInvoiceId, payment_data: { bank: "sber" } }),
    404,
  ),
  "GET /invoice/info": shop(({ a }) => ({ invoice_id: a.invoiceId }), 404),
  "GET /shops/:shopId/payment-tariffs": shop(() => ({})),
  "GET /payoff/get-sbp-bank-list": user(),
  "GET /account/users/:userId/balance": user(),
  "POST /payoff/create": user(() => ({
    service: "card",
    wallet_to: "2200000000000400",
    amount: 10,
    order_id: "matrix",
  })),
  "GET /payoff/info": user(({ payoutId }) => ({ id: payoutId }), 404),
  "POST /payoff/cancel": user(({ payoutId }) => ({ id: payoutId }), 404),
  "GET /payoff/list": user(),
  "GET /payoff/tariffs": user(),
  "GET /shops/:shopId/events": shop(() => ({})),
  "GET /account/users/:userId/events": user(),

  "GET /manage/waiting": view(),
  "GET /manage/find": view(({ a }) => ({ q: a.orderId })),
  "GET /manage/health": view(),
  "GET /manage/me": view(),
  "GET /manage/operators": view(),
  "POST /manage/operators": change(() => ({ name: "matrix", role: "viewer" })),
  "POST /manage/operators/:operator_id/revoke": change(({ doomedId }) => ({
    operator_id: doomedId,
  })),
  "GET /manage/people": view(),
  "GET /manage/people/:person_id": view(({ colleagueId }) => ({ person_id: colleagueId })),
  "POST /manage/people": change(() => ({
    email: "matrix@example.com",
    name: "matrix",
    desk_role: "viewer",
  })),
  "POST /manage/people/:person_id": change(({ personId }) => ({
    person_id: personId,
    name: "matrix",
  })),
  "POST /manage/people/:person_id/link": change(({ personId }) => ({ person_id: personId })),
  "POST /manage/people/:person_id/end-sessions": change(({ personId }) => ({
    person_id: personId,
  })),
  "GET /manage/audit": view(),

  "GET /manage/users": view(),
  "GET /manage/users/:user_id": view(({ c }) => ({ user_id: c.userId })),
  "POST /manage/users": change(() => ({ name: "matrix" })),
  "POST /manage/users/:user_id": change(({ c }) => ({ user_id: c.userId, name: "matrix" })),
  "POST /manage/users/:user_id/rotate-webhook-keys": change(({ c }) => ({ user_id: c.userId })),
  "GET /manage/users/:user_id/people": view(({ a }) => ({ user_id: a.userId })),
  "POST /manage/users/:user_id/people": change(({ c }) => ({
    user_id: c.userId,
    email: "matrix@example.com",
    name: "matrix",
    role: "support",
  })),
  "POST /manage/users/:user_id/people/:person_id": change(({ a, colleagueId }) => ({
    user_id: a.userId,
    person_id: colleagueId,
    role: "support",
  })),
  "GET /manage/newest": view(),
  "GET /manage/shops": view(({ a }) => ({ user_id: a.userId })),
  "GET /manage/shops/:shop_id": view(({ a }) => ({ shop_id: a.shopId })),
  "POST /manage/shops": change(({ c }) => ({ user_id: c.userId, name: "matrix" })),
  "POST /manage/shops/:shop_id": change(({ spareShopId }) => ({
    shop_id: spareShopId,
    name: "matrix",
  })),
  "POST /manage/shops/:shop_id/rotate-webhook-keys": change(({ spareShopId }) => ({
    shop_id: spareShopId,
  })),
  "GET /manage/keys": view(({ a }) => ({ shop_id: a.shopId })),
  "POST /manage/keys": change(({ spareShopId }) => ({ shop_id: spareShopId })),
  "POST /manage/keys/rotate": change(({ spareShopId }) => ({ shop_id: spareShopId })),
  "POST /manage/keys/:key_id/revoke": change(({ spareKeyId }) => ({ key_id: spareKeyId })),

  "GET /manage/services": view(),
  "POST /manage/services/:service": change(() => ({ service: "card", label: "matrix" })),
  "GET /manage/tariffs": view(({ a }) => ({ shop_id: a.shopId })),
  "GET /manage/tariffs/try": view(({ a }) => ({
    shop_id: a.shopId,
    service: "p2p_card",
    shop_percent: 1,
    user_percent: 1,
  })),
  "POST /manage/tariffs": change(({ spareShopId: shop_id }) => ({
    shop_id,
    service: "p2p_card",
    shop_percent: 1,
    user_percent: 1,
    min_sum: 1,
    max_sum: 2,
  })),
  "POST /manage/tariffs/remove": change(({ spareShopId }) => ({
    shop_id: spareShopId,
    service: "p2p_card",
  })),

  "GET /manage/banks": view(),
  "GET /manage/requisites": view(),
  "GET /manage/requisites/:requisite_id": view(({ requisiteId }) => ({
    requisite_id: requisiteId,
  })),
  "GET /manage/requisites/:requisite_id/slots": view(({ requisiteId }) => ({
    requisite_id: requisiteId,
  })),
  "POST /manage/requisites": change(() => ({
    bank: "sber",
    receiver_name: "matrix",
    phone: "+79165550002",
  })),
  "POST /manage/requisites/:requisite_id": change(({ requisiteId }) => ({
    requisite_id: requisiteId,
    enabled: false,
  })),
  "POST /manage/requisites/:requisite_id/reveal": change(({ requisiteId }) => ({
    requisite_id: requisiteId,
  })),

  "GET /manage/invoices": view(),
  "GET /manage/invoices/:invoice_id": view(({ a }) => ({ invoice_id: a.invoiceId })),
  "GET /manage/payments": view(),
  "GET /manage/transfers": view(),
  "GET /manage/transfers/:transfer_id/candidates": view(({ strays }) => ({
    transfer_id: strays[0],
  })),
  "POST /manage/transfers": book(({ requisiteId }) => ({
    requisite_id: requisiteId,
    amount: 8,
    reference: "matrix",
  })),
  "POST /manage/transfers/:transfer_id/assign": money(({ strays, openPaymentId }) => ({
    transfer_id: strays[0],
    payment_id: openPaymentId,
    reason: "matrix",
  })),
  "POST /manage/transfers/:transfer_id/return": money(({ strays }) => ({
    transfer_id: strays[1],
    reason: "matrix",
  })),
  "GET /manage/approvals": view(),
  "POST /manage/transfers/:transfer_id/withdraw": money(({ strays }) => ({
    transfer_id: strays[2],
    reason: "matrix",
  })),
  "GET /manage/transfers/:transfer_id": view(({ strays }) => ({ transfer_id: strays[0] })),
  "GET /manage/imports": view(),
  "GET /manage/imports/:import_id": view(({ importId }) => ({ import_id: importId })),
  "POST /manage/imports": money(({ statement }) => ({
    filename: "matrix",
    content: statement,
  })),
  "POST /manage/imports/:import_id/drop": money(({ failingImportId }) => ({
    import_id: failingImportId,
  })),
  "GET /manage/lines": view(),
  "POST /manage/lines/:line_id/decide": money(({ lineId }) => ({
    line_id: lineId,
    decision: "exclude",
    reason: "matrix",
  })),
  "POST /manage/lines/decide": money(({ lineId }) => ({
    line_ids: [lineId],
    decision: "book",
    kind: "internal",
    reason: "matrix",
  })),
  "GET /manage/sources": view(),
  "POST /manage/sources": change(() => ({
    name: "matrix",
    adapter: "kopeck",
    banks: ["sber"],
    senders: ["900"],
  })),
  "POST /manage/sources/:source_id": change(({ sourceId }) => ({
    source_id: sourceId,
    name: "matrix",
  })),
  "POST /manage/sources/:source_id/revoke": change(({ doomedSourceId }) => ({
    source_id: doomedSourceId,
  })),
  "GET /manage/messages": view(),
  "POST /manage/templates/try": view(() => ({ text: "matrix" })),
  "POST /intake/:source_id": source(({ sourceId }) => ({
    source_id: sourceId,
    sender: "900",
    text: "matrix",
  })),
  "GET /manage/refunds": view(),
  "POST /manage/refunds": money(({ a }) => ({
    invoice_id: a.invoiceId,
    amount: 1,
    reason: "matrix",
  })),
  "GET /manage/payouts": view(),
  "GET /manage/payouts/:payout_id": view(({ payoutId }) => ({ payout_id: payoutId })),
  "POST /manage/payouts": change(({ a }) => ({
    user_id: a.userId,
    service: "card",
    wallet_to: "2200000000000400",
    amount: 10,
  })),
  "POST /manage/payouts/:payout_id/approve": money(({ payoutIds: { held: payout_id } }) => ({
    payout_id,
  })),
  "POST /manage/payouts/:payout_id/refuse": money(({ payoutIds: { doomed: payout_id } }) => ({
    payout_id,
    reason: "matrix",
  })),
  "POST /manage/payouts/:payout_id/take": money(({ payoutIds: { queued: payout_id } }) => ({
    payout_id,
  })),
  "POST /manage/payouts/:payout_id/sent": money(({ payoutIds: { queued: payout_id } }) => ({
    payout_id,
    bank_reference: "matrix",
  })),
  "POST /manage/payouts/:payout_id/not-sent": money(({ payoutIds: { taken: payout_id } }) => ({
    payout_id,
    reason: "matrix",
  })),
  "POST /manage/payouts/:payout_id/resolve": money(({ payoutIds: { unknown: payout_id } }) => ({
    payout_id,
    outcome: "not_sent",
    reason: "matrix",
  })),
  "POST /manage/payouts/:payout_id/return": money(({ payoutIds: { queued: payout_id } }) => ({
    payout_id,
    reason: "matrix",
  })),
  "POST /manage/payouts/:payout_id/recover": money(({ payoutIds: { failed: payout_id } }) => ({
    payout_id,
    bank_reference: "matrix 2",
    reason: "matrix",
  })),
  "GET /manage/payout-batches": view(),
  "POST /manage/payout-batches": money(() => ({ format: "csv" })),
  "POST /manage/payout-batches/:batch_id/file": money(({ batchId: batch_id }) => ({ batch_id })),
  "POST /manage/payout-batches/:batch_id/results": money(({ batchId: batch_id }) => ({
    batch_id,
    content: resultsFile(),
  })),
  "GET /manage/payout-tariffs": view(({ a }) => ({ user_id: a.userId })),
  "POST /manage/payout-tariffs": change(({ a }) => ({
    user_id: a.userId,
    service: "sbp",
    percent: 1,
    min_sum: 1,
    max_sum: 2,
  })),
  "POST /manage/payout-tariffs/remove": change(({ a }) => ({
    user_id: a.userId,
    service: "sbp",
  })),
  "GET /manage/own-moves": view(),
  "POST /manage/own-moves": change(({ requisiteId }) => ({
    kind: "opening",
    requisite_id: requisiteId,
    amount: 1,
    reference: "matrix",
    reason: "matrix",
  })),
  "GET /manage/events": view(),
  "GET /manage/events/:event_id": view(({ a }) => ({ event_id: a.eventId })),
  "POST /manage/events/:event_id/send": money(({ a }) => ({ event_id: a.eventId })),
  "GET /manage/reconciliation": view(),
  "GET /manage/statistics": view(),
  "GET /manage/accounts": view(),
  "GET /manage/accounts/:account_id": view(({ accountId }) => ({ account_id: accountId })),
  "GET /manage/accounts/:account_id/entries": view(({ accountId }) => ({ account_id: accountId })),
  "GET /manage/books": view(),
  "POST /manage/books/check": change(() => ({})),
  "GET /manage/sbp-banks": view(),
  "POST /manage/sbp-banks": change(() => ({ banks: [{ id: "1", name: "matrix" }] })),

  "GET /manage/rails": view(),
  "POST /manage/rails": change(() => ({
    code: "matrix",
    url: "http://127.0.0.1:9",
    services: ["sbp"],
    paused: true,
  })),
  "POST /manage/rails/:code": change(({ railCode }) => ({ code: railCode, services: ["card"] })),
  "POST /manage/rails/:code/rotate-secret": change(() => ({ code: "matrix" })),
  "POST /rails/:code/notice": rail(({ railCode, railKey }) => ({
    code: railCode,
    key: railKey,
    state: "sent",
  })),

  "GET /cabinet/me": own("look"),
  "GET /cabinet/newest": own("look"),
  "GET /cabinet/people": own("people"),
  "POST /cabinet/people": own("people", () => ({
    email: "own-matrix@example.com",
    name: "matrix",
    role: "support",
  })),
  "POST /cabinet/people/:person_id": own(
    "people",
    ({ colleagueId }) => ({ person_id: colleagueId, role: "support" }),
    404,
  ),
  "POST /cabinet/people/:person_id/link": own(
    "people",
    ({ colleagueId }) => ({ person_id: colleagueId }),
    404,
  ),
  "GET /cabinet/shops": own("look"),
  "GET /cabinet/shops/:shop_id": own("look", ({ a }) => ({ shop_id: a.shopId }), 404),
  "POST /cabinet/shops/:shop_id": own(
    "settings",
    ({ a }) => ({ shop_id: a.shopId, color: "#1f6feb" }),
    404,
  ),
  "GET /cabinet/tariffs": own("look", ({ a }) => ({ shop_id: a.shopId }), 404),
  "GET /cabinet/keys": own("keys", ({ a }) => ({ shop_id: a.shopId }), 404),
  "POST /cabinet/keys": own("keys", ({ a }) => ({ shop_id: a.shopId }), 404),
  "POST /cabinet/keys/:key_id/revoke": own("keys", ({ ownKeyId }) => ({ key_id: ownKeyId }), 404),
  "POST /cabinet/shops/:shop_id/rotate-webhook-keys": own(
    "keys",
    ({ a }) => ({ shop_id: a.shopId, overlap_hours: 0 }),
    404,
  ),
  "POST /cabinet/rotate-webhook-keys": own("keys", () => ({ overlap_hours: 0 })),
  "GET /cabinet/invoices": own("look", ({ a }) => ({ shop_id: a.shopId }), 404),
  "GET /cabinet/invoices/:invoice_id": own("look", ({ a }) => ({ invoice_id: a.invoiceId }), 404),
  "POST /cabinet/invoices": own(
    "link",
    ({ a }) => ({ shop_id: a.shopId, amount: 777, order_id: "by hand" }),
    404,
  ),
  "GET /cabinet/refunds": own("look", ({ a }) => ({ shop_id: a.shopId }), 404),
  "POST /cabinet/refunds": own(
    "refund",
    ({ a }) => ({ invoice_id: a.invoiceId, amount: 1, reason: "canary-a" }),
    404,
  ),
  "GET /cabinet/balance": own("balance"),
  "GET /cabinet/entries": own("balance"),
  "GET /cabinet/statistics": own("balance", ({ a }) => ({ shop_id: a.shopId }), 404),
  "GET /cabinet/releases": own("balance"),
  "GET /cabinet/payouts": own("balance"),
  "GET /cabinet/payouts/:payout_id": own(
    "balance",
    ({ payoutId }) => ({ payout_id: payoutId }),
    404,
  ),
  "POST /cabinet/payouts/:payout_id/cancel": own(
    "ask_payout",
    ({ payoutId }) => ({ payout_id: payoutId }),
    404,
  ),
  "POST /cabinet/payouts": own("ask_payout", () => ({
    service: "card",
    wallet_to: "2200000000000400",
    amount: 10,
    order_id: "by hand",
  })),
  "GET /cabinet/payout-tariffs": own("look"),
  "GET /cabinet/events": own("look", ({ a }) => ({ shop_id: a.shopId }), 404),
  "GET /cabinet/events/:event_id": own("look", ({ a }) => ({ event_id: a.eventId }), 404),
  "POST /cabinet/events/:event_id/send": own("resend", ({ a }) => ({ event_id: a.eventId }), 404),
  "POST /cabinet/shops/:shop_id/test-event": own(
    "settings",
    ({ a }) => ({ shop_id: a.shopId }),
    404,
  ),
  "GET /cabinet/tokens": own("look"),
  "POST /cabinet/tokens": own("look", () => ({ name: "matrix" })),
  "POST /cabinet/tokens/:token_id/revoke": {
    ...own("look", ({ ownTokenId }) => ({ token_id: ownTokenId }), 404),
    isOwners: true,
  },
  "GET /cabinet/audit": own("people"),

  // By whoever comes first; repeated, it changes nothing.
  "POST /invoice/cancel": shop(({ doomedInvoiceId }) => ({ invoice_id: doomedInvoiceId }), 404),
  "POST /manage/invoices/:invoice_id/cancel": money(({ doomedInvoiceId }) => ({
    invoice_id: doomedInvoiceId,
    reason: "matrix",
  })),
  "POST /cabinet/invoices/:invoice_id/cancel": own(
    "link",
    ({ doomedInvoiceId }) => ({ invoice_id: doomedInvoiceId }),
    404,
  ),

  "POST /sandbox/transfers": change(() => ({ wallet: "+79165550001", amount: 3 })),
  "POST /sandbox/clock": change(() => ({ advance_seconds: 0 })),
  "GET /sandbox/clock": view(),
};

/** Those who see everything. */
const MANAGERS = new Set<Principal["kind"]>(["viewer", "cashier", "operator"]);

/** The rule of each kind of door; an entry says only what it adds. */
function expected(
  { door, others, right = "look", isOwners }: Entry,
  { kind, proven, tenant, userId, role = "support" }: Principal,
) {
  if (!proven) return 401;
  switch (door) {
    case "view":
      if (kind === "bank") return 403;
      return MANAGERS.has(kind) ? 200 : 401;
    case "change":
      if (kind === "viewer" || kind === "cashier" || kind === "bank") return 403;
      return kind === "operator" ? 200 : 401;
    case "money":
      if (kind === "viewer" || kind === "bank") return 403;
      return MANAGERS.has(kind) ? 200 : 401;
    case "book":
      if (kind === "viewer") return 403;
      return MANAGERS.has(kind) || kind === "bank" ? 200 : 401;
    case "shop":
      if (kind !== "shop") return 401;
      return tenant === "a" ? 200 : (others ?? 200);
    case "user":
      if (kind !== "user") return 401;
      return userId === world.a.userId ? 200 : (others ?? 200);
    case "own":
      if (kind !== "member") return 401;
      if (!may(role, right)) return 403;
      if (isOwners && role !== "owner") return 404;
      return userId === world.a.userId ? 200 : (others ?? 200);
    case "source":
      return kind === "source" ? 200 : 401;
    case "rail":
      return kind === "rail" ? 200 : 401;
  }
}

const ENDPOINTS = new Map(endpointsOf("sandbox").map((one) => [endpointName(one), one]));

function request(endpoint: Endpoint, fields: Fields, { shopId, userId, secret }: Principal) {
  const { method, gate, identifier } = endpoint;
  const own = gate.header === "x-api-key" ? shopId : userId;
  const rest = { ...(identifier === undefined ? {} : { [identifier]: own }), ...fields };
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest[name as keyof typeof rest];
    delete rest[name as keyof typeof rest];
    return String(value);
  });
  // Whoever has a secret shows it as this door wants to see one, and not as its own door would.
  const shown = gate.header === "authorization" ? `Bearer ${secret}` : secret;
  const headers = secret === undefined ? {} : { [gate.header]: shown };
  if (gate.header === "webhook-signature" && secret) {
    return { path, options: notice(secret, gateway.app.clock.now(), rest) };
  }
  if (method === "POST") return { path, options: { headers, body: rest } };
  const query = new URLSearchParams(rest as Record<string, string>);
  return { path: query.size === 0 ? path : `${path}?${query}`, options: { headers } };
}

interface Cell {
  readonly name: string;
  readonly entry: Entry;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly status: number;
}

it("the table has an entry for every endpoint, and an endpoint for every entry", () => {
  assert.deepEqual(Object.keys(TABLE).toSorted(), [...ENDPOINTS.keys()].toSorted());
});

const { gateway } = await openOneGateway();
const world = await createWorld(gateway);
const cells = Object.entries(TABLE).flatMap(([name, entry]) => {
  const endpoint = ENDPOINTS.get(name);
  if (endpoint === undefined) return [];
  return world.principals.map((principal) => ({
    name,
    entry,
    endpoint,
    principal,
    status: expected(entry, principal),
  }));
});
after(() => world.close());

const ask = ({ endpoint, principal }: Cell, fields: Fields): Promise<Answer> => {
  const { path, options } = request(endpoint, fields, principal);
  return gateway.call(path, options);
};

/** Whoever manages the gateway sees all of it; a merchant only what is theirs. */
const givesNothingAway = ({ name, principal, status }: Cell, { text }: Answer): void => {
  // A bank is answered with what it has told itself.
  const sees = status === 200 && (MANAGERS.has(principal.kind) || principal.kind === "bank");
  if (sees) return;
  const { a, b, c } = world;
  // A user is told of all of their shops.
  const { kind, tenant: own, userId: who } = principal;
  const isOwn = (name: string, owner: string): boolean =>
    status === 200 && (kind === "user" || kind === "member" ? owner === who : name === own);
  const hidden = [
    ...Object.entries({ a, b, c }).flatMap(([tenant, { canaries, shopId, userId }]) =>
      isOwn(tenant, userId) ? [] : [...canaries, shopId],
    ),
    ...world.managers,
  ];
  const found = hidden.filter((canary) => text.includes(canary));
  assert.deepEqual(found, [], `${principal.name} at ${name} reads ${text}`);
};

const judge = (cell: Cell, status: number, answer: Answer): void => {
  const where = `${cell.principal.name} at ${cell.name}: ${answer.text}`;
  assert.equal(answer.status, status, where);
  givesNothingAway({ ...cell, status }, answer);
};

/** Some at a time, as callers come. */
const everyone = async (some: readonly Cell[], work: (cell: Cell) => Promise<void>) => {
  for (let from = 0; from < some.length; from += 25) {
    await Promise.all(some.slice(from, from + 25).map(work));
  }
};

it("whoever may not is refused, learns nothing and changes nothing", async () => {
  const refused = cells.filter(({ status }) => status !== 200);
  // All of these wrong secrets at one moment would be too many.
  for (const half of [0, 1]) {
    gateway.clock.advance(MINUTE);
    await world.settle();
    const old = await printOf(gateway);
    const { rows } = old.find(({ name }) => name === "invoices") ?? assert.fail();
    assert.equal(rows, 6);
    await everyone(
      refused.filter((_, index) => index % 2 === half),
      async (cell) => judge(cell, cell.status, await ask(cell, cell.entry.fields(world))),
    );
    assert.deepEqual(await printOf(gateway), old);
  }
  assert.ok(refused.length > 600, String(refused.length));
});

it("who calls is asked before what is wrong with the request", async () => {
  // All of these wrong secrets at one moment would be too many.
  gateway.clock.advance(MINUTE);
  await world.settle();
  const old = await printOf(gateway);
  await everyone(cells, async (cell) => {
    const { required = [], properties } = cell.endpoint.input;
    const named = new Set(cell.endpoint.path.match(/(?<=:)\w+/g) ?? []);
    const needs = required.filter((name) => name !== cell.endpoint.identifier && !named.has(name));
    const [field] = needs;
    if (field === undefined || !(field in properties)) return;
    const kept = Object.entries(cell.entry.fields(world)).filter(([name]) => !needs.includes(name));
    const status = cell.status === 200 || cell.status === 404 ? 422 : cell.status;
    judge(cell, status, await ask(cell, Object.fromEntries(kept)));
  });
  assert.deepEqual(await printOf(gateway), old);
});

it("a field that nobody knows is refused under /manage and /cabinet, by its name, and changes nothing", async () => {
  const old = await printOf(gateway);
  const managed = cells.filter(({ name, principal: { kind, role, userId }, status }) => {
    const isOwner = role === "owner" && userId === world.a.userId && name.includes(" /cabinet/");
    return status === 200 && (isOwner || (kind === "operator" && name.includes(" /manage/")));
  });
  const closed = [...ENDPOINTS.keys()].filter((key) => / \/(?:manage|cabinet)\//.test(key));
  assert.equal(managed.length, closed.length);
  const words = ["The no such field field does not exist here."];
  for (const cell of managed) {
    const fields = cell.entry.fields(world);
    const answer = await ask(cell, { ...fields, no_such_field: "1" });
    assert.deepEqual([answer.status, answer.body.error], [422, words], cell.name);
    const { path, options } = request(cell.endpoint, fields, cell.principal);
    if (!("body" in options)) continue;
    // Beside a body, and inside one where the path has named it already.
    const beside = await gateway.call(`${path}?no_such_field=1`, options);
    assert.deepEqual([beside.status, beside.body.error], [422, words], cell.name);
    const [named] = cell.endpoint.path.match(/(?<=:)\w+/) ?? [];
    if (named === undefined) continue;
    const body = { ...(options.body as object), [named]: "1" };
    assert.equal((await gateway.call(path, { ...options, body })).status, 422, cell.name);
  }
  assert.deepEqual(await printOf(gateway), old);
});

it("and is ignored where merchants call, as ever", async () => {
  for (const cell of cells) {
    if (cell.status !== 200 || cell.principal.tenant !== "a" || cell.entry.door !== "shop")
      continue;
    const answer = await ask(cell, { ...cell.entry.fields(world), no_such_field: "1" });
    assert.equal(answer.status, 200, `${cell.name}: ${answer.text}`);
  }
});

it("an operator who looks is let in where a door only looks, as an owner is, and nowhere else", () => {
  const { userId } = world.a;
  const who = { personId: NOBODY, name: "A", userId, role: "owner", onlyLooks: true };
  for (const [name, door] of ENDPOINTS) {
    if (!name.includes(" /cabinet/")) continue;
    const { code } = (refusalOf(door, who) ?? {}) as { code?: string };
    assert.equal(code, name.startsWith("GET ") ? undefined : "looker_cannot_change", name);
  }
});

it("another tenant's invoice or payout sounds like one that nobody has", async () => {
  for (const cell of cells) {
    if (cell.entry.others !== 404 || cell.status !== 404) continue;
    const fields = cell.entry.fields(world);
    const theirs = await ask(cell, fields);
    const unknown = await ask(cell, { ...fields, [nameOf(fields)]: NOBODY });
    assert.deepEqual([theirs.status, theirs.text], [404, unknown.text], cell.principal.name);
    assert.deepEqual([...theirs.headers.keys()].toSorted(), [...unknown.headers.keys()].toSorted());
  }
});

function nameOf(fields: Fields): string {
  return Object.keys(fields).find((name) => name.endsWith("id")) ?? "id";
}

it("an order of another tenant's is found by nobody else", async () => {
  const info = ENDPOINTS.get("GET /invoice/info");
  assert.ok(info);
  for (const principal of world.principals) {
    if (!principal.proven || principal.kind !== "shop" || principal.tenant === "a") continue;
    const { path, options } = request(info, { order_id: world.a.orderId }, principal);
    assert.equal((await gateway.call(path, options)).status, 404);
  }
});

it("whoever may is answered, with what is theirs", async () => {
  // Shops and users first: an operator's calls change what they would see.
  const allowed = cells.filter(({ status }) => status === 200);
  const order = ["shop", "user", "member", "source", "viewer", "cashier", "bank", "operator"];
  const sorted = allowed.toSorted(
    (left, right) => order.indexOf(left.principal.kind) - order.indexOf(right.principal.kind),
  );
  for (const cell of sorted) {
    // What a cashier would use up is an operator's to do; that the request is read at all says enough.
    const isSpared = cell.entry.door === "money" && cell.principal.kind === "cashier";
    const fields = cell.entry.fields(world);
    // What is to be sent again has arrived before.
    if (cell.name.endsWith("/send")) await world.settle();
    if (isSpared) judge(cell, 422, await ask(cell, { ...fields, no_such_field: "1" }));
    else judge(cell, 200, await ask(cell, fields));
  }
  await world.settle();
  await assertBooksAreRight(gateway);
  assert.ok(allowed.length > 80, String(allowed.length));
});
