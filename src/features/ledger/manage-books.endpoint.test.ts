// Checking the books through /manage: one at a time, and what was found stays.

import assert from "node:assert/strict";
import { it } from "node:test";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { checkBooksJob } from "./check-books.job.ts";
import { INVARIANTS } from "./manage-books.endpoint.ts";

const { gateway, own, trade } = await openOneGateway();

/** What the last one found, made by this gateway's own job or by ours. */
const checked = async () => {
  for (;;) {
    const [check] = (await own.get("books")).checks;
    if (check.ended_at !== null) return check;
    await checkBooksJob.run(gateway.app);
  }
};

it("200: asked for twice it is one check; its end says what was found", async () => {
  await trade.pay(await trade.order());
  const none = await own.get("books");
  assert.deepEqual(none.checks, []);
  assert.equal(none.invariants.length, Object.keys(INVARIANTS).length);
  const both = await Promise.all([own.post("books/check"), own.post("books/check")]);
  const [asked, again] = both;
  assert.equal(again.check_id, asked.check_id);
  assert.deepEqual([asked.ended_at, asked.violations], [null, null]);
  assert.equal((await own.get("audit?act=books.check")).items.length, 1);
  await trade.pass(0);
  const check = await checked();
  assert.deepEqual(
    [check.check_id, check.violations, check.details, check.ended_at !== null],
    [asked.check_id, 0, [], true],
  );
});

it("200: what is wrong is counted, named, and waits for a person", async () => {
  trade.tick();
  await gateway.app.db.query(
    `insert into failing_rows (kind, id, failures, error, failed_at, next_try_at)
     select 'lapse-payments', gen_random_uuid(), 1, 'broken', '2026-03-01', '2099-01-01'
     from generate_series(1, 7)`,
  );
  await own.post("books/check");
  const check = await checked();
  assert.deepEqual([check.violations, check.details.length], [7, 5]);
  assert.match(check.details[0], /^38: /);
  const { items } = await own.get("waiting");
  const counts = items.map(({ kind, count }: { kind: string; count: number }) => [kind, count]);
  assert.deepEqual(counts.slice(-2), [
    ["rows_failing", 7],
    ["books_wrong", 7],
  ]);
});
