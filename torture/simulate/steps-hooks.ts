// Events on their way to receivers that are well, or not.

import { deliverEventsJob } from "../../src/features/webhooks/deliver-events.job.ts";
import type { Mood } from "./network.ts";
import type { Process } from "./process.ts";
import { operatorRequest } from "./steps-money.ts";
import type { Step } from "./steps-shop.ts";
import type { World } from "./world.ts";

const LEASE_MS = 60_000;

const hostsOf = ({ model }: World): string[] =>
  model.shops.flatMap(({ hookUrl }) => (hookUrl === null ? [] : [new URL(hookUrl).host]));

export const changeMood: Step = async (world, random) => {
  const hosts = hostsOf(world);
  if (hosts.length === 0) return "mood: no receiver";
  const host = random.pick(hosts);
  const mood: Mood = random.weighted({ well: 40, failing: 20, refusing: 15, silent: 15, gone: 10 });
  if (mood !== "well") world.count("receiver turned bad");
  world.network.setMood(host, mood);
  return `${host} is ${mood}`;
};

/** Everything that is due; the answer says whether something failed on the way. */
async function deliverAll(world: World, process: Process): Promise<boolean> {
  for (;;) {
    let claimed = 0;
    try {
      claimed = await deliverEventsJob.run(process.app);
    } catch (error) {
      if (world.armed !== process) world.break(`events cannot be claimed: ${String(error)}`);
    }
    await process.settled();
    const hit = world.note(process, process.db.struck());
    if (hit !== undefined) return false;
    if (claimed === 0) return true;
  }
}

function countOutcomes(world: World, from: number): string {
  const fresh = world.network.posts.slice(from);
  const earlier = new Set(world.network.posts.slice(0, from).map(({ eventId }) => eventId));
  for (const { answer, eventId } of fresh) {
    if (answer === 200) world.count("event delivered");
    if (earlier.has(eventId)) world.count("event tried again");
  }
  return fresh.map(({ host, answer }) => `${host} ${answer}`).join(", ") || "nothing due";
}

export const deliver: Step = async (world, random) => {
  const process = world.process(random);
  const from = world.network.posts.length;
  const isCertain = await deliverAll(world, process);
  world.eventsAreUncertain = !isCertain;
  return `deliver: ${countOutcomes(world, from)}${isCertain ? "" : ", broken off"}`;
};

/** Both processes at once: each event has one holder. */
export const deliverTwice: Step = async (world) => {
  const from = world.network.posts.length;
  await Promise.all(world.stage.processes.map((process) => deliverAll(world, process)));
  world.count("job run twice at once");
  return `deliver twice at once: ${countOutcomes(world, from)}`;
};

/** A receiver keeps one process waiting past its lease; what it says at last counts no more. */
export const takeOver: Step = async (world, random) => {
  const [first, second] = random.shuffle(world.stage.processes);
  if (first === undefined || second === undefined) throw new Error("no processes");
  const { network, stage } = world;
  const from = network.posts.length;
  const moods = hostsOf(world).map((host) => [host, network.moodOf(host)] as const);
  for (const [host] of moods) network.setMood(host, "hanging");
  await deliverAll(world, first);
  const held = network.posts.length - from;
  const mood: Mood = random.pick(["well", "failing", "gone"]);
  for (const [host] of moods) network.setMood(host, mood);
  if (held > 0) {
    stage.clock.ms += LEASE_MS;
    await deliverAll(world, second);
  }
  network.release(mood === "well" ? 500 : 200);
  await first.settled();
  for (const [host, old] of moods) network.setMood(host, old);
  if (held > 0) world.count("stale holder's answer");
  return `take over ${held} events, then ${mood}: ${countOutcomes(world, from)}`;
};

export const sendAgain: Step = async (world, random) => {
  const { told } = world;
  const ids = [...told.idsIn("exhausted"), ...told.idsIn("delivered")];
  if (ids.length === 0) return "send again: nothing to send";
  const id = random.pick(ids);
  const request = operatorRequest(`/manage/events/${id}/send`, {});
  const answer = await world.attempt(world.process(random), request);
  const status = answer === "done" ? 200 : answer.status;
  world.expect(status === 200, `sending ${id} again got ${status}`);
  told.sentAgain(id);
  world.count("event sent again");
  return `send ${id} again`;
};

/** To the end of every event's schedule: each is delivered or exhausted, and none is left (19). */
export async function deliverToTheEnd(world: World): Promise<void> {
  const [process] = world.stage.processes;
  await toTheEnd(world, process);
  const exhausted = world.told.idsIn("exhausted");
  if (exhausted.length > 0) world.count("event exhausted");
  for (const host of hostsOf(world)) world.network.setMood(host, "well");
  for (const id of exhausted) {
    const answer = await process.ask(operatorRequest(`/manage/events/${id}/send`, {}));
    world.expect(answer.status === 200, `an exhausted event cannot be sent again: ${answer.text}`);
    world.model.audits += 1;
    world.told.sentAgain(id);
  }
  await toTheEnd(world, process);
  const left = world.told.idsIn("exhausted");
  world.expect(left.length === 0, `not delivered though all receivers are well: ${left}`);
}

const MOST_ROUNDS = 400;
const CHECK_EVERY = 5;

async function toTheEnd(world: World, process: Process): Promise<void> {
  const { engine, clock } = world.stage;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    await deliverAll(world, process);
    const [row] = await engine.query<{ at: Date | null }>(
      "select min(greatest(next_attempt_at, leased_until)) as at from outbox where next_attempt_at is not null",
      [],
    );
    const next = row?.at ?? undefined;
    // Only attempts happen here, and they add up: all of the books need not be read for each.
    if (next === undefined || round % CHECK_EVERY === 0) await world.check();
    if (next === undefined) return;
    clock.ms = Math.max(clock.ms, next.getTime());
  }
  world.break("events are still on their way after their whole schedule");
}
