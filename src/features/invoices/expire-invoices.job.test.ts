// Invoices that ran out: expired at their end and not before, each told once.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createInvoice } from "../../../test/cast.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { expireInvoicesJob } from "./expire-invoices.job.ts";

const { gateway } = await openQuietGateway();

it("ends what is due, in one set, with one event each, and nothing else", async () => {
  const make = (expire: number) => createInvoice(gateway, { expire });
  await Promise.all(Array.from({ length: 30 }, () => make(10)));
  await make(11);
  gateway.clock.advance(10 * 60 - 1);
  assert.equal(await expireInvoicesJob.run(gateway.app), 0);
  gateway.clock.advance(1);
  assert.equal(await expireInvoicesJob.run(gateway.app), 30);
  const rows = await gateway.app.db.query(
    `select state, count(*)::integer as n,
            (select count(*)::integer from events) as events
     from invoices group by state order by state`,
  );
  assert.deepEqual(rows, [
    { state: "created", n: 1, events: 30 },
    { state: "expired", n: 30, events: 30 },
  ]);
  await assertBooksAreRight(gateway);
});
