// When money was paid: as exact as it was written, and never later than it is told.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { checkProperty } from "../../test/property.ts";
import { issuedWithin, madeAtOfLine, readMadeAt } from "./made-at.ts";
import { addSeconds, momentFormat } from "./moment.ts";
import { endOfDetails, endOfSlot } from "./payment.ts";

const MOSCOW = momentFormat("Europe/Moscow");
const NOW = new Date("2026-03-10T12:00:00.000Z");

const read = (told: string, zone = MOSCOW, now = NOW): string[] | undefined => {
  const made = readMadeAt(told, zone, now);
  return made && [made.from.toISOString(), made.to.toISOString()];
};

it("made at a moment is as exact as it is written, with any offset", () => {
  const exact = "2026-03-09T07:05:06.250Z";
  assert.deepEqual(read("2026-03-09T10:05:06.25+03:00"), [exact, exact]);
  assert.deepEqual(read("2026-03-09T07:05:06Z"), [
    "2026-03-09T07:05:06.000Z",
    "2026-03-09T07:05:06.999Z",
  ]);
  assert.deepEqual(read("2026-03-08T22:05-09:00"), [
    "2026-03-09T07:05:00.000Z",
    "2026-03-09T07:05:59.999Z",
  ]);
});

it("made at a day is the whole day of the service's time zone, also one of 23 or 25 hours", () => {
  assert.deepEqual(read("2026-03-09"), ["2026-03-08T21:00:00.000Z", "2026-03-09T20:59:59.999Z"]);
  const berlin = momentFormat("Europe/Berlin");
  const later = new Date("2027-01-01T00:00:00Z");
  assert.deepEqual(read("2026-03-29", berlin, later), [
    "2026-03-28T23:00:00.000Z",
    "2026-03-29T21:59:59.999Z",
  ]);
  assert.deepEqual(read("2026-10-25", berlin, later), [
    "2026-10-24T22:00:00.000Z",
    "2026-10-25T22:59:59.999Z",
  ]);
  // Here the clocks skip midnight.
  const cairo = momentFormat("Africa/Cairo");
  assert.equal(read("2026-04-24", cairo, later)?.[0], "2026-04-23T22:00:00.000Z");
  for (const zone of ["Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kathmandu"].map(momentFormat)) {
    const [from = "", to = ""] = read("2026-05-05", zone, later) ?? [];
    assert.equal(zone.text(new Date(from)), "2026-05-05 00:00:00");
    assert.equal(zone.text(new Date(to)), "2026-05-05 23:59:59");
  }
});

it("made at ends with the moment of telling; what lies ahead is none", () => {
  assert.deepEqual(read("2026-03-10"), ["2026-03-09T21:00:00.000Z", NOW.toISOString()]);
  assert.deepEqual(read("2026-03-10T12:00:00Z"), [NOW.toISOString(), NOW.toISOString()]);
  // A bank's clock may be five minutes ahead.
  assert.deepEqual(read("2026-03-10T12:05:00Z"), [NOW.toISOString(), NOW.toISOString()]);
  for (const told of ["2026-03-10T12:05:01Z", "2026-03-11", "9999-12-31", "9999-12-31T23:59Z"]) {
    assert.equal(read(told), undefined, told);
  }
});

it("made at leaves out no details that hold their slot then", () => {
  const issued = new Date("2026-03-01T09:00:00Z");
  const ends = endOfDetails(issued, new Date("2027-01-01T00:00:00Z"));
  const just = (moment: Date, ms: number) => new Date(moment.getTime() + ms);
  for (const made of [issued, ends, just(endOfSlot(ends), -1)]) {
    const { issuedAfter, issuedBy } = issuedWithin({ from: made, to: made });
    assert.ok(issued > issuedAfter && issued <= issuedBy);
  }
  const { liveIssuedAfter } = issuedWithin({ from: just(ends, -1), to: ends });
  assert.ok(issued > liveIssuedAfter);
});

it("a line's moment is its instant where it has an offset, else its clock's; a day that is another one here is either", () => {
  const of = (day: string, time: string | null, instant?: string) =>
    madeAtOfLine({ day, time, ...(instant === undefined ? {} : { instant }) }, MOSCOW);
  assert.equal(of("2026-03-09", "10:05"), "2026-03-09T07:05Z");
  assert.equal(of("2026-03-09", "10:05:06"), "2026-03-09T07:05:06Z");
  assert.equal(of("2026-03-09", "03:30:00", "2026-03-09T03:30:00+05:00"), "2026-03-08T22:30:00Z");
  assert.equal(of("2026-03-09", null), "2026-03-09");
  assert.equal(of("2026-03-09", null, "2026-03-09T20:59:59Z"), "2026-03-09");
  assert.equal(of("2026-03-09", null, "2026-03-09T21:00:00Z"), "2026-03-09/2026-03-10");
  assert.equal(of("2026-03-09", null, "2026-03-09T00:00:00+05:00"), "2026-03-08/2026-03-09");
});

it("a line's time that its day has twice is either, whatever the file knows of seconds", () => {
  const of = (zone: string, day: string, time: string) =>
    madeAtOfLine({ day, time }, momentFormat(zone));
  const berlin = "2026-10-25T00:30Z/2026-10-25T01:30Z";
  assert.equal(of("Europe/Berlin", "2026-10-25", "02:30:15"), berlin);
  assert.equal(of("Europe/Berlin", "2026-10-25", "02:30"), berlin);
  assert.equal(of("Europe/Berlin", "2026-10-25", "01:59:59"), "2026-10-24T23:59:59Z");
  assert.equal(of("Europe/Berlin", "2026-10-25", "03:00:00"), "2026-10-25T02:00:00Z");
  const island = "2026-04-04T14:45Z/2026-04-04T15:15Z";
  assert.equal(of("Australia/Lord_Howe", "2026-04-05", "01:45:00"), island);
  assert.deepEqual(readMadeAt(berlin, momentFormat("UTC"), new Date("2026-11-01T00:00:00Z")), {
    from: new Date("2026-10-25T00:30:00Z"),
    to: new Date("2026-10-25T01:30:59.999Z"),
  });
});

it("made at one of two days is from the first's beginning to the last's end, or to the moment of telling", () => {
  assert.deepEqual(read("2026-03-08/2026-03-09"), [
    "2026-03-07T21:00:00.000Z",
    "2026-03-09T20:59:59.999Z",
  ]);
  assert.deepEqual(read("2026-03-10/2026-03-11"), ["2026-03-09T21:00:00.000Z", NOW.toISOString()]);
  assert.equal(read("2026-03-11/2026-03-12"), undefined);
});

it("whatever a line's clock says of itself, its instant is in what is read of it", () => {
  const pad = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, "0");
  const zones = ["Europe/Moscow", "Asia/Vladivostok", "America/New_York"].map(momentFormat);
  checkProperty(
    fc.property(
      fc.integer({ min: 0, max: 400 * 24 * 60 }),
      fc.integer({ min: -12 * 4, max: 14 * 4 }),
      fc.constantFrom(...zones),
      fc.boolean(),
      (minute, quarters, zone, isGreenwich) => {
        const at = new Date(Date.parse("2026-01-01T00:00:30Z") + minute * 60_000);
        const ahead = isGreenwich ? 0 : quarters * 15;
        const clock = new Date(at.getTime() + ahead * 60_000).toISOString();
        const offset = `${ahead < 0 ? "-" : "+"}${pad(ahead / 60)}:${pad(ahead % 60)}`;
        const line = {
          day: clock.slice(0, 10),
          time: isGreenwich ? null : clock.slice(11, 19),
          instant: `${clock.slice(0, 19)}${isGreenwich ? "Z" : offset}`,
        };
        const made = readMadeAt(madeAtOfLine(line, zone), zone, new Date("2028-01-01T00:00:00Z"));
        assert.ok(made !== undefined && made.from <= at && at <= made.to);
        const [from, to] = [zone.startOf(line.day), addSeconds(zone.startOf(line.day), 60)];
        if (isGreenwich)
          assert.ok(made.from <= from && to <= made.to, "and the day that is written");
      },
    ),
  );
});
