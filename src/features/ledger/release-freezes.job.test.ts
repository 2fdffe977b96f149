// Frozen credits: released by the method's own time, once, never early.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { createH2h, createInvoice, USER } from "../../../test/cast.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { releaseFreezesJob } from "./release-freezes.job.ts";

const OPERATOR = { authorization: "Bearer sandbox_operator_token" };

const { gateway } = await openQuietGateway();

const release = async (): Promise<number> => {
  while ((await releaseFreezesJob.run(gateway.app)) > 0);
  const answer = await gateway.call(`/account/users/${USER.id}/balance`, {
    headers: { "x-api-signature-sha256": USER.secret },
  });
  return answer.body.data.active_balance;
};

it("releases p2p_sbp after an hour and p2p_card after a day", async () => {
  for (const service of ["p2p_sbp", "p2p_card"]) {
    const { body } = await createInvoice(gateway, { include_service: [service] });
    const { wallet, amount } = (await createH2h(gateway, body.data.id)).body.data;
    await gateway.call("/sandbox/transfers", {
      body: { wallet, amount: Number(amount) },
      headers: OPERATOR,
    });
  }
  gateway.clock.advance(60 * 60 - 1);
  assert.equal(await release(), 0);
  gateway.clock.advance(1);
  assert.equal(await release(), 950);
  gateway.clock.advance(23 * 60 * 60 - 1);
  assert.equal(await release(), 950);
  gateway.clock.advance(1);
  assert.equal(await release(), 950 + 960);
  gateway.clock.advance(1_000_000);
  assert.equal(await release(), 950 + 960);
  await gateway.call("/sandbox/clock", { body: { advance_seconds: 0 }, headers: OPERATOR });
  await assertBooksAreRight(gateway);
});
