// Hostile receivers and healthy ones beside them, through the whole schedule: every event is delivered
// or exhausted with exactly the attempts of its kind, nobody waits for a stranger's receiver, and what
// was exhausted arrives once it is sent again.

import { deliverEventsJob } from "../../src/features/webhooks/deliver-events.job.ts";
import { type RunningJobs, startJobs } from "../../src/platform/job.ts";
import { answerWith, openReceiver } from "../../test/webhook-room.ts";
import { eventually } from "../eventually.ts";
import type { Trial } from "../part.ts";
import { eventsOf, judgeHeard, judgeSequences } from "./heard.ts";
import { type Hostile, openHostile, openTrap } from "./hostile.ts";
import { kindsOf } from "./hostile-kinds.ts";
import { type Bad, type Good, judgeBad, judgeGood } from "./judge.ts";
import { inCrowds, type Order, type Stage } from "./stage.ts";

const EVENTS_AN_INVOICE = 3;
const HEALTHY = 4;
const HANGING = 3;
/** Of one receiver, in one process. */
const PLACES = 8;
/** Orders whose money comes while everybody else's receivers hang. */
const MEASURED = 24;
/** For the first attempts of fifty thousand events. */
const HEAP_MS = 600_000;
/** The job looks every 250 ms; the rest is for a busy machine. */
const HELD_UP_MS = 5_000;

export async function runSchedule(trial: Trial, stage: Stage, size: number): Promise<void> {
  const trap = await openTrap();
  trial.later(trap.close);
  const bad = await Promise.all(kindsOf(trap.url).map((kind) => openBad(trial, stage, kind)));
  const arrivals = new Map<string, number>();
  const healthy = await several(HEALTHY, () => openHealthy(trial, stage, arrivals));
  let isDead = true;
  const hanging = await several(HANGING, () =>
    openGood(trial, stage, (answer) => (isDead ? undefined : answer.writeHead(200).end())),
  );
  const measured = await stage.order(repeat(healthy, MEASURED).map(({ shop }) => shop));
  await tellAll(trial, stage, size, { bad, healthy, hanging });

  const loops = stage.workers.map(startLoop);
  for (const loop of loops) trial.later(() => loop.stop());
  const taken = PLACES * stage.workers.length;
  await eventually("every place of those that hang is taken", () =>
    hanging.every(({ receiver }) => receiver.open() === taken),
  );
  // What is measured is who hangs, not how long the heap of everybody's events takes.
  await eventually("everybody else's first attempts", () => onlyThoseWait(stage, hanging), HEAP_MS);
  const paidAt = new Map<string, number>();
  const payNext = async (count: number): Promise<void> => {
    await inCrowds(measured.splice(0, count), async (order: Order) => {
      await stage.pay(order);
      paidAt.set(order.id, performance.now());
    });
  };
  await payNext(MEASURED / 2);
  await eventually("the money that came meanwhile is told", () =>
    [...paidAt.keys()].every((id) => arrivals.has(id)),
  );
  const places = hanging.map(({ receiver }) => receiver.open());
  if (places.some((count) => count !== taken)) trial.violation(`${places} places are taken`);
  isDead = false;
  for (const { receiver } of hanging) {
    await receiver.die();
    await receiver.rise();
  }
  await stage.settle(trial, () => payNext(2));
  await Promise.all(loops.map((loop) => loop.stop()));
  judgeDelays(trial, paidAt, arrivals);

  await judgeGood(trial, stage, healthy, 1);
  // The first attempts at those that hung have died with them.
  await judgeGood(trial, stage, hanging, 2);
  await judgeBad(trial, stage, bad);
  if (trap.visits() > 0) trial.violation(`a redirect was followed ${trap.visits()} times`);
  await sendAgain(trial, stage, bad);
}

function repeat<One>(all: readonly One[], count: number): One[] {
  return Array.from({ length: count }, (_, index) => all[index % all.length] as One);
}

function several<One>(count: number, make: () => Promise<One>): Promise<One[]> {
  return Promise.all(Array.from({ length: count }, make));
}

/** As a gateway runs it; but its end is not the end of the worker. */
function startLoop(worker: Stage["workers"][number]): RunningJobs {
  const { finish: _, ...loop } = deliverEventsJob;
  return startJobs(worker, [loop]);
}

async function openBad(trial: Trial, stage: Stage, kind: Hostile["kind"]): Promise<Bad> {
  const hostile = await openHostile(kind);
  trial.later(() => hostile.close());
  if (kind.giveUpMs !== undefined) stage.giveUpMs.set(hostile.url, kind.giveUpMs);
  return { ...hostile, shop: await stage.openShop(hostile.url) };
}

async function openGood(
  trial: Trial,
  stage: Stage,
  behave: Parameters<typeof openReceiver>[0],
): Promise<Good> {
  const receiver = await openReceiver(behave);
  trial.later(() => receiver.die());
  return { receiver, shop: await stage.openShop(receiver.url) };
}

function openHealthy(trial: Trial, stage: Stage, arrivals: Map<string, number>): Promise<Good> {
  const take = answerWith(200);
  return openGood(trial, stage, (answer, received, count) => {
    arrivals.set(JSON.parse(received.body).invoice_id, performance.now());
    take(answer, received, count);
  });
}

interface Cast {
  readonly bad: readonly Bad[];
  readonly healthy: readonly Good[];
  readonly hanging: readonly Good[];
}

/** A third of the events is for the hostile ones, a little for those that hang. */
async function tellAll(
  trial: Trial,
  stage: Stage,
  size: number,
  { bad, healthy, hanging }: Cast,
): Promise<void> {
  const invoices = Math.ceil((size - MEASURED) / EVENTS_AN_INVOICE);
  const hostile = bad.length * Math.max(1, Math.min(60, Math.floor(invoices / 3 / bad.length)));
  // More than their places, so that some of their own wait, too.
  const stuck = hanging.length * Math.ceil((PLACES * (stage.workers.length + 1)) / 3);
  const shops = [
    ...repeat(bad, hostile),
    ...repeat(hanging, stuck),
    ...repeat(healthy, Math.max(healthy.length, invoices - hostile - stuck)),
  ].map(({ shop }) => shop);
  await stage.tell(shops);
  const events = shops.length * EVENTS_AN_INVOICE + MEASURED;
  trial.say(`${events} events: ${hostile * EVENTS_AN_INVOICE} of them for hostile receivers`);
  trial.fact("events", events);
}

async function onlyThoseWait({ gateway }: Stage, hanging: readonly Good[]): Promise<boolean> {
  const rows = await gateway.app.db.query(
    `select from outbox
     where next_attempt_at <= $1 and leased_until is null and shop_id <> all($2::uuid[]) limit 1`,
    [gateway.app.clock.now(), hanging.map(({ shop }) => shop.id)],
  );
  return rows.length === 0;
}

function judgeDelays(
  trial: Trial,
  paidAt: ReadonlyMap<string, number>,
  arrivals: ReadonlyMap<string, number>,
): void {
  const delays = [...paidAt].map(([id, at]) => {
    const arrived = arrivals.get(id);
    if (arrived === undefined) trial.violation(`nobody has heard that ${id} was paid`);
    return Math.max(0, (arrived ?? at) - at);
  });
  const sorted = delays.toSorted((less, more) => less - more);
  const [middle = 0, worst = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
  if (worst > HELD_UP_MS) trial.violation(`a healthy shop has waited ${worst.toFixed(0)} ms`);
  else trial.count("healthy shops are not held up", delays.length);
  trial.fact("a healthy shop waits, ms", `${middle.toFixed(0)}, at most ${worst.toFixed(0)}`);
}

/** The receivers are well again, and the operator has everything sent that they have missed. */
async function sendAgain(trial: Trial, stage: Stage, bad: readonly Bad[]): Promise<void> {
  for (const one of bad) await one.heal();
  const missed = bad.filter(({ kind }) => kind.state === "exhausted" && !kind.isTls);
  const shops = missed.map(({ shop }) => shop);
  const before = await eventsOf(stage, shops);
  await inCrowds(before, ({ id }) => stage.own.post(`events/${id}/send`));
  await stage.settle(trial);
  const after = await eventsOf(stage, shops);
  const bodies = new Map(before.map(({ id, body }) => [id, body]));
  const heard = missed.flatMap(({ received }) => received);
  judgeSequences(trial, after, judgeHeard(trial, shops, after, heard));
  for (const { id, state, body } of after) {
    if (state === "delivered" && bodies.get(id) === body) trial.count("sent again and delivered");
    else trial.violation(`event ${id}, sent again, is ${state}`);
  }
}
