// An import that is stopped between two sets goes on where it was, in whatever process; several processes that are
// at it do each line once.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { statement1c } from "../../../test/statement-file.ts";
import { applyImportsJob } from "./apply-imports.job.ts";

const { gateway, own } = await openOneGateway();

const LINES = 1_200;

it("kill -9 between any two sets: another process goes on where it was, and nothing is booked twice", async () => {
  const movements = Array.from({ length: LINES }, (_, index) => ({ sum: 10 + index / 100 }));
  const days = { "2026-02-01": movements };
  const content = Buffer.from(statement1c([{ account: "40817810000000000101", days }])).toString(
    "base64",
  );
  const { import_id } = await own.post("imports", { filename: "long.txt", content });
  const shown = () => own.get(`imports/${import_id}`);
  // What a process knows of an import is in its memory alone.
  const process = () => ({ ...gateway.app, memory: new Map() });
  const [first, second, third] = [process(), process(), process()];
  // Each does a set and is never heard of again; the next sees that it stands still, and begins.
  assert.equal(await applyImportsJob.run(first), 1);
  assert.deepEqual([(await shown()).done_lines, (await shown()).applied_at], [500, null]);
  assert.equal(await applyImportsJob.run(second), 0);
  assert.equal(await applyImportsJob.run(second), 1);
  assert.equal((await shown()).done_lines, 1000);
  // Whoever comes back finds that somebody else has gone on.
  assert.equal(await applyImportsJob.run(first), 0);
  await Promise.all(
    [first, third].map(async (app) => {
      for (let times = 0; times < 6; times++) await applyImportsJob.run(app);
    }),
  );
  const done = await shown();
  assert.deepEqual([done.booked, done.known_lines, done.done_lines], [LINES, 0, LINES]);
  assert.notEqual(done.applied_at, null);
  const [{ transfers }] = (await gateway.app.db.query<{ transfers: number }>(
    "select count(*)::integer as transfers from transfers",
  )) as [{ transfers: number }];
  assert.equal(transfers, LINES);
  await assertBooksAreRight(gateway);
});
