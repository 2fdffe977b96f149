// Figures of a merchant beside an archive: what was counted stays counted, whatever leaves.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { LocalWork } from "../src/cli/command.ts";
import { archive } from "../src/cli/local/archive.ts";
import { partition } from "../src/cli/local/partition.ts";
import { verify } from "../src/cli/local/verify.ts";
import { monthText, startOfMonth } from "../src/domain/month.ts";
import { makePartitionsJob } from "../src/features/history/make-partitions.job.ts";
import { startGateway } from "../src/gateway.ts";
import { openLog } from "../src/platform/log.ts";
import { onPostgres, openTestDatabase, type TestDatabase, testConfig } from "./gateway.ts";
import { manage } from "./manage.ts";
import { DAY, HOUR, MINUTE, orders, passTime, templateOrigin, through } from "./orders.ts";

onPostgres("figures beside an archive", () => {
  let database: TestDatabase;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  before(async () => {
    database = await openTestDatabase("postgres", templateOrigin());
    const config = testConfig(database.config);
    gateway = await startGateway({ config, log: openLog("error"), jobs: [] });
  });
  after(async () => {
    await gateway.stop();
    await database.drop();
  });

  const own = () => manage(through(gateway));
  const pass = (seconds: number): Promise<void> => passTime(through(gateway), Math.floor(seconds));

  async function run(work: LocalWork, input: Record<string, unknown> = {}) {
    const parts: string[] = [];
    const env = { DATABASE_URL: database.config.databaseUrl, LOG_LEVEL: "error" };
    const code = await work.run({ input, env, print: (text) => parts.push(text) });
    return { code, printed: parts.join("") };
  }

  it("money that comes late or goes back just before its month is archived stays in the figures", async () => {
    assert.equal((await run(partition)).code, 0);
    const trade = orders({
      ...through(gateway),
      ...{ app: gateway.app, clock: { advance() {} } as never },
    });
    const order = await trade.order();
    await trade.pay(order);
    const late = await trade.order({ include_service: ["p2p_sbp"] });
    const now = gateway.app.clock.now();
    const end = startOfMonth(now, 1);
    const month = monthText(now);
    await pass((end.getTime() - now.getTime()) / 1000 + 4 * DAY);
    await makePartitionsJob.run(gateway.app);
    const { transfer_id } = await trade.pay(late);
    const found = { payment_id: late.paymentId, reason: "the payer called" };
    await own().post(`transfers/${transfer_id}/assign`, found);
    await pass(HOUR + MINUTE);
    await own().post("refunds", { invoice_id: order.id, amount: 7, reason: "a broken cup" });
    await pass(2 * MINUTE);
    const counted = async (): Promise<number[]> => {
      const { items } = await own().get("tallies?by=service");
      const sum = (name: string): number =>
        items.reduce((all: number, one: Record<string, number>) => all + (one[name] ?? 0), 0);
      return [sum("paid"), sum("refunded")];
    };
    const refused = await run(archive, { month });
    await pass(2 * HOUR);
    assert.deepEqual(await counted(), [2, 7]);
    assert.match(refused.printed, /last two days is still counted once more: 2, [0-9a-f-]{36} /);
    await pass(2 * DAY);
    const done = await run(archive, { month });
    assert.equal(done.code, 0, done.printed);
    await pass(2 * HOUR);
    assert.deepEqual(await counted(), [2, 7]);
    const checked = await run(verify);
    assert.equal(checked.code, 0, checked.printed);
  });

  it("money of its month that was found to be of a later order does, too", async () => {
    const trade = orders({
      ...through(gateway),
      ...{ app: gateway.app, clock: { advance() {} } as never },
    });
    const seen = await trade.order();
    const stray = await trade.pay(seen, { amount: 123.45 });
    assert.equal(stray.state, "suspense");
    const now = gateway.app.clock.now();
    const end = startOfMonth(now, 1);
    const month = monthText(now);
    await pass((end.getTime() - now.getTime()) / 1000 + 7 * DAY);
    await makePartitionsJob.run(gateway.app);
    const later = await trade.order();
    const counted = async (): Promise<number> => {
      const { items } = await own().get("tallies?by=service");
      return items.reduce((sum: number, { paid }: { paid: number }) => sum + paid, 0);
    };
    const before = await counted();
    const found = { payment_id: later.paymentId, reason: "the payer called" };
    await own().post(`transfers/${stray.transfer_id}/assign`, found);
    await pass(2 * MINUTE);
    const refused = await run(archive, { month });
    await pass(2 * HOUR);
    assert.equal(await counted(), before + 1);
    assert.match(refused.printed, /last two days is still counted once more: 1, [0-9a-f-]{36} /);
    await pass(2 * DAY);
    const done = await run(archive, { month });
    assert.equal(done.code, 0, done.printed);
    await pass(2 * HOUR);
    assert.equal(await counted(), before + 1);
    const checked = await run(verify);
    assert.equal(checked.code, 0, checked.printed);
  });
});
