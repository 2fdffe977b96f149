// Where a reader of the feed begins that names a moment: it reads every event of that moment or later, although
// events are placed in the order of their commits.

import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { SHOP } from "../../../test/cast.ts";
import { ONE_ENGINE } from "../../../test/one-gateway.ts";
import { SEED_VARIABLE } from "../../../test/property.ts";
import { openRoom } from "../../../test/webhook-room.ts";
import { type FeedWish, pageOfFeed } from "./feed.ts";
import { stampEventsJob } from "./stamp-events.job.ts";

/** Sets of events in the order of their commits, each made so many seconds before its commit, or by a clock ahead. */
const sets = fc.array(
  fc.record({
    size: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 1_000 })),
    openSeconds: fc.integer({ min: -4, max: 12 }),
  }),
  { minLength: 1, maxLength: 6 },
);

it("a reader from any moment reads every event of that moment or later", async () => {
  const room = await openRoom(ONE_ENGINE);
  const made = new Map<string, Date>();
  const readSince = async (since: Date): Promise<ReadonlySet<string>> => {
    const read = new Set<string>();
    let wish: FeedWish | undefined = { since: since.toISOString(), limit: 10_000 };
    while (wish !== undefined) {
      const page = await pageOfFeed(room.app.db, { kind: "shop", id: SHOP.id }, wish);
      for (const { event_id } of page.events) read.add(event_id);
      wish = page.more ? { after: page.next, limit: 10_000 } : undefined;
    }
    return read;
  };
  const property = fc.asyncProperty(sets, async (committed) => {
    const moments: Date[] = [];
    for (const { size, openSeconds } of committed) {
      room.clock.advance(3 - openSeconds);
      const now = room.clock.now();
      moments.push(now);
      for (const id of await room.record(Array(size).fill(null))) made.set(id, now);
      room.clock.advance(openSeconds);
      await stampEventsJob.due?.settle(room.app);
    }
    for (const since of moments) {
      const read = await readSince(since);
      for (const [id, at] of made) assert.ok(at < since || read.has(id), "an event is skipped");
    }
  });
  const seed = process.env[SEED_VARIABLE];
  const [paid, expired] = [
    { size: 1, openSeconds: 0 },
    { size: 150, openSeconds: 4 },
  ];
  await fc.assert(property, {
    numRuns: 6,
    examples: [[[paid, expired]]],
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
  await room.close();
});
