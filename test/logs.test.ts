// What the log says of a gateway's life: each thing once, nothing of it a flood, and none of it a secret.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { it } from "node:test";
import pg from "pg";
import { type Log, openSeldom } from "../src/platform/log.ts";
import { createInvoice, SHOP } from "./cast.ts";
import { onPostgres } from "./gateway.ts";
import { openOneGateway } from "./one-gateway.ts";
import { NO_TERMINAL, onTerminal } from "./terminal.ts";
import { until } from "./webhook-room.ts";

// A machine may be too busy for a statement; that line has its own test.
const settings = { logLevel: "info", slowStatementMs: 60_000 } as const;
const { gateway, own, trade } = await openOneGateway(settings);

const lines = () => gateway.log.map((line) => JSON.parse(line));
const told = (msg: string) => lines().filter((line) => line.msg === msg);

it("tells of money, of webhooks that were not taken and of wrong keys, by ids alone", async () => {
  const orders = [];
  for (let n = 0; n < 3; n += 1) orders.push(await trade.order({ hook_url: "http://127.0.0.1:1" }));
  const [first, ...others] = orders;
  assert.ok(first);
  const items = others.map(({ wallet, amount, id }) => ({ wallet, amount, reference: id }));
  const { transfer_id: transfer } = await trade.pay(first);
  const { items: booked } = await own.post("transfers", { items });
  await own.post("transfers", { items });
  await trade.pay(first, { amount: 1.23 });
  await trade.pass(86_400);
  const refund = { invoice_id: first.id, amount: 10, reason: "a reason" };
  const { refund_id } = await own.post("refunds", refund);
  const ids = (order: typeof first, transfer_id: string) => ({
    transfer: transfer_id,
    invoice: order.id,
    shop: SHOP.id,
    amount: `${order.amount.toFixed(2)} RUB`,
  });
  assert.deepEqual(
    told("credited").map(({ credits }) => credits),
    [[ids(first, transfer)], others.map((order, index) => ids(order, booked[index].transfer_id))],
    "a set is a line, a repeat is none",
  );
  assert.deepEqual(told("a transfer waits in suspense")[0]?.reason, "nobody_expected");
  const [refunded] = told("refunded");
  const { refund: id, invoice, shop, amount } = refunded;
  assert.deepEqual([id, invoice, shop, amount], [refund_id, first.id, SHOP.id, "10.00 RUB"]);
  const [untaken, ...more] = told("a webhook was not taken");
  assert.deepEqual([untaken.shop, untaken.reason, more], [SHOP.id, "connection refused", []]);
  for (let n = 0; n < 20; n += 1) await createInvoice(gateway, {}, { id: SHOP.id, key: "wrong" });
  const [wrong, ...again] = told("a wrong key or token");
  assert.deepEqual([wrong.from, wrong.id, again], ["127.0.0.1", SHOP.id, []]);
  const text = gateway.log.join("");
  for (const secret of ['wrong"', "a reason", ...orders.map(({ wallet }) => wallet)]) {
    assert.ok(!text.includes(secret), secret);
  }
});

it("says again after a minute what goes on, and how often it was", () => {
  const said: unknown[] = [];
  const log = { info: (...of: unknown[]) => said.push(of) } as unknown as Log;
  let now = 0;
  const seldom = openSeldom(log, () => now);
  for (const at of [0, 1, 59_999, 60_000, 200_000]) {
    now = at;
    seldom("info", "a", { at }, "again");
    seldom("info", "b", { at }, "again");
  }
  const each = [[{ at: 0 }], [{ at: 60_000, times: 3 }], [{ at: 200_000 }]];
  assert.deepEqual(
    said,
    each.flatMap(([fields]) => [
      [fields, "again"],
      [fields, "again"],
    ]),
  );
});

onPostgres("a database that goes away", () => {
  it("is told once, and once more when it is back", async () => {
    const url = new URL(gateway.app.config.databaseUrl ?? "");
    const name = url.pathname.slice(1);
    url.pathname = "/postgres";
    const server = new pg.Client({ connectionString: url.href });
    await server.connect();
    const allow = (yes: boolean) => server.query(`alter database ${name} allow_connections ${yes}`);
    // An attempt that is under way would tell that its outcome could not be written.
    await trade.pass(0);
    gateway.log.length = 0;
    await allow(false);
    try {
      await server.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
        [name],
      );
      for (let n = 0; n < 30; n += 1) assert.equal((await createInvoice(gateway)).status, 503);
      assert.deepEqual(
        lines().map(({ level, msg }) => [level, msg.split(",")[0]]),
        [["error", "the database is away"]],
      );
    } finally {
      await allow(true);
      await server.end();
    }
    await until("it is back", () => told("the database is back").length > 0);
    assert.equal((await createInvoice(gateway)).status, 200);
    assert.equal(lines().length, 2, gateway.log.join(""));
    assert.ok(told("the database is back")[0].failures >= 30);
  });
});

it("is for people on a terminal, and cannot steer it", { skip: NO_TERMINAL }, async () => {
  const log = join(import.meta.dirname, "../src/platform/log.ts");
  const program = `import(${JSON.stringify(log)}).then(({ openLog }) => {
    const log = openLog("info");
    log.info({ url: "http://a.example", card: "4111", n: 1 }, "listening");
    log.warn({ err: new Error("red\\u001b[31m") }, "odd");
  })`;
  const words = [process.execPath, "-e", program];
  const { screen, raw } = await onTerminal(words, {});
  const [first, second, third] = screen.split("\n");
  const AT = /^\d\d:\d\d:\d\d /;
  assert.match(first ?? "", AT);
  assert.equal(first?.replace(AT, ""), "listening  url http://a.example  card [redacted]  n 1");
  assert.equal(second?.replace(AT, ""), "warn odd");
  assert.equal(third, "Error: red");
  assert.ok(!raw.includes("\u001b"));
  const piped = execFileSync(process.execPath, words.slice(1), { encoding: "utf8" });
  assert.equal(JSON.parse(piped.split("\n")[0] ?? "").msg, "listening");
});
