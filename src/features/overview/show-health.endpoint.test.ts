// How the gateway is, and that no secret is told with it.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { readConfig } from "../../platform/config.ts";
import { jobs } from "../jobs.ts";

const { gateway, own, trade } = await openOneGateway();

it("200: version, database, every job, settings; no secret and no address of the database", async () => {
  const health = await own.get("health");
  assert.match(health.version, /^\d+\.\d+\.\d+/);
  assert.deepEqual([health.mode, health.now], ["sandbox", trade.now()]);
  assert.ok(health.database.bytes > 1_000_000, String(health.database.bytes));
  const figures = health.jobs.map((job: Record<string, unknown>) => job["last_good_seconds"]);
  for (const figure of [health.clock_ahead_seconds, ...figures]) {
    assert.match(
      String(figure),
      /^(?:null|-?\d+(?:\.\d\d?)?)$/,
      "no more digits than anybody reads",
    );
  }
  assert.deepEqual(
    health.jobs.map(({ name }: { name: string }) => name).toSorted(),
    jobs.map(({ name }) => name).toSorted(),
  );
  const settings = new Map(
    health.settings.map(({ name, value }: { name: string; value: string }) => [name, value]),
  );
  assert.equal(settings.get("KOPECK_TIME_ZONE"), gateway.app.config.timeZone);
  assert.equal(settings.get("KOPECK_RETAIN_SLOTS_DAYS"), "");
  const told = JSON.stringify(health);
  const { secretKey, databaseUrl = "postgres://" } = gateway.app.config;
  for (const secret of [secretKey.toString("hex"), secretKey.toString("base64"), databaseUrl]) {
    assert.ok(!told.includes(secret));
  }
});

it("200: every setting that is read, but for keys and addresses that may hold a password", async () => {
  const read = new Set<string>();
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name: string) => {
        read.add(name);
        return undefined;
      },
    },
  );
  readConfig(env);
  const told = new Set(
    (await own.get("health")).settings.map(({ name }: { name: string }) => name),
  );
  assert.deepEqual([...read].filter((name) => !told.has(name)).toSorted(), [
    "DATABASE_URL",
    "KOPECK_NEW_SECRET_KEY",
    "KOPECK_SECRET_KEY",
    "KOPECK_SMTP_URL",
  ]);
});

it("200: when the books were last checked", async () => {
  assert.deepEqual((await own.get("health")).books, { checked_at: null, violations: null });
  await gateway.app.db.query(
    `insert into book_checks (id, author, asked_at, started_at, ended_at, violations)
     values ($1, 'kopeck verify', $2, $2, $2, 3)`,
    [gateway.app.newId(), "2026-03-01T00:00:00Z"],
  );
  assert.deepEqual((await own.get("health")).books, {
    checked_at: "2026-03-01T00:00:00.000Z",
    violations: 3,
  });
});
