// Details that ran out: lapsed at their end and not before, in sets.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { lapsePaymentsJob } from "./lapse-payments.job.ts";

const { gateway } = await openQuietGateway();

const states = async (): Promise<unknown[]> => {
  const rows = await gateway.app.db.query<{ state: string }>("select state from payments");
  return rows.map(({ state }) => state);
};

it("ends payments at their end, gives their room back and keeps their slot", async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    const { body } = await createInvoice(gateway);
    assert.equal((await createH2h(gateway, body.data.id)).status, 200);
  }
  gateway.clock.advance(20 * 60 - 1);
  await lapsePaymentsJob.run(gateway.app);
  assert.deepEqual(await states(), ["live", "live", "live"]);
  gateway.clock.advance(1);
  assert.equal(await lapsePaymentsJob.run(gateway.app), 3);
  assert.deepEqual(await states(), ["lapsed", "lapsed", "lapsed"]);
  const [row] = await gateway.app.db.query(
    `select sum(live_payments)::integer as live, sum(day_payments)::integer as day,
            sum(day_sum_minor)::integer as day_sum, (select count(*)::integer from slots) as slots
     from requisite_usage`,
  );
  assert.deepEqual(row, { live: 0, day: 0, day_sum: 0, slots: 3 });
});
