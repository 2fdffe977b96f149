// What a gateway keeps of keys, tokens, shops and tariffs, while another gateway on the same PostgreSQL changes
// them, or the same one on the embedded engine, which is told of changes instead of asking: whoever calls once the change was answered is answered by it, at every door, and nothing is done
// for a caller who has lost the right to it.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { type CastShop, createH2h, createInvoice, OTHER_SHOP, OTHER_USER, SHOP } from "./cast.ts";
import {
  type Answer,
  type CallOptions,
  call,
  onEachEngine,
  openTestDatabase,
  TestClock,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { type Manage, manage } from "./manage.ts";
import { untilFree } from "./patience.ts";

onEachEngine("settings that another process changes", (engine) => {
  let database: TestDatabase;
  let gateways: Awaited<ReturnType<typeof open>>[] = [];
  let own: Manage;
  const clock = new TestClock();
  const open = async () => {
    const config = testConfig(database.config);
    const gateway = await startGateway({ config, clock, log: openLog("silent") });
    const through = (path: string, options?: CallOptions) => call(gateway.url, path, options);
    return { ...gateway, clock, call: through };
  };
  const busy = () => gateways[1] ?? assert.fail("no gateway");
  before(async () => {
    database = await openTestDatabase(engine);
    const one = await open();
    gateways = [one, engine === "postgres" ? await open() : one];
    own = manage(gateways[0] ?? assert.fail("no gateway"));
  });
  after(async () => {
    await Promise.all([...new Set(gateways)].map((gateway) => gateway.stop()));
    await database.drop();
  });

  const freshKey = async (): Promise<{ id: string; shop: CastShop }> => {
    const { key, secret } = await own.post("keys", { shop_id: SHOP.id });
    return { id: key.key_id, shop: { id: SHOP.id, key: secret } };
  };
  const knock = (invoiceId: string, shop: CastShop): Promise<Answer[]> => {
    const headers = { "x-api-key": shop.key };
    const info = `/invoice/info?shop_id=${shop.id}&invoice_id=${invoiceId}`;
    return Promise.all([
      createInvoice(busy(), {}, shop),
      createH2h(busy(), invoiceId, {}, shop),
      busy().call(info, { headers }),
      busy().call(`/shops/${shop.id}/payment-tariffs`, { headers }),
    ]);
  };
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
  const count = async (table: string) => {
    const rows = await busy().app.db.query<{ n: number }>(
      `select count(*)::integer as n from ${table}`,
    );
    return rows[0]?.n;
  };

  it("a key that was just used and is revoked elsewhere opens no door, and leaves nothing", async () => {
    const { id, shop } = await freshKey();
    const { data } = (await createInvoice(busy(), {}, shop)).body;
    assert.deepEqual(statuses(await knock(data.id, shop)), [200, 200, 200, 200]);
    const fresh = (await createInvoice(busy(), {}, shop)).body.data.id;
    const before = [await count("invoices"), await count("payments"), await count("slots")];
    await own.post(`keys/${id}/revoke`);
    assert.deepEqual(statuses(await knock(fresh, shop)), [401, 401, 401, 401]);
    assert.deepEqual(
      [await count("invoices"), await count("payments"), await count("slots")],
      before,
    );
    const wrong = await createInvoice(busy(), { amount: "much" }, shop);
    assert.equal(wrong.status, 401, "before anything is said about the input");
    // Others are not disturbed.
    assert.deepEqual(statuses(await knock(fresh, SHOP)), [200, 200, 200, 200]);
  });

  it("a token that was just used and is revoked elsewhere opens nothing, nor one that has run out", async () => {
    const made = [{}, { expires_in_days: 1 }].map((wish, index) =>
      own.post("operators", { name: `Vera ${index}`, role: "viewer", ...wish }),
    );
    const [one, short] = await Promise.all(made);
    const look = async (token: string) => (await manage(busy(), token).ask("me")).status;
    assert.deepEqual([await look(one.token), await look(short.token)], [200, 200]);
    await own.post(`operators/${one.operator.operator_id}/revoke`);
    assert.deepEqual([await look(one.token), await look(short.token)], [401, 200]);
    clock.advance(24 * 60 * 60 - 1);
    assert.equal(await look(short.token), 200);
    clock.advance(1);
    assert.equal(await look(short.token), 401);
  });

  it("a tariff that is changed elsewhere is the one that the next answer goes by", async () => {
    const { shop } = await freshKey();
    assert.equal((await createInvoice(busy(), {}, shop)).status, 200);
    const id = (await createInvoice(busy(), {}, shop)).body.data.id;
    const rates = { shop_percent: 1, user_percent: 7, min_sum: 5000, max_sum: 90_000 };
    await own.post("tariffs", { shop_id: SHOP.id, service: "p2p_card", ...rates });
    const refused = await createInvoice(busy(), {}, shop);
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.body.error, /5000/);
    const details = await createH2h(busy(), id, {}, shop);
    assert.equal(details.body.data.amount, "1070.00", details.text);
    const old = { ...rates, user_percent: 2, min_sum: 1 };
    await own.post("tariffs", { shop_id: SHOP.id, service: "p2p_card", ...old });
  });

  it("a card that gets a requisite elsewhere takes money at once, and where it moves, it moves at once", async () => {
    const tell = async (reference: string) =>
      manage(busy()).ask("transfers", { wallet: "4000000000000002", amount: 77, reference });
    const { status, text } = await tell("moving-0");
    assert.equal(status, 422, text);
    const add = (card: string) =>
      own.post("requisites", { bank: "sber", receiver_name: "Anna A.", card });
    const one = await add("4000000000000002");
    const other = await add("4000000000000010");
    const arrivesOn = async (reference: string) =>
      (await tell(reference)).body.data?.requisite_id as string;
    assert.equal(await arrivesOn("moving-1"), one.requisite_id);
    assert.equal(await arrivesOn("moving-2"), one.requisite_id, "as it is kept");
    await (gateways[0] ?? assert.fail("no gateway")).app.db.transaction(async (tx) => {
      const renumber = async (id: string, digest: string) => {
        await tx.query(`update requisite_numbers set digest = ${digest} where requisite_id = $1`, [
          id,
        ]);
      };
      await renumber(other.requisite_id, "digest || 'old'");
      await renumber(one.requisite_id, "digest || 'new'");
      const moved = "select substr(digest, 1, 32) from requisite_numbers where requisite_id";
      await renumber(other.requisite_id, `(${moved} = '${one.requisite_id}')`);
    });
    assert.equal(await arrivesOn("moving-3"), other.requisite_id);
  });

  /** As fast as the database takes them, until the work is done; tells how many there were. */
  const whileChanging = async (work: () => Promise<void>): Promise<number> => {
    const { db } = (gateways[0] ?? assert.fail("no gateway")).app;
    let changes = 0;
    let isOver = false;
    const change = async () => {
      for (; !isOver; changes += 1) {
        await untilFree(() =>
          db.query("update shops set name = name where id = $1", [OTHER_SHOP.id]),
        );
      }
    };
    const changing = Promise.all(Array.from({ length: 4 }, change));
    try {
      await work();
    } finally {
      isOver = true;
      await changing;
    }
    return changes;
  };

  const balance = (secret: string) =>
    busy().call(`/account/users/${OTHER_USER.id}/balance`, {
      headers: { "x-api-signature-sha256": secret },
    });

  it("no call fails while an operator changes settings in bulk", async () => {
    const { shop } = await freshKey();
    const { data } = (await createInvoice(busy(), { amount: 5000 }, shop)).body;
    const seen = new Map<number, number>();
    const changes = await whileChanging(async () => {
      for (let round = 0; round < 12; round += 1) {
        const some = Array.from({ length: 4 }, async () => [
          ...(await knock(data.id, shop)),
          await balance(OTHER_USER.secret),
        ]);
        for (const { status } of (await Promise.all(some)).flat()) {
          seen.set(status, (seen.get(status) ?? 0) + 1);
        }
      }
    });
    assert.ok(changes > 20, `${changes} changes`);
    assert.deepEqual([...seen], [[200, 12 * 4 * 5]]);
  });

  it("a key that is revoked in the midst of them opens nothing from the answer on", async () => {
    const first = (await freshKey()).shop;
    const { data } = (await createInvoice(busy(), { amount: 5000 }, first)).body;
    await whileChanging(async () => {
      for (let round = 0; round < 4; round += 1) {
        const { id, shop } = await freshKey();
        assert.deepEqual(statuses(await knock(data.id, shop)), [200, 200, 200, 200]);
        const before = (await count("invoices")) ?? 0;
        const meanwhile = Array.from({ length: 4 }, () => knock(data.id, shop));
        await own.post(`keys/${id}/revoke`);
        const late = Array.from({ length: 4 }, () => knock(data.id, shop));
        for (const answers of await Promise.all(late)) {
          assert.deepEqual(statuses(answers), [401, 401, 401, 401]);
        }
        // Who called before the answer was let in or was not; they have made all that was made.
        const early = await Promise.all(meanwhile);
        for (const { status, text } of early.flat()) assert.ok([200, 401].includes(status), text);
        const made = early.filter(([created]) => created?.status === 200).length;
        assert.equal(await count("invoices"), before + made);
      }
    });
  });

  // Nobody but the gateway itself gets at an embedded database while it runs.
  const restored = { skip: engine === "embedded" && "needs a server" };
  it(
    "after the database was restored nothing is answered by what it had before",
    restored,
    async () => {
      const { app } = busy();
      const restoreTo = (version: bigint, keyId: string) =>
        // What a restored dump is to a gateway that kept on running: no trigger knows of it.
        app.db.query(`begin; set local session_replication_role = replica;
        delete from api_keys where id = '${keyId}';
        update settings_version set version = ${version}; commit`);
      const dumped = async () => {
        const [row] = await app.db.query<{ version: bigint }>(
          "select version from settings_version",
        );
        return row?.version ?? assert.fail("no version");
      };
      const opens = async (shop: CastShop) => (await createInvoice(busy(), {}, shop)).status;

      let version = await dumped();
      const gone = await freshKey();
      assert.equal(await opens(gone.shop), 200);
      await restoreTo(version, gone.id);
      assert.equal(await opens(gone.shop), 401, "a key that was made after the dump");

      version = await dumped();
      const lost = await freshKey();
      assert.equal(await opens(lost.shop), 200);
      await restoreTo(version, lost.id);
      const made = await freshKey();
      assert.equal(await opens(lost.shop), 401, "though as much was changed again since");
      assert.equal(await opens(made.shop), 200);
    },
  );
});
