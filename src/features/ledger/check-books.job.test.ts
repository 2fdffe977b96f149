// A check of the books that somebody has begun and left.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";
import { askForCheck, claimCheck } from "./book-check-queries.ts";
import { checkBooksJob } from "./check-books.job.ts";

const { gateway, own } = await openOneGateway();
const isOver = async () => (await own.get("books")).checks[0].ended_at !== null;
/** By this gateway's own job, or by ours. */
const made = async () => {
  while (!(await isOver())) await checkBooksJob.run(gateway.app);
};

it("is left by a gateway that ends, and made by another", async () => {
  await own.post("books/check");
  const ending = AbortSignal.abort();
  assert.equal(await checkBooksJob.run({ ...gateway.app, ending }), 0);
  await made();
});

it("is taken from one that was not heard of for a minute, and from nobody else", async () => {
  const { app, clock } = gateway;
  clock.advance(1);
  const now = app.clock.now();
  await app.db.transaction(async (tx) => {
    await askForCheck(tx, app.newId(), "Anna", now);
    assert.ok(await claimCheck(tx, app.newId(), now, now));
  });
  assert.equal(await checkBooksJob.run(app), 0);
  assert.equal(await isOver(), false);
  clock.advance(MINUTE + 1);
  await made();
});
