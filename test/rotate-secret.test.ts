// kopeck secret rotate: the old key opens nothing any more, and nobody outside notices.

import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { after, before, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { rotate, rotateSecret } from "../src/cli/local/rotate-secret.ts";
import { verify } from "../src/cli/local/verify.ts";
import { issueToken } from "../src/features/operators/manage-operators.endpoint.ts";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { movableClock, systemClock } from "../src/platform/clock.ts";
import { openLog } from "../src/platform/log.ts";
import { openApp } from "../src/platform/open-app.ts";
import { openDb } from "../src/platform/open-db.ts";
import { openSecrets } from "../src/platform/secret.ts";
import { assertBooksAreRight } from "./books.ts";
import { createH2h, createInvoice } from "./cast.ts";
import {
  type Answer,
  call,
  migrateTestDatabase,
  onEachEngine,
  openTestDatabase,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const CARD = "2202200000000008";
const KEYS = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const log = openLog("error");

onEachEngine("kopeck secret rotate", (engine) => {
  let database: TestDatabase;
  let receiver: Receiver;
  let shop: { id: string; key: string };
  let user: { id: string; secret: string };
  let token: string;
  let webhook: { key: string; secret: string };

  const configWith = (secretKey: Buffer, nextSecretKeys: readonly Buffer[] = []) =>
    testConfig({
      ...database.config,
      secretKey,
      nextSecretKeys,
      mode: "live",
      allowedHookHosts: ["127.0.0.1"],
    });
  const running = new Set<Gateway>();
  const start = async (secretKey: Buffer, next: readonly Buffer[] = []): Promise<Gateway> => {
    const gateway = await startGateway({ config: configWith(secretKey, next), log });
    running.add(gateway);
    return gateway;
  };
  const stop = async (gateway: Gateway): Promise<void> => {
    running.delete(gateway);
    await gateway.stop();
  };

  /** The environment of the command, on the same database. */
  function environment(present: Buffer, next?: Buffer): Record<string, string> {
    const { dataDir = "", databaseUrl = "" } = database.config;
    return {
      KOPECK_MODE: "live",
      KOPECK_DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      KOPECK_SECRET_KEY: present.toString("hex"),
      ...(next === undefined ? {} : { KOPECK_NEW_SECRET_KEY: next.toString("hex") }),
    };
  }

  async function run(env: Record<string, string>): Promise<string> {
    let text = "";
    const print = (more: string): void => {
      text += more;
    };
    assert.equal(await rotateSecret.run({ input: {}, env, print }), 0);
    return text;
  }

  async function manage(gateway: Gateway, path: string, body: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${token}` };
    return call(gateway.url, `/manage/${path}`, { headers, body });
  }

  before(async () => {
    database = await openTestDatabase(engine, { empty: true });
    receiver = await openReceiver();
    await migrateTestDatabase(database);
    const gateway = await start(KEYS[0]);
    ({ token } = await gateway.app.db.transaction((tx) =>
      issueToken(tx, gateway.app, "root", "operator", null),
    ));
    const made = await manage(gateway, "users", { name: "Acme" });
    user = { id: made.body.data.user.user_id, secret: made.body.data.secret };
    const { data } = (
      await manage(gateway, "shops", {
        user_id: user.id,
        name: "Store",
        h2h_enabled: true,
        hook_url: receiver.url,
      })
    ).body;
    shop = { id: data.shop.shop_id, key: data.api_key };
    webhook = { key: data.webhook_key, secret: data.webhook_secret };
    const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 100_000 };
    const tariff = await manage(gateway, "tariffs", { service: "p2p_card", ...rates });
    assert.equal(tariff.status, 200, tariff.text);
    const added = await addCard(gateway);
    assert.equal(added.status, 200, added.text);
    await stop(gateway);
  });
  after(async () => {
    for (const gateway of running) await stop(gateway);
    await receiver.close();
    await database.drop();
  });

  const addCard = (gateway: Gateway): Promise<Answer> =>
    manage(gateway, "requisites", {
      ...{ bank: "sber", receiver_name: "Иван И.", card: CARD, phone: "+79990000001" },
    });

  /** Everybody's secrets work, the right number is given out, and a webhook is signed as before. */
  async function assertNobodyNotices(secretKey: Buffer): Promise<void> {
    const gateway = await start(secretKey);
    const caller = { call: (...args: [string]) => call(gateway.url, ...args) };
    const created = await createInvoice(caller, {}, shop);
    assert.equal(created.status, 200, created.text);
    const { data } = (await createH2h(caller, created.body.data.id, {}, shop)).body;
    assert.equal(data.wallet, CARD);
    const booked = await manage(gateway, "transfers", {
      wallet: CARD,
      amount: Number(data.amount),
      reference: created.body.data.id,
    });
    assert.equal(booked.body.data.state, "matched", booked.text);
    const balance = await call(gateway.url, `/account/users/${user.id}/balance`, {
      headers: { "x-api-signature-sha256": user.secret },
    });
    assert.equal(balance.status, 200, balance.text);
    const again = await addCard(gateway);
    assert.notEqual(again.status, 200, "a card belongs to one requisite");
    while (receiver.received.length === 0) await new Promise((go) => setTimeout(go, 20));
    const [{ raw, headers }] = receiver.received.splice(0) as [(typeof receiver.received)[0]];
    assert.equal(
      headers["x-api-sha256-signature"],
      createHmac("sha256", webhook.key).update(raw).digest("hex"),
    );
    new Webhook(webhook.secret).verify(raw, headers as Record<string, string>);
    await assertBooksAreRight(gateway);
    await stop(gateway);
  }

  async function dump(): Promise<string> {
    const db = await openDb(testConfig(database.config), log);
    const rows = await db.query(
      `select (select json_agg(row_to_json(t)) from requisites t) as requisites,
              (select json_agg(row_to_json(t)) from webhook_keys t) as keys,
              (select json_agg(row_to_json(t)) from installation t) as installation,
              (select count(*) from audit_log) as audits`,
      [],
    );
    await db.close();
    return JSON.stringify(rows, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
  }

  // Each start of the embedded engine takes seconds, and these say nothing of the engine.
  if (engine === "postgres") {
    it("refuses keys that make no sense, and a wrong one, and changes nothing", async () => {
      const before = await dump();
      const present = environment(KEYS[0]);
      for (const [env, message] of [
        [present, /^KOPECK_NEW_SECRET_KEY is missing: .*64 hexadecimal/],
        [{ ...present, KOPECK_NEW_SECRET_KEY: "short" }, /^KOPECK_NEW_SECRET_KEY must be 64/],
        [
          { ...present, KOPECK_NEW_SECRET_KEY: "00".repeat(32) },
          /^KOPECK_NEW_SECRET_KEY is one byte/,
        ],
        [
          { ...environment(KEYS[0], KEYS[1]), KOPECK_SECRET_KEY: "no" },
          /^KOPECK_SECRET_KEY must be/,
        ],
        [environment(KEYS[0], KEYS[0]), /^KOPECK_NEW_SECRET_KEY is the present key/],
        [environment(KEYS[1], KEYS[2]), /another KOPECK_SECRET_KEY/],
      ] as const) {
        await assert.rejects(run(env), { message });
      }
      assert.equal(await dump(), before);
    });

    it("changes nothing when it is interrupted in the middle", async () => {
      const before = await dump();
      const config = configWith(KEYS[0]);
      const db = await openDb(config, log, { attended: true });
      const app = openApp({ config, db, log, clock: movableClock(systemClock) });
      const interrupted = db.transaction(async (tx) => {
        await rotate(tx, app, openSecrets(KEYS[1]), "kopeck, knows it");
        throw new Error("interrupted");
      });
      await assert.rejects(interrupted, /interrupted/);
      await db.close();
      assert.equal(await dump(), before);
      await assertNobodyNotices(KEYS[0]);
    });
  }

  it("hands over to the new key, again and again, and leaves an audit row each", async () => {
    const nextKeys = engine === "postgres" ? KEYS.slice(1) : KEYS.slice(1, 2);
    for (const [index, next] of nextKeys.entries()) {
      const present = KEYS[index] ?? KEYS[0];
      const text = await run(environment(present, next));
      assert.match(text, /^sealed anew: 1 requisites, the webhook keys of 1 shops\n/);
      await assert.rejects(start(present), /another KOPECK_SECRET_KEY/);
      await assertNobodyNotices(next);
      const print = (): void => {};
      assert.equal(await verify.run({ input: {}, env: environment(next), print }), 0);
    }
    const db = await openDb(testConfig(database.config), log);
    const audits = await db.query(
      "select operator_name, subject, after from audit_log where act = 'secret.rotate' order by id",
      [],
    );
    await db.close();
    const row = {
      operator_name: "command line",
      subject: "installation",
      after: { requisites: 1, webhook_keys: 1 },
    };
    assert.deepEqual(
      audits,
      nextKeys.map(() => row),
    );
  });

  if (engine === "postgres") {
    it("refuses a database that a gateway is using", async () => {
      const gateway = await start(KEYS[2]);
      const unaware = /A gateway is using this database and does not know the new key/;
      await assert.rejects(run(environment(KEYS[2], KEYS[0])), unaware);
      // Nor one that knows another key.
      const other = await start(KEYS[2], [KEYS[1]]);
      await stop(gateway);
      await assert.rejects(run(environment(KEYS[2], KEYS[0])), unaware);
      await stop(other);
    });

    it("fails no request of gateways that know both keys, before, while and after it runs", async () => {
      const gateways = [await start(KEYS[2], [KEYS[0]]), await start(KEYS[2], [KEYS[0]])];
      let turns = 0;
      let isOver = false;
      /** All that opens, seals or looks up: details, money by its card, new cards, new webhook keys. */
      const turn = async (gateway: Gateway): Promise<void> => {
        turns += 1;
        const own = turns;
        const amount = 1_000 + own;
        const caller = { call: (...args: [string]) => call(gateway.url, ...args) };
        const created = await createInvoice(caller, { amount }, shop);
        assert.equal(created.status, 200, created.text);
        const details = await createH2h(caller, created.body.data.id, {}, shop);
        assert.equal(details.status, 200, details.text);
        assert.equal(details.body.data.wallet, CARD);
        const booked = await manage(gateway, "transfers", {
          wallet: CARD,
          amount: Number(details.body.data.amount),
          reference: created.body.data.id,
        });
        assert.equal(booked.status, 200, booked.text);
        assert.equal(booked.body.data.state, "matched", booked.text);
        const phone = `+7998${String(own).padStart(7, "0")}`;
        const added = { bank: "tinkoff", receiver_name: "Анна А.", phone };
        const first = await manage(gateway, "requisites", added);
        assert.equal(first.status, 200, first.text);
        const twice = await Promise.all(gateways.map((one) => manage(one, "requisites", added)));
        for (const { status } of twice) assert.notEqual(status, 200, "a phone is of one requisite");
        const keys = await manage(gateway, `shops/${shop.id}/rotate-webhook-keys`, {});
        assert.equal(keys.status, 200, keys.text);
      };
      const traffic = Promise.all(
        gateways.map(async (gateway) => {
          while (!isOver) await turn(gateway);
        }),
      );
      while (turns < 4) await Promise.race([traffic, new Promise((go) => setTimeout(go, 20))]);
      const rotated = await run(environment(KEYS[2], KEYS[0]));
      assert.match(rotated, /^sealed anew: \d+ requisites, the webhook keys of 1 shops\n/);
      const until = turns + 4;
      while (turns < until) await Promise.race([traffic, new Promise((go) => setTimeout(go, 20))]);
      isOver = true;
      await traffic;
      await assert.rejects(
        run(environment(KEYS[2], KEYS[0])),
        /Everything is sealed with KOPECK_NEW_SECRET_KEY already/,
      );
      for (const gateway of gateways) await stop(gateway);
      // The old key is needed for nothing any more.
      const print = (): void => {};
      assert.equal(await verify.run({ input: {}, env: environment(KEYS[0]), print }), 0);
      await assert.rejects(start(KEYS[2]), /another KOPECK_SECRET_KEY/);
      await stop(await start(KEYS[0]));
    });
  }
});
