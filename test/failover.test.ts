// The torture's stopwatch is a judge, so it is judged. And what an operator has to fill in of deploy/cluster is
// what the manual names.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { openPulse } from "../torture/failover/pulse.ts";

const PROJECT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(PROJECT, path), "utf8");

it("the stopwatch tells the longest pause of the gateway that paused longest", () => {
  const pulse = openPulse(["one", "other"]);
  const start = performance.now();
  pulse.begin();
  const say = (url: string, afterMs: number, status = 200): void =>
    pulse.hear(
      {
        url,
        path: "/",
        tookMs: 1,
        why: undefined,
        answer: { status, text: "", body: {}, headers: new Headers() },
      },
      start + afterMs,
    );
  for (const afterMs of [1_000, 1_500, 2_500]) say("one", afterMs);
  say("other", 1_000);
  // A refusal is no write.
  say("other", 2_000, 422);
  say("other", 4_000);
  assert.equal(Math.round(pulse.longestMs(start + 4_500) / 100), 30);
  // Whoever has not been answered since waits still.
  assert.equal(Math.round(pulse.longestMs(start + 9_000) / 100), 65);
  assert.equal(pulse.count(), 5);
});

it("the manual names whatever has to be filled in of deploy/cluster, file by file", () => {
  const manual = read("docs/operations.md");
  for (const file of readdirSync(join(PROJECT, "deploy/cluster"))) {
    const wanted = read(`deploy/cluster/${file}`).matchAll(/\$\{(?!NAME\})(\w+)\}/g);
    const row = manual.split("\n").find((line) => line.startsWith(`| [${file}]`)) ?? "";
    const named = new Set([...row.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name));
    assert.deepEqual(new Set([...wanted].map(([, name]) => name)), named, file);
  }
});
