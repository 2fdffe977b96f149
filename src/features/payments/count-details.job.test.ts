// Why details were refused: counted in memory, written down by the job, and kept where the database is away.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h, createInvoice, OTHER_SHOP, SHOP } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { countDetailsJob } from "./count-details.job.ts";
import { handOn, noteDetails } from "./details-count.ts";

const { gateway, own } = await openOneGateway();
gateway.clock.advance(1);

const ask = async (bank = "sber", shop = SHOP): Promise<number> => {
  const { body } = await createInvoice(gateway, {}, shop);
  return (await createH2h(gateway, body.data.id, { payment_data: { bank } }, shop)).status;
};
const set = (columns: string) => gateway.app.db.query(`update ${columns}`);

async function told(query = ""): Promise<Record<string, number>> {
  await countDetailsJob.run(gateway.app);
  const { items } = await own.get(`details-tallies?from=2026-03-01${query}`);
  const sums: Record<string, number> = {};
  for (const { key: _key, ...figures } of items) {
    for (const [name, times] of Object.entries<number>(figures)) {
      if (times > 0) sums[name] = (sums[name] ?? 0) + times;
    }
  }
  return sums;
}

it("200: held, full, off, the invoice's own; a raised amount; each of its shop and of all", async () => {
  await set("shops set nudge_max_minor = 1");
  for (let turn = 0; turn < 4; turn += 1) assert.equal(await ask(), 200);
  await set("shops set nudge_max_minor = 0");
  assert.equal(await ask(), 422);
  await set("requisite_usage set max_live_payments = live_payments");
  assert.equal(await ask(), 422);
  await set("requisite_usage set enabled = false");
  for (const shop of [SHOP, OTHER_SHOP]) assert.equal(await ask("tinkoff", shop), 422);
  const { body } = await createInvoice(gateway, { type: "link" });
  assert.equal((await createH2h(gateway, body.data.id)).status, 422);
  const all = { nothing_free: 1, limits: 1, off: 2, invoice: 1, raised: 1 };
  assert.deepEqual(await told(), all);
  assert.deepEqual(await told("&by=day"), all, "nothing is written twice");
  assert.deepEqual(await told(`&shop_id=${OTHER_SHOP.id}`), { off: 1 });
});

it("keeps what could not be written down, until it can", async () => {
  const before = (await told())["share"] ?? 0;
  noteDetails(gateway.app, SHOP.id, "share");
  const away = handOn(gateway.app, async () => {
    throw new Error("away");
  });
  await assert.rejects(away, /away/);
  noteDetails(gateway.app, SHOP.id, "share");
  assert.equal((await told())["share"], before + 2);
});
