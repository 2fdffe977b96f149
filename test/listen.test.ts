// kopeck listen as a developer uses it: a process beside a gateway, and a receiver that comes and goes.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, it } from "node:test";
import { verifyWebhook } from "../sdk/src/index.ts";
import { recordEvents } from "../src/features/webhooks/events.ts";
import { SHOP, USER } from "./cast.ts";
import { feedOf } from "./feed.ts";
import { openOneGateway } from "./one-gateway.ts";
import { NOBODY } from "./orders.ts";
import { freePort, killLeftovers, type Running, runKopeck } from "./process.ts";

const { gateway, trade } = await openOneGateway();
after(killLeftovers);

const KEYS = {
  key: "sandbox_webhook_key",
  secret: "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=",
};
const port = await freePort();
const to = `http://127.0.0.1:${port}/hook`;

/** Believes what it is sent, and keeps it. */
function openLocalReceiver(statuses: number[] = []) {
  const orders: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const event = await verifyWebhook({ body, headers: request.headers, ...KEYS });
    assert.equal(request.headers["webhook-id"], event.event_id);
    assert.equal(request.headers["content-type"], "application/json");
    orders.push(event.order_id);
    response.writeHead(statuses.shift() ?? 204).end();
  });
  server.listen(port, "127.0.0.1");
  return {
    orders,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listen = (args: readonly string[], env: Record<string, string> = {}): Running =>
  runKopeck({ KOPECK_URL: gateway.url, ...env }, ["listen", "--to", to, ...args]);

/** Once it has said so. */
async function said({ child, output }: Running, what: RegExp): Promise<void> {
  while (!what.test(output())) {
    assert.equal(child.exitCode, null, output());
    await Promise.race([once(child.stdout ?? child, "data"), once(child, "close")]);
  }
}

const paid = async (): Promise<string> => {
  const order = await trade.order();
  await trade.pay(order);
  return order.orderId;
};

it("brings past events and new ones, in order, signed, to a receiver that may be away", async () => {
  const first = await paid();
  const second = await paid();
  const running = listen(["--since", "beginning"]);
  await said(running, new RegExp(`success ${first} .*: ECONNREFUSED; trying again in 0.5 s`));
  const receiver = openLocalReceiver([503, 500]);
  await said(running, new RegExp(`success ${second} .*: 204`));
  const third = await paid();
  await said(running, new RegExp(`success ${third} .*: 204`));
  assert.deepEqual(receiver.orders, [first, first, first, second, third]);
  for (const status of [503, 500]) {
    const words = `${first} \\(1\\) [\\w-]{36}: ${status}; trying again in \\d`;
    assert.match(running.output(), new RegExp(words));
  }
  running.child.kill("SIGINT");
  const { code, stdout } = await running.ended;
  const { next } = await feedOf(gateway).read();
  assert.deepEqual([code, stdout.trim().split("\n").at(-1)], [0, `Go on with --after ${next}`]);
  // From there, and from now on.
  const fourth = await paid();
  const again = listen(["--after", next]);
  await said(again, new RegExp(`success ${fourth} .*: 204`));
  const fresh = listen([]);
  await said(fresh, /Ctrl-C ends it/);
  const fifth = await paid();
  await said(fresh, new RegExp(`success ${fifth} .*: 204`));
  assert.ok(!fresh.output().includes(fourth));
  for (const { child } of [again, fresh]) child.kill("SIGTERM");
  for (const one of await Promise.all([again.ended, fresh.ended])) {
    assert.equal(one.code, 0, one.stderr);
    assert.match(one.stdout, /\nGo on with --after \S+\n$/);
  }
  await receiver.close();
});

it("brings a user's events of payouts, and leaves those of shops to who listens for them", async () => {
  const fields = { status: "success", order_id: "payout-1", type: 3 };
  const payout = { payoutId: gateway.app.newId(), userId: USER.id, sequence: 1, hookUrl: null };
  await gateway.app.db.transaction((tx) => recordEvents(tx, gateway.app, [{ ...payout, fields }]));
  const later = await paid();
  const receiver = openLocalReceiver();
  const running = listen(["--user", USER.id, "--since", "beginning"]);
  await said(running, /success payout-1 .*: 204/);
  running.child.kill("SIGINT");
  await running.ended;
  assert.deepEqual([receiver.orders, running.output().includes(later)], [["payout-1"], false]);
  await receiver.close();
});

it("says in one line what is wrong", async () => {
  const env = {
    KOPECK_SHOP_KEY: "wrong",
    KOPECK_WEBHOOK_KEY: "k",
    KOPECK_WEBHOOK_SECRET: "whsec_",
  };
  const cases: [RegExp, number, string[], Record<string, string>?][] = [
    [/--to must be an http or https address/, 2, ["--to", "nowhere"]],
    [/KOPECK_WEBHOOK_KEY and KOPECK_WEBHOOK_SECRET must be set/, 2, [], { KOPECK_SHOP_KEY: "k" }],
    [/does not know this token, which is from KOPECK_SHOP_KEY/, 3, ["--shop", SHOP.id], env],
    [/need its keys: set KOPECK_SHOP_KEY, KOPECK_WEBHOOK_KEY and/, 2, ["--shop", NOBODY]],
    [/from the sandbox, as KOPECK_USER_SECRET is not set/, 3, ["--user", SHOP.id]],
    [/either --shop or --user/, 2, ["--shop", SHOP.id, "--user", USER.id]],
    [/since/, 1, ["--since", "yesterday"]],
    [/not a cursor of this feed/, 1, ["--after", "garbage"]],
    [/cannot be reached/, 3, [], { KOPECK_URL: "http://127.0.0.1:1" }],
    [/without user, query or fragment/, 2, [], { KOPECK_URL: "http://u:p@127.0.0.1:1" }],
    [/KOPECK_SHOP_KEY holds characters/, 2, [], { ...env, KOPECK_SHOP_KEY: "ключ" }],
  ];
  const ended = await Promise.all(
    cases.map(([, , args, more]) =>
      args[0] === "--to"
        ? runKopeck({ KOPECK_URL: gateway.url }, ["listen", ...args]).ended
        : listen(args, more).ended,
    ),
  );
  for (const [index, { code, stderr }] of ended.entries()) {
    const [words = /./, wanted] = cases[index] ?? [];
    assert.match(stderr, words);
    assert.deepEqual([code, stderr.trim().split("\n").length], [wanted, 1], stderr);
  }
});
