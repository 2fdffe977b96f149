// Days of figures: where they begin later than those of the lists that they lead to, whoever reads them is told so.

import assert from "node:assert/strict";
import { it } from "node:test";
import { wordsIn } from "../../../test/people.ts";
import { html } from "../../platform/html.ts";
import { hookCharts } from "./hook-charts.ts";
import { type Tally, todayFigures } from "./tally-charts.ts";
import { dayNote, lastDays } from "./tally-period.ts";

const now = new Date("2026-03-02T09:17:00Z");
const lookOf = (zone: string) => ({ language: "en", zone, now }) as const;
const beginsIn = (zone: string): string =>
  /begins at (\S+),/.exec(wordsIn(html`${dayNote(lookOf(zone))}`.text))?.[1] ?? "";

it("the hour that a day begins in is the day before's, and it is said when the day begins then", () => {
  assert.equal(beginsIn("Asia/Kolkata"), "00:30");
  assert.equal(beginsIn("America/St_Johns"), "00:30");
  assert.equal(beginsIn("Asia/Kathmandu"), "00:45");
  assert.equal(beginsIn("Australia/Eucla"), "00:45");
  for (const zone of ["Europe/Moscow", "America/New_York", "UTC"]) assert.equal(beginsIn(zone), "");
});

it("it stands beside today's figures and beside the charts of webhooks", () => {
  const look = lookOf("Asia/Kolkata");
  const [from, to] = [lastDays(2, look).from, lastDays(1, look).from];
  const nothing = { created: 0, issued: 0, paid: 0, cohort_paid: 0, received: 0, credited: 0 };
  const days = [from, to].map((key): Tally => ({ key, ...nothing, fee: 0, refunded: 0 }));
  const rows = (): string => "/rows";
  const figures = todayFigures(days, { look, currency: "RUB", invoices: rows }, "fee");
  for (const part of [figures, hookCharts([], "own", look, rows)])
    assert.match(wordsIn(part.text), /a day of figures begins at 00:30, and in lists at midnight/);
});
