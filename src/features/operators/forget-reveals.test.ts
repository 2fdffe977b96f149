// The audit log forgets who looked, and never who changed something.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, orders } from "../../../test/orders.ts";
import { forget, keeping } from "../../../test/retention.ts";

const { gateway, own } = await openOneGateway(keeping({ auditReads: 30 }));

const acts = async (): Promise<string[]> =>
  (await own.get("audit")).items.map(({ act }: { act: string }) => act);

it("removes what only says that something was shown, after its time", async () => {
  const { items } = await own.get("requisites");
  const [{ requisite_id: id }] = items;
  await own.post(`requisites/${id}/reveal`);
  gateway.clock.advance(1);
  await own.post(`requisites/${id}`, { max_live_payments: 3 });
  await orders(gateway).pass(30 * DAY - 10);
  await forget(gateway, "forget-reveals");
  assert.deepEqual(await acts(), ["requisite.update", "requisite.reveal"]);
  await orders(gateway).pass(20);
  await own.post(`requisites/${id}/reveal`);
  await orders(gateway).pass(DAY);
  await forget(gateway, "forget-reveals");
  assert.deepEqual(await acts(), ["requisite.reveal", "requisite.update"]);
});

it("is refused by the database where something was changed", async () => {
  const { db } = gateway.app;
  await assert.rejects(db.query("delete from audit_log"), /append-only/);
  await assert.rejects(db.query("update audit_log set act = 'a.reveal'"), /append-only/);
  assert.equal((await acts()).length, 2);
});
