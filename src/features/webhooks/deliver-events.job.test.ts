// Delivery: signed, by the schedule, with a log of every attempt, and ended as it should be.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, it } from "node:test";
import { SHOP } from "../../../test/cast.ts";
import { ONE_ENGINE } from "../../../test/one-gateway.ts";
import {
  answerWith,
  attemptsOf,
  openReceiver,
  openRoom,
  type Receiver,
  type Room,
  until,
} from "../../../test/webhook-room.ts";
import { deliverDue, deliverEventsJob, nextDeliveryAt } from "./deliver-events.job.ts";
import { resendEvents } from "./events.ts";

const SCHEDULE_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

const room = await openRoom(ONE_ENGINE);
const receivers: Receiver[] = [];
const receiver: typeof openReceiver = async (behave) => {
  const one = await openReceiver(behave);
  receivers.push(one);
  return one;
};
after(async () => {
  await Promise.all(receivers.map((one) => one.die()));
  await room.close();
});

const record = async (url: string | null): Promise<string> => {
  const [id] = await room.record([url]);
  return id ?? assert.fail("no event");
};
const stateOf = async (id: string) => {
  const [row] = await room.sql<{ state: string; attempts: number }>(
    "select state, attempts from event_states where event_id = $1",
    [id],
  );
  return [row?.state, row?.attempts];
};
/** Moves time from one moment at which something is due to the next, until nothing waits. */
const walk = async (): Promise<void> => {
  for (let moments = 0; moments < 100; moments += 1) {
    await deliverDue(room.app);
    const next = await nextDeliveryAt(room.app);
    if (next === undefined) return;
    room.clock.advance((next.getTime() - room.clock.now().getTime()) / 1000);
  }
  assert.fail("something is sent for ever");
};

it("sends the body as it stands, signed in both ways, once", async () => {
  const ok = await receiver(answerWith(204));
  const id = await record(ok.url);
  assert.equal(await deliverDue(room.app), 1);
  assert.equal(await deliverDue(room.app), 0);
  const [row] = await room.sql<{ body: string }>("select body from events where id = $1", [id]);
  const [one] = ok.received;
  assert.equal(ok.received.length, 1);
  assert.equal(one?.body, row?.body);
  assert.equal(one?.headers["content-type"], "application/json");
  assert.equal(one?.headers["webhook-id"], id);
  const seconds = Math.floor(room.clock.now().getTime() / 1000);
  assert.equal(one?.headers["webhook-timestamp"], String(seconds));
  const expected = createHmac("sha256", "sandbox_webhook_key").update(one?.body ?? "");
  assert.equal(one?.headers["x-api-sha256-signature"], expected.digest("hex"));
  assert.deepEqual(await stateOf(id), ["delivered", 1]);
  assert.deepEqual(await attemptsOf(room, id), [{ seconds: 0, outcome: 204 }]);
  assert.deepEqual(await room.sql("select from outbox where event_id = $1", [id]), []);
});

it("tries again by the schedule, with the same id and body, then ends as exhausted", async () => {
  const failing = await receiver(answerWith(500));
  const id = await record(failing.url);
  await walk();
  let seconds = 0;
  const moments = [0, ...SCHEDULE_SECONDS].map((wait) => {
    seconds += wait;
    return { seconds, outcome: 500 };
  });
  assert.deepEqual(await attemptsOf(room, id), moments);
  assert.deepEqual(await stateOf(id), ["exhausted", 10]);
  assert.equal(new Set(failing.received.map(({ body }) => body)).size, 1);
  assert.deepEqual(failing.ids(), new Set([id]));
});

it("sends an exhausted or delivered event again when asked, with the whole schedule", async () => {
  let status = 410;
  const changing = await receiver((answer) => answer.writeHead(status).end());
  const id = await record(changing.url);
  const unsendable = await record(null);
  await walk();
  assert.deepEqual(await stateOf(unsendable), ["no_address", 0]);
  status = 500;
  const resend = () =>
    room.app.db.transaction((tx) => resendEvents(tx, room.app, [id, unsendable]));
  assert.deepEqual(await resend(), [id]);
  await walk();
  assert.deepEqual(await stateOf(id), ["exhausted", 11]);
  status = 200;
  assert.deepEqual(await resend(), [id]);
  assert.deepEqual(await resend(), []);
  await walk();
  assert.deepEqual(await stateOf(id), ["delivered", 12]);
  assert.equal((await attemptsOf(room, id)).length, 12);
  assert.equal(new Set(changing.received.map(({ body }) => body)).size, 1);
});

it("a shop that clears its address is called no more: what waits ends as no_address", async () => {
  const failing = await receiver(answerWith(500));
  const setAddress = (url: string | null) =>
    room.sql("update shops set hook_url = $2 where id = $1", [SHOP.id, url]);
  await setAddress(failing.url);
  const id = await record(null);
  await deliverDue(room.app);
  await setAddress(null);
  await walk();
  assert.equal(failing.received.length, 1);
  assert.deepEqual(await stateOf(id), ["no_address", 2]);
  const wrong = "select detail from violations($1) where invariant = 19";
  assert.deepEqual(await room.sql(wrong, [room.clock.now()]), []);
});

it("what was claimed before a claim broke off is told at once, not when its lease is over", async () => {
  const ok = await receiver(answerWith(200));
  const ids = [await record(ok.url), await record(ok.url), await record(ok.url)];
  // The whole set fails, so each is claimed alone; at the third the database is gone.
  const gone = Object.assign(new Error("gone"), { code: "40001" });
  const failures = [new Error("planted"), undefined, undefined, gone];
  const { db } = room.app;
  const query: typeof db.query = async (text, values) => {
    const failure = text.includes("leased_until = $3") ? failures.shift() : undefined;
    if (failure !== undefined) throw failure;
    return db.query(text, values);
  };
  const worker = { ...room.app, memory: new Map(), db: { ...db, query } };
  await assert.rejects(deliverEventsJob.run(worker), /gone/);
  await until("the first two", () => ok.received.length === 2);
  await deliverEventsJob.run(worker);
  await deliverEventsJob.finish?.(worker);
  assert.deepEqual(ok.ids(), new Set(ids));
  for (const id of ids) assert.deepEqual(await stateOf(id), ["delivered", 1]);
});

it("does not send without a signature", async () => {
  const ok = await receiver(answerWith(200));
  const [kept] = await room.sql("select * from webhook_keys where shop_id = $1", [SHOP.id]);
  await room.sql("delete from webhook_keys where shop_id = $1", [SHOP.id]);
  const id = await record(ok.url);
  await deliverDue(room.app);
  assert.deepEqual(await attemptsOf(room, id), [{ seconds: 0, outcome: "no webhook keys" }]);
  assert.equal(ok.received.length, 0);
  const all = Object.values(kept ?? {});
  await room.sql("insert into webhook_keys values ($1, $2, $3, $4, $5, $6)", all);
  await walk();
  assert.deepEqual(await stateOf(id), ["delivered", 2]);
});

it("in the background starts attempts and waits for none; its end waits, then breaks off", async () => {
  const worker = { ...room.app, memory: new Map() };
  const hanging = await receiver(() => {});
  const slow = await receiver((answer) => setTimeout(() => answer.writeHead(200).end(), 100));
  const patient = { ...worker, http: { ...worker.http, post: waitLonger(worker) } };
  const [stuck = "", late = ""] = await room.record([hanging.url, slow.url]);
  while ((await deliverEventsJob.run(patient)) > 0);
  await until("both requests", () => hanging.open() + slow.open() === 2);
  await deliverEventsJob.finish?.(patient);
  await until("the broken connection", () => hanging.open() === 0);
  assert.deepEqual(await stateOf(late), ["delivered", 1]);
  // Nobody knows how it ended, so it is sent again when its lease is over.
  assert.deepEqual(await stateOf(stuck), ["waiting", 1]);
  assert.deepEqual(await attemptsOf(room, stuck), [{ seconds: 0, outcome: null }]);
  assert.equal(await deliverDue(room.app), 0);
  room.clock.advance(60);
  assert.equal(await deliverDue(room.app), 1);
  assert.deepEqual(await stateOf(stuck), ["waiting", 2]);
  assert.equal(await deliverEventsJob.run(patient), 0);
});

function waitLonger({ http }: Room["app"]): Room["app"]["http"]["post"] {
  return (url, options) => http.post(url, { ...options, timeoutMs: 10_000 });
}
