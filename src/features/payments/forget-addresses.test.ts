// Where payers came from is forgotten of payments that are over, and only of those.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice } from "../../../test/cast.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { DAY, orders } from "../../../test/orders.ts";
import { forget, keeping } from "../../../test/retention.ts";

const { gateway } = await openOneGateway(keeping({ payers: 1 }));

const known = async (): Promise<string[]> => {
  const rows = await gateway.app.db.query<{ state: string }>(
    `select state from payments where payer_ip is not null and payer_user_agent is not null
     order by id`,
    [],
  );
  return rows.map(({ state }) => state);
};
const ask = async (): Promise<void> => {
  const { body } = await createInvoice(gateway, { expire: 7200 });
  const details = await createH2h(gateway, body.data.id, {
    ...{ ip: "203.0.113.7", user_agent: "Mozilla/5.0" },
  });
  assert.equal(details.status, 200, details.text);
};

it("removes them a day after the details were issued, if these have ended", async () => {
  await ask();
  await orders(gateway).pass(DAY - 10);
  await ask();
  await forget(gateway, "forget-addresses");
  assert.deepEqual(await known(), ["lapsed", "live"]);
  await orders(gateway).pass(20);
  await forget(gateway, "forget-addresses");
  assert.deepEqual(await known(), ["live"]);
  await assertBooksAreRight(gateway);
});
