// Starting and stopping as a process: what a newcomer sees, and one clear line with exit code 1 for
// whatever the operator can mend.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createInvoice } from "./cast.ts";
import { call, onPostgres, openTestDatabase, type TestDatabase } from "./gateway.ts";
import { freePort, killLeftovers, ready, runKopeck } from "./process.ts";

const KEY = "0123456789abcdef".repeat(4);

after(killLeftovers);

async function refusal(env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runKopeck(env).ended;
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, /^kopeck: [^\n]+\n$/, "exactly one line, no stack trace");
  return stderr;
}

describe("a start in the sandbox", () => {
  let database: TestDatabase;
  let dataDir: string;
  before(async () => {
    database = await openTestDatabase("embedded");
    dataDir = database.config.dataDir ?? "";
  });
  after(() => database.drop());

  it("prints where it listens, the keys and a line to try, and stops on SIGTERM", async () => {
    const port = String(await freePort());
    const running = runKopeck({ PORT: port, KOPECK_DATA_DIR: dataDir });
    await ready(running);
    const created = await createInvoice({ call: (...args) => call(running.url, ...args) });
    assert.equal(created.status, 200);
    running.child.kill("SIGTERM");
    const { code, stdout } = await running.ended;
    assert.equal(code, 0);
    for (const text of [
      `http://localhost:${port}`,
      "sandbox_shop_key",
      "0123456789abcdef0123456789abcdef01234567",
      "curl -s ",
    ]) {
      assert.ok(stdout.includes(text), text);
    }
  });

  it("finishes the requests under way when it is told to stop", async () => {
    const running = runKopeck({ PORT: String(await freePort()), KOPECK_DATA_DIR: dataDir });
    await ready(running);
    const caller = { call: (...args: [string]) => call(running.url, ...args) };
    const answers = Array.from({ length: 50 }, () => createInvoice(caller));
    await Promise.race(answers);
    running.child.kill("SIGTERM");
    const statuses = (await Promise.allSettled(answers)).map((one) =>
      one.status === "fulfilled" ? one.value.status : "cut",
    );
    const { code } = await running.ended;
    assert.equal(code, 0);
    assert.ok(statuses.filter((status) => status === 200).length > 0);
    assert.deepEqual(
      statuses.filter((status) => status !== 200 && status !== "cut"),
      [],
      "a request is either answered or never taken",
    );
  });

  it("stops within 10 s though a connection never said anything", async () => {
    const port = await freePort();
    const running = runKopeck({ PORT: String(port), KOPECK_DATA_DIR: dataDir });
    await ready(running);
    const silent = connect(port, "127.0.0.1");
    silent.on("error", () => {});
    await new Promise((resolve) => silent.once("connect", resolve));
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
    silent.destroy();
  });

  it("stops in good order although nobody reads what it prints any more", async () => {
    const running = runKopeck({ PORT: String(await freePort()), KOPECK_DATA_DIR: dataDir });
    await ready(running);
    const address = join(dataDir, "server.json");
    assert.ok(existsSync(address));
    running.child.stdout?.destroy();
    running.child.stderr?.destroy();
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
    // The last thing that an orderly end does; one that a closed pipe brings about does not get there.
    assert.ok(!existsSync(address));
  });

  it("refuses a second process on the same data directory", async () => {
    const first = runKopeck({ PORT: String(await freePort()), KOPECK_DATA_DIR: dataDir });
    await ready(first);
    const line = await refusal({ PORT: String(await freePort()), KOPECK_DATA_DIR: dataDir });
    assert.match(line, /Another Kopeck process is using/);
    first.child.kill("SIGTERM");
    await first.ended;
  });

  it("refuses a port in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    assert.match(await refusal({ PORT: port, KOPECK_DATA_DIR: dataDir }), /Port \d+ is in use/);
    server.close();
  });

  it("refuses live mode on the sandbox's database, and another secret key", async () => {
    const env = { PORT: "0", KOPECK_DATA_DIR: dataDir };
    const live = { ...env, KOPECK_MODE: "live", KOPECK_SECRET_KEY: KEY };
    assert.match(await refusal(live), /holds the sandbox's cast/);
    assert.match(await refusal({ ...env, KOPECK_SECRET_KEY: KEY }), /another KOPECK_SECRET_KEY/);
  });
});

describe("a start that makes no sense", () => {
  for (const [env, message] of [
    [{ KOPECK_MODE: "live" }, /KOPECK_SECRET_KEY is missing/],
    [{ KOPECK_MODE: "live", KOPECK_SECRET_KEY: "short" }, /64 hexadecimal characters/],
    [{ KOPECK_MODE: "live", KOPECK_SECRET_KEY: "ab".repeat(32) }, /one byte again and again/],
    [
      { KOPECK_MODE: "live", KOPECK_SECRET_KEY: KEY, KOPECK_BASE_URL: "http://pay.example" },
      /KOPECK_BASE_URL must be https in live mode/,
    ],
    [{ KOPECK_MODE: "test" }, /KOPECK_MODE must be one of sandbox, live/],
    [{ PORT: "http" }, /PORT must be a whole number from 0 to 65535/],
    [{ PORT: "70000" }, /PORT must be a whole number from 0 to 65535/],
    [{ DATABASE_URL: "mysql://u:hidden@h/d" }, /DATABASE_URL must look like/],
    [{ DATABASE_URL: "nonsense hidden" }, /DATABASE_URL must look like/],
    [{ DATABASE_URL: "postgresql://u:hidden@127.0.0.1:1/d" }, /The database cannot be used/],
    [{ KOPECK_BASE_URL: "ftp://x" }, /KOPECK_BASE_URL must be/],
    [{ KOPECK_TIME_ZONE: "Mars/Base" }, /KOPECK_TIME_ZONE must be/],
    [{ LOG_LEVEL: "loud" }, /LOG_LEVEL must be one of/],
  ] as const) {
    it(JSON.stringify(env), async () => {
      const line = await refusal(env);
      assert.match(line, message);
      assert.doesNotMatch(line, /hidden/, "no password in the line");
    });
  }
});

onPostgres("a start in live mode on PostgreSQL", () => {
  it("has none of the sandbox's cast, and the sandbox refuses its database", async () => {
    const database = await openTestDatabase("postgres");
    const url = database.config.databaseUrl ?? "";
    const env = { DATABASE_URL: url, KOPECK_SECRET_KEY: KEY, PORT: String(await freePort()) };
    const live = { ...env, KOPECK_MODE: "live" };
    assert.match(
      await refusal(live),
      /has not got 0001_settings.sql yet: run "kopeck migrate" first/,
    );
    assert.equal((await runKopeck(live, ["migrate"]).ended).code, 0);
    const running = runKopeck(live);
    await ready(running);
    const answer = await createInvoice({ call: (...args) => call(running.url, ...args) });
    assert.equal(answer.status, 401);
    assert.doesNotMatch(running.output(), /sandbox/);
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
    assert.match(await refusal(env), /made in live mode/);
    await database.drop();
  });

  it("names a database that does not exist", async () => {
    const url = `${process.env["KOPECK_TEST_POSTGRES"]}no_such_database`;
    assert.match(await refusal({ DATABASE_URL: url, PORT: "0" }), /no_such_database/);
  });
});
