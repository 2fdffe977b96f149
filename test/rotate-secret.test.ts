// kopeck secret rotate: the old key opens nothing any more, and nobody outside notices.

import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { after, before, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { rotate, rotateSecret } from "../src/cli/local/rotate-secret.ts";
import { verify } from "../src/cli/local/verify.ts";
import { withApp } from "../src/cli/local/with-app.ts";
import { type Gateway, startGateway } from "../src/gateway.ts";
import type { Config } from "../src/platform/config.ts";
import { openLog } from "../src/platform/log.ts";
import { openDb } from "../src/platform/open-db.ts";
import { openSecrets } from "../src/platform/secret.ts";
import { eventually } from "../torture/eventually.ts";
import { assertBooksAreRight } from "./books.ts";
import { createH2h, createInvoice, SHOP, USER } from "./cast.ts";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "./gateway.ts";
import { manage } from "./manage.ts";
import { passTime, templateOrigin, through } from "./orders.ts";
import { cardEndingIn, CARD as PAYOUT_CARD, pauseRail, payoutBody } from "./payouts.ts";
import { notice } from "./rails.ts";
import { openReceiver, type Received, type Receiver } from "./receiver.ts";

/** The card that is given out, before it is issued anew and then. */
const CARDS = ["2202200000000007", cardEndingIn("0502")];
const WEBHOOK = {
  key: "sandbox_webhook_key",
  secret: "whsec_c2FuZGJveF93ZWJob29rX2tleV8wMDAwMDA=",
};
/** The sandbox's own first. */
const KEYS = [testConfig({}).secretKey as Buffer, randomBytes(32), randomBytes(32)] as const;
const log = openLog("error");

/** Texts of each table that a rotation seals; before the first one nothing was reported or paid out. */
function sealedAt(index: number): Record<string, number> {
  const once = index === 0 ? 0 : 1;
  return {
    requisite_numbers: 18 + once,
    webhook_keys: 16,
    imports: 0,
    sources: once,
    messages: index,
    payout_destinations: once,
    payout_batches: once,
    rails: once,
    people: 0,
  };
}

onPostgres("kopeck secret rotate", () => {
  let database: TestDatabase;
  let receiver: Receiver;
  const running = new Set<Gateway>();
  before(async () => {
    database = await openTestDatabase("postgres", templateOrigin());
    receiver = await openReceiver();
  });
  after(async () => {
    for (const gateway of running) await stop(gateway);
    await receiver.close();
    await database.drop();
  });

  const start = async (secretKey: Buffer, changes: Partial<Config> = {}): Promise<Gateway> => {
    const config = testConfig({ ...database.config, secretKey, ...changes });
    const gateway = await startGateway({ config, log });
    running.add(gateway);
    return gateway;
  };
  const stop = async (gateway: Gateway): Promise<void> => {
    running.delete(gateway);
    await gateway.stop();
  };

  /** The environment of the command, on the same database; its own name is not taken for a gateway's. */
  function environment(present: Buffer, next?: Buffer): Record<string, string> {
    return {
      DATABASE_URL: `${database.config.databaseUrl}?application_name=kopeck`,
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

  async function assertVerified(key: Buffer): Promise<void> {
    const print = (): void => {};
    assert.equal(await verify.run({ input: {}, env: environment(key), print }), 0);
  }

  /** From the order to money that is found by the number that was given out. */
  async function pay(gateway: Gateway, changes: Record<string, unknown>): Promise<void> {
    const caller = through(gateway);
    const created = await createInvoice(caller, changes);
    assert.equal(created.status, 200, created.text);
    const { id } = created.body.data;
    const details = await createH2h(caller, id);
    assert.equal(details.status, 200, details.text);
    const { wallet, amount } = details.body.data;
    const money = { wallet, amount: Number(amount), reference: id };
    assert.equal((await manage(caller).post("transfers", money)).state, "matched");
  }

  let phone: { readonly id: string; readonly key: string } | undefined;

  /** A phone that signs what it reports with the key that it got at first; what it said opens. */
  async function report(gateway: Gateway): Promise<void> {
    const own = manage(through(gateway));
    if (phone === undefined) {
      const wish = { name: "Phone", adapter: "sms-gateway", banks: ["sber"], senders: ["900"] };
      const { source, token } = await own.post("sources", wish);
      phone = { id: source.source_id, key: token };
    }
    const { items: before } = await own.get(`messages?source_id=${phone.id}`);
    const message = `VISA0007 12:0${before.length} Перевод 5р от Иван П. Баланс: 5р`;
    const body = JSON.stringify({ event: "sms:received", payload: { sender: "900", message } });
    const seconds = Math.floor(Date.now() / 1000);
    const signature = createHmac("sha256", phone.key).update(`${body}${seconds}`).digest("hex");
    const signed = { "x-timestamp": String(seconds), "x-signature": signature };
    const told = await through(gateway).call(`/intake/${phone.id}`, { headers: signed, body });
    assert.deepEqual(told.body.data?.messages, ["accepted"], told.text);
    const { items } = await own.get(`messages?source_id=${phone.id}`);
    assert.deepEqual(items[0]?.text, message);
    assert.equal(items.length, before.length + 1);
  }

  let railSecret: string | undefined;

  /** A rail signs with the secret that it got at first, and is known by it. */
  async function tellOfNothing(gateway: Gateway): Promise<void> {
    const wish = { code: "acquirer", url: "http://127.0.0.1:9", services: ["card"], paused: true };
    railSecret ??= (await manage(through(gateway)).post("rails", wish)).secret as string;
    const said = notice(railSecret, gateway.app.clock.now(), { key: "nothing", state: "sent" });
    assert.equal((await through(gateway).call("/rails/acquirer/notice", said)).status, 404);
  }

  const askForPayout = async (gateway: Gateway, wish: Record<string, unknown>): Promise<string> => {
    const headers = { "x-api-signature-sha256": USER.secret };
    const answer = await through(gateway).call("/payoff/create", {
      headers,
      body: payoutBody(wish),
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.payoff_id;
  };

  let filed: { readonly path: string; readonly content: string } | undefined;

  /** Case 34: where payouts go to still opens, the same number is the same destination, and a file the same file. */
  async function payOut(gateway: Gateway): Promise<void> {
    const caller = through(gateway);
    const own = manage(caller);
    await pauseRail(caller);
    await own.post("services/p2p_card", { freeze_seconds: 0 });
    await pay(gateway, {});
    await passTime(caller, 0);
    const id = await askForPayout(gateway, { amount: 20 });
    assert.equal((await own.post(`payouts/${id}/take`)).wallet, PAYOUT_CARD);
    await own.post(`payouts/${id}/sent`, { bank_reference: id });
    if (filed === undefined) {
      const wish = { format: "csv", payouts: [await askForPayout(gateway, { amount: 21 })] };
      const path = `payout-batches/${(await own.post("payout-batches", wish)).batch_id}/file`;
      filed = { path, content: (await own.post(path)).content };
    }
    assert.equal((await own.post(filed.path)).content, filed.content);
    const known = "select from payout_destinations where masked = '220000******0400'";
    assert.equal((await gateway.app.db.query(known, [])).length, 1);
  }

  /** Once: the former number is kept, and known again. */
  async function issueAnew(gateway: Gateway): Promise<void> {
    const own = manage(through(gateway));
    const [known] = (await own.get("requisites?wallet=0007")).items;
    await own.post(`requisites/${known.requisite_id}`, { card: CARDS[1] });
    const former = "select from requisite_numbers where until is not null";
    assert.equal((await gateway.app.db.query(former, [])).length, 1);
  }

  /** Everybody's secrets work, the right number is given out, and a webhook is signed as before. */
  async function assertNobodyNotices(secretKey: Buffer): Promise<void> {
    const gateway = await start(secretKey);
    await pay(gateway, { hook_url: receiver.url });
    await issueAnew(gateway);
    await report(gateway);
    await tellOfNothing(gateway);
    await payOut(gateway);
    const balance = await through(gateway).call(`/account/users/${USER.id}/balance`, {
      headers: { "x-api-signature-sha256": USER.secret },
    });
    assert.equal(balance.status, 200, balance.text);
    for (const card of CARDS) {
      const again = { bank: "sber", receiver_name: "Иван И.", card };
      await manage(through(gateway)).refused("requisites", again);
    }
    await eventually("the webhook", () => receiver.received.length > 0);
    const [{ raw, headers }] = receiver.received.splice(0) as [Received];
    const hmac = createHmac("sha256", WEBHOOK.key).update(raw).digest("hex");
    assert.equal(headers["x-api-sha256-signature"], hmac);
    new Webhook(WEBHOOK.secret).verify(raw, headers as Record<string, string>);
    await assertBooksAreRight(gateway);
    await stop(gateway);
  }

  async function ask(text: string): Promise<unknown[]> {
    const db = await openDb(testConfig(database.config), log);
    const rows = await db.query(text, []);
    await db.close();
    return rows;
  }

  const print = (): Promise<unknown> =>
    ask(`select (select json_agg(row_to_json(t))::text from requisites t) as requisites,
                (select json_agg(row_to_json(t))::text from requisite_numbers t) as numbers,
                (select json_agg(row_to_json(t))::text from webhook_keys t) as keys,
                (select json_agg(row_to_json(t))::text from installation t) as installation,
                (select count(*)::integer from audit_log) as audits`);

  it("refuses keys that make no sense, and a wrong one, and changes nothing", async () => {
    const before = await print();
    const present = environment(KEYS[0]);
    const url = { KOPECK_BASE_URL: "https://pay.example" };
    const live = { ...environment(KEYS[1]), ...url, KOPECK_MODE: "live" };
    for (const [env, message] of [
      [present, /^KOPECK_NEW_SECRET_KEY is missing: .*64 hexadecimal/],
      [{ ...present, KOPECK_NEW_SECRET_KEY: "short" }, /^KOPECK_NEW_SECRET_KEY must be 64/],
      [{ ...live, KOPECK_NEW_SECRET_KEY: "00".repeat(32) }, /^KOPECK_NEW_SECRET_KEY is one byte/],
      [{ ...environment(KEYS[0], KEYS[1]), KOPECK_SECRET_KEY: "no" }, /^KOPECK_SECRET_KEY must be/],
      [environment(KEYS[1], KEYS[1]), /^KOPECK_NEW_SECRET_KEY is the present key/],
      [environment(KEYS[1], KEYS[2]), /another KOPECK_SECRET_KEY/],
    ] as const) {
      await assert.rejects(run(env), { message });
    }
    assert.deepEqual(await print(), before);
  });

  it("changes nothing when it is interrupted in the middle", async () => {
    const before = await print();
    const interrupted = withApp(environment(KEYS[0]), { existing: true }, (app) =>
      app.db.transaction(async (tx) => {
        await rotate(tx, app, openSecrets(KEYS[1]), "kopeck, knows it");
        throw new Error("interrupted");
      }),
    );
    await assert.rejects(interrupted, /interrupted/);
    assert.deepEqual(await print(), before);
  });

  it("case 34: hands over to the new key, again and again; whatever was sealed still opens, and each leaves an audit row", async () => {
    const nextKeys = KEYS.slice(1);
    for (const [index, next] of nextKeys.entries()) {
      const present = KEYS[index] ?? KEYS[0];
      const text = await run(environment(present, next));
      const counts = Object.entries(sealedAt(index)).map(
        ([table, count]) => `${count} in ${table}`,
      );
      assert.ok(text.startsWith(`sealed anew: ${counts.join(", ")}\nStart the gateways`), text);
      await assert.rejects(start(present), /another KOPECK_SECRET_KEY/);
      await assertNobodyNotices(next);
      await assertVerified(next);
    }
    const audits = await ask(
      "select operator_name, subject, after from audit_log where act = 'secret.rotate' order by id",
    );
    const rows = nextKeys.map((_, index) => ({
      operator_name: "command line",
      subject: "installation",
      after: { ...sealedAt(index), people_lost: 0 },
    }));
    assert.deepEqual(audits, rows);
  });

  it("refuses a database that a gateway is using, whatever name its address gives it", async () => {
    const databaseUrl = `${database.config.databaseUrl}?application_name=shop&keepalives=1`;
    const gateway = await start(KEYS[2], { databaseUrl });
    const unaware = /A gateway is using this database and does not know the new key/;
    await assert.rejects(run(environment(KEYS[2], KEYS[0])), unaware);
    // Nor one that knows another key.
    const other = await start(KEYS[2], { nextSecretKeys: [KEYS[1]] });
    await stop(gateway);
    await assert.rejects(run(environment(KEYS[2], KEYS[0])), unaware);
    await stop(other);
  });

  it("fails no request of gateways that know both keys, before, while and after it runs", async () => {
    const aware = { nextSecretKeys: [KEYS[0]] };
    const gateways = [await start(KEYS[2], aware), await start(KEYS[2], aware)];
    let turns = 0;
    let isOver = false;
    /** All that opens, seals or looks up: details, money by its card, new cards, new webhook keys. */
    const turn = async (gateway: Gateway): Promise<void> => {
      turns += 1;
      const phone = `+7998${String(turns).padStart(7, "0")}`;
      await pay(gateway, { amount: 1_000 + turns });
      const own = manage(through(gateway));
      const added = { bank: "tinkoff", receiver_name: "Анна А.", phone };
      await own.post("requisites", added);
      // A phone is of one requisite, whoever is asked.
      for (const one of gateways) await manage(through(one)).refused("requisites", added);
      await own.post(`shops/${SHOP.id}/rotate-webhook-keys`, { overlap_hours: 0 });
      const wallet_to = cardEndingIn(String(turns).padStart(4, "0"));
      const id = await askForPayout(gateway, { amount: 10, wallet_to });
      assert.equal((await own.post(`payouts/${id}/take`)).wallet, wallet_to);
    };
    const traffic = Promise.all(
      gateways.map(async (gateway) => {
        while (!isOver) await turn(gateway);
      }),
    );
    const goesOn = async (): Promise<void> => {
      const from = turns + 4;
      while (turns < from) await Promise.race([traffic, new Promise((go) => setTimeout(go, 20))]);
    };
    await goesOn();
    const rotated = await run(environment(KEYS[2], KEYS[0]));
    assert.match(
      rotated,
      /^sealed anew: \d+ in requisite_numbers, \d+ in webhook_keys, 0 in imports, 1 in sources, 2 in messages, \d+ in payout_destinations, 1 in payout_batches, 1 in rails, 0 in people\n/,
    );
    await goesOn();
    isOver = true;
    await traffic;
    await assert.rejects(
      run(environment(KEYS[2], KEYS[0])),
      /Everything is sealed with KOPECK_NEW_SECRET_KEY already/,
    );
    for (const gateway of gateways) await stop(gateway);
    // The old key is needed for nothing any more.
    await assertVerified(KEYS[0]);
    await assert.rejects(start(KEYS[2]), /another KOPECK_SECRET_KEY/);
    await stop(await start(KEYS[0]));
  });
});
