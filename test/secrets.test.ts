// Canaries: no secret and no card number in any log, error, metric or dump of the database.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createH2h, createInvoice, SHOP, USER } from "./cast.ts";
import { onEachEngine, openTestGateway } from "./gateway.ts";

const CARD = /22022000000000|22007000000000|7999000000/;
const WRONG_KEY = "canary-wrong-key-5f1d";

onEachEngine("secrets", (engine) => {
  it("stay out of logs, metrics, errors and the database's own tables", async () => {
    const gateway = await openTestGateway(engine, { logLevel: "trace" });
    const { body } = await createInvoice(gateway, { comment: "canary-comment-77aa" });
    await createH2h(gateway, body.data.id);
    const refused = await createInvoice(gateway, {}, { id: SHOP.id, key: WRONG_KEY });
    // An unexpected failure, with a value of the request on its way to the database.
    await gateway.app.db.query("alter table invoices rename to invoices_away");
    const failed = await createInvoice(gateway, { order_id: "canary-order-31c0" });
    assert.equal(failed.status, 500);
    const metrics = await gateway.call("/metrics");
    await gateway.app.db.query("alter table invoices_away rename to invoices");

    const tables = await gateway.app.db.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    let dump = "";
    for (const { name } of tables) {
      const rows = await gateway.app.db.query<{ line: string }>(
        `select row_to_json(row)::text as line from ${name} row`,
      );
      dump += rows.map(({ line }) => line).join("\n");
    }
    const seen = [gateway.log.join(""), metrics.text, refused.text, failed.text].join("\n");
    await gateway.stop();

    assert.ok(seen.includes("a request failed unexpectedly"), "the log did record the failure");
    assert.ok(dump.includes("canary-comment-77aa"), "the dump holds what was stored");
    for (const secret of [SHOP.key, USER.secret, WRONG_KEY]) {
      assert.ok(!seen.includes(secret) && !dump.includes(`"${secret}"`), secret);
    }
    assert.doesNotMatch(seen, CARD);
    assert.doesNotMatch(dump, CARD);
    assert.doesNotMatch(seen, /canary-/, "what a merchant sent is not repeated");
  });
});
