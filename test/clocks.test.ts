// Machines whose clocks disagree: a gateway whose clock is not the database's decides nothing by it, and
// what was revoked by a clock that is ahead is revoked for everybody.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Gateway, startGateway } from "../src/gateway.ts";
import { StartFailure } from "../src/platform/failure.ts";
import { openLog } from "../src/platform/log.ts";
import { eventually } from "../torture/eventually.ts";
import { type CastShop, createH2h, createInvoice, SHOP, USER } from "./cast.ts";
import {
  onPostgres,
  openTestDatabase,
  TestClock,
  type TestDatabase,
  testConfig,
} from "./gateway.ts";
import { manage } from "./manage.ts";
import { HOUR, templateOrigin, through } from "./orders.ts";
import { insistent } from "./patience.ts";

/** The machine's clock, as wrong as a test wants it. */
class WrongClock {
  aheadMs = 0;
  /** Others have the machine's cores for so long once the clock is read. */
  busyMs = 0;
  now = (): Date => {
    const now = new Date(Date.now() + this.aheadMs);
    const { busyMs } = this;
    this.busyMs = 0;
    if (busyMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
    return now;
  };
}

onPostgres("clocks that disagree", () => {
  let database: TestDatabase;
  const running: Gateway[] = [];
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => void lines.push(line) });
  const open = async (
    clocks: Pick<Parameters<typeof startGateway>[0], "clock" | "machineClock">,
  ) => {
    const gateway = await startGateway({ config: testConfig(database.config), log, ...clocks });
    running.push(gateway);
    return { ...gateway, ...through(gateway) };
  };
  before(async () => {
    database = await openTestDatabase("postgres", templateOrigin());
  });
  after(async () => {
    await Promise.all(running.map((gateway) => gateway.stop()));
    await database.drop();
  });

  for (const [aheadMs, words] of [
    // Of a slow answer the most favourable moment is believed.
    [
      25 * HOUR * 1000,
      /^This machine's clock is (?:8999\d|90000)\.\d s ahead of the database's\. /,
    ],
    [-60_000, /^This machine's clock is (?:5\d|60)\.\d s behind the database's\. /],
  ] as const) {
    it(`a gateway that is ${aheadMs / 1000} s ahead of the database refuses to start, in one line`, async () => {
      const wrong = new WrongClock();
      wrong.aheadMs = aheadMs;
      await assert.rejects(open({ clock: wrong, machineClock: wrong }), (error) => {
        return error instanceof StartFailure && words.test(error.message);
      });
    });
  }

  it("a gateway tells from its start on how far its clock is ahead", async () => {
    const machineClock = new WrongClock();
    machineClock.aheadMs = 1_000;
    const { call } = await open({ machineClock });
    assert.match((await call("/metrics")).text, /^kopeck_clock_ahead_seconds \d/m);
  });

  it("a gateway that gets no core for seconds does not take its clock for a wrong one", async () => {
    const machineClock = new WrongClock();
    const gateway = await open({ clock: new TestClock(), machineClock });
    // At once: a job that read the clock first would have the wait, and the answer none or the wrong one.
    machineClock.busyMs = 2_100;
    assert.equal(gateway.app.clock.isRight(), true);
    assert.equal(machineClock.busyMs, 0);
    assert.equal((await insistent(gateway).call("/readyz")).status, 200);
  });

  it("a gateway whose clock jumps 25 h gives nobody another's slot, and does nothing else by it", async () => {
    const wrong = new WrongClock();
    const [right, jumping] = [await open({}), await open({ clock: wrong, machineClock: wrong })];
    const { body } = await createInvoice(right, { amount: 4000 });
    assert.equal((await createH2h(right, body.data.id)).status, 200);
    const stranger = (await createInvoice(jumping, { amount: 4000 })).body.data.id;
    const link = (await createInvoice(jumping, { type: "link" })).body.data.id;
    const print = () =>
      right.app.db.query(
        `select (select count(*)::integer from slots) as slots,
                (select count(*)::integer from invoices) as invoices,
                (select string_agg(state, ' ' order by id) from invoices) as states,
                (select string_agg(state, ' ' order by id) from payments) as payments`,
      );
    const before = await print();

    wrong.aheadMs = 25 * HOUR * 1000;
    const secret = { "x-api-signature-sha256": USER.secret };
    for (const ask of [
      () => createH2h(jumping, stranger),
      () => createInvoice(jumping),
      () => jumping.call(`/account/users/${USER.id}/balance`, { headers: secret }),
      () => manage(jumping).ask("me"),
      () => jumping.call(`/pay/${link}`),
      () => jumping.call("/readyz"),
    ]) {
      const answer = await ask();
      assert.equal(answer.status, 503, answer.text);
      assert.ok(Number(answer.headers.get("retry-after")) > 0);
    }
    assert.equal((await jumping.call("/healthz")).status, 200);
    // The jobs, which would find everything overdue, have had their turn when this was said.
    await eventually("a line in the log", () => /s ahead of the database's: /.test(lines.join("")));
    assert.match(
      (await jumping.call("/metrics")).text,
      /^kopeck_clock_ahead_seconds (?:9|8)\d{4}/m,
    );
    assert.deepEqual(await print(), before);
    assert.equal((await insistent(right).call("/readyz")).status, 200);
    assert.equal((await createInvoice(insistent(right))).status, 200);

    wrong.aheadMs = 0;
    assert.equal((await createH2h(insistent(jumping), stranger)).status, 200);
    assert.equal((await insistent(jumping).call("/readyz")).status, 200);
    await eventually("a line in the log", () => /the clocks agree again/.test(lines.join("")));
  });

  it("what was revoked on a gateway that is ahead opens no door of another, at once", async () => {
    const [ahead, behind] = [new TestClock(), new TestClock()];
    ahead.advance(HOUR);
    const [early, late] = [await open({ clock: ahead }), await open({ clock: behind })];
    const own = manage(early);
    const knock = async (shop: CastShop) => (await createInvoice(late, {}, shop)).status;
    const fresh = async () => {
      const { key, secret } = await own.post("keys", { shop_id: SHOP.id });
      return { id: key.key_id, shop: { id: SHOP.id, key: secret } };
    };
    const one = await fresh();
    assert.equal(await knock(one.shop), 200);
    await own.post(`keys/${one.id}/revoke`);
    assert.equal(await knock(one.shop), 401, "a revoked key");

    const two = await fresh();
    assert.equal(await knock(two.shop), 200);
    const { secret } = await own.post("keys/rotate", { shop_id: SHOP.id, overlap_hours: 0 });
    assert.equal(await knock(two.shop), 401, "a key that was replaced without overlap");
    assert.equal(await knock({ id: SHOP.id, key: secret }), 200);

    const { operator, token } = await own.post("operators", { name: "Anna", role: "viewer" });
    assert.equal((await manage(late, token).ask("me")).status, 200);
    await own.post(`operators/${operator.operator_id}/revoke`);
    assert.equal((await manage(late, token).ask("me")).status, 401, "a revoked token");
  });
});
