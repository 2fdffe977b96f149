// What whoever runs a gateway sees of it: names of requests, slow statements, lags of jobs, and an end that
// those who balance the load notice before their callers do.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { eventually } from "../torture/eventually.ts";
import { createInvoice } from "./cast.ts";
import {
  type Answer,
  ENGINES,
  onOneEngine,
  openTestDatabase,
  openTestGateway,
  type TestGateway,
} from "./gateway.ts";
import { manage } from "./manage.ts";
import { orders, templateOrigin, through } from "./orders.ts";
import { untilFree } from "./patience.ts";
import { pauseRail, payouts } from "./payouts.ts";
import { freePort, killLeftovers, ready, runKopeck } from "./process.ts";
import { openRail } from "./rails.ts";

const MADE = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** As soon as nobody is at it. */
const rename = ({ app }: TestGateway, table: string, name: string) =>
  untilFree(() => app.db.query(`alter table ${table} rename to ${name}`));

onOneEngine("the name of a request, and slow statements", (engine) => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway(engine, { slowStatementMs: 50 });
  });
  after(() => gateway.stop());

  const idOf = ({ headers }: Answer): string => headers.get("x-request-id") ?? "";
  const ask = (id: string, path = "/healthz") =>
    gateway.call(path, { headers: { "x-request-id": id } });

  it("is the caller's own, where it is one, and else a new one", async () => {
    for (const id of ["1", "a-B_c.d:e+f/g=", "x".repeat(64)]) {
      assert.equal(idOf(await ask(id)), id);
    }
    for (const id of ["", " ", "two words", 'quo"te', "x".repeat(65), "a,b", "<b>"]) {
      assert.match(idOf(await ask(id)), MADE, id);
    }
    const [one, other] = [await gateway.call("/healthz"), await gateway.call("/healthz")];
    assert.notEqual(idOf(one), idOf(other));
  });

  it("is in every answer, whatever it is", async () => {
    const answers = [
      await createInvoice(gateway),
      await createInvoice(gateway, { amount: "much" }),
      await ask("own", "/nowhere"),
      await ask("own", "/invoice/create"),
      await ask("own", "/%zz"),
      await ask("own", "/metrics"),
      await ask("own", "/pay/x"),
      await gateway.call("/invoice/create", { body: "{" }),
    ];
    assert.deepEqual(
      answers.map(idOf).filter((id) => id !== "own" && !MADE.test(id)),
      [],
    );
    const { port } = new URL(gateway.url);
    const raw = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connect(Number(port), "127.0.0.1", () => socket.write("nonsense\r\n\r\n"));
      socket.on("data", (bytes) => {
        text += bytes;
      });
      socket.on("close", () => resolve(text));
    });
    assert.match(raw, /^HTTP\/1\.1 400 [\s\S]*\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  });

  it("is in the log line of a request that failed", async () => {
    await rename(gateway, "audit_log", "away");
    gateway.log.length = 0;
    const headers = { authorization: "Bearer sandbox_operator_token", "x-request-id": "find-me" };
    const answer = await gateway.call("/manage/audit", { headers });
    await rename(gateway, "away", "audit_log");
    assert.equal(answer.status, 500);
    assert.equal(idOf(answer), "find-me");
    const [line = ""] = gateway.log.filter((one) => one.includes("failed unexpectedly"));
    assert.equal(JSON.parse(line).requestId, "find-me");
  });

  it("a statement that takes its time is logged with its first words, and without its values", async () => {
    gateway.log.length = 0;
    const slow = "select $1::text as hidden,\n   pg_sleep(0.2)";
    await gateway.app.for("jobs").db.query(slow, ["a secret value"]);
    const lines = gateway.log.filter((line) => line.includes("pg_sleep"));
    assert.equal(lines.length, 1, gateway.log.join(""));
    const { msg, statement, ms } = JSON.parse(lines[0] ?? "");
    assert.equal(msg, "a statement took its time");
    assert.equal(statement, "select $1::text as hidden, pg_sleep(0.2)");
    assert.ok(ms >= 200, `${ms}`);
    assert.doesNotMatch(gateway.log.join(""), /a secret value/);
  });
});

describe("the end", () => {
  after(killLeftovers);
  it("is told by /readyz first, while everything is answered", async () => {
    // Again with more time, where the machine was too busy to ask all of it within that.
    for (const seconds of [3, 15, 60]) if (await isAnsweredFor(seconds)) return;
    assert.fail("never asked in time");
  });

  async function isAnsweredFor(seconds: number): Promise<boolean> {
    const database = await openTestDatabase(ENGINES.at(-1) ?? "embedded", templateOrigin());
    const { dataDir = "", databaseUrl = "" } = database.config;
    const env = { DATABASE_URL: databaseUrl, KOPECK_DATA_DIR: dataDir };
    const PORT = String(await freePort());
    const running = runKopeck({ ...env, PORT, KOPECK_DRAIN_SECONDS: String(seconds) });
    await ready(running);
    const gateway = through(running);
    const askEverything = async (): Promise<void> => {
      while ((await gateway.call("/readyz")).status === 200);
      assert.equal((await gateway.call("/readyz")).status, 503);
      assert.equal((await gateway.call("/healthz")).status, 200);
      const created = await createInvoice(gateway);
      assert.equal(created.status, 200, created.text);
      // Whoever kept a connection has left it by then: a request that meets its end is a 502 behind a proxy.
      assert.equal(created.headers.get("connection"), "close");
      assert.equal((await manage(gateway).ask("users")).status, 200);
    };
    // It does not end before that.
    const endsAt = performance.now() + seconds * 1000;
    running.child.kill("SIGTERM");
    let isInTime = true;
    await askEverything().catch((error: unknown) => {
      isInTime = performance.now() < endsAt;
      if (isInTime) throw error;
    });
    assert.equal((await running.ended).code, 0, running.output());
    await assert.rejects(gateway.call("/healthz"));
    await database.drop();
    return isInTime;
  }

  it("waits for a rail that hangs and for a caller who says nothing at once, not one after the other", async (context) => {
    const gateway = await openTestGateway(ENGINES.at(-1) ?? "embedded");
    const user = payouts(gateway, orders(gateway));
    await user.earn();
    await pauseRail(gateway);
    const rail = await openRail(gateway, "slow");
    context.after(() => rail.close());
    const brokenOff = new Promise<number>((resolve) => {
      rail.fails((response) => response.on("close", () => resolve(performance.now())));
    });
    await user.made();
    await eventually("the rail is asked", async () => rail.asked.length > 0);
    const caller = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    await once(caller, "connect");
    const cutOff = once(caller.resume(), "close").then(() => performance.now());
    await gateway.stop();
    const apartMs = Math.abs((await brokenOff) - (await cutOff));
    assert.ok(apartMs < 3_000, `${apartMs} ms`);
  });
});
