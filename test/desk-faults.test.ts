// Bad input and bad luck at the desk and in the cabinet: hostile texts on every page, two tabs, a reload, the button
// that goes back, a role that is taken away, a clock that moves, a database that goes.

import assert from "node:assert/strict";
import { it } from "node:test";
import pg from "pg";
import type { Page } from "playwright-core";
import { addMemberships } from "../src/features/merchants/queries.ts";
import { inBrowser } from "./browser.ts";
import { LINK_SHOP, OTHER_USER, SHOP, USER } from "./cast.ts";
import { freshAmount } from "./desk.ts";
import { onPostgres } from "./gateway.ts";
import { applyImports } from "./imports.ts";
import { hire } from "./members.ts";
import { openOneGateway } from "./one-gateway.ts";
import { DAY, MINUTE } from "./orders.ts";
import { CARD, pauseRail, payouts } from "./payouts.ts";
import {
  anna,
  fieldsIn,
  hiddenIn,
  setAnnasRole,
  unescaped,
  type Visitor,
  wordsIn,
} from "./people.ts";
import { openSiteRoom } from "./site-room.ts";
import { siteScreens } from "./site-screens.ts";
import { statement1c } from "./statement-file.ts";

const { gateway, own, trade } = await openOneGateway();
await pauseRail(gateway);
const user = payouts(gateway, trade);
await user.earn(2);

/** How many there are, whoever asks. */
const count = async (table: string): Promise<number> => {
  const rows = await gateway.app.db.query<{ rows: number }>(
    `select count(*)::integer as rows from ${table}`,
  );
  return rows[0]?.rows ?? 0;
};

/** Sends a form that was opened before. */
const sendOpened = (visit: Visitor, text: string, action: string, fields = {}) =>
  visit.post(action, { ...hiddenIn(text, action), ...fields });

const payoutForm = () => ({ service: "card", wallet_to: CARD, amount: String(freshAmount()) });

it("two tabs: what the first has done the second cannot do again, and is told", async () => {
  const visit = await anna(gateway);
  const { payout_id: id } = await own.post("payouts", {
    user_id: USER.id,
    service: "card",
    wallet_to: CARD,
    amount: freshAmount(),
  });
  const path = `/desk/payouts/${id}`;
  const [first, second] = [await visit.open(path), await visit.open(path)];
  assert.equal((await sendOpened(visit, first, `${path}/approve`)).status, 303);
  const late = await sendOpened(visit, second, `${path}/refuse`, { reason: "No" });
  assert.equal(late.status, 303, "what is in line can still be refused");
  const later = await sendOpened(visit, second, `${path}/approve`);
  assert.equal(later.status, 422, wordsIn(later.text));
  assert.match(later.text, /role="alert"/);
  const { payout, approvals } = await own.get(`payouts/${id}`);
  assert.deepEqual([payout.state, approvals.length], ["canceled", 1]);
});

it("two tabs: signed out in the one, the other makes nothing and leads to the door", async () => {
  const visit = await anna(gateway);
  const path = "/my/payouts/new";
  const text = await visit.open(path);
  const before = await count("payouts");
  assert.equal((await visit.post("/sign-out")).location, "/sign-in");
  const sent = await sendOpened(visit, text, path, payoutForm());
  assert.deepEqual(
    [sent.status, sent.location],
    [303, `/sign-in?then=${encodeURIComponent(`${path}?unsent=`)}`],
  );
  assert.equal(await count("payouts"), before);
});

it("the button that goes back shows nothing after signing out: no browser has kept a page", async () => {
  const visit = await anna(gateway);
  const paths = ["/desk", "/desk/invoices", "/desk/invoices.csv", "/my", "/my/keys", "/security"];
  for (const path of paths) {
    const { status, headers } = await visit.get(path);
    assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"], path);
  }
  await visit.post("/sign-out");
  for (const path of paths) {
    const { status, location } = await visit.get(path);
    assert.equal(status, 303, path);
    assert.match(location, /^\/sign-in/);
  }
});

it("a form that is loaded again after it made something makes nothing more", async () => {
  const visit = await anna(gateway);
  const order = await trade.order();
  await trade.pay(order);
  const { items } = await own.get("requisites");
  const booked = { requisite_id: items[0].requisite_id, amount: "777.77", reference: "R-1" };
  const forms: readonly (readonly [path: string, table: string, fields: object])[] = [
    [`/desk/invoices/${order.id}/refund`, "refunds", { amount: "10", reason: "A cup" }],
    [`/my/invoices/${order.id}/refund`, "refunds", { amount: "10", reason: "A cup" }],
    ["/my/payouts/new", "payouts", payoutForm()],
    ["/my/invoices/new", "invoices", { shop_id: LINK_SHOP.id, amount: "500" }],
    ["/my/tokens/new", "member_tokens", { name: "Terminal" }],
    [`/my/keys/new?shop_id=${SHOP.id}`, "api_keys", {}],
    ["/desk/merchants/new", "users", { name: "Acme" }],
    ["/desk/shops/new", "shops", { user_id: USER.id, name: "Kiosk" }],
    ["/desk/transfers/new", "transfers", booked],
    ["/desk/people/invite", "people", { email: "z@example.com", name: "Z", desk_role: "viewer" }],
  ];
  for (const [page, table, fields] of forms) {
    const [path = ""] = page.split("?");
    const text = await visit.open(page);
    const before = await count(table);
    const made = await sendOpened(visit, text, path, fields);
    assert.ok([200, 303].includes(made.status), `${path}: ${wordsIn(made.text)}`);
    assert.equal(await count(table), before + 1, path);
    const again = await sendOpened(visit, text, path, fields);
    assert.ok([200, 303].includes(again.status), path);
    assert.equal(await count(table), before + 1, path);
    const secret = /<code>([\w-]{24,})<\/code>/.exec(made.text)?.[1];
    if (secret !== undefined) assert.ok(!again.text.includes(secret), path);
  }
});

/** Sent too late for its proof: the answer is the page that asks for one. */
async function lateOf(visit: Visitor, page: string, fields = {}) {
  const opened = await visit.open(page);
  gateway.clock.advance(11 * MINUTE);
  const [path = ""] = page.split("?");
  return sendOpened(visit, opened, path, fields);
}

/** The proof, with what its page brings along. */
const prove = (visit: Visitor, { text }: { readonly text: string }, changes = {}) =>
  visit.post("/prove/sandbox", { ...hiddenIn(text, "/prove/sandbox"), ...changes });

it("a form that is too late for its proof is sent again after it, with what was typed", async () => {
  const visit = await anna(gateway);
  const [{ requisite_id: id }] = (await own.get("requisites")).items;
  const page = `/desk/requisites/${id}/change`;
  const late = await lateOf(visit, page, { receiver_name: "Пётр <П.>", max_sum: "1 234,50" });
  assert.equal(late.status, 401);
  assert.match(wordsIn(late.text), /was not carried out yet/);
  assert.notEqual((await own.get(`requisites/${id}`)).receiver_name, "Пётр <П.>");
  for (const path of ["/prove/passkey", "/prove/sandbox"])
    assert.ok(hiddenIn(late.text, path)["typed"], "whichever way it is proven");
  const proven = await prove(visit, late);
  assert.equal(proven.status, 200);
  assert.match(wordsIn(proven.text), /not carried out yet.*change Receiver.*Пётр <П\.>.*1 234,50/);
  assert.notEqual((await own.get(`requisites/${id}`)).receiver_name, "Пётр <П.>");
  const again = fieldsIn(proven.text, page);
  assert.equal((await visit.post(page, again)).status, 303);
  const now = await own.get(`requisites/${id}`);
  assert.deepEqual([now.receiver_name, now.max_sum], ["Пётр <П.>", 1234.5]);
  await own.post(`requisites/${id}`, { receiver_name: "Иван И." });
  assert.match((await visit.post(page, again)).text, /sent before/, "it makes one thing");
});

it("a proof that fails asks again and keeps what was typed; the address holds none of it", async () => {
  const visit = await anna(gateway);
  const page = "/desk/merchants/new";
  const late = await lateOf(visit, page, { name: "Kept" });
  const action = "/prove/passkey";
  const carried = hiddenIn(late.text, action);
  assert.match(carried["typed"] ?? "", /name=Kept/);
  const refused = await visit.post(action, { ...carried, credential: "{}" });
  assert.equal(refused.status, 401);
  assert.equal(hiddenIn(refused.text, action)["typed"], carried["typed"]);
  const asked = await visit.open(`/prove?then=${page}&typed=name%3DForged`);
  assert.equal(hiddenIn(asked, action)["typed"], undefined, "an address brings nothing along");
  const away = await prove(visit, late, { then: "https://evil.example/" });
  assert.doesNotMatch(away.text, /evil\.example/);
});

it("a form that is too late keeps what its address had said it is about", async () => {
  const visit = await anna(gateway);
  const key = await prove(visit, await lateOf(visit, `/my/keys/new?shop_id=${SHOP.id}`));
  const made = await visit.post("/my/keys/new", fieldsIn(key.text, "/my/keys/new"));
  assert.equal(made.status, 200, wordsIn(made.text));
  // What a later file of the same day no longer has waits for a person.
  for (const purpose of ["The bank itself", "Somebody else"]) {
    const days = { "2026-03-01": [{ sum: -55.5, number: purpose.slice(0, 3), purpose }] };
    const file = statement1c([{ account: "40817810000000000101", days }]);
    const content = Buffer.from(file).toString("base64");
    await own.post("imports", { filename: `${purpose}.txt`, content });
    await applyImports(gateway);
  }
  const [line] = (await own.get("lines?waiting=true")).items;
  const seen = new RegExp(line.purpose);
  const path = `/desk/imports/lines/${line.line_id}/decide`;
  const page = `${path}?of=${line.import_id}`;
  const text = await visit.open(page);
  assert.match(wordsIn(text), seen);
  const [, action = ""] = /action="([^"]*\/decide[^"]*)"/.exec(text) ?? [];
  gateway.clock.advance(11 * MINUTE);
  const wish = { ...hiddenIn(text, action), decision: "book", kind: "outflow", reason: " " };
  const proven = await prove(visit, await visit.post(unescaped(action), wish));
  const unsure = await visit.post(unescaped(action), fieldsIn(proven.text, action));
  assert.equal(unsure.status, 422);
  assert.match(wordsIn(unsure.text), seen);
  const sure = { ...hiddenIn(unsure.text, action), ...wish, reason: "It left" };
  assert.equal((await visit.post(unescaped(action), sure)).status, 303);
});

it("a session that ends before the proof leads through the sign-in to the form", async () => {
  const visit = await anna(gateway);
  const page = "/desk/merchants/new";
  const late = await lateOf(visit, page, { name: "Typed before" });
  gateway.clock.advance(2 * DAY);
  const carried = hiddenIn(late.text, "/prove/sandbox");
  const signIn = `/sign-in?then=${encodeURIComponent(`${page}?unsent=`)}`;
  for (const way of ["", "/passkey", "/sandbox"])
    assert.equal((await visit.post(`/prove${way}`, carried)).location, signIn, way);
  assert.equal((await visit.get("/prove")).location, "/sign-in");
  const { location } = await visit.post("/sign-in/sandbox", carried);
  const text = await visit.open(location);
  assert.match(text, /was not carried out/);
  assert.doesNotMatch(text, /Typed before/, "somebody else may have signed in");
});

it("every text of merchants, payers and colleagues is text on every page", async () => {
  const script = "<script>window.__xss=1</script>";
  const handler = "<img src=x onerror=window.__xss=1>";
  const breakout = '" onfocus=window.__xss=1 autofocus x="';
  const hostile = [script, handler, breakout];
  const visit = await anna(gateway);
  const cabinet = "sandbox_owner_token";
  const requisite_id = (await own.get("requisites")).items[0].requisite_id;
  await own.post(`users/${USER.id}`, { name: script });
  await own.post(`shops/${SHOP.id}`, { name: breakout });
  await own.post("operators", { name: handler, role: "viewer" });
  await own.post(`requisites/${requisite_id}`, { receiver_name: script });
  const phone = { name: script, adapter: "kopeck", banks: ["sber"], senders: [handler] };
  await own.post("sources", { ...phone, requisite_ids: [requisite_id] });
  await gateway.call("/cabinet/tokens", {
    headers: { authorization: `Bearer ${cabinet}` },
    body: { name: breakout },
  });
  await own.post("people", { email: "h@example.com", name: handler, desk_role: "viewer" });
  const file = statement1c([
    {
      account: "40817810000000000101",
      days: {
        "2026-03-02": [
          { sum: 61.01, purpose: script },
          { sum: -7, purpose: breakout },
        ],
      },
    },
  ]);
  const content = Buffer.from(file).toString("base64");
  await own.post("imports", { filename: `${handler}.txt`, content });
  await applyImports(gateway);
  await user.made({ amount: freshAmount(), order_id: script, comment: breakout });
  await own.post("payout-batches", { format: "csv" });
  const order = await trade.order({ order_id: handler, amount: 1_333 });
  await trade.pay(order, { payer: script });
  await trade.pay(order, { payer: breakout, amount: 61.17 });
  await own.post("refunds", { invoice_id: order.id, amount: 1, reason: script, reference: "h" });
  trade.tick();

  const { screens, missing } = await siteScreens(gateway);
  assert.deepEqual(missing, []);
  const views = screens.map(({ address }) => address);
  const q = encodeURIComponent(script);
  views.push(`/desk/find?q=${q}`, `/my/find?q=${q}`, `/desk/invoices?order_id=${q}`);
  views.push(`/desk/go/${q}`, `/desk/suspense?reason=${q}`, `/sign-in?then=${q}`);
  const shown = new Set<string>();
  for (const path of views) {
    gateway.clock.advance(1);
    const { status, text } = await visit.get(path);
    assert.ok([200, 303].includes(status), `${path}: ${status} ${wordsIn(text).slice(0, 300)}`);
    for (const one of hostile) {
      assert.ok(!text.includes(one), `${path} shows ${one} as it is`);
      if (wordsIn(text).includes(one)) shown.add(`${one} ${path}`);
    }
    assert.doesNotMatch(text, /<script>|<[^>"]*\son\w+=/, path);
  }
  // They are there, in words: else nothing was tried.
  assert.ok(shown.size >= 30, `${shown.size}: ${[...shown].join("\n")}`);
});

// The last of those who share the gateway: a member's token ends with the membership.
it("a role that is taken away in mid-session is gone with the next click", async () => {
  const visit = await anna(gateway);
  const path = "/desk/merchants/new";
  const text = await visit.open(path);
  const before = await count("users");
  for (const role of ["cashier", "viewer"]) {
    await setAnnasRole(own, role);
    assert.equal((await sendOpened(visit, text, path, { name: "Acme" })).status, 403, role);
    assert.equal((await visit.get(path)).status, 403, role);
    await visit.open("/desk/merchants");
  }
  await setAnnasRole(own, "none");
  for (const place of ["/desk", "/desk/invoices", "/desk/invoices.csv", "/desk/changes?of=all"]) {
    assert.equal((await visit.get(place)).status, 403, place);
  }
  await visit.open("/my");
  assert.equal(await count("users"), before);

  await hire(gateway, "owner", USER.id, "another owner");
  const { items } = await own.get("people");
  const { person_id } = items.find((one: { name: string }) => one.name === "Anna");
  await own.post(`users/${USER.id}/people/${person_id}`, { role: "support" });
  assert.equal((await visit.get("/my/keys/new")).status, 403);
  assert.equal((await visit.get("/my/balance")).status, 403);
  await own.post(`users/${USER.id}/people/${person_id}`, { role: "none" });
  for (const place of ["/my", "/my/invoices.csv"]) {
    assert.equal((await visit.get(place)).status, 403, place);
  }
  const back = { email: "anna@sandbox.example", name: "Anna", role: "owner" };
  const { link } = await own.post(`users/${USER.id}/people`, back);
  // Whoever is known already says yes to it.
  const { pathname } = new URL(link);
  assert.equal((await visit.fill(pathname, pathname)).location, "/my");
  await own.post(`people/${person_id}`, { desk_role: "operator" });
  await visit.open("/my/balance");
});

inBrowser("two tabs of one browser", () => {
  it("another merchant in the one: the other takes none of their figures under the first one's name", async () => {
    const room = await openSiteRoom();
    const { db, clock } = room.gateway.app;
    try {
      const first = await room.anna();
      const [anna] = await db.query<{ id: string }>("select id from people", []);
      const membership = {
        personId: anna?.id ?? "",
        userId: OTHER_USER.id,
        role: "owner",
      } as const;
      await db.transaction((tx) => addMemberships(tx, [membership], clock.now()));
      await first.goto("/my");
      const merchant = (page: Page) => page.locator(".side .merchant select").first();
      const own = await merchant(first).inputValue();
      const second = await first.context().newPage();
      await second.goto("/my");
      const other = own === USER.id ? OTHER_USER.id : USER.id;
      await merchant(second).selectOption(other);
      await second.locator(".side .merchant button").first().click();
      await second.waitForURL(`${room.baseUrl}/my`);
      assert.equal(await merchant(second).inputValue(), other);
      assert.equal(await merchant(first).inputValue(), own);
      const turned = (id: string) =>
        first.locator(`.side .merchant option[value="${id}"][selected]`).first();
      await first.bringToFront();
      await first.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await turned(other).waitFor({ state: "attached" });
      await second.bringToFront();
      await merchant(second).selectOption(own);
      await second.locator(".side .merchant button").first().click();
      await second.waitForURL(`${room.baseUrl}/my`);
      // As whenever something has happened.
      await first.bringToFront();
      await first.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await turned(own).waitFor({ state: "attached" });
    } finally {
      await room.close();
    }
  });
});

onPostgres("a database that goes away", () => {
  it("is said by the page, which comes back by itself", async () => {
    const visit = await anna(gateway);
    const url = new URL(gateway.app.config.databaseUrl ?? "");
    const name = url.pathname.slice(1);
    url.pathname = "/postgres";
    const server = new pg.Client({ connectionString: url.href });
    await server.connect();
    const allow = (yes: boolean) => server.query(`alter database ${name} allow_connections ${yes}`);
    const text = await visit.open("/desk/merchants/new");
    await allow(false);
    try {
      await server.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
        [name],
      );
      for (const path of ["/desk", "/my/invoices", "/security", "/sign-in"]) {
        const { status, headers, text: page } = await visit.get(path);
        if (path === "/sign-in" && status === 200) continue;
        assert.deepEqual([status, headers.get("refresh")], [503, "7"], path);
        assert.match(page, /Nothing is lost\. This page tries again/);
      }
      const sent = await sendOpened(visit, text, "/desk/merchants/new", { name: "Patience" });
      assert.equal(sent.status, 503);
      assert.match(sent.text, /What you pressed may not have arrived/);
    } finally {
      await allow(true);
      await server.end();
    }
    while ((await visit.get("/desk")).status === 503) await new Promise(setImmediate);
    await visit.open("/desk");
    const made = await sendOpened(visit, text, "/desk/merchants/new", { name: "Patience" });
    assert.equal(made.status, 200, "the form that failed can be sent again");
  });
});
