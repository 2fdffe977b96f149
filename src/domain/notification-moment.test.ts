// When a message's money was paid: what the bank printed, what the phone says, and clocks that are wrong.

import assert from "node:assert/strict";
import { it } from "node:test";
import { momentFormat } from "./moment.ts";
import { toldAt } from "./notification-moment.ts";

const MOSCOW = momentFormat("Europe/Moscow");
const BERLIN = momentFormat("Europe/Berlin");

it("the printed time counts, of the nearest day; else the stamp; else the moment of telling", () => {
  const cases: [
    words: string,
    stamps: [time: string | null, day: string | null, sent: string | null, received: string],
    expected: string | undefined,
  ][] = [
    ["the same day", ["21:21", null, null, "2026-03-02T18:22:10Z"], "2026-03-02T18:21Z"],
    ["a minute ahead of us", ["21:21", null, null, "2026-03-02T18:20:10Z"], "2026-03-02T18:21Z"],
    [
      "yesterday, told after midnight",
      ["23:59", null, null, "2026-03-01T21:05:00Z"],
      "2026-03-01T20:59Z",
    ],
    [
      "30 hours late, with its stamp",
      ["21:21", null, "2026-03-01T18:21:30Z", "2026-03-03T00:21:00Z"],
      "2026-03-01T18:21Z",
    ],
    [
      "a day of its own",
      ["21:19", "2026-03-01", null, "2026-03-02T18:22:10Z"],
      "2026-03-01T18:19Z",
    ],
    [
      "a day without its year",
      ["19:49", "--12-31", null, "2027-01-01T00:00:00Z"],
      "2026-12-31T16:49Z",
    ],
    [
      "no time: the stamp",
      [null, null, "2026-03-02T18:00:00Z", "2026-03-02T18:22:10Z"],
      "2026-03-02T18:00:00.000Z",
    ],
    ["no stamp: now", [null, null, null, "2026-03-02T18:22:10Z"], "2026-03-02T18:22:10.000Z"],
    [
      "the day of the stamp",
      [null, "2026-03-02", "2026-03-02T18:00:00Z", "2026-03-02T18:22:10Z"],
      "2026-03-02T18:00:00.000Z",
    ],
    [
      "another day than the stamp's",
      [null, "2026-03-01", null, "2026-03-02T18:22:10Z"],
      "2026-03-01",
    ],
    [
      "a stamp a little ahead",
      [null, null, "2026-03-02T18:25:00Z", "2026-03-02T18:22:10Z"],
      "2026-03-02T18:22:10.000Z",
    ],
    ["a clock in 2031", ["21:21", null, "2031-03-02T18:21:00Z", "2026-03-02T18:22:10Z"], undefined],
    ["a day that is to come", ["21:21", "2026-03-04", null, "2026-03-02T18:22:10Z"], undefined],
    ["a week old", ["21:21", "2026-02-23", null, "2026-03-02T18:22:10Z"], undefined],
    ["a stamp of 1970", [null, null, "1970-01-01T00:00:00Z", "2026-03-02T18:22:10Z"], undefined],
  ];
  for (const [words, [printedTime, printedDay, sent, received], expected] of cases) {
    const sentAt = sent === null ? null : new Date(sent);
    const stamps = { printedTime, printedDay, sentAt, receivedAt: new Date(received) };
    assert.equal(toldAt(stamps, MOSCOW)?.madeAt, expected, words);
  }
});

it("a day on which the clocks were changed", () => {
  const receivedAt = new Date("2026-03-29T12:00:00Z");
  const stamps = { printedTime: "12:30", printedDay: "2026-03-29", sentAt: null, receivedAt };
  assert.equal(toldAt(stamps, BERLIN)?.madeAt, "2026-03-29T10:30Z");
});

it("an hour that is there twice is the first until it has come again, and then either", () => {
  const at = (received: string): string | undefined => {
    const receivedAt = new Date(received);
    const stamps = { printedTime: "02:40", printedDay: null, sentAt: null, receivedAt };
    return toldAt(stamps, BERLIN)?.madeAt;
  };
  assert.equal(at("2026-10-25T00:40:30Z"), "2026-10-25T00:40Z");
  assert.equal(at("2026-10-25T01:40:30Z"), "2026-10-25T00:40Z/2026-10-25T01:40Z");
});
