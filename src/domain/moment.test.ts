// Moments as the wire shows them, whatever the machine's own time zone is.

import assert from "node:assert/strict";
import { it } from "node:test";
import { momentFormat } from "./moment.ts";

it("a moment is shown in the service's time zone, by the day there", () => {
  const late = new Date("2026-12-31T21:00:00.999Z");
  assert.equal(momentFormat("Europe/Moscow").text(late), "2027-01-01 00:00:00");
  assert.equal(momentFormat("Europe/Moscow").day(late), "2027-01-01");
  assert.equal(momentFormat("UTC").text(late), "2026-12-31 21:00:00");
  assert.equal(momentFormat("Asia/Kathmandu").text(late), "2027-01-01 02:45:00");
});

it("a moment is what the time zone's own rules say, also around their changes", () => {
  const zones = ["Europe/Moscow", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"];
  const changes = ["2026-03-29T01:00:00Z", "2026-04-04T15:00:00Z", "2011-03-26T23:00:00Z"];
  for (const timeZone of zones) {
    const rules = new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      dateStyle: "short",
      timeStyle: "medium",
    });
    for (const change of changes) {
      for (let minutes = -120; minutes <= 120; minutes += 1) {
        const instant = new Date(Date.parse(change) + minutes * 60_000 + 1_234);
        assert.equal(momentFormat(timeZone).text(instant), rules.format(instant), timeZone);
      }
    }
  }
});

it("a moment is right for every one of many, one after another", () => {
  const { text } = momentFormat("UTC");
  for (let second = 0; second < 100; second += 7) {
    const instant = new Date(Date.UTC(2026, 2, 1, 0, 0, second));
    assert.equal(text(instant), instant.toISOString().slice(0, 19).replace("T", " "));
    assert.equal(text(instant), text(new Date(instant.getTime() + 999)));
  }
});
