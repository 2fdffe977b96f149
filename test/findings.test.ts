// What was found in the first version, each by its name. The others stand where they belong: Friday's money
// in book-transfers.endpoint.test.ts, plans in plans.test.ts, receivers that wait in webhook-receivers.test.ts,
// reads of a large account in bulkheads.test.ts.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import pg from "pg";
import { createH2h, createInvoice } from "./cast.ts";
import { onPostgres, openTestGateway, type TestGateway } from "./gateway.ts";
import { manage } from "./manage.ts";
import { orders } from "./orders.ts";
import { insistent } from "./patience.ts";

onPostgres("what was found", () => {
  let gateway: TestGateway;
  let client: pg.Client;
  before(async () => {
    gateway = await openTestGateway("postgres");
    client = new pg.Client({ connectionString: gateway.app.config.databaseUrl });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await gateway.stop();
  });

  /** An invoice and details for it; the answer is what a payer would be told. */
  async function details(
    changes: Record<string, unknown> = {},
  ): Promise<{ id: string; wallet: string; amount: string }> {
    const { id } = (await createInvoice(insistent(gateway), changes)).body.data;
    const answer = await createH2h(insistent(gateway), id);
    assert.equal(answer.status, 200, answer.text);
    return { id, ...answer.body.data };
  }

  it("few cards or many processes form a convoy", async () => {
    // Whoever froze holds one card of the bank, and the settings of all of them.
    await client.query("begin");
    await client.query("select from requisites for update");
    const { rows } = await client.query(
      `select requisite_id from requisite_usage where requisite_id = (
         select id from requisites where bank = 'sber' order by id limit 1) for update`,
    );
    try {
      const told = await Promise.all(
        Array.from({ length: 40 }, (_, nth) => details({ amount: 1000 + nth })),
      );
      const taken = await gateway.app.db.query<{ requisite_id: string }>(
        "select distinct requisite_id from payments where invoice_id = any($1::uuid[])",
        [told.map(({ id }) => id)],
      );
      const held = rows[0]?.requisite_id;
      assert.ok(held !== undefined && taken.every((one) => one.requisite_id !== held));
    } finally {
      await client.query("rollback");
    }
  });

  it("live money comes one transaction and one audit row each", async () => {
    const { tick, now } = orders(gateway);
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => details({ amount: 2000 + nth })),
    );
    const items = told.map(({ wallet, amount }) => ({
      wallet,
      amount: Number(amount),
      reference: randomUUID(),
    }));
    const transactions = async (): Promise<number> => {
      const references = items.map(({ reference }) => reference);
      const [row] = await gateway.app.db.query<{ n: number }>(
        `select count(distinct xmin::text)::integer as n from transfers
         where reference = any($1::text[]) and state = 'matched'`,
        [references],
      );
      return row?.n ?? 0;
    };
    tick();
    const from = now();
    await manage(insistent(gateway)).post("transfers", { items: items.slice(0, 10) });
    assert.equal(await transactions(), 1);
    assert.equal((await manage(insistent(gateway)).get(`audit?from=${from}`)).items.length, 1);
    await Promise.all(
      items.slice(10).map((one) => manage(insistent(gateway)).post("transfers", one)),
    );
    assert.ok((await transactions()) < 1 + 10, "calls that arrive together share a transaction");
    assert.equal((await manage(insistent(gateway)).get(`audit?from=${from}`)).items.length, 11);
  });
});
