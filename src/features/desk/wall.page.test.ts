// The wall loads itself again, and says what waits; to who has a link as well, and nothing else to them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hire, signedInAs } from "../../../test/members.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, HOUR, MINUTE } from "../../../test/orders.ts";
import { anna, type Visitor, visitor, wordsIn } from "../../../test/people.ts";
import { endpointsOf } from "../index.ts";
import { pagesOf } from "../pages.ts";

const { gateway, own, trade } = await openOneGateway({
  ...{ logLevel: "debug", trustedProxies: ["127.0.0.1"] },
});
const order = await trade.order();
await trade.pay(order, { amount: 7, payer: "canary payer" });

it("shows what is under way and what waits", async () => {
  const { text, headers } = await (await anna(gateway)).get("/desk/wall");
  assert.equal(headers.get("refresh"), "30");
  assert.match(wordsIn(text), /Payments under way 1 .*In suspense 1/);
  // Where each of them waits; an invoice whose details have ended is under way nowhere.
  assert.match(text, /under way<\/dt><dd><b><a href="\/desk\/requisites">1</);
});

it("a requisite that was switched off still waits for its payers", async () => {
  const visit = await anna(gateway);
  const [card] = (await own.get("requisites")).items.filter(
    (one: { live_payments: number }) => one.live_payments > 0,
  );
  await own.post(`requisites/${card.requisite_id}`, { enabled: false });
  assert.match(wordsIn(await visit.open("/desk/wall")), /Payments under way 1 /);
  await own.post(`requisites/${card.requisite_id}`, { enabled: true });
});

let addresses = 0;
const somebody = (): Visitor => {
  addresses += 1;
  return visitor(gateway, { "x-forwarded-for": `203.0.113.${addresses}` });
};

const made = async (changes: object = {}) => {
  const { link, wall_link } = await own.post("wall-links", { name: "canary name", ...changes });
  return { token: link.slice(-32), id: wall_link.wall_link_id };
};

const enter = (visit: Visitor, key: string) => visit.post("/wall", { key });

const opened = async () => {
  const [wall, visit] = [await made(), somebody()];
  const seen = await enter(visit, wall.token);
  return { ...wall, visit, seen };
};

const isBoard = async (visit: Visitor): Promise<boolean> => {
  const { status, text, location } = await visit.get("/desk/wall");
  if (status === 303) assert.match(location, /^\/sign-in/);
  return status === 200 && /Payments under way/.test(text);
};

describe("by a link", () => {
  it("shows the figures, again and again, and nothing that leads anywhere or names anybody", async () => {
    const { visit, token } = await opened();
    for (const language of ["en", "ru"]) {
      const { text, headers } = await visit.get(`/desk/wall?lang=${language}`);
      assert.deepEqual([headers.get("refresh"), headers.get("cache-control")], ["30", "no-store"]);
      assert.match(text, new RegExp(`<html lang="${language}">`));
      assert.match(wordsIn(text), /7[.,]00/);
      assert.doesNotMatch(text, /<a |<form|<script|href="\/(?:desk|my)|data-live/);
      const secrets = [token, "canary", order.id, order.orderId, order.wallet];
      for (const secret of [...secrets, order.wallet.slice(-4)]) {
        assert.ok(!text.includes(secret), secret);
      }
    }
  });

  it("makes a cookie of this one page of the secret, which no log has", async () => {
    const { seen, token } = await opened();
    assert.deepEqual([seen.status, seen.location], [303, "/desk/wall"]);
    assert.equal(seen.headers.get("cache-control"), "no-store");
    const flags = "Path=/desk/wall; HttpOnly; SameSite=Lax; Max-Age=34560000";
    assert.deepEqual(seen.headers.getSetCookie(), [`kopeck-wall=${token}; ${flags}`]);
    assert.ok(!gateway.log.join("").includes(token));
  });

  it("opens no other page, file, stream or door, by whatever method", async () => {
    const { visit, token } = await opened();
    // A browser would send the cookie to none of them.
    const pages = pagesOf("live").filter(({ site }) => site === "desk" || site === "cabinet");
    assert.ok(pages.length > 200, String(pages.length));
    for (const { method, path } of pages) {
      if (path === "/desk/wall" || path === "/wall") continue;
      gateway.clock.advance(1);
      const at = path.replace(/:\w+/g, order.id);
      const { status, location } = await (method === "GET" ? visit.get(at) : visit.post(at));
      const isRefused = status === 303 ? location.startsWith("/sign-in") : status === 403;
      assert.ok(isRefused, `${method} ${at}: ${status} ${location}`);
    }
    assert.equal((await visit.post("/desk/wall")).status, 405);
    assert.match((await visit.get("/security")).location, /^\/sign-in/);
    const forged = somebody();
    forged.jar.set("kopeck", token);
    assert.match((await forged.get("/desk")).location, /^\/sign-in/);
    for (const { method, path, gate } of endpointsOf("live")) {
      if (gate.header !== "authorization") continue;
      const headers = { authorization: `Bearer ${token}`, cookie: `kopeck-wall=${token}` };
      const at = path.replace(/:\w+/g, order.id);
      const body = method === "POST" ? { body: {} } : {};
      assert.equal((await gateway.call(at, { headers, ...body })).status, 401, at);
    }
  });

  it("ends by hand, by its day, and not by itself", async () => {
    const { visit, id } = await opened();
    gateway.clock.advance(300 * DAY);
    assert.equal(await isBoard(visit), true);
    await own.post(`wall-links/${id}/revoke`);
    assert.equal(await isBoard(visit), false);
    const ends_at = new Date(gateway.clock.now().getTime() + HOUR * 1000).toISOString();
    const { token } = await made({ ends_at });
    const screen = somebody();
    await enter(screen, token);
    assert.equal(await isBoard(screen), true);
    gateway.clock.advance(HOUR);
    assert.equal(await isBoard(screen), false);
    assert.equal((await enter(screen, token)).status, 404);
  });

  it("says when it was last used, to the minute", async () => {
    const { visit, id } = await opened();
    const first = trade.now();
    const seenAt = async () => {
      const { items } = await own.get("wall-links");
      return items.find((one: { wall_link_id: string }) => one.wall_link_id === id).seen_at;
    };
    gateway.clock.advance(MINUTE / 2);
    await isBoard(visit);
    assert.equal(await seenAt(), first);
    gateway.clock.advance(MINUTE / 2);
    await isBoard(visit);
    assert.equal(await seenAt(), trade.now());
  });

  it("is guessed slowly, and a right one is heard all the same", async () => {
    const visit = somebody();
    const { token } = await made();
    const statuses = new Set<number>();
    for (let n = 0; n < 25; n += 1) {
      statuses.add((await enter(visit, String(n).padStart(32, "x"))).status);
    }
    assert.deepEqual([...statuses], [404, 429]);
    assert.equal((await enter(visit, token)).status, 303);
    for (const odd of ["", "\0", "x".repeat(3_000), "💩", `${token}x`, `#${token}#`]) {
      const { status, text } = await enter(somebody(), odd);
      assert.deepEqual([status, text.includes(token)], [404, false], odd.slice(0, 9));
    }
  });

  it("is shown once a second at most, after a minute's worth, wherever the screens are", async () => {
    const { visit, token } = await opened();
    for (let n = 0; n < 60; n += 1) assert.equal(await isBoard(visit), true);
    const other = somebody();
    await enter(other, token);
    assert.deepEqual([await isBoard(visit), await isBoard(other)], [false, false]);
    const { status, headers, text } = await other.get("/desk/wall");
    const again = [headers.get("retry-after"), headers.get("refresh")];
    assert.deepEqual([status, ...again], [429, "30", "30"]);
    const said = /Too many screens are open by this link\. .* tries again by itself in 30 seconds/;
    assert.match(wordsIn(text), said);
    assert.equal(await isBoard((await opened()).visit), true);
    gateway.clock.advance(1);
    assert.equal(await isBoard(other), true);
  });

  it("adds nothing to who a person is: a merchant's owner sees the board, an operator the desk's own", async () => {
    const { token } = await made();
    const owner = await signedInAs(gateway, await hire(gateway, "owner"));
    assert.equal((await owner.get("/desk/wall")).status, 403);
    await enter(owner, token);
    assert.equal(await isBoard(owner), true);
    assert.deepEqual(
      [(await owner.get("/desk")).status, (await owner.get("/my")).status],
      [403, 200],
    );
    const operator = await anna(gateway);
    await enter(operator, token);
    assert.match((await operator.get("/desk/wall")).text, /href="\/desk\/wall-links"/);
  });
});

it("figures of each currency are a card of their own, which touches no other", async () => {
  const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 1000 };
  await own.post("tariffs", { service: "p2p_card", currency: "USD", ...rates });
  const dollars = { bank: "sber", receiver_name: "Dollars", currency: "USD" };
  await own.post("requisites", { ...dollars, card: "4111111111111111" });
  await trade.pay(await trade.order({ currency: "USD", amount: 50 }));
  await trade.pass(2 * MINUTE);
  const text = await (await anna(gateway)).open("/desk/wall");
  assert.match(text, /<div class="wall"><section class="card">(?:(?!<section).)*Today, RUB/);
  assert.match(text, /<div class="wall"><section class="card">(?:(?!<section).)*Today, USD/);
});
