// Several workers on one PostgreSQL: an event has one holder while its lease lives, and a holder whose
// lease is over writes nothing (invariant 21).

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { deliverDue, deliverEventsJob } from "../src/features/webhooks/deliver-events.job.ts";
import type { App } from "../src/platform/app.ts";
import { onPostgres } from "./gateway.ts";
import { mayTakeLong } from "./patience.ts";
import { answerWith, openReceiver, openRoom, type Room, until } from "./webhook-room.ts";

onPostgres("workers on one PostgreSQL", () => {
  let room: Room;
  before(async () => {
    room = await openRoom("postgres");
  });
  after(() => room.close());

  it("what is recorded in the midst of a claim is found by the next one", async () => {
    const receiver = await openReceiver(answerWith(200));
    const recorder = await room.openWorker();
    const [first] = await room.record([receiver.url]);
    await deliverDue(room.app);
    // Once its lease would be over the line is looked at, nothing is in it, and it is removed. That
    // stops here where it has seen what there is, and before it locks the receiver.
    room.clock.advance(60);
    const worker = await room.openWorker();
    const query: App["db"]["query"] = (text, values) =>
      worker.db.query(text.replace("xmin::text = ", `${STOP_HERE} and xmin::text = `), values);
    const stopping = { ...worker, db: { ...worker.db, query } };
    let second: string | undefined;
    let claim: Promise<unknown> | undefined;
    await recorder.db.transaction(async (tx) => {
      await mayTakeLong(tx);
      await tx.query("select pg_advisory_xact_lock(1)", []);
      claim = deliverEventsJob.run(stopping);
      await until("the claim in its midst", async () => {
        const waiting = await tx.query(
          `select from pg_locks where locktype = 'advisory' and not granted
           and database = (select oid from pg_database where datname = current_database())`,
          [],
        );
        return waiting.length === 1;
      });
      [second] = await room.record([receiver.url]);
    });
    await claim;
    await deliverDue(stopping);
    assert.deepEqual(receiver.ids(), new Set([first, second]));
    await receiver.die();
  });

  it("a living lease is respected, an expired one is taken over, and its holder cannot write", async () => {
    const answers: ((status: number) => void)[] = [];
    const receiver = await openReceiver((answer) => {
      answers.push((status) => answer.writeHead(status).end());
    });
    const [first, second] = [await room.openWorker(), await room.openWorker()];
    const [id] = await room.record([receiver.url]);
    const firstEnds = deliverDue(first);
    await until("the first request", () => answers.length === 1);

    room.clock.advance(59);
    assert.equal(await deliverDue(second), 0);
    assert.equal(answers.length, 1);

    room.clock.advance(1);
    const secondEnds = deliverDue(second);
    await until("the second request", () => answers.length === 2);
    // The first holder wakes up while the second still works: what it has to say counts no more.
    answers[0]?.(200);
    await firstEnds;
    const state = async () => {
      const [row] = await room.sql("select state, attempts from event_states where event_id = $1", [
        id,
      ]);
      return row;
    };
    assert.deepEqual(await state(), { state: "waiting", attempts: 2 });

    answers[1]?.(410);
    await secondEnds;
    assert.deepEqual(await state(), { state: "exhausted", attempts: 2 });
    const log = await room.sql(
      "select attempt, status from deliveries where event_id = $1 order by attempt",
      [id],
    );
    assert.deepEqual(log, [
      { attempt: 1, status: null },
      { attempt: 2, status: 410 },
    ]);
    await receiver.die();
  });

  it("a worker that died leaves its events to the others", async () => {
    const receiver = await openReceiver(answerWith(200));
    const dead = await room.openWorker();
    const ids = await room.record([receiver.url, receiver.url, receiver.url]);
    const ends = deliverDue({ ...dead, http: { ...dead.http, post: () => new Promise(() => {}) } });
    await until("the claims", async () => {
      const rows = await room.sql(
        "select from outbox where attempts = 1 and event_id = any($1::uuid[])",
        [ids],
      );
      return rows.length === 3;
    });
    void ends;
    assert.equal(await deliverDue(room.app), 0);
    room.clock.advance(60);
    assert.equal(await deliverDue(room.app), 3);
    assert.deepEqual(receiver.ids(), new Set(ids));
    // What nobody heard of is in the log all the same.
    const log = await room.sql(
      `select attempt, status, count(*)::integer as events from deliveries
       where event_id = any($1::uuid[]) group by 1, 2 order by 1`,
      [ids],
    );
    assert.deepEqual(log, [
      { attempt: 1, status: null, events: 3 },
      { attempt: 2, status: 200, events: 3 },
    ]);
    await receiver.die();
  });
});

/** A condition that is true, once nobody has the lock, for which it waits longer than any claim would. */
const STOP_HERE =
  "(select set_config('lock_timeout', '1min', true) || pg_advisory_xact_lock(1)::text) = '1min'";
