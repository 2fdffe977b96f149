// Lines that a gateway of before has written down: they come into the books, each once, whoever looks first.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openQuietGateway } from "../../../test/one-gateway.ts";
import { statement1c } from "../../../test/statement-file.ts";
import { postLinesJob } from "./post-lines.job.ts";

const { gateway, own } = await openQuietGateway();
const { db } = gateway.app;

it("posts what is not in the books yet, once, also when several look at the same time", async () => {
  const movements = Array.from({ length: 700 }, (_, index) => ({ sum: -1 - (index % 350) }));
  const days = { "2026-02-20": movements };
  const content = Buffer.from(statement1c([{ account: "40817810000000000101", days }]));
  await own.post("imports", { filename: "1.txt", content: content.toString("base64") });
  await applyImports(gateway);
  const left = (await own.get("accounts/bank_out.RUB")).balance;
  assert.equal(left, -(350 * 351));
  // As if they had been written down by a gateway that knows of no postings.
  await db.query(`alter table ledger_postings disable trigger user; delete from ledger_postings;
    alter table ledger_postings enable trigger user; update statement_lines set posted = null`);
  await assertBooksAreRight(gateway);
  await Promise.all([1, 2, 3].map(() => postLinesJob.run(gateway.app)));
  await postLinesJob.due?.settle(gateway.app);
  assert.equal((await own.get("accounts/bank_out.RUB")).balance, left);
  const [row] = await db.query("select count(*)::integer as postings from ledger_postings");
  assert.deepEqual(row, { postings: 700 });
  await assertBooksAreRight(gateway);
});
