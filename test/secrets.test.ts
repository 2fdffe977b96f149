// Canaries: no secret and no card number in any log, error, metric or dump of the database. Only the
// answers that are meant to show one hold it, each its own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, it } from "node:test";
import { createH2h, createInvoice, SHOP, USER } from "./cast.ts";
import type { Answer, CallOptions, TestGateway } from "./gateway.ts";
import { OPERATOR_TOKEN } from "./manage.ts";
import { ONE_ENGINE, openOneGateway } from "./one-gateway.ts";
import { everyRow } from "./orders.ts";
import { untilFree } from "./patience.ts";
import { findPostgres } from "./postgres.ts";
import { openReceiver } from "./receiver.ts";

const CAST_CARD = /22022000000000|22007000000000|7999000000/;
const WRONG_KEY = "canary-wrong-key-5f1d";
const WRONG_TOKEN = "kop_canaryWrongToken77b1aaaaaaaaaaaa";

/** All but BAD_CARD have a right check digit; the strange ones are no requisite's. */
const CARD = "2200701837264958";
const SECOND_CARD = "2202209917283649";
const BAD_CARD = "2200705566778890";
const STRANGE_CARD = "2200708182736456";
const PAYER_CARD = "4276380012345679";
const PHONE = "+79167305518";
const STRANGE_PHONE = "+79031112233";

const { gateway } = await openOneGateway({ logLevel: "trace" });
const receiver = await openReceiver();
after(() => receiver.close());

it("secrets are in no log, error, metric, table or dump, and in no answer but their own", async () => {
  const told = recorder(gateway);
  const { answers } = told;
  const shown = await live(told, receiver.url);
  await refuse(told);
  await fail(told, gateway);
  await look(told);
  const tables = withBytesAsText(await everyRow(gateway));
  const server = ONE_ENGINE === "postgres" ? dumpServer(gateway) : "";
  const log = gateway.log.join("");
  const sent = receiver.received.map(({ raw, headers }) => raw + JSON.stringify(headers));
  const errors = answers.filter(({ status }) => status !== 200);

  assert.ok(log.includes("a request failed unexpectedly"), "the log did record the failures");
  assert.ok(tables.includes("canary-comment-77aa"), "the dump holds what was stored");
  assert.ok(tables.includes("427638******5679"), "a payer's card is kept masked");
  assert.equal(sent.length, 1);
  assert.ok(errors.length > 25, String(errors.length));

  for (const [place, written] of Object.entries({ log, tables, server, sent: sent.join("\n") })) {
    // A number may also be written in groups.
    const text = `${written}\n${written.replace(/(?<=\d)[ -](?=\d)/g, "")}`;
    for (const { name, parts } of [...shown, ...NEVER]) {
      const found = parts.flatMap(disguises).filter((part) => text.includes(part));
      assert.deepEqual(found, [], `${name} is in ${place}`);
    }
    assert.doesNotMatch(text, CAST_CARD, place);
  }
  for (const { name, parts, shownBy } of [...shown, ...NEVER]) {
    const holders = answers.filter(({ text }) => parts.some((part) => text.includes(part)));
    assert.deepEqual([...new Set(holders.map(({ path }) => path))], shownBy, name);
  }
  for (const secret of [SHOP.key, USER.secret, OPERATOR_TOKEN]) {
    const seen = log + errors.map(({ text }) => text).join("");
    assert.ok(!seen.includes(secret) && !tables.includes(`"${secret}"`), secret);
  }
  for (const { path, text } of errors) {
    assert.doesNotMatch(text, CAST_CARD, path);
    assert.doesNotMatch(text, /canary-/, `${path}: what was sent is not repeated`);
  }
  assert.doesNotMatch(log, /canary-/, "what was sent is not written down");
});

interface Told extends Answer {
  readonly path: string;
}

/** Calls with the cast's own secrets, and every answer in the order that it came. */
function recorder(gateway: TestGateway) {
  const answers: Told[] = [];
  const call = async (path: string, options: CallOptions = {}): Promise<Told> => {
    const answer = { ...(await gateway.call(path, options)), path };
    answers.push(answer);
    return answer;
  };
  const authorization = `Bearer ${OPERATOR_TOKEN}`;
  return {
    answers,
    call,
    manage: (path: string, body?: unknown) =>
      call(path, { headers: { authorization }, ...(body === undefined ? {} : { body }) }),
    /** The data of a success. */
    async made(path: string, body?: unknown) {
      const answer = await this.manage(path, body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data;
    },
  };
}

type Recorder = ReturnType<typeof recorder>;

interface Canary {
  readonly name: string;
  /** Long parts, so that half a number is found as well. */
  readonly parts: readonly string[];
  /** The paths of the answers that may show it, and must. */
  readonly shownBy: readonly string[];
}

const number = (name: string, digits: string, shownBy: readonly string[] = []): Canary => {
  const bare = digits.replace("+", "");
  const keep = Math.max(9, bare.length - 4);
  return { name, parts: [bare.slice(0, keep), bare.slice(-keep)], shownBy };
};
const secret = (name: string, text: string, shownBy: readonly string[] = []): Canary => ({
  name,
  shownBy,
  parts: [text.replace(/^[a-z]+_/, "")],
});

const NEVER: readonly Canary[] = [
  number("a card with a wrong check digit", BAD_CARD),
  number("a card of nobody", STRANGE_CARD),
  number("a phone of nobody", STRANGE_PHONE),
  number("the payer's card", PAYER_CARD),
  secret("a wrong key", WRONG_KEY),
  secret("a wrong token", WRONG_TOKEN),
];

/** Everything that makes, shows or takes a secret or a number, and works. */
async function live(told: Recorder, hookUrl: string): Promise<Canary[]> {
  const { items } = await told.made("/manage/requisites");
  for (const { requisite_id } of items) {
    await told.made(`/manage/requisites/${requisite_id}`, { enabled: false });
  }
  const newUser = await told.made("/manage/users", { name: "Acme" });
  const { user, secret: userSecret } = newUser;
  const rotateUser = `/manage/users/${user.user_id}/rotate-webhook-keys`;
  const userHooks = await told.made(rotateUser, {});
  const wish = { user_id: user.user_id, name: "Acme store", h2h_enabled: true, hook_url: hookUrl };
  const made = await told.made("/manage/shops", wish);
  const id = made.shop.shop_id;
  const rotate = `/manage/shops/${id}/rotate-webhook-keys`;
  const hooks = await told.made(rotate, {});
  const second = await told.made("/manage/keys", { user_id: user.user_id });
  const fresh = await told.made("/manage/keys/rotate", { shop_id: id, overlap_hours: 0 });
  const { token } = await told.made("/manage/operators", { name: "Anna", role: "operator" });
  await told.call("/manage/me", { headers: { authorization: `Bearer ${token}` } });
  await told.made("/manage/tariffs", {
    service: "p2p_card",
    shop_percent: 1,
    user_percent: 1,
    min_sum: 1,
    max_sum: 100_000,
  });

  const holder = { bank: "sber", receiver_name: "Receiver" };
  const requisite = await told.made("/manage/requisites", { ...holder, card: CARD, phone: PHONE });
  const other = { ...holder, bank: "tinkoff", card: SECOND_CARD };
  const spare = await told.made("/manage/requisites", other);
  const reveal = `/manage/requisites/${requisite.requisite_id}/reveal`;
  await told.made(reveal, {});
  const revealSpare = `/manage/requisites/${spare.requisite_id}/reveal`;
  await told.made(revealSpare, {});

  const shop = { id, key: fresh.secret };
  const { body: invoice } = await createInvoice(
    { call: told.call },
    { comment: "canary-comment-77aa", custom_fields: { note: "canary-field-12" } },
    shop,
  );
  const { body: details } = await createH2h({ call: told.call }, invoice.data.id, {}, shop);
  assert.equal(details.data.wallet, CARD);
  const payer = `IVAN P ${PAYER_CARD.replace(/(\d{4})(?=\d)/g, "$1 ")}`;
  const money = { wallet: CARD, amount: Number(details.data.amount), reference: "one", payer };
  assert.equal((await told.made("/manage/transfers", money)).state, "matched");
  await told.made("/manage/transfers", { ...money, wallet: PHONE, amount: 5, reference: "two" });
  await told.made("/sandbox/transfers", { ...money, wallet: SECOND_CARD, amount: 6 });
  await told.made("/sandbox/clock", { advance_seconds: 0 });
  const info = `/invoice/info?shop_id=${id}&invoice_id=${invoice.data.id}`;
  assert.equal((await told.call(info, { headers: { "x-api-key": shop.key } })).status, 200);
  const balance = `/account/users/${user.user_id}/balance`;
  const headers = { "x-api-signature-sha256": userSecret };
  assert.equal((await told.call(balance, { headers })).status, 200);

  return [
    secret("the user's secret", userSecret, ["/manage/users"]),
    secret("the user's second secret", second.secret, ["/manage/keys"]),
    secret("the shop's first key", made.api_key, ["/manage/shops"]),
    secret("the shop's new key", fresh.secret, ["/manage/keys/rotate"]),
    secret("the first webhook key", made.webhook_key, ["/manage/shops"]),
    secret("the first webhook secret", made.webhook_secret, ["/manage/shops"]),
    secret("the new webhook key", hooks.webhook_key, [rotate]),
    secret("the new webhook secret", hooks.webhook_secret, [rotate]),
    secret("the user's first webhook key", newUser.webhook_key, ["/manage/users"]),
    secret("the user's first webhook secret", newUser.webhook_secret, ["/manage/users"]),
    secret("the user's new webhook key", userHooks.webhook_key, [rotateUser]),
    secret("the user's new webhook secret", userHooks.webhook_secret, [rotateUser]),
    secret("the operator's token", token, ["/manage/operators"]),
    number("the card", CARD, [reveal, "/invoice/h2h"]),
    number("the second card", SECOND_CARD, [revealSpare]),
    number("the phone", PHONE, [reveal]),
  ];
}

/** Requests that are refused, with a card, a phone or a secret in every place that one can be in. */
async function refuse(told: Recorder): Promise<void> {
  const call = { call: told.call };
  const requisite = { bank: "sber", receiver_name: "X", card: CARD };
  const money = { wallet: CARD, amount: 1, reference: "x" };
  const orders = [
    { include_service: [STRANGE_CARD] },
    { include_service: [WRONG_KEY] },
    { include_service: ["p2p_card", WRONG_TOKEN] },
    { include_service: { [STRANGE_CARD]: 1 } },
    { currency: STRANGE_CARD },
    { type: STRANGE_CARD },
    { expire: Number(STRANGE_CARD) },
    { amount: Number(STRANGE_CARD) },
    { amount: STRANGE_CARD },
    { email: STRANGE_CARD },
    { success_url: `ftp://${STRANGE_CARD}.example` },
    { success_url: `https://user:${WRONG_KEY}@shop.example/` },
    { custom_fields: `{"card": ${STRANGE_CARD}` },
    { comment: STRANGE_CARD.repeat(20) },
  ];
  const managed: readonly (readonly [path: string, body?: unknown])[] = [
    ["/manage/requisites", { ...requisite, card: BAD_CARD }],
    ["/manage/requisites", { ...requisite, bank: STRANGE_CARD }],
    ["/manage/requisites", requisite],
    ["/manage/requisites", { ...requisite, card: undefined, phone: `${PHONE}1234567` }],
    ["/manage/requisites", { ...requisite, card: [STRANGE_CARD] }],
    ["/manage/requisites", `{"card": "${STRANGE_CARD}", "token": "${WRONG_TOKEN}"`],
    ["/manage/requisites", `"${STRANGE_CARD}"`],
    ["/manage/requisites", `{"__proto__": {"card": "${STRANGE_CARD}"}}`],
    ["/manage/transfers", { ...money, wallet: STRANGE_CARD }],
    ["/manage/transfers", { ...money, wallet: STRANGE_PHONE }],
    ["/manage/transfers", { ...money, amount: STRANGE_CARD }],
    ["/manage/transfers", { ...money, reference: STRANGE_CARD.repeat(20) }],
    ["/manage/transfers", { ...money, wallet: undefined, requisite_id: CARD }],
    ["/sandbox/transfers", { wallet: STRANGE_CARD, amount: 1 }],
    [`/manage/requisites/${CARD}`],
    [`/manage/requisites/${CARD}/reveal`, {}],
    [`/manage/services/${STRANGE_CARD}`, { label: "x" }],
    [`/manage/${STRANGE_CARD}`],
    [`/manage/requisites?wallet=${CARD}`],
    [`/manage/invoices?wallet=${CARD}&state=${STRANGE_CARD}&limit=${STRANGE_CARD}`],
    [`/manage/transfers?after=${CARD}&from=${CARD}&amount=${CARD}.123`],
  ];
  const shopHeaders = { "x-api-key": SHOP.key };
  const others: readonly (readonly [path: string, options?: CallOptions])[] = [
    ["/manage/me", { headers: { authorization: `Bearer ${WRONG_TOKEN}` } }],
    ["/manage/me", { headers: { authorization: WRONG_TOKEN } }],
    [`/account/users/${USER.id}/balance`, { headers: { "x-api-signature-sha256": WRONG_KEY } }],
    [`/manage/shops?token=${WRONG_TOKEN}&card=${STRANGE_CARD}`],
    [`/invoice/info?shop_id=${STRANGE_CARD}`, { headers: shopHeaders }],
    [`/invoice/info?shop_id=${SHOP.id}&order_id=${STRANGE_CARD}`, { headers: shopHeaders }],
    [`/invoice/info?shop_id=${SHOP.id}&invoice_id=${STRANGE_CARD}`, { headers: shopHeaders }],
    [`/${STRANGE_CARD}?key=${WRONG_KEY}`, { body: { card: STRANGE_CARD } }],
    [
      "/manage/requisites",
      { headers: { "content-type": `text/${WRONG_KEY}` }, body: `card=${STRANGE_CARD}` },
    ],
    ["/invoice/h2h", { method: "PUT", body: { card: STRANGE_CARD } }],
  ];
  const wrong = [
    createInvoice(call, {}, { id: SHOP.id, key: WRONG_KEY }),
    createH2h(call, STRANGE_CARD, { payment_data: { bank: STRANGE_CARD } }),
    createH2h(call, SHOP.id, { ip: STRANGE_CARD, payment_data: STRANGE_CARD }),
    ...orders.map((one) => createInvoice(call, { order_id: "canary-order-31c0", ...one })),
    ...managed.map(([path, body]) => told.manage(path, body)),
    ...others.map(([path, options]) => told.call(path, options)),
  ];
  for (const { status, text } of await Promise.all(wrong))
    assert.ok(status >= 400 && status < 500, text);
}

/** What nobody expects: tables that are gone, with values of the requests on their way to them. */
async function fail(told: Recorder, { app }: TestGateway): Promise<void> {
  const without = async (table: string, work: () => Promise<Answer>): Promise<void> => {
    await untilFree(() => app.db.query(`alter table ${table} rename to away`));
    const { status } = await work();
    await untilFree(() => app.db.query(`alter table away rename to ${table}`));
    assert.equal(status, 500);
  };
  const card = { bank: "sber", receiver_name: "canary-name", card: STRANGE_CARD };
  await without("invoices", () =>
    createInvoice({ call: told.call }, { order_id: "canary-order-31c0" }),
  );
  await without("requisites", () => told.manage("/manage/requisites", card));
  await without("requisites", () => told.manage("/manage/requisites?wallet=4958"));
  const money = { wallet: CARD, amount: 1, reference: "canary-ref", payer: PAYER_CARD };
  await without("transfers", () => told.manage("/manage/transfers", money));
  // The server's detail of this failure quotes the whole row.
  await untilFree(() =>
    app.db.query("alter table transfers add constraint never check (reference <> 'canary-ref')"),
  );
  assert.equal((await told.manage("/manage/transfers", money)).status, 500);
  await untilFree(() => app.db.query("alter table transfers drop constraint never"));
  await without("audit_log", () => told.manage("/manage/requisites", card));
  await without("operators", () =>
    told.call("/manage/me", { headers: { authorization: `Bearer ${WRONG_TOKEN}` } }),
  );
  // The keys themselves are kept while the settings stand; their version is asked for every time.
  await without("settings_version", () =>
    createInvoice({ call: told.call }, {}, { id: SHOP.id, key: WRONG_KEY }),
  );
}

/** Everything that can be looked at. */
async function look(told: Recorder): Promise<void> {
  const lists = "operators audit users shops keys requisites invoices payments transfers refunds";
  for (const list of `${lists} events accounts services tariffs`.split(" ")) {
    await told.made(`/manage/${list}${/services|tariffs/.test(list) ? "" : "?limit=200"}`);
  }
  for (const digits of [CARD.slice(-4), PHONE.slice(-4)]) {
    const { items } = await told.made(`/manage/requisites?wallet=${digits}`);
    assert.equal(items[0].card, "220070******4958");
    assert.equal(items[0].phone, "79*****5518");
  }
  const { items: invoices } = await told.made(`/manage/invoices?wallet=${CARD.slice(-4)}`);
  const { timeline, transfers } = await told.made(`/manage/invoices/${invoices[0].invoice_id}`);
  assert.ok(timeline.length > 4);
  assert.equal(transfers[0].payer, "IVAN P 427638******5679");
  const { items: events } = await told.made(`/manage/events?invoice_id=${invoices[0].invoice_id}`);
  await told.made(`/manage/events/${events[0].event_id}`);
  for (const path of ["/metrics", "/docs", "/openapi.json", "/healthz", "/readyz"]) {
    assert.equal((await told.call(path)).status, 200);
  }
}

/** As it is, as bytes in hexadecimal or base64, and as a digest without a key. */
function disguises(part: string): string[] {
  const bytes = Buffer.from(part);
  const hashes = ["md5", "sha1", "sha256"].map((name) => createHash(name).update(part));
  const base64 = bytes.toString("base64").replace(/=+$/, "").slice(0, -1);
  return [part, bytes.toString("hex"), base64, ...hashes.map((hash) => hash.digest("hex"))];
}

function dumpServer({ app }: TestGateway): string {
  const program = join(findPostgres() ?? "", "pg_dump");
  assert.ok(existsSync(program), "pg_dump stands beside the server's programs");
  const url = app.config.databaseUrl ?? "";
  const dump = execFileSync(program, ["--dbname", url], { encoding: "utf8", maxBuffer: 2 ** 28 });
  assert.ok(dump.includes("COPY public.requisites"));
  return withBytesAsText(dump);
}

/** What is bytes also as the text that they would be. */
function withBytesAsText(dump: string): string {
  const bytes = [...dump.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex = ""]) =>
    Buffer.from(hex, "hex"),
  );
  assert.ok(bytes.length > 20);
  return [dump, ...bytes.map((each) => each.toString("latin1"))].join("\n");
}
