// Hundreds of events to receivers of every kind, through the whole schedule in virtual time: none is
// lost, none is sent more often than it should be, and a dead receiver holds up nobody.

import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { deliverDue, nextDeliveryAt } from "../src/features/webhooks/deliver-events.job.ts";
import { onOneEngine } from "./gateway.ts";
import {
  answerWith,
  impatientWith,
  openReceiver,
  openRoom,
  ownPlace,
  type Receiver,
  type Room,
  until,
} from "./webhook-room.ts";

const LATER = (status: number, ms: number): Parameters<typeof openReceiver>[0] => {
  return (answer) => setTimeout(() => answer.writeHead(status).end(), ms);
};

/** A body without end: whoever reads on never finishes. */
const HUGE: Parameters<typeof openReceiver>[0] = (answer) => {
  answer.writeHead(200);
  const pour = (): void => {
    while (!answer.destroyed && answer.write(Buffer.alloc(16_384)));
  };
  answer.on("drain", pour);
  pour();
};

/** The fourth time it hears of an event it takes it. */
function stubborn(): Parameters<typeof openReceiver>[0] {
  const heard = new Map<string, number>();
  return (answer, { headers }) => {
    const id = String(headers["webhook-id"]);
    heard.set(id, (heard.get(id) ?? 0) + 1);
    answer.writeHead((heard.get(id) ?? 0) < 4 ? 500 : 200).end();
  };
}

type State = "delivered" | "exhausted";

/** How many events go there, what it does, how they end, after how many attempts, and what the log says of those. */
const KINDS: Readonly<
  Record<string, [number, Parameters<typeof openReceiver>[0], State, number, (number | string)[]]>
> = {
  good: [250, answerWith(200), "delivered", 1, [200]],
  slow: [30, LATER(201, 30), "delivered", 1, [201]],
  huge: [20, HUGE, "delivered", 1, [200]],
  failing: [100, answerWith(500), "exhausted", 10, [500]],
  redirecting: [20, answerWith(301, { location: "http://a.test" }), "exhausted", 10, [301]],
  gone: [30, answerWith(410), "exhausted", 1, [410]],
  stubborn: [60, stubborn(), "delivered", 4, [500, 200]],
  hanging: [20, () => {}, "exhausted", 10, ["timeout"]],
  // It is dead for the first two attempts.
  revived: [50, answerWith(200), "delivered", 3, ["connection refused", 200]],
};

onOneEngine("events to receivers of every kind", (engine) => {
  let room: Room;
  const receivers = new Map<string, Receiver>();
  before(async () => {
    room = await openRoom(engine);
    for (const [name, [, behave]] of Object.entries(KINDS)) {
      receivers.set(name, await openReceiver(behave, name === "revived" ? ownPlace() : undefined));
    }
  });
  after(async () => {
    await Promise.all([...receivers.values()].map((one) => one.die()));
    await room.close();
  });

  it("are each delivered or exhausted, with exactly the attempts of their kind", async () => {
    const urls = Object.entries(KINDS).flatMap(([name, [events]]) =>
      Array(events).fill(receivers.get(name)?.url),
    );
    await room.record(urls);
    await receivers.get("revived")?.die();
    const app = impatientWith(room.app, new Set([receivers.get("hanging")?.url]), 100);
    for (let round = 1; ; round += 1) {
      await deliverDue(app);
      const next = await nextDeliveryAt(app);
      if (next === undefined) break;
      room.clock.advance((next.getTime() - room.clock.now().getTime()) / 1000);
      if (round === 2) await receivers.get("revived")?.rise();
    }

    for (const [name, [events, , state, attempts, outcomes]] of Object.entries(KINDS)) {
      const receiver = receivers.get(name) ?? assert.fail();
      const [row] = await room.sql(
        `select count(*)::integer as events, array_agg(distinct state) as states,
                array_agg(distinct attempts) as attempts
         from event_states where hook_url = $1`,
        [receiver.url],
      );
      assert.deepEqual(row, { events, states: [state], attempts: [attempts] }, name);
      const [log] = await room.sql<{ rows: number; outcomes: string[] }>(
        `select count(*)::integer as rows,
                array_agg(distinct coalesce(status::text, error)) as outcomes
         from deliveries join event_states using (event_id)
         where hook_url = $1 and duration_ms is not null`,
        [receiver.url],
      );
      assert.equal(log?.rows, events * attempts, name);
      assert.deepEqual(new Set(log?.outcomes), new Set(outcomes.map(String)), name);
      assert.equal(receiver.ids().size, events, name);
      // The dead one heard nothing at first, and an attempt may be given up before it arrives at the
      // one that hangs; the log above counts both exactly.
      if (name !== "revived" && name !== "hanging") {
        assert.equal(receiver.received.length, events * attempts, name);
      }
      // Also of one that never ends its answer: it is read to its limit and closed.
      await until(`the closed connections of ${name}`, () => receiver.open() === 0);
    }
    const [longest] = await room.sql("select max(attempt) as n from deliveries");
    assert.deepEqual(longest, { n: 10 });
  });
});
