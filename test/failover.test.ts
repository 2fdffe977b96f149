// The torture's watch over leaders and its stopwatch are judges, so they are judged. And what an operator
// has to fill in of deploy/cluster is what the manual names.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Beat, openLeaderJudge } from "../torture/failover/leaders.ts";
import { openPulse } from "../torture/failover/pulse.ts";

const PROJECT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(PROJECT, path), "utf8");

describe("the watch over leaders", () => {
  const heard = (...beats: readonly [string, number, number, number][]): string[] => {
    const judge = openLeaderJudge();
    return beats.flatMap(([node, timeline, sentAt, answeredAt]) =>
      judge.hear({ node, timeline, sentAt, answeredAt } satisfies Beat),
    );
  };

  it("has nothing against one leader after another, nor against an answer that came late", () => {
    const late: [string, number, number, number] = ["node1", 1, 20, 90];
    assert.deepEqual(heard(["node1", 1, 0, 10], ["node2", 2, 30, 40], late), []);
  });

  it("finds an old leader that answers what was sent after the next one had answered", () => {
    const [wrong] = heard(["node1", 1, 0, 10], ["node2", 2, 30, 40], ["node1", 1, 50, 60]);
    assert.match(wrong ?? "", /^node1 answers writes on timeline 1, 10 ms after node2 did/);
  });

  it("finds two that answer on one timeline", () => {
    const [wrong] = heard(["node1", 1, 0, 10], ["node2", 1, 5, 12]);
    assert.match(wrong ?? "", /^node2 and node1 answer writes on timeline 1$/);
  });
});

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
