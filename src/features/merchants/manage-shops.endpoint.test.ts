// Shops through /manage: what was set takes effect on the next order, and its webhooks verify.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { createH2h, createInvoice, OTHER_USER, SHOP, USER } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, NOBODY } from "../../../test/orders.ts";
import { openReceiver, type Received } from "../../../test/receiver.ts";

const TARIFF = { service: "p2p_card", shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 9999 };

const { gateway, own, trade } = await openOneGateway();
const receiver = await openReceiver();
await own.post("tariffs", TARIFF);
after(() => receiver.close());

const open = async (settings: Record<string, unknown> = {}) => {
  const wish = { user_id: USER.id, name: "Store", h2h_enabled: true, ...settings };
  const { shop, api_key, webhook_key, webhook_secret } = await own.post("shops", wish);
  return { id: shop.shop_id, key: api_key, shop, webhook_key, webhook_secret };
};
const isSignedWith = ({ headers, raw }: Received, keys: Keys): boolean => {
  const hmac = createHmac("sha256", keys.webhook_key).update(raw).digest("hex");
  if (headers["x-api-sha256-signature"] !== hmac) return false;
  // The package compares the timestamp with the machine's clock; the sandbox's runs ahead.
  const { now } = Date;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
  try {
    return Boolean(new Webhook(keys.webhook_secret).verify(raw, headers as Record<string, string>));
  } finally {
    Date.now = now;
  }
};

it("200: a new shop takes an order, and its webhook verifies with the keys it was given", async () => {
  const wish = { user_id: USER.id, name: "Acme store", h2h_enabled: true };
  const { answer, logged } = await trade.audited(() => own.post("shops", wish));
  const { shop, api_key, webhook_key, webhook_secret } = answer;
  assert.deepEqual(shop, {
    shop_id: shop.shop_id,
    user_id: USER.id,
    name: "Acme store",
    h2h_enabled: true,
    late_policy: "credit",
    nudge_max_kopecks: 99,
    success_url: null,
    fail_url: null,
    hook_url: null,
    title: null,
    logo_url: null,
    color: null,
    support: null,
    dialect: "strict",
    created_at: trade.now(),
  });
  assert.deepEqual(logged, ["shop.create", shop.shop_id, null, shop]);
  assert.deepEqual(await own.get(`shops/${shop.shop_id.toUpperCase()}`), shop);
  const stored = JSON.stringify([await own.get("audit"), await own.get("shops")]);
  for (const secret of [api_key, webhook_key, webhook_secret]) {
    assert.ok(secret.length > 20 && !stored.includes(secret));
  }
  const credentials = { id: shop.shop_id, key: api_key };
  const order = await trade.order({ hook_url: receiver.url }, credentials);
  const transfer = await trade.pay(order);
  assert.deepEqual([transfer.state, transfer.invoice_id], ["matched", order.id]);
  await trade.pass(0);
  const told = receiver.received.at(-1);
  assert.equal(told?.body.invoice_id, order.id);
  assert.ok(told && isSignedWith(told, { webhook_key, webhook_secret }));
});

it("200: title, logo and colour can be set, changed and forgotten", async () => {
  const { id } = await open();
  const look = { title: "Чай", logo_url: "https://img.example/l.png", color: "#00ff7f" };
  const { answer, row } = await trade.audited(() => own.post(`shops/${id}`, look));
  const { title, logo_url, color } = answer;
  assert.deepEqual({ title, logo_url, color }, look);
  assert.equal(row.before.title, null);
  const bare = await own.post(`shops/${id}`, { clear: ["title", "logo_url", "color"] });
  assert.deepEqual([bare.title, bare.logo_url, bare.color], [null, null, null]);
  const wrong = {
    logo_url: "http://img.example/l.png",
    color: "red;}",
    title: "x".repeat(101),
  };
  assert.deepEqual(await own.refused(`shops/${id}`, wrong), [
    422,
    [
      "The title field must have at most 100 characters.",
      "The logo url field must be an https URL.",
      "The color field is malformed.",
    ],
  ]);
});

it("200: new webhook keys without an overlap sign the next webhook, the old ones no longer do", async () => {
  const { id, key, ...old } = await open({ hook_url: receiver.url });
  const path = `shops/${id}/rotate-webhook-keys`;
  await own.post(path);
  const wish = { overlap_hours: 0 };
  const { answer: fresh, logged } = await trade.audited(() => own.post(path, wish));
  assert.deepEqual([fresh.webhook_key !== old.webhook_key, fresh.old_until], [true, null]);
  assert.deepEqual(logged, ["shop.rotate_webhook_keys", id, null, { old_until: null }]);
  await trade.pay(await trade.order({}, { id, key }));
  await trade.pass(0);
  const told = receiver.received.at(-1);
  assert.ok(told && isSignedWith(told, fresh));
  assert.ok(!isSignedWith(told, old));
  assert.equal(told.headers["x-api-sha256-signature-other"], undefined);
  for (const overlap_hours of [-1, 169, 0.5]) {
    assert.equal((await own.refused(path, { overlap_hours }))[0], 422);
  }
});

it("200: until the overlap ends, a receiver that knows only the old keys or only the new ones hears all", async () => {
  const { id, key, ...old } = await open({ hook_url: receiver.url });
  const path = `shops/${id}/rotate-webhook-keys`;
  const { answer: fresh, logged } = await trade.audited(() => own.post(path));
  const old_until = new Date(Date.parse(trade.now()) + DAY * 1000).toISOString();
  assert.deepEqual(logged, ["shop.rotate_webhook_keys", id, null, { old_until }]);
  assert.equal(fresh.old_until, old_until);
  // A second rotation would have ended at once what the first has promised to keep.
  const [status, message] = await own.refused(path, {});
  assert.deepEqual([status, String(message).includes(`until ${old_until}`)], [422, true]);
  /** What a receiver with these keys takes of the attempts of one webhook: 1 is the first of them. */
  const taken = async (keys: Keys): Promise<number[]> => {
    const before = receiver.received.length;
    receiver.answer(401);
    await trade.pay(await trade.order({}, { id, key }));
    await trade.pass(5);
    receiver.answer(200);
    await trade.pass(300);
    const told = receiver.received.slice(before);
    assert.equal(told.length, 3);
    return told.flatMap((one, index) => (isSignedWith(one, keys) ? [index + 1] : []));
  };
  assert.deepEqual([await taken(old), await taken(fresh)], [[1, 3], [2]]);
  await trade.pass(DAY);
  assert.deepEqual([await taken(old), await taken(fresh)], [[], [1, 2, 3]]);
});

it("200: a corrected hook_url holds for invoices that are there, retries and events sent again", async () => {
  const { id, key } = await open({ hook_url: "http://127.0.0.1:1/typo" });
  const shop = { id, key };
  const exhausted = await trade.order({}, shop);
  await trade.pay(exhausted);
  await trade.pass(10 * DAY);
  const [waits, later] = [await trade.order({}, shop), await trade.order({}, shop)];
  const elsewhere = await trade.order({ hook_url: "http://127.0.0.1:1/own" }, shop);
  await trade.pay(waits);
  await trade.pass(0);
  const eventOf = async (order: { id: string }) =>
    (await own.get(`events?invoice_id=${order.id}`)).items[0];
  const states = async () =>
    [await eventOf(waits), await eventOf(exhausted)].map((one) => one.state);
  assert.deepEqual(await states(), ["waiting", "exhausted"]);

  await own.post(`shops/${id}`, { hook_url: receiver.url });
  await own.post(`events/${(await eventOf(exhausted)).event_id}/send`);
  await trade.pay(later);
  await trade.pay(elsewhere);
  await trade.pass(10);
  const told = receiver.received.map(({ body }) => body.invoice_id);
  for (const order of [waits, exhausted, later]) assert.ok(told.includes(order.id));
  assert.deepEqual(await states(), ["delivered", "delivered"]);
  assert.equal((await eventOf(waits)).hook_url, receiver.url);
  // What an invoice brought along stays its own.
  assert.equal((await eventOf(elsewhere)).hook_url, "http://127.0.0.1:1/own");
});

it("200: an event that had no address can be sent once the shop has one", async () => {
  const { id, key } = await open({});
  const order = await trade.order({}, { id, key });
  await trade.pay(order);
  const [event] = (await own.get(`events?invoice_id=${order.id}`)).items;
  assert.equal(event.state, "no_address");
  assert.equal((await own.refused(`events/${event.event_id}/send`, {}))[0], 422);
  await own.post(`shops/${id}`, { hook_url: receiver.url });
  await own.post(`events/${event.event_id}/send`);
  await trade.pass(0);
  assert.equal(receiver.received.at(-1)?.headers["webhook-id"], event.event_id);
});

it("200: without h2h a shop gets no new details, also for an order from before; issued ones stay", async () => {
  const { shop, ...door } = await open({ h2h_enabled: undefined });
  assert.equal(shop.h2h_enabled, false);
  assert.match((await createInvoice(gateway, {}, door)).body.error, /H2H/);
  await own.post(`shops/${door.id}`, { h2h_enabled: true });
  const issued = await trade.order({}, door);
  const { body } = await createInvoice(gateway, {}, door);
  await own.post(`shops/${door.id}`, { h2h_enabled: false });
  assert.equal((await createInvoice(gateway, {}, door)).status, 422);
  const refused = await createH2h(gateway, body.data.id, {}, door);
  assert.deepEqual(refused.body.error, ["H2H payments are not available for this shop."]);
  assert.equal((await createH2h(gateway, issued.id, {}, door)).body.data.wallet, issued.wallet);
  assert.equal((await trade.pay(issued)).state, "matched");
  assert.equal((await createInvoice(gateway)).status, 200, "the other shops are as they were");
});

it("200: addresses are stored in their normal form, used for orders, and cleared by name", async () => {
  const { id, key } = await open({ success_url: "HTTPS://Shop.Example:443/a/../ok" });
  const set = { fail_url: "https://shop.example/fail", hook_url: receiver.url };
  const full = await own.post(`shops/${id}`, set);
  assert.equal(full.success_url, "https://shop.example/ok");
  const taken = await createInvoice(gateway, { success_url: undefined }, { id, key });
  assert.equal(taken.status, 200);
  const clear = { clear: ["success_url", "hook_url"] };
  const { answer, row } = await trade.audited(() => own.post(`shops/${id}`, clear));
  assert.deepEqual(answer, { ...full, success_url: null, hook_url: null });
  assert.deepEqual([row.act, row.before, row.after], ["shop.update", full, answer]);
  const refused = await createInvoice(gateway, { success_url: undefined }, { id, key });
  assert.match(refused.body.error, /success url/);
});

it("200: a support contact is a URL, an e-mail address or a phone; a dialect is one of two", async () => {
  const { id, shop } = await open({ support: "https://shop.example/help", dialect: "family" });
  assert.deepEqual([shop.support, shop.dialect], ["https://shop.example/help", "family"]);
  for (const support of ["help@shop.example", "+79990000001"]) {
    assert.equal((await own.post(`shops/${id}`, { support })).support, support);
  }
  for (const support of ["javascript:alert(1)", "ftp://x.example", "+1\u0000"]) {
    const [status, message] = await own.refused(`shops/${id}`, { support });
    assert.equal(status, 422, support);
    assert.match(String(message), /support field must be a URL, an e-mail address or a phone/);
  }
  assert.equal((await own.refused(`shops/${id}`, { dialect: "loose" }))[0], 422);
  const back = await own.post(`shops/${id}`, { clear: ["support"], dialect: "strict" });
  assert.deepEqual([back.support, back.dialect], [null, "strict"]);
});

it("200: what is left out stays, and a list holds one user's shops", async () => {
  const { user } = await own.post("users", { name: "Has two shops" });
  const first = await open({ user_id: user.user_id, late_policy: "hold" });
  trade.tick();
  const second = await open({ user_id: user.user_id.toUpperCase(), nudge_max_kopecks: 5 });
  assert.equal(second.shop.user_id, user.user_id);
  const renamed = await own.post(`shops/${first.id}`, { name: "Renamed" });
  assert.deepEqual(renamed, { ...first.shop, name: "Renamed" });
  assert.deepEqual(await own.post(`shops/${first.id}`, { hook_url: "" }), renamed);
  const { items } = await own.get(`shops?user_id=${user.user_id}`);
  assert.deepEqual(items, [second.shop, renamed]);
  assert.deepEqual((await own.get(`shops?user_id=${NOBODY}`)).items, []);
  assert.equal((await own.get(`shops?user_id=${OTHER_USER.id}`)).items.length, 1);
});

it("422 for what no shop can have, without a trace", async () => {
  const wrong = [
    { h2h_enabled: "yes" },
    { late_policy: "burn" },
    { nudge_max_kopecks: 100 },
    { hook_url: "ftp://shop.example" },
    { success_url: "https://user:password@shop.example" },
    { fail_url: `https://shop.example/${"x".repeat(2048)}` },
    { name: "a\0b" },
  ];
  await trade.refusedWithoutTrace(
    422,
    wrong.flatMap((settings) => [
      ["shops", { user_id: USER.id, name: "x", ...settings }] as const,
      [`shops/${SHOP.id}`, settings] as const,
    ]),
  );
  await trade.refusedWithoutTrace(422, [
    ["shops", {}],
    ["shops", { user_id: "me", name: "x" }],
    [`shops/${SHOP.id}`, { clear: ["name"] }],
    [`shops/${SHOP.id}`, { clear: ["hook_url", "hook_url"] }],
    ["shops/42", { name: "x" }],
  ]);
});

interface Keys {
  readonly webhook_key: string;
  readonly webhook_secret: string;
}
