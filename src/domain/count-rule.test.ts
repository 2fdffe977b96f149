// The count rule over every order in which tellers can speak: money once each, as long as one of them tells of all.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  FARTHEST_SECONDS,
  type KnownTransfer,
  likeliest,
  pairTellings,
  type Span,
  spanOf,
} from "./count-rule.ts";
import { momentFormat } from "./moment.ts";

const zone = momentFormat("Europe/Moscow");
const MONDAY = Date.parse("2026-03-02T00:00:00+03:00");
const minutes = (count: number): Date => new Date(MONDAY + count * 60_000);

const spanAt = (at: Date): Span =>
  spanOf({ madeAt: at.toISOString(), made: { from: at, to: at }, channel: "sms" }, zone);
const spanOfDay = (at: Date): Span => {
  const madeAt = zone.day(at);
  const from = zone.startOf(madeAt);
  const made = { from, to: new Date(from.getTime() + 86_399_999) };
  return spanOf({ madeAt, made, channel: "line" }, zone);
};

/** One that has been told of, by whoever else. */
const known = (
  id: string,
  told: Readonly<Record<string, Span>>,
  standing: KnownTransfer["standing"] = "plain",
): KnownTransfer => ({ id, told: new Map(Object.entries(told)), standing });

interface Stored extends KnownTransfer {
  readonly told: Map<string, Span>;
}

/** What a gateway would keep of one requisite and amount. */
function book(stored: Stored[], teller: string, spans: readonly Span[]): void {
  for (const [index, paired] of pairTellings(stored, teller, spans).entries()) {
    const span = spans[index];
    if (span === undefined) continue;
    const id = typeof paired === "string" ? undefined : paired.transferId;
    const joined = stored.find((one) => one.id === id);
    if (joined === undefined) {
      stored.push({
        id: String(stored.length),
        told: new Map([[teller, span]]),
        standing: "plain",
      });
    } else {
      assert.ok(!joined.told.has(teller), "a teller tells of a transfer once");
      joined.told.set(teller, span);
    }
  }
}

const tellers = {
  /** By the moment, off by up to four minutes. */
  sms: (at: Date, off: number) => spanAt(new Date(at.getTime() + off * 60_000)),
  push: (at: Date, off: number) => spanAt(new Date(at.getTime() - off * 60_000)),
  /** By the day. */
  line: (at: Date) => spanOfDay(at),
};

describe("the count rule", () => {
  it("any order of tellers of any real transfers, one of whom tells of all, makes each money once", () => {
    const real = fc.array(fc.nat({ max: 3 * 24 * 60 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        real,
        fc.constantFrom("sms", "push", "line"),
        fc.infiniteStream(fc.boolean()),
        fc.infiniteStream(fc.integer({ min: -4, max: 4 })),
        fc.infiniteStream(fc.nat()),
        (moments, complete, heard, offs, order) => {
          const told = moments.flatMap((moment) =>
            (Object.keys(tellers) as (keyof typeof tellers)[]).flatMap((teller) => {
              const isHeard = heard.next().value || teller === complete;
              const span = tellers[teller](minutes(moment), offs.next().value);
              return isHeard ? [{ teller, span, at: order.next().value }] : [];
            }),
          );
          const stored: Stored[] = [];
          for (const { teller, span } of told.toSorted((a, b) => a.at - b.at)) {
            book(stored, teller, [span]);
          }
          assert.equal(stored.length, moments.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("tellings of different money, days apart, are never taken for one", () => {
    const real = fc.array(fc.integer({ min: 3 * 24 * 60, max: 6 * 24 * 60 }), { maxLength: 6 });
    fc.assert(
      fc.property(real, fc.infiniteStream(fc.nat({ max: 3 })), (gaps, heard) => {
        let at = 0;
        const stored: Stored[] = [];
        const owner = new Map<Span, number>();
        for (const [index, gap] of gaps.entries()) {
          at += gap + 2 * 24 * 60;
          const teller = (["sms", "push", "line", "sms"] as const)[heard.next().value] ?? "sms";
          const span = tellers[teller](minutes(at), 0);
          owner.set(span, index);
          book(stored, teller, [span]);
        }
        for (const { told } of stored) {
          assert.equal(new Set([...told.values()].map((span) => owner.get(span))).size, 1);
        }
        assert.equal(stored.length, gaps.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it("what may be made up is paired last, of days with its own alone; what went back with nothing", () => {
    const honest = spanAt(minutes(15 * 60));
    const forged = spanAt(minutes(4));
    const one = (id: string, span: Span, standing: KnownTransfer["standing"]) => {
      return { id, told: new Map([["sms", span]]), standing };
    };
    const day = spanOfDay(minutes(60));
    const both = [one("forged", forged, "broken"), one("honest", honest, "plain")];
    assert.deepEqual(pairTellings(both, "line", [day]), [{ transferId: "honest" }]);
    const yesterday = [one("forged", spanAt(minutes(-60)), "broken")];
    assert.deepEqual(pairTellings(yesterday, "line", [day]), ["new"]);
    const today = [one("forged", forged, "broken")];
    assert.deepEqual(pairTellings(today, "line", [day]), [{ transferId: "forged" }]);
    const [near, far] = [spanAt(minutes(9)), spanAt(minutes(20))];
    assert.deepEqual(pairTellings(today, "push", [near]), [{ transferId: "forged" }]);
    assert.deepEqual(pairTellings(today, "push", [far]), ["new"]);
    assert.deepEqual(pairTellings([one("back", honest, "returned")], "line", [day]), ["doubtful"]);
  });

  it("a line after a holiday, with money like it told of days before and in no statement, waits", () => {
    const eve = {
      id: "0",
      told: new Map([["sms", spanAt(minutes(60))]]),
      standing: "plain",
    } as const;
    const after = spanOfDay(minutes(4 * 24 * 60));
    assert.deepEqual(pairTellings([eve], "line", [after]), ["doubtful"]);
    assert.deepEqual(pairTellings([eve], "push", [spanAt(minutes(4 * 24 * 60))]), ["new"]);
    const shown = { ...eve, told: new Map([...eve.told, ["line", spanOfDay(minutes(60))]]) };
    assert.deepEqual(pairTellings([shown], "line", [after]), ["new"]);
  });

  it("a line's day reaches back to the banking day before it, over a weekend", () => {
    const monday = spanOfDay(new Date("2026-03-09T12:00:00+03:00"));
    const at = (text: string) => {
      const stored: Stored[] = [{ id: "0", told: new Map([["line", monday]]), standing: "plain" }];
      return typeof pairTellings(stored, "sms", [spanAt(new Date(text))])[0] === "object";
    };
    assert.ok(at("2026-03-06T09:00:00+03:00"), "Friday");
    assert.ok(at("2026-03-08T23:00:00+03:00"), "Sunday");
    assert.ok(at("2026-03-10T00:05:00+03:00"), "a clock that is ahead");
    assert.ok(!at("2026-03-05T23:00:00+03:00"), "Thursday");
    assert.ok(!at("2026-03-10T01:00:00+03:00"), "Tuesday");
  });

  it("who does not say when: a person speaks of the last day, a program of the last hour", () => {
    const now = minutes(3 * 24 * 60);
    const joins = (channel: "hand" | "api", ago: number) => {
      const untold = spanOf({ madeAt: null, made: { from: now, to: now }, channel }, zone);
      const stored: Stored[] = [
        { id: "0", told: new Map([["reference", untold]]), standing: "plain" },
      ];
      const at = spanAt(new Date(now.getTime() - ago * 60_000));
      return typeof pairTellings(stored, "sms", [at])[0] === "object";
    };
    assert.deepEqual([joins("hand", 23 * 60), joins("hand", 26 * 60)], [true, false]);
    assert.deepEqual([joins("api", 59), joins("api", 80)], [true, false]);
  });

  it("equal money that one teller tells of twice is money twice", () => {
    const stored: Stored[] = [];
    book(stored, "line", [spanOfDay(minutes(60)), spanOfDay(minutes(60))]);
    book(stored, "sms", [spanAt(minutes(60)), spanAt(minutes(61))]);
    assert.equal(stored.length, 2);
    book(stored, "sms", [spanAt(minutes(62))]);
    assert.equal(stored.length, 3);
  });

  it("of several that it can be it is the nearest by whoever told of it, and none that may be made up", () => {
    const near = known("near", { line: spanOfDay(minutes(-9 * 24 * 60)), sms: spanAt(minutes(8)) });
    const far = known("far", { sms: spanAt(minutes(0)) });
    const forged = known("forged", { sms: spanAt(minutes(7)) }, "broken");
    for (const order of [
      [near, far, forged],
      [forged, far, near],
      [far, forged, near],
    ]) {
      assert.deepEqual(pairTellings(order, "push", [spanAt(minutes(7))]), [{ transferId: "near" }]);
      assert.deepEqual(pairTellings(order, "push", [spanAt(minutes(-1))]), [{ transferId: "far" }]);
      const both = [spanAt(minutes(7)), spanAt(minutes(6))];
      assert.deepEqual(pairTellings(order, "push", both).at(1), { transferId: "far" });
    }
  });

  it("ten minutes apart are the same money to the millisecond, whoever was first", () => {
    const told = [known("0", { sms: spanAt(minutes(60)) })];
    const at = (ms: number) =>
      pairTellings(told, "push", [spanAt(new Date(minutes(60).getTime() + ms))])[0];
    for (const sign of [1, -1]) {
      assert.deepEqual(at(sign * 600_000), { transferId: "0" });
      assert.equal(at(sign * 600_001), "new");
    }
  });

  it("beside what went back waits only what can be of its time, by any who told of it", () => {
    const back = known("0", { sms: spanAt(minutes(60)), line: spanOfDay(minutes(60)) }, "returned");
    const other = known("1", { push: spanAt(minutes(5 * 24 * 60)) });
    assert.deepEqual(pairTellings([back], "push", [spanAt(minutes(200))]), ["doubtful"]);
    assert.deepEqual(pairTellings([back, other], "push", [spanAt(minutes(200))]), ["doubtful"]);
    assert.deepEqual(pairTellings([back], "push", [spanAt(minutes(3 * 24 * 60))]), ["new"]);
    assert.deepEqual(pairTellings([back], "line", [spanOfDay(minutes(60))]), ["new"]);
  });

  it("only who says no moment waits for money like theirs of the six days before", () => {
    const now = minutes(8 * 24 * 60);
    const untold = (channel: "hand" | "api") =>
      spanOf({ madeAt: null, made: { from: now, to: now }, channel }, zone);
    const byHand = spanOf(
      { madeAt: now.toISOString(), made: { from: now, to: now }, channel: "hand" },
      zone,
    );
    const ago = (seconds: number) =>
      known("0", { sms: spanAt(new Date(now.getTime() - seconds * 1000)) });
    const of = (one: KnownTransfer, span: Span) => pairTellings([one], "reference", [span])[0];
    const days = 3 * 24 * 60 * 60;
    assert.deepEqual(
      [untold("hand"), untold("api"), byHand].map((span) => of(ago(days), span)),
      ["doubtful", "new", "new"],
    );
    assert.equal(of(ago(FARTHEST_SECONDS), untold("hand")), "doubtful");
    assert.equal(of(ago(FARTHEST_SECONDS + 0.001), untold("hand")), "new");
    assert.equal(of(ago(-days), untold("hand")), "new");
  });

  it("what a person says to be the same is the nearest that its teller has not told of", () => {
    const line = spanOfDay(minutes(4 * 24 * 60));
    const eve = known("eve", { sms: spanAt(minutes(60)) });
    const dayAfter = known("day after", { sms: spanAt(minutes(24 * 60)) });
    const shown = known("shown", { sms: spanAt(minutes(3 * 24 * 60)), line });
    const old = known("old", { sms: spanAt(minutes(-9 * 24 * 60)) });
    const near = known("near", { sms: spanAt(minutes(4 * 24 * 60 + 60)) });
    assert.equal(likeliest([eve, old, shown, dayAfter], "line", line), "day after");
    assert.equal(likeliest([dayAfter, eve], "line", line), "day after");
    assert.equal(likeliest([eve, near], "line", line), "near");
    assert.equal(likeliest([near], "push", spanAt(minutes(4 * 24 * 60 + 55))), "near");
    assert.equal(likeliest([old, shown], "line", line), undefined);
    assert.equal(likeliest([], "line", line), undefined);
  });
});
