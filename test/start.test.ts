// Starting and stopping as a process: what a newcomer sees, and one clear line with exit code 1 for
// whatever the operator can mend.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readConfig } from "../src/platform/config.ts";
import { createInvoice } from "./cast.ts";
import { onPostgres, openTestDatabase, type TestDatabase } from "./gateway.ts";
import { OPERATOR_TOKEN } from "./manage.ts";
import { HOUR, passTime, templateOrigin, through } from "./orders.ts";
import { freePort, killLeftovers, type Running, ready, runKopeck } from "./process.ts";

const KEY = "0123456789abcdef".repeat(4);
const LIVE = {
  KOPECK_MODE: "live",
  KOPECK_SECRET_KEY: KEY,
  KOPECK_BASE_URL: "https://pay.example",
};
const OPERATOR = { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } };

after(killLeftovers);

async function refusal(env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runKopeck(env).ended;
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, /^kopeck: [^\n]+\n$/, "exactly one line, no stack trace");
  assert.doesNotMatch(stdout, /database is away|takes writes/, "nor the same once more in the log");
  assert.doesNotMatch(stderr, /hidden/, "no password in the line");
  return stderr;
}

describe("a start in the sandbox", () => {
  let database: TestDatabase;
  let dataDir: string;
  let movedTo = "";
  before(async () => {
    database = await openTestDatabase("embedded");
    dataDir = database.config.dataDir ?? "";
  });
  after(() => database.drop());

  /** One of them misspelt, one that nobody could mean, and one of commands. */
  const unknown = { KOPECK_TIMEZONE: "UTC", KOPECK_COLOUR: "red", KOPECK_TOKEN: "x" };
  const start = async (): Promise<Running> => {
    const port = String(await freePort());
    // A busy machine makes statements slow, and they are warned of.
    const patient = { KOPECK_SLOW_STATEMENT_MS: "60000" };
    const running = runKopeck({ PORT: port, KOPECK_DATA_DIR: dataDir, ...patient, ...unknown });
    await ready(running);
    return running;
  };
  const now = async (running: Running): Promise<string> =>
    (await through(running).call("/sandbox/clock", OPERATOR)).body.data.now;

  it("prints where it listens, its pages, the keys and a line to try; on SIGTERM it finishes what is under way", async () => {
    const running = await start();
    const { port } = new URL(running.url);
    const second = await refusal({ PORT: "0", KOPECK_DATA_DIR: dataDir });
    assert.match(second, /Another Kopeck process is using/);
    await passTime(through(running), HOUR);
    movedTo = await now(running);
    // A connection that never says anything keeps nobody.
    const silent = connect(Number(port), "127.0.0.1");
    silent.on("error", () => {});
    await new Promise((resolve) => silent.once("connect", resolve));
    const answers = Array.from({ length: 50 }, () => createInvoice(through(running)));
    await Promise.race(answers);
    running.child.kill("SIGTERM");
    const statuses = (await Promise.allSettled(answers)).map((one) =>
      one.status === "fulfilled" ? one.value.status : "cut",
    );
    assert.ok(statuses.includes(200));
    const others = statuses.filter((status) => status !== 200 && status !== "cut");
    assert.deepEqual(others, [], "a request is either answered or never taken");
    // Of a machine that has no time for it the clock goes on, while the silent one is waited for.
    running.child.kill("SIGSTOP");
    await sleep(11_000);
    running.child.kill("SIGCONT");
    const { code, stdout } = await running.ended;
    assert.equal(code, 0);
    silent.destroy();
    for (const text of [
      `http://localhost:${port}/desk`,
      `http://localhost:${port}/my`,
      "sandbox_shop_key",
      "0123456789abcdef0123456789abcdef01234567",
      "curl -s ",
    ]) {
      assert.ok(stdout.includes(text), text);
    }
    const warned = [...stdout.matchAll(/"level":"warn".*"msg":"(.*)"/g)].map(([, msg]) => msg);
    assert.deepEqual(warned, ["KOPECK_TIMEZONE is no setting", "KOPECK_COLOUR is no setting"]);
  });

  it("finds its time where it was moved to; it stops in good order although nobody reads what it prints", async () => {
    const running = await start();
    assert.ok((await now(running)) >= movedTo);
    const address = join(dataDir, "server.json");
    assert.ok(existsSync(address));
    running.child.stdout?.destroy();
    running.child.stderr?.destroy();
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
    // The last thing that an orderly end does; one that a closed pipe brings about does not get there.
    assert.ok(!existsSync(address));
  });

  it("told to end again and again, by either signal, it still finishes what is under way", async () => {
    const env = { PORT: String(await freePort()), KOPECK_DATA_DIR: dataDir };
    const running = runKopeck({ ...env, KOPECK_DRAIN_SECONDS: "5" });
    await ready(running);
    running.child.kill("SIGTERM");
    const { status, body } = await through(running).call("/readyz");
    assert.deepEqual([status, body.status], [503, 503]);
    for (const signal of ["SIGTERM", "SIGINT", "SIGINT"] as const) {
      running.child.kill(signal);
      assert.equal((await through(running).call("/healthz")).status, 200);
    }
    assert.equal((await running.ended).code, 0);
    assert.match(running.output(), /"stopping".*"stopped"/s);
    assert.doesNotMatch(running.output(), /"stopping".*"stopping"/s);
  });

  it("refuses a port in use, live mode, and another secret key", async (t) => {
    const server = createServer();
    t.after(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    for (const [env, message] of [
      [{ PORT: port }, /Port \d+ is in use/],
      [LIVE, /DATABASE_URL is missing: live mode needs PostgreSQL/],
      [{ KOPECK_SECRET_KEY: KEY }, /another KOPECK_SECRET_KEY/],
    ] as const) {
      assert.match(await refusal({ PORT: "0", KOPECK_DATA_DIR: dataDir, ...env }), message);
    }
    // Whoever cannot listen makes no database, and changes none.
    const fresh = join(dataDir, "fresh");
    assert.match(await refusal({ PORT: port, KOPECK_DATA_DIR: fresh }), /Port \d+ is in use/);
    assert.ok(!existsSync(fresh));
  });
});

describe("a start that makes no sense", () => {
  it("is refused in one line", async () => {
    assert.match(await refusal({ KOPECK_MODE: "live" }), /KOPECK_SECRET_KEY is missing/);
    const away = { DATABASE_URL: "postgresql://u:hidden@127.0.0.1:1/d" };
    assert.match(await refusal(away), /The database cannot be used/);
  });

  for (const [env, message] of [
    [{ KOPECK_MODE: "live", KOPECK_SECRET_KEY: "short" }, /64 hexadecimal characters/],
    [{ ...LIVE, KOPECK_BASE_URL: "http://pay.example" }, /_BASE_URL must be https in live mode/],
    [{ KOPECK_MODE: "test" }, /KOPECK_MODE must be one of sandbox, live/],
    [{ PORT: "http" }, /PORT must be a whole number from 0 to 65535/],
    [{ PORT: "70000" }, /PORT must be a whole number from 0 to 65535/],
    [{ DATABASE_URL: "nonsense hidden" }, /DATABASE_URL must look like/],
    [{ LOG_LEVEL: "loud" }, /LOG_LEVEL must be one of/],
  ] as const) {
    it(JSON.stringify(env), () => {
      assert.throws(
        () => readConfig(env),
        (error: Error) => message.test(error.message) && !/hidden|\n/.test(error.message),
      );
    });
  }
});

onPostgres("a start in live mode on PostgreSQL", () => {
  it("has none of the sandbox's cast and verbs, and the sandbox refuses its database", async () => {
    const database = await openTestDatabase("postgres");
    const url = database.config.databaseUrl ?? "";
    const env = { DATABASE_URL: url, KOPECK_SECRET_KEY: KEY, PORT: String(await freePort()) };
    const nowhere = { ...env, KOPECK_MODE: "live" };
    assert.match(await refusal(nowhere), /KOPECK_BASE_URL is missing: live mode needs the https/);
    const live = { ...env, ...LIVE };
    assert.match(
      await refusal(live),
      /has not got 01_settings.sql yet: run "kopeck migrate" first/,
    );
    assert.equal((await runKopeck(live, ["migrate"]).ended).code, 0);
    const running = runKopeck(live);
    await ready(running);
    const gateway = through(running);
    assert.equal((await createInvoice(gateway)).status, 401);
    for (const [path, body] of [
      ["/sandbox/clock", undefined],
      ["/sandbox/clock", { advance_seconds: 1 }],
      ["/sandbox/transfers", { wallet: "2202200000000007", amount: 1 }],
    ] as const) {
      assert.equal((await gateway.call(path, { body, ...OPERATOR })).status, 404);
    }
    assert.doesNotMatch(running.output(), /sandbox/);
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
    assert.match(await refusal(env), /made in live mode/);
    await database.drop();
  });

  it("refuses the sandbox's database", async () => {
    const database = await openTestDatabase("postgres", templateOrigin());
    const DATABASE_URL = database.config.databaseUrl ?? "";
    assert.match(await refusal({ ...LIVE, DATABASE_URL, PORT: "0" }), /holds the sandbox's cast/);
    await database.drop();
  });
});
