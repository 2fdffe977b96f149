// The sandbox as a whole: time that was moved stays moved after a restart, and in live mode none of
// its verbs exists.

import assert from "node:assert/strict";
import { it } from "node:test";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import {
  call,
  migrateTestDatabase,
  onEachEngine,
  onPostgres,
  openTestDatabase,
  TestClock,
  testConfig,
} from "./gateway.ts";

const headers = { authorization: "Bearer sandbox_operator_token" };

onEachEngine("the sandbox's time", (engine) => {
  it("stays moved after a restart", async () => {
    const database = await openTestDatabase(engine);
    const clock = new TestClock();
    const start = () =>
      startGateway({ config: testConfig(database.config), clock, log: openLog("error") });
    const first = await start();
    await call(first.url, "/sandbox/clock", { body: { advance_seconds: 3600 }, headers });
    await first.stop();
    const second = await start();
    const { body } = await call(second.url, "/sandbox/clock", { headers });
    await second.stop();
    await database.drop();
    assert.equal(body.data.now, "2026-03-01 13:00:00");
  });
});

onPostgres("the sandbox's verbs", () => {
  it("do not exist in live mode", async () => {
    const database = await openTestDatabase("postgres");
    const config = testConfig({ ...database.config, mode: "live" });
    await migrateTestDatabase(database);
    const gateway = await startGateway({ config, log: openLog("error") });
    for (const [path, body] of [
      ["/sandbox/clock", undefined],
      ["/sandbox/clock", { advance_seconds: 1 }],
      ["/sandbox/transfers", { wallet: "2202200000000007", amount: 1 }],
    ] as const) {
      assert.equal((await call(gateway.url, path, { body, headers })).status, 404);
    }
    await gateway.stop();
    await database.drop();
  });
});
