// kopeck secret rotate, for people who sign in by a password and the codes of an app: they notice nothing of it.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, it } from "node:test";
import { rotateSecret } from "../src/cli/local/rotate-secret.ts";
import { verify } from "../src/cli/local/verify.ts";
import { type Gateway, startGateway } from "../src/gateway.ts";
import type { Config } from "../src/platform/config.ts";
import { openLog } from "../src/platform/log.ts";
import { openSecrets } from "../src/platform/secret.ts";
import { totpCode } from "../src/platform/totp.ts";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "./gateway.ts";
import { manage } from "./manage.ts";
import { passTime, templateOrigin, through } from "./orders.ts";
import { invite, joinByPassword, PASSWORD, visitor } from "./people.ts";

/** The sandbox's own first. */
const KEYS = [testConfig({}).secretKey as Buffer, randomBytes(32), randomBytes(32)] as const;

onPostgres("people, while the secret key is rotated", () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase("postgres", templateOrigin());
  });
  after(() => database.drop());

  /** A gateway for as long as the work takes. */
  async function during<Result>(
    changes: Partial<Config>,
    work: (gateway: Gateway) => Promise<Result>,
  ): Promise<Result> {
    const config = testConfig({ ...database.config, ...changes });
    const gateway = await startGateway({ config, log: openLog("error") });
    try {
      return await work(gateway);
    } finally {
      await gateway.stop();
    }
  }

  const said: string[] = [];
  const run = (work: typeof verify, present: Buffer, next: Buffer = present) => {
    const env = {
      DATABASE_URL: `${database.config.databaseUrl}?application_name=kopeck`,
      KOPECK_SECRET_KEY: present.toString("hex"),
      KOPECK_NEW_SECRET_KEY: next.toString("hex"),
    };
    return work.run({ input: {}, env, print: (text) => said.push(text) });
  };

  const join = async (gateway: Gateway, email: string) => {
    const { link } = await invite(manage(through(gateway)), email);
    return joinByPassword(visitor(gateway), gateway.app, link);
  };

  it("the app that was scanned before it opens after it, with the new key alone", async () => {
    const email = "nina@example.com";
    const { secret } = await during({ secretKey: KEYS[0] }, (gateway) => join(gateway, email));
    assert.equal(await run(rotateSecret, KEYS[0], KEYS[1]), 0);
    assert.match(said.join(""), /, 1 in people\n/);
    assert.doesNotMatch(said.join(""), /lost key/);
    await during({ secretKey: KEYS[1] }, async (gateway) => {
      // The code of that moment was used.
      await passTime(through(gateway), 60);
      const code = totpCode(secret, gateway.app.clock.now());
      const form = { email, password: PASSWORD, code };
      const { status, text } = await visitor(gateway).post("/sign-in", form);
      assert.equal(status, 303, text);
    });
    assert.equal(await run(verify, KEYS[1]), 0);
  });

  it("a password that is set after it, where both keys are known, needs the new one alone", async () => {
    await during({ secretKey: KEYS[1], nextSecretKeys: [KEYS[2]] }, async (gateway) => {
      assert.equal(await run(rotateSecret, KEYS[1], KEYS[2]), 0);
      await join(gateway, "olga@example.com");
    });
    assert.equal(await run(verify, KEYS[2]), 0);
  });

  it("says of how many the app opens with no key of today, and leaves them their codes on paper", async () => {
    const [next, , present] = KEYS;
    const email = "pavel@example.com";
    const { codes } = await during({ secretKey: present }, async (gateway) => {
      const joined = await join(gateway, email);
      const lost = openSecrets(randomBytes(32)).seal("another row", "JBSWY3DPEHPK3PXP");
      await gateway.app.db.query("update people set totp_sealed = $2 where email = $1", [
        email,
        lost,
      ]);
      return joined;
    });
    assert.equal(await run(rotateSecret, present, next), 0);
    assert.match(said.at(-1) ?? "", /^1 person has an app for codes that a lost key has sealed/m);
    await during({ secretKey: next }, async (gateway) => {
      const { items } = await manage(through(gateway)).get("audit?act=secret.rotate&limit=1");
      assert.equal(items[0].after.people_lost, 1);
      const form = { email, password: PASSWORD, code: codes[0] ?? "" };
      assert.equal((await visitor(gateway).post("/sign-in", form)).status, 303);
    });
  });
});
