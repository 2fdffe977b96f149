// Several workers on one PostgreSQL: an event has one holder while its lease lives, and a holder whose
// lease is over writes nothing (invariant 21).

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { deliverDue, deliverEventsJob } from "../src/features/webhooks/deliver-events.job.ts";
import { onPostgres } from "./gateway.ts";
import { answerWith, openReceiver, openRoom, type Room, until } from "./webhook-room.ts";

onPostgres("workers on one PostgreSQL", () => {
  let room: Room;
  before(async () => {
    room = await openRoom("postgres");
  });
  after(() => room.close());

  it("four at once deliver each event once", async () => {
    const receivers = await Promise.all(
      Array.from({ length: 10 }, () =>
        openReceiver((answer) => setTimeout(() => answer.writeHead(200).end(), 5)),
      ),
    );
    const ids = await room.record(
      receivers.flatMap(({ url }) => Array.from({ length: 100 }, () => url)),
    );
    const workers = await Promise.all([1, 2, 3, 4].map(() => room.openWorker()));
    const started = await Promise.all(workers.map((app) => deliverDue(app)));
    assert.equal(receivers.flatMap(({ received }) => received).length, ids.length);
    assert.equal(new Set(receivers.flatMap((one) => [...one.ids()])).size, ids.length);
    assert.ok(started.filter((count) => count > 0).length > 1, `only one worked: ${started}`);
    const rows = await room.sql(
      "select state, attempts, count(*)::integer as events from events group by 1, 2",
    );
    assert.deepEqual(rows, [{ state: "delivered", attempts: 1, events: ids.length }]);
    await Promise.all(receivers.map((one) => one.die()));
  });

  it("what is recorded in the midst of a claim is found by the next one", async () => {
    const receiver = await openReceiver(answerWith(200));
    const worker = await room.openWorker();
    const recorder = await room.openWorker();
    const [first] = await room.record([receiver.url]);
    // The claim stops where it has seen what is due, and before it moves the receiver on.
    await room.sql(`create function wait_here() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); return new; end $$;
      create trigger planted before update on events for each row execute function wait_here()`);
    let second: string | undefined;
    let claim: Promise<unknown> | undefined;
    await recorder.db.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock(1)", []);
      claim = deliverEventsJob.run(worker);
      await until("the claim in its midst", async () => {
        const waiting = await tx.query(
          "select from pg_locks where locktype = 'advisory' and not granted",
          [],
        );
        return waiting.length === 1;
      });
      [second] = await room.record([receiver.url]);
    });
    await claim;
    await room.sql("drop function wait_here cascade");
    await deliverEventsJob.run(worker);
    await deliverEventsJob.finish?.(worker);
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
      const [row] = await room.sql("select state, attempts from events where id = $1", [id]);
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
    const hanging = await openReceiver(() => {});
    const dead = await room.openWorker();
    const ids = await room.record([hanging.url, hanging.url, hanging.url]);
    const ends = deliverDue({ ...dead, http: { ...dead.http, post: () => new Promise(() => {}) } });
    await until("the claims", async () => {
      const rows = await room.sql(
        "select from events where attempts = 1 and id = any($1::uuid[])",
        [ids],
      );
      return rows.length === 3;
    });
    void ends;
    await hanging.die();
    const good = await openReceiver(answerWith(200));
    await room.sql("update events set hook_url = $2 where id = any($1::uuid[])", [ids, good.url]);
    assert.equal(await deliverDue(room.app), 0);
    room.clock.advance(60);
    assert.equal(await deliverDue(room.app), 3);
    assert.deepEqual(good.ids(), new Set(ids));
    await good.die();
  });
});
