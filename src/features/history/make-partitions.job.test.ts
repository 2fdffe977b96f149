// The months ahead: made in time, also where nobody was there to make them.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createInvoice } from "../../../test/cast.ts";
import { onPostgres, openTestGateway, type TestGateway } from "../../../test/gateway.ts";
import { DAY } from "../../../test/orders.ts";
import type { Queryable } from "../../platform/db.ts";
import { makePartitionsJob } from "./make-partitions.job.ts";
import { partitionsOf } from "./partition-queries.ts";
import { changingPartitions, divideHistory, makeAhead } from "./partitions.ts";

onPostgres("make-partitions", () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openTestGateway("postgres");
  });
  after(() => gateway.stop());

  const parts = async (): Promise<string[]> =>
    (await partitionsOf(gateway.app.db, "invoices")).map(({ name }) => name);
  const order = async (orderId: string): Promise<void> => {
    const { status, text } = await createInvoice(gateway, { order_id: orderId });
    assert.equal(status, 200, text);
  };

  it("leaves whole tables whole", async () => {
    assert.equal(await makePartitionsJob.run(gateway.app), 0);
    assert.deepEqual(await parts(), []);
  });

  it("makes the next two months, and again as time goes on", async () => {
    await order("first");
    const { db, clock } = gateway.app;
    await changingPartitions(db, (session) => divideHistory(session, clock.now(), () => {}));
    const made = ["invoices_first", "invoices_2026_04", "invoices_2026_05"];
    assert.deepEqual(await parts(), [...made, "invoices_ahead"]);
    gateway.clock.advance(31 * DAY);
    await makePartitionsJob.run(gateway.app);
    assert.deepEqual(await parts(), [...made, "invoices_2026_06", "invoices_ahead"]);
    await order("first");
    await order("second");
    const [row] = await db.query<{ part: string }>(
      "select tableoid::regclass::text as part from invoices where order_id = 'second'",
    );
    assert.equal(row?.part, "invoices_2026_04");
  });

  it("ends what was open to the end where nobody had made the month", async () => {
    gateway.clock.advance(150 * DAY);
    await order("far ahead");
    await makePartitionsJob.run(gateway.app);
    assert.deepEqual((await parts()).slice(3), [
      ...["invoices_2026_06", "invoices_2026_07", "invoices_2026_09"],
      ...["invoices_2026_10", "invoices_ahead"],
    ]);
    await order("far ahead");
    const [left] = await gateway.app.db.query<{ count: number }>(
      "select count(*)::integer as count from pg_constraint where conname = 'ends'",
    );
    assert.equal(left?.count, 0);
  });

  it("looks once more where the first row comes while it cuts", async () => {
    gateway.clock.advance(150 * DAY);
    const { db, clock } = gateway.app;
    const told = await changingPartitions(db, (session) => {
      let isFirst = true;
      const racing: Queryable = {
        async query<Row>(...asked: Parameters<Queryable["query"]>) {
          const rows = await session.query<Row>(...asked);
          if (asked[0].includes("from invoices_ahead")) {
            if (isFirst) await order("between");
            isFirst = false;
          }
          return rows;
        },
      };
      return makeAhead(racing, "invoices", clock.now());
    });
    assert.equal(told, true);
    await order("between");
  });

  it("opens months that were closed by who did not take them out, also while somebody reads them", async () => {
    const { db } = gateway.app;
    await db.query(
      "select close_months((select max(before_id::text)::uuid from partitions_of('invoices')))",
    );
    await assert.rejects(db.query("update invoices set comment = 'x'"), /unavailable/);
    await db.session(async (reader) => {
      await reader.query("begin; select from invoices limit 1");
      await makePartitionsJob.run(gateway.app);
    });
    await db.query("update invoices set comment = 'x'");
    await db.query(
      "select close_months((select max(before_id::text)::uuid from partitions_of('invoices')))",
    );
    await assert.rejects(db.query("update invoices set comment = 'x'"), /unavailable/);
    await makePartitionsJob.run(gateway.app);
  });
});
