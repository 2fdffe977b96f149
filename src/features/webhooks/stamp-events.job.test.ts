// Positions: one process at a time gives them, in the order of the events; and one look serves all who wait.

import assert from "node:assert/strict";
import { it } from "node:test";
import { SHOP, USER } from "../../../test/cast.ts";
import { onOneEngine, onPostgres } from "../../../test/gateway.ts";
import { openRoom } from "../../../test/webhook-room.ts";
import type { App } from "../../platform/app.ts";
import { stampEventsJob, waitingForEvents } from "./stamp-events.job.ts";

const positions = ({ db }: Pick<App, "db">) =>
  db.query<{ position: bigint; event_id: string }>(
    "select position, event_id from event_feed order by position",
    [],
  );

onPostgres("several processes", () => {
  it("give every event one position, in sets, in the order in which they were written", async () => {
    const room = await openRoom("postgres");
    const written = [];
    for (let batch = 0; batch < 45; batch += 1) written.push(...(await room.record(HUNDRED)));
    const workers = [room.app, await room.openWorker(), await room.openWorker()];
    const sets = await Promise.all(workers.map((app) => stampEventsJob.run(app)));
    assert.ok(sets.includes(2_000), "a full set is told, and the rest comes at once");
    await Promise.all(workers.map((app) => stampEventsJob.due?.settle(app)));
    const placed = await positions(room.app);
    assert.deepEqual(
      placed.map(({ position }) => position),
      written.map((_, at) => BigInt(at + 1)),
    );
    // Of one statement they have no order.
    const batches = (ids: readonly string[]) =>
      Array.from({ length: 45 }, (_, at) => ids.slice(100 * at, 100 * (at + 1)).toSorted());
    assert.deepEqual(batches(placed.map((one) => one.event_id)), batches(written));
    await room.close();
  });
});

const HUNDRED = Array.from({ length: 100 }, () => null);

onOneEngine("the job", (engine) => {
  it("asks once for all who wait, and not at all for none", async () => {
    const room = await openRoom(engine);
    let asked = 0;
    const query: App["db"]["query"] = (text, values) => {
      asked += Number(!text.includes("event_feed_queue"));
      return room.app.db.query(text, values);
    };
    const counting: App = { ...room.app, db: { ...room.app.db, query } };
    const waiting = waitingForEvents(counting);
    const { signal } = new AbortController();
    const shop = { kind: "shop", id: SHOP.id } as const;
    const owners = [shop, { kind: "user", id: USER.id } as const, { ...shop, id: USER.id }];
    const heard: string[] = [];
    const ends = owners.map((owner, at) =>
      waiting.until(owner, 0n, 25, signal).then(() => heard.push(`${owner.kind} ${at}`)),
    );
    await stampEventsJob.run(counting);
    assert.deepEqual([asked, heard], [1, []]);
    await room.record([null]);
    await stampEventsJob.run(counting);
    await Promise.all(ends.slice(0, 2));
    assert.deepEqual([asked, heard.toSorted()], [2, ["shop 0", "user 1"]]);
    await room.close();
  });
});
