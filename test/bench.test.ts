// The benchmark from end to end in its shortest form: a row of each kind on both engines, a table, and figures
// for programs. It fails on errors, never on how fast the machine happens to be. All rows: npm run bench --
// --smoke.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { promisify } from "node:util";
import { findWrk } from "../bench/load.ts";
import { type Report, withTable } from "../bench/report.ts";
import { GROUPS } from "../bench/rows.ts";
import { onPostgres } from "./gateway.ts";

/** One that reads, one that answers in sets, money in lists, and lives from order to webhook. */
const ROWS = ["info", "h2h", "transfers", "life"];
const BENCH = join(import.meta.dirname, "../bench/bench.ts");
const README = join(import.meta.dirname, "../README.md");

onPostgres("npm run bench -- --smoke", () => {
  if (!findWrk()) {
    it("needs wrk", { skip: "apt-get install wrk" });
    return;
  }
  let out: string;
  let stdout: string;
  let report: Report;
  before(async () => {
    out = mkdtempSync(join(tmpdir(), "kopeck-bench-out-"));
    const args = [BENCH, "--smoke", "--only", ROWS.join(), "--out", out];
    ({ stdout } = await promisify(execFile)(process.execPath, args));
    report = JSON.parse(readFileSync(join(out, "bench.json"), "utf8")) as Report;
  });
  after(() => rmSync(out, { recursive: true, force: true }));

  it("measures the rows that were asked for on each engine that they have a goal for", () => {
    for (const engine of ["postgres", "embedded"] as const) {
      const declared = GROUPS.flatMap(({ rows }) =>
        rows.filter(({ name, goals }) => ROWS.includes(name) && engine in goals),
      );
      const measured = report.rows.filter((row) => row.engine === engine);
      const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);
      assert.deepEqual(names(measured), names(declared));
    }
  });

  it("gives each row a figure, and a verdict where there is a goal", () => {
    for (const row of report.rows) {
      assert.ok(row.figure > 0 && row.rounds.length > 0, JSON.stringify(row));
      assert.equal(row.ratio === null, row.rival === null, row.name);
      assert.equal(row.isMet === null, row.goal === null, row.name);
    }
  });

  it("measures a database that is durable", () => {
    const { fsync, synchronous_commit, full_page_writes } = report.postgresSettings;
    assert.deepEqual([fsync, synchronous_commit, full_page_writes], ["on", "on", "on"]);
  });

  it("prints the table that --readme puts into the README", () => {
    for (const row of report.rows) assert.ok(stdout.includes(`| \`${row.name}\` |`), row.name);
    const readme = withTable(readFileSync(README, "utf8"), report);
    assert.ok(readme.includes(stdout.trim()));
    assert.equal(withTable(readme, report), readme);
  });
});
