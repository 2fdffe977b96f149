// The witness of the torture is a judge, so it is judged: on a healthy gateway it has nothing to say,
// and it notices what is taken away, added or changed behind the gateway's back.

import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "node:test";
import { randomOf } from "../torture/random.ts";
import { openWitness, type Witness } from "../torture/witness.ts";
import { onOneEngine, openTestGateway, type TestGateway } from "./gateway.ts";
import { until } from "./webhook-room.ts";

onOneEngine("the witness", (engine) => {
  let gateway: TestGateway;
  let witness: Witness;
  let violations: string[];

  beforeEach(async () => {
    gateway = await openTestGateway(engine);
    violations = [];
    witness = openWitness({
      name: "order",
      urls: () => [gateway.url],
      random: randomOf(7),
      violation: (what) => violations.push(what),
    });
    await witness.prepare();
    // Which orders nobody has begun to pay is a matter of chance; each test needs one.
    for (let lives = 20; lives === 20 || (await sql(untouched)).length === 0; lives += 10) {
      await live(lives);
    }
  });
  afterEach(async () => {
    witness.close();
    await gateway.stop();
  });

  /** Until there have been so many. */
  const live = async (lives: number): Promise<void> => {
    witness.start(8);
    await until(`${lives} lives`, () => witness.counts.lives >= lives);
    await witness.stop();
  };
  const asked = async (): Promise<string> => {
    await witness.reconcile();
    await witness.books(gateway.app.db, gateway.app.clock.now());
    return violations.join("\n");
  };
  const sql = (text: string) => gateway.app.db.query(text);
  const untouched = `select id from invoices where state = 'created' order by id limit 1`;

  it("has nothing to say of a healthy gateway", async () => {
    await live(80);
    await witness.listenToTheEnd();
    assert.equal(await asked(), "");
    assert.ok(witness.counts.acknowledged > 150, JSON.stringify(witness.counts));
    assert.ok(witness.counts.confirmed >= 80);
    assert.ok(witness.counts.refused > 0);
    // A busy machine says 503, and nothing else is in doubt.
    const { unknown, unavailable } = witness.counts;
    assert.ok(unknown <= unavailable, JSON.stringify(witness.counts));
  });

  it("notices a shop that was not told of its money", async () => {
    await sql("update shops set hook_url = null");
    await live(40);
    await witness.listenToTheEnd(1_000);
    assert.match(violations.join(), /no shop was told that .* is paid/);
  });

  it("notices that an order is lost", async () => {
    await sql(`alter table invoices disable trigger user;
      delete from invoices where id = (${untouched});
      alter table invoices enable trigger user`);
    assert.match(await asked(), /order\.\d+ \(.*\): was taken, and info says 404/);
  });

  it("notices an order that nobody has made", async () => {
    await sql(`create temporary table copy as select * from invoices where id = (${untouched});
      update copy set id = gen_random_uuid(), order_id = 'strange';
      insert into invoices select * from copy`);
    assert.match(await asked(), /strange is stored as .*, and nobody was told/);
  });

  it("notices that an order has changed", async () => {
    await sql(`update invoices set amount_minor = amount_minor + 1 where id = (${untouched})`);
    assert.match(await asked(), /invoice_amount should be .* and is/);
  });

  it("notices a credit that was not asked for", async () => {
    await sql(`insert into ledger_postings (id, source_id, kind, currency, created_at, user_id,
        frozen_minor, suspense_minor)
      values ('00000000-0000-4000-8000-0000000000ff', '00000000-0000-4000-8000-0000000000ff',
        'suspense_assigned', 'RUB', now(), '00000000-0000-4000-8000-000000000001', 1, -1);
      update ledger_balances set frozen_minor = frozen_minor + 1
      where user_id = '00000000-0000-4000-8000-000000000001'`);
    const found = await asked();
    assert.match(found, /user .* has \d+ kopecks by our count, and is told/);
    assert.match(found, /credited 00000000-0000-4000-8000-000000000001: promised \d+, stored \d+/);
  });
});
