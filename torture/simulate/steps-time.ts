// Time passes, what falls due happens, shops are told, processes come and go, and clocks are wrong.

import { expireInvoicesJob } from "../../src/features/invoices/expire-invoices.job.ts";
import { releaseFreezesJob } from "../../src/features/ledger/release-freezes.job.ts";
import { retentionJobs } from "../../src/features/overview/forget-old.job.ts";
import { lapsePaymentsJob } from "../../src/features/payments/lapse-payments.job.ts";
import { putBackDaysJob } from "../../src/features/payments/put-back-days.job.ts";
import { deliverEventsJob } from "../../src/features/webhooks/deliver-events.job.ts";
import { stampEventsJob } from "../../src/features/webhooks/stamp-events.job.ts";
import type { Random } from "../random.ts";
import { CLOCKS_MS, DAY_MS, keyOf } from "./model.ts";
import type { Process } from "./process.ts";
import { operatorRequest, type World } from "./world.ts";

const JOBS = [
  lapsePaymentsJob,
  expireInvoicesJob,
  releaseFreezesJob,
  putBackDaysJob,
  ...retentionJobs,
];
const LEASE_MS = 60_000;

/** To the moments around an end, or anywhere. */
export async function passTime(world: World, random: Random): Promise<string> {
  const { model, now } = world;
  const { clock } = world.stage;
  const ends = [
    ...model.payments.flatMap((one) => [one.endsAt, one.slotUntil, one.credit?.freeAt ?? 0]),
    ...model.invoices.map(({ expiresAt }) => expiresAt),
  ].filter((end) => end > now + 1);
  const near = ends.filter((end) => end - now < 3_600_000);
  const kind = random.weighted({ little: 50, near: 30, far: 14, day: 6 });
  const ahead = kind === "near" ? near : kind === "far" ? ends : [];
  if (kind === "day") clock.ms += DAY_MS + random.below(DAY_MS);
  else if (ahead.length === 0) clock.ms += random.between(1, 200_000);
  else clock.ms = Math.max(now, random.pick(ahead) + random.pick([-1, 0, 1, 3_000, -3_000]));
  const jobs = random.chance(0.6) ? `; ${await runJobs(world, random)}` : "";
  return `${(world.now - now) / 1000} s pass${jobs}`;
}

/** By whichever process, or two at once; one that fails leaves the rest to the next run. */
export async function runJobs(world: World, random: Random): Promise<string> {
  let allRan = true;
  // Last, because the others make events, too.
  for (const job of [...random.shuffle(JOBS), stampEventsJob]) {
    const [first, second] = random.shuffle(world.stage.processes) as [Process, Process];
    const process = world.armed ?? first;
    const both = world.isDoubled && world.armed === undefined ? [process, second] : [process];
    const ran = await Promise.allSettled(both.map(({ app }) => job.run(app())));
    if (both.length > 1) world.count("job run twice at once");
    const hit = world.disarm(process);
    allRan &&= hit === undefined;
    const failed = ran.find((one) => one.status === "rejected");
    if (failed && !hit) world.break(`${job.name} failed: ${String(failed.reason)}`);
  }
  if (allRan) world.model.jobsDone(world.now);
  const { invoices, payments, jobsDoneAt } = world.model;
  if (invoices.some(({ mustExpire }) => mustExpire)) world.count("invoice expired");
  if (payments.some(({ hasLapsed }) => hasLapsed)) world.count("payment lapsed");
  if (payments.some(({ credit }) => credit && credit.freeAt < jobsDoneAt))
    world.count("freeze over");
  return allRan ? "jobs" : "jobs, broken off";
}

/** Everything that is due, unless something fails on the way. */
async function deliverAll(world: World, process: Process): Promise<void> {
  for (let claimed = 1; claimed > 0; ) {
    claimed = await deliverEventsJob.run(process.app()).catch((error: unknown) => {
      if (world.armed !== process) world.break(`events cannot be claimed: ${String(error)}`);
      return 0;
    });
    await process.settled();
    if (world.disarm(process) === undefined) continue;
    for (const heard of world.receivers.heard.values()) {
      if (heard.lastAt === world.now) heard.isUncertain = true;
    }
    return;
  }
}

const hostsOf = ({ shops, invoices }: World["model"]): string[] =>
  [
    ...shops.map((shop) => shop.hook_url),
    ...invoices.flatMap(({ content }) => content["hook_url"] ?? []),
  ].map((url) => new URL(String(url)).host);

export async function deliver(world: World, random: Random): Promise<string> {
  const { receivers, stage, model } = world;
  if (random.chance(0.5)) {
    const status = random.pick([200, 200, 500, 410]);
    if (status !== 200) world.count("receiver turned bad");
    receivers.moods.set(random.pick(hostsOf(model)), status);
  }
  const { heard } = receivers;
  const known = heard.size;
  const first = world.armed ?? random.pick(stage.processes);
  const all = world.isDoubled && world.armed === undefined ? stage.processes : [first];
  await Promise.all(all.map((one) => deliverAll(world, one)));
  if (heard.size > known) world.count("event heard");
  return `deliver ${heard.size - known} new ones`;
}

/** A receiver keeps one process waiting past its lease; what it says at last counts no more. */
export async function takeOver(world: World, random: Random): Promise<string> {
  const [first, second] = random.shuffle(world.stage.processes) as [Process, Process];
  const { receivers, stage, model } = world;
  const before = new Map(receivers.moods);
  for (const host of hostsOf(model)) receivers.moods.set(host, undefined);
  await deliverAll(world, first);
  receivers.moods.clear();
  // While it hangs it is in somebody's hands.
  await deliverAll(world, second);
  stage.clock.ms += LEASE_MS + CLOCKS_MS;
  await deliverAll(world, second);
  if (receivers.release(500) > 0) world.count("stale holder's answer");
  await first.settled();
  for (const [host, mood] of before) receivers.moods.set(host, mood);
  return "a holder is late";
}

/** A gateway whose clock is wrong, from its start or from now on, decides nothing. */
export async function wrongClock(world: World, random: Random): Promise<string> {
  const { model, now, stage, receivers } = world;
  const process = random.pick(stage.processes);
  const before = process.now() - now;
  // No nearer than what a process may wait for its turn: the steady clock goes on meanwhile, the world's does not.
  const ahead = random.pick([25 * 3_600_000, -25 * 3_600_000, 60_000, 400 * DAY_MS]);
  await process.compareClocks(0);
  process.setClock(ahead);
  world.count("wrong clock");
  const open = model.invoices.filter(({ type, paid }) => type === "direct" && !paid);
  const requests = open.slice(-2).map(({ shop, id }) => ({
    method: "POST" as const,
    path: "/invoice/h2h",
    headers: { "x-api-key": keyOf(shop, now) },
    body: { shop_id: shop.id, invoice_id: id, payment_data: { bank: "sber" } },
  }));
  const money = operatorRequest("transfers", { wallet: "1", amount: 1, reference: "r" });
  for (const request of [money, ...requests]) {
    const { status, text } = await process.ask(request);
    world.expect(status === 503, `${request.path} by a clock ${ahead} ms ahead got ${text}`);
  }
  const started = await process.compareClocks(ahead).catch(() => "refused");
  world.expect(started === "refused", `a gateway starts by a clock ${ahead} ms ahead`);
  process.enter({ http: receivers.outgoing, newId: process.app().newId }, before);
  return `a clock ${ahead} ms ahead`;
}

export async function restart(world: World, random: Random): Promise<string> {
  random.pick(world.stage.processes).restart();
  world.count("process restarted");
  return "a process is restarted";
}

const MOST_ROUNDS = 400;

/** To the end of every event's schedule: each is delivered or exhausted, and then sent again. */
export async function deliverToTheEnd(world: World): Promise<void> {
  const { engine, clock, processes } = world.stage;
  const { receivers, model } = world;
  const [process] = processes as [Process];
  const toTheEnd = async (): Promise<void> => {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      await deliverAll(world, process);
      const [row] = await engine.query<{ at: Date | null }>(
        "select min(greatest(next_attempt_at, leased_until)) as at from outbox where next_attempt_at is not null",
        [],
      );
      if (row?.at == null) return;
      clock.ms = Math.max(clock.ms + 1, row.at.getTime() + CLOCKS_MS);
    }
    world.break("events are still on their way after their whole schedule");
  };
  await toTheEnd();
  receivers.moods.clear();
  for (const [id, heard] of receivers.heard) {
    if (heard.isDone) continue;
    world.count("event exhausted");
    const { status, text } = await process.ask(operatorRequest(`events/${id}/send`, {}));
    world.expect(status === 200, `an exhausted event cannot be sent again: ${text}`);
    model.audits += 1;
    heard.lastAt = 0;
  }
  await toTheEnd();
  if (receivers.repeated > 0) world.count("event tried again");
  const lost = receivers.heard.entries().find(([, { isDone }]) => !isDone);
  world.expect(lost === undefined, `event ${lost?.[0]} was never delivered, and all are well`);
}
