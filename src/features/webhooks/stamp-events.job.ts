// Events get their positions in the feed, and whoever waits for the next one hears of it. One process at a
// time gives positions; each looks for its own who wait, all of them in one statement, so that a thousand
// cost one look and hold no connection.

import { type App, perApp } from "../../platform/app.ts";
import { HttpFailure } from "../../platform/failure.ts";
import { job } from "../../platform/job.ts";
import { type FeedOwner, isAnyQueued, lockEnd, placeEvents, whoHasMore } from "./event-queries.ts";

/** Narrow rows: so many take about 50 ms. */
const MAX_SET = 2_000;

const MAX_WAITING = 4_000;
/** What one owner may have of these: one that forgets its calls leaves room for others. */
const MAX_WAITING_OF_OWNER = 20;

interface Waiting {
  readonly owner: FeedOwner;
  /** Until there is something after this position. */
  readonly after: bigint;
  readonly end: () => void;
}

function openWaiting({ ending }: App) {
  const waiting = new Set<Waiting>();
  const owners = new Map<string, number>();
  const count = (id: string, by: number): void => {
    const held = (owners.get(id) ?? 0) + by;
    if (held === 0) owners.delete(id);
    else owners.set(id, held);
  };
  ending.addEventListener("abort", () => {
    for (const one of waiting) one.end();
  });
  return {
    /** Until the feed goes on after a position, the time is over, or nobody wants to know any more. */
    async until(owner: FeedOwner, after: bigint, seconds: number, gone: AbortSignal) {
      if (ending.aborted || gone.aborted) return;
      if (waiting.size >= MAX_WAITING || (owners.get(owner.id) ?? 0) >= MAX_WAITING_OF_OWNER) {
        throw new HttpFailure("overloaded");
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = (): void => resolve();
      const one = { owner, after, end };
      const timer = setTimeout(end, seconds * 1000);
      gone.addEventListener("abort", end);
      waiting.add(one);
      count(owner.id, 1);
      await promise;
      count(owner.id, -1);
      waiting.delete(one);
      gone.removeEventListener("abort", end);
      clearTimeout(timer);
    },
    async look({ db, metrics }: App): Promise<void> {
      metrics.gauge("kopeck_feed_waiting", "Calls that wait for an event.", waiting.size);
      if (waiting.size === 0) return;
      const asked = [...waiting];
      for (const place of await whoHasMore(db, asked)) asked[place]?.end();
    },
  };
}

export const waitingForEvents = perApp(openWaiting);

/** How many got a position now. */
async function stampEvents({ db, clock }: App): Promise<number> {
  if (!(await isAnyQueued(db))) return 0;
  return db.transaction(async (tx) => {
    const end = await lockEnd(tx);
    return end === undefined ? 0 : placeEvents(tx, end, MAX_SET, clock.now());
  });
}

export const stampEventsJob = job({
  name: "stamp-events",
  everyMs: 200,
  async run(app) {
    const placed = await stampEvents(app);
    await waitingForEvents(app).look(app);
    // What comes while a set is placed is little, and waits for the next one.
    return placed < MAX_SET ? 0 : placed;
  },
  due: {
    nextAt: async () => undefined,
    async settle(app) {
      while (await isAnyQueued(app.db)) await stampEvents(app);
      await waitingForEvents(app).look(app);
    },
  },
});
