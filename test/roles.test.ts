// Every door of a merchant's own people, asked by every role: let in and refused exactly as the table of rights says;
// and asked by another merchant's owner for what is not theirs, answered as if nobody had it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { MEMBER_ROLES, may, type Right } from "../src/domain/role.ts";
import { endpointsOf } from "../src/features/index.ts";
import { deliverDue } from "../src/features/webhooks/deliver-events.job.ts";
import { refusalOf } from "../src/platform/ask.ts";
import { endpointName } from "../src/platform/endpoint.ts";
import { LINK_SHOP, OTHER_USER, SHOP, USER } from "./cast.ts";
import { hire, owners } from "./members.ts";
import { openOneGateway } from "./one-gateway.ts";
import { DAY, NOBODY, printOf } from "./orders.ts";
import { CARD, pauseRail } from "./payouts.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Row {
  readonly right: Right;
  readonly fields: Fields;
  /** The field that names something of the merchant's: there is no such thing for anybody else. */
  readonly names?: string;
}

const { gateway, own, trade } = await openOneGateway();
const { mine } = await owners(gateway);
await pauseRail(gateway);
const order = await trade.order();
await trade.pay(order);
await trade.pass(DAY);
const open = await trade.order();
const payout = await mine.post("payouts", { service: "card", wallet_to: CARD, amount: 10 });
const { items: events } = await own.get(`events?invoice_id=${order.id}`);

const shop_id = SHOP.id;
const invoice_id = order.id;

/** In this order by each role; what is ended is made for each of them just before. */
const TABLE: Readonly<Record<string, Row>> = {
  "GET /cabinet/me": { right: "look", fields: {} },
  "GET /cabinet/newest": { right: "look", fields: {} },
  "GET /cabinet/people": { right: "people", fields: {} },
  "POST /cabinet/people": {
    right: "people",
    fields: { email: "roles@example.com", name: "New", role: "support" },
  },
  "POST /cabinet/people/:person_id": {
    right: "people",
    fields: { role: "support" },
    names: "person_id",
  },
  "POST /cabinet/people/:person_id/link": { right: "people", fields: {}, names: "person_id" },
  "GET /cabinet/shops": { right: "look", fields: {} },
  "GET /cabinet/shops/:shop_id": { right: "look", fields: { shop_id }, names: "shop_id" },
  "POST /cabinet/shops/:shop_id": {
    right: "settings",
    fields: { shop_id, hook_url: "https://shop.example/h" },
    names: "shop_id",
  },
  "POST /cabinet/shops/:shop_id/test-event": {
    right: "settings",
    fields: { shop_id },
    names: "shop_id",
  },
  "GET /cabinet/tariffs": { right: "look", fields: { shop_id }, names: "shop_id" },
  "GET /cabinet/keys": { right: "keys", fields: { shop_id }, names: "shop_id" },
  "POST /cabinet/keys": { right: "keys", fields: { shop_id }, names: "shop_id" },
  "POST /cabinet/keys/:key_id/revoke": { right: "keys", fields: {}, names: "key_id" },
  "POST /cabinet/shops/:shop_id/rotate-webhook-keys": {
    right: "keys",
    fields: { shop_id, overlap_hours: 0 },
    names: "shop_id",
  },
  "POST /cabinet/rotate-webhook-keys": { right: "keys", fields: { overlap_hours: 0 } },
  "GET /cabinet/invoices": { right: "look", fields: { shop_id }, names: "shop_id" },
  "GET /cabinet/invoices/:invoice_id": {
    right: "look",
    fields: { invoice_id },
    names: "invoice_id",
  },
  "POST /cabinet/invoices": {
    right: "link",
    fields: { shop_id: LINK_SHOP.id, amount: 500 },
    names: "shop_id",
  },
  "POST /cabinet/invoices/:invoice_id/cancel": {
    right: "link",
    fields: { invoice_id: open.id },
    names: "invoice_id",
  },
  "GET /cabinet/refunds": { right: "look", fields: { shop_id }, names: "shop_id" },
  "POST /cabinet/refunds": {
    right: "refund",
    fields: { invoice_id, amount: 1, reason: "a cup" },
    names: "invoice_id",
  },
  "GET /cabinet/balance": { right: "balance", fields: {} },
  "GET /cabinet/entries": { right: "balance", fields: {} },
  "GET /cabinet/statistics": { right: "balance", fields: { shop_id }, names: "shop_id" },
  "GET /cabinet/releases": { right: "balance", fields: {} },
  "GET /cabinet/payouts": { right: "balance", fields: {} },
  "GET /cabinet/payouts/:payout_id": {
    right: "balance",
    fields: { payout_id: payout.payout_id },
    names: "payout_id",
  },
  "POST /cabinet/payouts/:payout_id/cancel": {
    right: "ask_payout",
    fields: { payout_id: payout.payout_id },
    names: "payout_id",
  },
  "POST /cabinet/payouts": {
    right: "ask_payout",
    fields: { service: "card", wallet_to: CARD, amount: 20 },
  },
  "GET /cabinet/payout-tariffs": { right: "look", fields: {} },
  "GET /cabinet/events": { right: "look", fields: { shop_id }, names: "shop_id" },
  "GET /cabinet/events/:event_id": {
    right: "look",
    fields: { event_id: events[0].event_id },
    names: "event_id",
  },
  "POST /cabinet/events/:event_id/send": {
    right: "resend",
    fields: { event_id: events[0].event_id },
    names: "event_id",
  },
  "GET /cabinet/tokens": { right: "look", fields: {} },
  "POST /cabinet/tokens": { right: "look", fields: { name: "one more" } },
  "POST /cabinet/tokens/:token_id/revoke": { right: "look", fields: {}, names: "token_id" },
  "GET /cabinet/audit": { right: "people", fields: {} },
};

const ENDPOINTS = new Map(
  endpointsOf("live")
    .filter(({ path }) => path.startsWith("/cabinet/"))
    .map((endpoint) => [endpointName(endpoint), endpoint]),
);

function ask(name: string, fields: Fields, token: string) {
  const [method, path = ""] = name.split(" ");
  const rest: Record<string, unknown> = { ...fields };
  const filled = path.replace(/:(\w+)/g, (_, field: string) => {
    const value = String(rest[field] ?? NOBODY);
    delete rest[field];
    return value;
  });
  const headers = { authorization: `Bearer ${token}` };
  if (method === "POST") return gateway.call(filled, { headers, body: rest });
  const query = new URLSearchParams(rest as Record<string, string>);
  return gateway.call(`${filled}?${query}`, { headers });
}

it("the table has a row for every door of a merchant's own people", () => {
  assert.deepEqual(Object.keys(TABLE).toSorted(), [...ENDPOINTS.keys()].toSorted());
});

it("every role is refused exactly where the table of rights says so, and has then changed nothing", async () => {
  for (const role of MEMBER_ROLES) {
    const { token, own: self } = await hire(gateway, role);
    const { key } = await mine.post("keys", { shop_id });
    const made = await self.post("tokens", { name: "doomed" });
    const { personId: person_id } = await hire(gateway, "support");
    const ids = { key_id: key.key_id, token_id: made.token.token_id, person_id };
    for (const [name, { right, fields, names = "" }] of Object.entries(TABLE)) {
      // Once its event is heard of it may be sent again.
      if (name.endsWith("/send")) await own.ask(`events/${events[0].event_id}/send`, {});
      // Nothing is on its way that would change tables by itself.
      await deliverDue(gateway.app);
      const named = names in ids ? { [names]: ids[names as keyof typeof ids] } : {};
      const old = may(role, right) ? undefined : await printOf(gateway);
      const answer = await ask(name, { ...fields, ...named }, token);
      const said = `${role} at ${name}: ${answer.text}`;
      if (old === undefined) {
        // What waits is sent anyway: that is heard, and refused for another reason.
        assert.equal(answer.status, name.endsWith("/send") ? 422 : 200, said);
      } else {
        assert.deepEqual(
          [answer.status, answer.headers.get("x-kopeck-error")],
          [403, "role_cannot"],
          said,
        );
        assert.deepEqual(await printOf(gateway), old, said);
      }
    }
  }
});

it("an operator who looks is let in where a door only looks, as an owner is, and nowhere else", () => {
  const who = { personId: NOBODY, name: "A", userId: USER.id, role: "owner", onlyLooks: true };
  for (const [name, door] of ENDPOINTS) {
    const { code } = (refusalOf(door, who) ?? {}) as { code?: string };
    assert.equal(code, name.startsWith("GET ") ? undefined : "looker_cannot_change", name);
  }
});

it("what another merchant has sounds like what nobody has, to every door that takes a name", async () => {
  const { token } = await hire(gateway, "owner", OTHER_USER.id);
  const { key } = await mine.post("keys", { shop_id });
  const { token: foreign } = await mine.post("tokens", { name: "theirs" });
  const { personId: person_id } = await hire(gateway, "support");
  const ids = { key_id: key.key_id, token_id: foreign.token_id, person_id };
  const old = await printOf(gateway);
  for (const [name, { fields, names }] of Object.entries(TABLE)) {
    if (names === undefined) continue;
    const named = names in ids ? { [names]: ids[names as keyof typeof ids] } : {};
    const theirs = await ask(name, { ...fields, ...named }, token);
    const unknown = await ask(name, { ...fields, [names]: NOBODY }, token);
    assert.deepEqual([theirs.status, theirs.text], [404, unknown.text], name);
  }
  assert.deepEqual(await printOf(gateway), old);
});
