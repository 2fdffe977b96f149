// Bad receivers, each kind of them, and those that cost others something: hosts that are too long, thousands
// of origins, hosts that hang in many shops at once. Everybody else is told in time, and nothing is lost.

import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { after, before, it } from "node:test";
import { deliverDue, deliverEventsJob } from "../src/features/webhooks/deliver-events.job.ts";
import type { App } from "../src/platform/app.ts";
import { openOutgoing } from "../src/platform/outgoing.ts";
import { type CastShop, createInvoice, OTHER_USER, SHOP, USER } from "./cast.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { MINUTE } from "./orders.ts";
import { openOrigins, openRoom, type Room } from "./webhook-room.ts";

type Does = (socket: Socket) => unknown;

/** These bytes and the end. */
const says =
  (text: string): Does =>
  (socket) =>
    socket.end(text);
const answers = (status: string, headers = ""): Does =>
  says(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n${headers}\r\n`);
/** This, again and again. */
const repeats =
  (beginning: string, text: string, everyMs = 20): Does =>
  (socket) => {
    socket.write(beginning);
    const timer = setInterval(() => socket.write(text), everyMs);
    socket.once("close", () => clearInterval(timer));
  };

const HUGE = 1_000_000;
const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const NO_HTTP = "not an HTTP answer";
/** Only those that never come to an end are given up after a short time: the machine may be busy. */
const SOON_MS = 150;

/** How each answers, what is written of the attempt, and what becomes of the event. */
const BAD: Readonly<
  Record<string, [does: Does, outcome: string, then: string, when?: "at once" | number]>
> = {
  "resets connections": [(one) => one.resetAndDestroy(), "connection reset", "waiting", "at once"],
  "garbage for TLS": [
    says("no TLS here\r\n".repeat(20)),
    ...(["certificate or TLS failure", "waiting", "at once"] as const),
  ],
  "never answers": [() => {}, "timeout", "waiting", SOON_MS],
  "headers byte by byte": [repeats(`${OK}x: `, "x"), "timeout", "waiting", SOON_MS],
  "endless headers": [repeats(OK, "x: y\r\n".repeat(9_999), 1), NO_HTTP, "waiting"],
  "garbage for HTTP": [says("SSH-2.0-OpenSSH_9.2\r\n"), NO_HTTP, "waiting"],
  "a status below 100": [answers("099 Odd"), NO_HTTP, "waiting"],
  "closes in the middle": [says(`${OK}content-le`), "connection reset", "waiting"],
  "changes the protocol": [
    answers("101 Switching", "connection: upgrade\r\nupgrade: x\r\n"),
    ...(["connection failed", "waiting"] as const),
  ],
  "answers 500": [answers("500 Odd"), "500", "waiting"],
  "answers 429": [answers("429 Odd", "retry-after: 86400\r\n"), "429", "waiting"],
  "redirects inwards": [answers("301 Odd", "location: /trap\r\n"), "301", "waiting"],
  "answers 410": [answers("410 Gone"), "410", "exhausted"],
  "an endless body": [
    repeats(CHUNKED, `4000\r\n${"x".repeat(0x4000)}\r\n`, 1),
    ...(["200", "delivered"] as const),
  ],
  "a body byte by byte": [repeats(`${CHUNKED}ffff\r\n`, "x"), "200", "delivered", 5_000],
  "a body longer than it says": [
    says(`${OK}content-length: 1\r\n\r\n${"x".repeat(HUGE)}`),
    ...(["200", "delivered"] as const),
  ],
};

onOneEngine("bad receivers", (engine) => {
  it("each attempt is written as what it was, and tried again or not", async (test) => {
    const room = await openRoom(engine);
    test.after(() => room.close());
    const heard: string[] = [];
    const open = async ([name, [does, , , when]]: [string, (typeof BAD)[string]]) => {
      const server = createServer((socket) => {
        socket.on("error", () => {});
        if (when === "at once") does(socket);
        // The body is an object: with its end the request is whole.
        else
          socket.on("data", (bytes: Buffer) => {
            heard.push(`${name} ${bytes.toString().split(" ")[1]}`);
            if (bytes.at(-1) === 125) does(socket);
          });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      test.after(() => server.close());
      const { port } = server.address() as AddressInfo;
      return `http${name.includes("TLS") ? "s" : ""}://127.0.0.1:${port}/hook`;
    };
    const kinds = Object.entries(BAD);
    const urls = await Promise.all(kinds.map(open));
    const post: App["http"]["post"] = (url, options) => {
      const when = kinds[urls.indexOf(url)]?.[1][3];
      return room.app.http.post(
        url,
        typeof when === "number" ? { ...options, timeoutMs: when } : options,
      );
    };
    const app = { ...room.app, http: { ...room.app.http, post } };
    // Where nobody listens.
    const away = urls[0]?.replace("127.0.0.1", "127.66.0.1") ?? "";
    const ids = await room.record([...urls, away]);
    const wanted = kinds.map(([, [, outcome, then]]) => [outcome, then]);
    wanted.push(["connection refused", "waiting"]);
    for (const attempts of [1, 2]) {
      await deliverDue(app);
      const rows = await room.sql<{ outcome: string; state: string; attempts: number }>(
        `select coalesce(attempts.status::text, error) as outcome, state, attempt as attempts
         from attempts join event_states using (event_id)
         where event_id = any($1::uuid[]) and attempt = event_states.attempts
         order by array_position($1::uuid[], event_id)`,
        [ids],
      );
      assert.deepEqual(
        rows.map((row) => [row.outcome, row.state, row.attempts]),
        wanted.map(([outcome, then]) => [outcome, then, then === "waiting" ? attempts : 1]),
      );
      room.clock.advance(5);
    }
    assert.deepEqual(
      heard.filter((one) => one.includes("/trap")),
      [],
    );
  });
});

/** As many bytes in one host, in labels of 50. */
const hostOf = (bytes: number): string => `${"a".repeat(49)}.`.repeat(130).slice(-bytes);

onOneEngine("a hook_url with a long host", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine);
  });
  after(() => gateway.stop());

  it("is refused in clear words at an invoice and in a shop's settings", async () => {
    const words = "The hook url field must have a host of at most 253 bytes.";
    const urls = [`https://${hostOf(254)}/hook`, `https://${"ы".repeat(60)}.${hostOf(200)}/`];
    for (const hook_url of urls) {
      const answer = await createInvoice(gateway, { hook_url });
      assert.deepEqual([answer.status, answer.body.error], [422, words]);
      const refused = await manage(gateway).refused(`shops/${SHOP.id}`, { hook_url });
      assert.deepEqual(refused, [422, [words]]);
    }
    const longest = await createInvoice(gateway, { hook_url: `https://${hostOf(253)}/hook` });
    assert.equal(longest.status, 200, longest.text);
  });
});

onOneEngine("hosts that hang in several shops of several users", (engine) => {
  let gateway: TestGateway;
  const closing: (() => Promise<void>)[] = [];
  before(async () => {
    // Longer than any test: only the end of the test ends what hangs.
    const http = openOutgoing({ allowLoopback: true, allowedHosts: [], timeoutMs: 3_600_000 });
    gateway = await openTestGateway(engine, {}, { http });
  });
  after(async () => {
    for (const close of closing) await close();
    await gateway.stop();
  });

  const openShop = async (userId: string): Promise<CastShop> => {
    const own = manage(gateway);
    const made = await own.post("shops", { user_id: userId, name: "One more", h2h_enabled: true });
    const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 100_000 };
    await own.post("tariffs", { shop_id: made.shop.shop_id, service: "p2p_card", ...rates });
    return { id: made.shop.shop_id, key: made.api_key };
  };
  /** An event for each address: an invoice that expires. */
  const expire = async (shop: CastShop, urls: readonly string[]): Promise<void> => {
    const make = (hook_url: string) => createInvoice(gateway, { expire: 10, hook_url }, shop);
    for (const { status, text } of await Promise.all(urls.map(make)))
      assert.equal(status, 200, text);
  };

  const allExpired = () =>
    until(async () => {
      const { db } = gateway.app;
      return (await db.query("select from invoices where state = 'created'")).length === 0;
    });
  const allClaimed = () => until(async () => (await deliverEventsJob.run(gateway.app)) === 0);

  it("leave places for everybody else: other users, and other shops of the same user", async () => {
    const hanging = await openOrigins(() => {});
    const hosts = new Set<string>();
    const allHeard = Promise.withResolvers<void>();
    const healthy = await openOrigins((answer, host) => {
      answer.writeHead(200).end();
      hosts.add(host);
      if (hosts.size === 3) allHeard.resolve();
    });
    closing.push(hanging.close, healthy.close);
    const stranger = await manage(gateway).post("users", { name: "A stranger" });
    const userIds = [USER.id, OTHER_USER.id, stranger.user.user_id];
    // Eight events for each of 90 hosts in six shops: twice as many as there are places.
    for (let turn = 0; turn < 6; turn += 1) {
      const urls = Array.from({ length: 720 }, (_, n) => hanging.url(turn * 90 + (n % 90)));
      await expire(await openShop(userIds[turn % 2] ?? ""), urls);
    }
    gateway.clock.advance(10 * MINUTE);
    await allExpired();
    await allClaimed();

    const shopIds: string[] = [];
    for (const [index, userId] of userIds.entries()) {
      const shop = await openShop(userId);
      shopIds.push(shop.id);
      await expire(shop, [healthy.url(index)]);
    }
    gateway.clock.advance(10 * MINUTE);
    await allExpired();
    await allClaimed();
    const untold = await gateway.app.db.query(
      "select from outbox where shop_id = any($1::uuid[]) and attempts = 0",
      [shopIds],
    );
    assert.equal(untold.length, 0, "somebody waits for a host that hangs");
    await allHeard.promise;
    assert.equal(hanging.ended(), 0);
    assert.ok(hanging.heard.length > 500, `only ${hanging.heard.length} hang`);
  });
});

onOneEngine("many receivers", (engine) => {
  let room: Room;
  before(async () => {
    room = await openRoom(engine);
  });
  after(() => room.close());

  it("of one shop, past a hundred, share one line: all are told, and the shop alone waits", async () => {
    const origins = await openOrigins((answer) => answer.writeHead(200).end());
    const ids = await room.record(Array.from({ length: 300 }, (_, index) => origins.url(index)));
    const [lines] = await room.sql(
      `select count(distinct receiver)::integer as receivers,
              count(*) filter (where receiver = shop_id)::integer as in_the_shops_line from outbox`,
    );
    assert.deepEqual(lines, { receivers: 101, in_the_shops_line: 200 });
    await deliverDue(room.app);
    assert.deepEqual(new Set(origins.heard), new Set(ids));
    assert.equal(origins.heard.length, ids.length);
    // When their leases are over the lines are gone, and there is room for others.
    room.clock.advance(MINUTE);
    await deliverDue(room.app);
    assert.deepEqual(await room.sql("select from receivers"), []);
    await origins.close();
  });
});

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 20));
}
