// Charts by their numbers: heights begin at zero, ticks are round and differ, nothing is a word and no axis.

import assert from "node:assert/strict";
import { it } from "node:test";
import { barChart, scaleOf } from "./chart.ts";
import type { Look } from "./locale.ts";

const look: Look = { language: "en", zone: "UTC", now: new Date("2026-11-15T12:00:00Z") };
const words = { title: "Money", series: ["Received"], format: String, look };

function barsOf(count: number, value = 5): string {
  const bars = Array.from({ length: count }, (_, at) => ({
    label: `d${at}`,
    href: `/d/${at}`,
    parts: [value],
    isUnfinished: at === count - 1,
  }));
  return barChart({ ...words, bars }).text;
}

const countOf = (text: string, found: RegExp): number => [...text.matchAll(found)].length;

it("ticks are round numbers that read differently, from zero up, for any values", () => {
  const ticksOf = (
    values: readonly number[],
    format: (value: number) => string = String,
  ): string[] => scaleOf(values, 180, format, "en").ticks.map(({ text }) => text);
  assert.deepEqual(ticksOf([1]), ["0", "1"]);
  assert.deepEqual(ticksOf([3, 7]), ["0", "2", "4", "6", "8"]);
  assert.deepEqual(ticksOf([0.3]), ["0", "0.1", "0.2", "0.3"]);
  assert.deepEqual(ticksOf([199_000]), ["0", "50k", "100k", "150k", "200k"]);
  assert.deepEqual(
    ticksOf([1.4, 0.2], (value) => value.toFixed(0)),
    ["0", "1", "2"],
  );
  assert.deepEqual(ticksOf([-3, 5]), ["-4", "-2", "0", "2", "4", "6"]);
  for (let top = 1e-6; top < 1e12; top *= 1.7) {
    const { ticks, y } = scaleOf([top], 180, String, "en");
    assert.equal(new Set(ticks.map(({ text }) => text)).size, ticks.length);
    assert.ok(ticks.length >= 2 && ticks.length <= 6 && y(top) >= 0 && y(0) === 180, String(top));
  }
});

it("no bars, or bars of nothing, are words; one bar is no wall; of many the last 60 are drawn", () => {
  for (const text of [barsOf(0), barsOf(5, 0)]) {
    assert.match(text, /Nothing to draw yet/);
    assert.doesNotMatch(text, /<svg/);
  }
  assert.match(barsOf(1), /<rect class="s0" x="47%" y="30" width="6%" height="150"\/>/);
  assert.equal(countOf(barsOf(90), /<rect class="s0"/g), 60);
});

it("each bar is a link with its words, and stands in a table that has the same link", () => {
  const text = barsOf(3);
  assert.match(text, /<a href="\/d\/2" tabindex="-1"><title>d2, so far\nReceived: 5<\/title>/);
  assert.match(text, /<th scope="row"><a href="\/d\/0">d0<\/a><\/th><td class="end">5<\/td>/);
  assert.equal(countOf(text, /fill="url\(#hatch-/g), 1);
  assert.doesNotMatch(text, / style=/);
});

it("a label that somebody wrote is no markup", () => {
  const label = `"><script>`;
  const { text } = barChart({
    ...words,
    title: label,
    series: [label],
    bars: [{ label, href: label, parts: [1] }],
  });
  assert.doesNotMatch(text, /<script/);
});
