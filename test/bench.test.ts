// The benchmark from end to end in its shortest form: every row on both engines, a table, figures for
// programs and a picture. It fails on errors, never on how fast the machine happens to be.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { promisify } from "node:util";
import type { Report } from "../bench/report.ts";
import { GOALS } from "../bench/row.ts";
import { onPostgres } from "./gateway.ts";

const BENCH = join(import.meta.dirname, "../bench/bench.ts");
/** What the embedded engine cannot do: be opened twice, be reached by another program. */
const ON_POSTGRES_ONLY = ["straightforward", "two-processes"];

onPostgres("npm run bench -- --smoke", () => {
  let out: string;
  let stdout: string;
  let report: Report;
  before(async () => {
    out = mkdtempSync(join(tmpdir(), "kopeck-bench-out-"));
    const args = [BENCH, "--smoke", "--out", out];
    ({ stdout } = await promisify(execFile)(process.execPath, args));
    report = JSON.parse(readFileSync(join(out, "bench.json"), "utf8")) as Report;
  });
  after(() => rmSync(out, { recursive: true, force: true }));

  it("measures every row on both engines", () => {
    const names = Object.keys(GOALS);
    const measured = (engine: string) =>
      report.rows.filter((row) => row.engine === engine).map(({ name }) => name);
    assert.deepEqual(measured("postgres").toSorted(), names.toSorted());
    assert.deepEqual(
      measured("embedded").toSorted(),
      names.filter((name) => !ON_POSTGRES_ONLY.includes(name)).toSorted(),
    );
  });

  it("gives each row figures and a verdict", () => {
    for (const row of report.rows) {
      assert.ok(row.ours > 0 && row.rival > 0 && row.ratio > 0, JSON.stringify(row));
      assert.match(row.verdict, /^(?:met|missed by \d+ %|for information)$/);
      assert.ok(row.oursRounds.length > 0 && row.rivalRounds.length > 0, row.name);
    }
  });

  it("measures a database that is durable", () => {
    const { fsync, synchronous_commit, full_page_writes } = report.postgresSettings;
    assert.deepEqual([fsync, synchronous_commit, full_page_writes], ["on", "on", "on"]);
  });

  it("prints a table for each engine", () => {
    for (const row of report.rows) assert.ok(stdout.includes(`| ${row.name} |`), row.name);
    assert.equal(stdout.match(/^## /gm)?.length, 2);
  });

  it("draws a picture whose tags are closed, with a bar for each row", () => {
    const svg = readFileSync(join(out, "bench.svg"), "utf8");
    assert.deepEqual(openTags(svg), []);
    const bars = svg.match(/<rect [^>]*><title>/g) ?? [];
    assert.equal(bars.length, report.rows.length);
  });
});

/** What is left open at the end of a text of tags. */
function openTags(text: string): string[] {
  const open: string[] = [];
  for (const [, closing, name = "", selfClosing] of text.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)) {
    if (closing) assert.equal(open.pop(), name);
    else if (!selfClosing) open.push(name);
  }
  return open;
}
