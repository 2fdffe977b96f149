// An import that is stopped between two sets goes on where it was, in whatever process; several processes that are
// at it do each line once.

import assert from "node:assert/strict";
import { it } from "node:test";
import { assertBooksAreRight } from "../../../test/books.ts";
import { applyImports } from "../../../test/imports.ts";
import { openOneGateway } from "../../../test/one-gateway.ts";
import { MINUTE } from "../../../test/orders.ts";
import { statement1c } from "../../../test/statement-file.ts";
import { applyImportsJob } from "./apply-imports.job.ts";

const { gateway, own, trade } = await openOneGateway();

const LINES = 1_200;

it("a dry run tries 5,000 new lines, says how many it did not, and keeps nothing", async () => {
  const movements = Array.from({ length: 5_100 }, (_, index) => ({ sum: 1000 + index / 100 }));
  const file = statement1c([
    { account: "40817810000000000102", days: { "2026-02-02": movements } },
  ]);
  const content = Buffer.from(file).toString("base64");
  const { dry_run } = await own.post("imports", { filename: "dry.txt", content, dry_run: true });
  const { lines, new: fresh, suspense, untried_lines } = dry_run;
  assert.deepEqual([lines, fresh, suspense, untried_lines], [5_100, 5_000, 5_000, 100]);
  assert.deepEqual((await own.get("transfers")).items, []);
  assert.deepEqual((await own.get("imports")).items, []);
});

it("2,500 equal rows of a large CSV stay as many, and the file that has one more brings that one", async () => {
  const profile = {
    delimiter: ";",
    date_form: "yyyy-mm-dd",
    date: "day",
    amount: "sum",
    purpose: ["what"],
  };
  const requisite_id = "00000000-0000-4000-8000-000000000103";
  const bring = async (rows: number) => {
    const file = `day;sum;what\n${`2026-02-03;-5.00;${"x".repeat(60)}\n`.repeat(rows)}`;
    const content = Buffer.from(file).toString("base64");
    const asked = { filename: "equal.csv", content, profile, requisite_id };
    const { import_id } = await own.post("imports", asked);
    await applyImports(gateway);
    const { lines, known_lines, outflow } = await own.get(`imports/${import_id}`);
    return [lines, known_lines, outflow];
  };
  assert.deepEqual(await bring(2_500), [2_500, 0, 2_500]);
  assert.deepEqual(await bring(2_501), [2_501, 2_500, 1]);
});

it("kill -9 between any two sets: another process goes on where it was, and nothing is booked twice", async () => {
  const movements = Array.from({ length: LINES }, (_, index) => ({ sum: 10 + index / 100 }));
  const days = { "2026-02-01": movements };
  const content = Buffer.from(statement1c([{ account: "40817810000000000101", days }])).toString(
    "base64",
  );
  const { import_id } = await own.post("imports", { filename: "long.txt", content });
  const shown = () => own.get(`imports/${import_id}`);
  // What a process knows of an import is in its memory alone: each does a set and is never heard of again.
  // The next sees that nobody moves on, and begins; the gateway's own job is one of them.
  const setOf = async (): Promise<void> => {
    const app = { ...gateway.app, memory: new Map() };
    for (let looks = 0; looks < 3; looks++) if ((await applyImportsJob.run(app)) > 0) return;
  };
  while ((await shown()).applied_at === null) await Promise.all([setOf(), setOf()]);
  const done = await shown();
  assert.deepEqual([done.new, done.known_lines, done.done_lines], [LINES, 0, LINES]);
  const [{ transfers }] = (await gateway.app.db.query<{ transfers: number }>(
    "select count(*)::integer as transfers from transfers",
  )) as [{ transfers: number }];
  assert.equal(transfers, LINES);
  await assertBooksAreRight(gateway);
});

it("a file of an account waits for an older one that failed, and its alarm of a lost line stays", async () => {
  const bring = (...sums: number[]) => {
    const days = { "2026-02-04": sums.map((sum) => ({ sum, number: String(sum) })) };
    const content = Buffer.from(statement1c([{ account: "40817810000000000102", days }]));
    return own.post("imports", { filename: "day.txt", content: content.toString("base64") });
  };
  const sql = (text: string) => gateway.app.db.query(text);
  const first = await bring(730.01);
  await applyImports(gateway);
  await sql(`create function refuse_lines() returns trigger language plpgsql as $$
    begin raise exception 'planted'; end $$;
    create trigger planted before update on statement_lines execute function refuse_lines()`);
  await bring(730.01, 730.02);
  await trade.pass(1);
  await sql("drop function refuse_lines cascade");
  const newest = await bring(730.03);
  await trade.pass(1);
  await trade.pass(MINUTE);
  await applyImports(gateway);
  const { items } = await own.get(`lines?import_id=${first.import_id}`);
  assert.deepEqual(
    items.map((line: { outcome: string; missing_in: string | null }) => [
      line.outcome,
      line.missing_in,
    ]),
    [["missing", newest.import_id]],
  );
  await assertBooksAreRight(gateway);
});
