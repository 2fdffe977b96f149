// Time passes, and what falls due happens: once, however many are at it.

import { expireInvoicesJob } from "../../src/features/invoices/expire-invoices.job.ts";
import { releaseFreezesJob } from "../../src/features/ledger/release-freezes.job.ts";
import { lapsePaymentsJob } from "../../src/features/payments/lapse-payments.job.ts";
import type { Job } from "../../src/platform/job.ts";
import type { Random } from "../random.ts";
import type { Model } from "./model.ts";
import type { Counted } from "./names.ts";
import type { Step } from "./steps-shop.ts";
import type { World } from "./world.ts";

interface Due {
  readonly job: Job;
  readonly state: Counted;
  /** What the model says falls due. */
  happen(model: Model, now: number): number;
}

const DUE: readonly Due[] = [
  { job: lapsePaymentsJob, state: "payment lapsed", happen: (model, now) => model.lapseDue(now) },
  {
    job: expireInvoicesJob,
    state: "invoice expired",
    happen: (model, now) => model.expireDue(now),
  },
  {
    job: releaseFreezesJob,
    state: "freeze released",
    happen: (model, now) => model.releaseDue(now),
  },
];

/** Where time is interesting: an end, and the moments around it. */
function moments({ model, now }: World): number[] {
  const ends = [
    ...model.payments.flatMap((one) => [one.endsAt, one.slotUntil]),
    ...model.invoices.map(({ expiresAt }) => expiresAt),
    ...model.freezes.map(({ until }) => until),
    ...model.shops.flatMap(({ keys }) => keys.map(({ endsAt }) => endsAt)),
  ];
  return ends.filter((end) => Number.isFinite(end) && end - 1 > now);
}

export const passTime: Step = async (world, random) => {
  const { clock } = world.stage;
  const ahead = moments(world);
  const near = ahead.filter((end) => end - world.now < 3_600_000);
  const kind = random.weighted({ little: 45, near: 40, far: 8, thaw: 5, day: 2 });
  const before = world.now;
  const thaws = world.model.freezes.filter(({ releasedAt }) => releasedAt === null);
  const thaw = Math.min(...thaws.map(({ until }) => until));
  if (kind === "day") clock.ms += 30 * 3_600_000;
  else if (kind === "thaw" && thaw > world.now) {
    clock.ms = Number.isFinite(thaw) ? thaw + random.pick([-1, 0, 1]) : world.now + 1;
  } else if (kind === "near" && near.length > 0) clock.ms = random.pick(near) + drift(random);
  else if (kind === "far" && ahead.length > 0) clock.ms = random.pick(ahead) + drift(random);
  else clock.ms += random.between(1, 30_000);
  const seconds = (world.now - before) / 1000;
  if (seconds > 60) world.count("clock jump");
  const jobs = random.chance(0.5) ? `; ${await runJobs(world, random)}` : "";
  return `${seconds} s pass${jobs}`;
};

const drift = (random: Random): number => random.pick([-1, 0, 0, 1, 1_000]);

export const runJobs: Step = async (world, random) => {
  const told: string[] = [];
  let allRan = true;
  for (const due of random.shuffle(DUE)) {
    const process = world.process(random);
    const done = await runOnce(world, due, async () => due.job.run(process.app));
    const hit = world.note(process, process.db.struck());
    if (hit?.committed === false) {
      world.expect(done === undefined, `${due.job.name} said it had worked, and had not`);
      told.push(`${due.job.name} failed`);
      allRan = false;
      continue;
    }
    told.push(`${due.job.name} ${happened(world, due, hit === undefined ? done : undefined)}`);
  }
  if (allRan) world.jobsDoneAt = world.now;
  return `jobs: ${told.join(", ")}`;
};

async function runOnce(
  world: World,
  { job }: Due,
  run: () => Promise<number>,
): Promise<number | undefined> {
  try {
    return await run();
  } catch (error) {
    if (world.armed === undefined) world.break(`${job.name} failed: ${String(error)}`);
    return undefined;
  }
}

/** What the model says has happened, and that the job has said so. */
function happened(world: World, { job, state, happen }: Due, done: number | undefined): number {
  const wanted = happen(world.model, world.now);
  const isRight = done === undefined || done === wanted;
  world.expect(isRight, `${job.name} did ${done} instead of ${wanted}`);
  if (wanted > 0) world.count(state);
  return wanted;
}

/** The same job in both processes at once. */
export const runJobsTwice: Step = async (world) => {
  const told: string[] = [];
  for (const due of DUE) {
    const runs = world.stage.processes.map(({ app }) =>
      runOnce(world, due, () => due.job.run(app)),
    );
    const done = await Promise.all(runs);
    const sum = done.reduce<number>((total, one) => total + (one ?? 0), 0);
    told.push(`${due.job.name} ${happened(world, due, sum)}`);
  }
  world.count("job run twice at once");
  world.jobsDoneAt = world.now;
  return `jobs twice at once: ${told.join(", ")}`;
};
