// A long day in half an hour: two gateways on one PostgreSQL under a steady load, one of them restarted
// again and again, the other never. Everything that holds at once must hold for long, and the one that
// was never restarted must not have grown.

import { setTimeout as sleep } from "node:timers/promises";
import { residentMb } from "../bench/resident.ts";
import { beside, envOf, startGateway } from "./gateway-process.ts";
import type { Part, Trial } from "./part.ts";
import { missingPostgres, throwawayPostgres } from "./throwaway-postgres.ts";
import { brokenInvariants } from "./witness/books.ts";
import { bringWitness, type Witness } from "./witness.ts";

const STOPPED = "gateways stopped and started";
const KILLED = "gateways killed and started";
const ACKNOWLEDGED = "requests acknowledged";
const CHECKED = "checks of the invariants under load";
const CONFIRMED = "lives confirmed";

const SHARE_OF_CAPACITY = 0.6;
const WORKERS = 24;
const BEAT_MS = 60_000;
/** What a quarter of a short run is, so that a sample of it has everything in it. */
const BEATS_AT_LEAST = 4;
const RECONCILED_EVERY_BEATS = 5;

const SETTLED_AFTER_MS = 5 * 60_000;
const MOST_GROWTH = 0.05;
/** Twice a second; below that many in each stretch nothing can be said of memory. */
const SAMPLES_AT_LEAST = 100;

type Sample = Readonly<Record<"atMs" | "mb", number>>;

export const soak: Part = {
  name: "soak",
  about: "a steady load for long, with restarts: invariants and memory",
  faults: [STOPPED, KILLED],
  states: [ACKNOWLEDGED, CHECKED, CONFIRMED],
  missing: () =>
    process.platform === "linux" ? missingPostgres() : "Memory is read from Linux's /proc.",
  async run(trial) {
    const lastsMs = trial.size(16, 30 * 60) * 1_000;
    const cluster = await throwawayPostgres(trial, ["fsync=on"]);
    const env = envOf(trial, cluster.url("postgres"));
    const [steady, restarted] = [await startGateway(trial, env), await startGateway(trial, env)];
    // In turns, so that whoever meets the one that is away finds the other one next.
    const urls = () => [steady.url, restarted.url];
    const witness = await bringWitness(trial, { name: "soak", urls });
    const pauseMs = await measurePause(trial, witness);
    const reconcile = async (): Promise<void> => {
      await witness.stop();
      await witness.reconcile(2_000);
      await beside(env, (db) => witness.books(db));
    };
    const sizes: Sample[] = [];
    const startedAt = performance.now();
    const sampling = setInterval(() => {
      sizes.push({ atMs: performance.now() - startedAt, mb: residentMb(steady.pid) });
    }, 500);
    trial.later(() => clearInterval(sampling));
    const beatMs = Math.min(BEAT_MS, lastsMs / BEATS_AT_LEAST);
    for (let beat = 0; beat < Math.round(lastsMs / beatMs); beat += 1) {
      if (beat % RECONCILED_EVERY_BEATS === 0) witness.start(WORKERS, pauseMs);
      await sleep(beatMs * (0.1 + 0.4 * trial.random.next()));
      await (beat % 2 === 0 ? restarted.stop() : restarted.kill());
      trial.count(beat % 2 === 0 ? STOPPED : KILLED);
      await restarted.start();
      await sleep(Math.max(0, startedAt + (beat + 1) * beatMs - performance.now()));
      for (const one of await beside(env, brokenInvariants)) trial.violation(one);
      trial.count(CHECKED);
      if ((beat + 1) % RECONCILED_EVERY_BEATS === 0) await reconcile();
      trial.say(`${witness.counts.lives} lives, ${Math.round(residentMb(steady.pid))} MB`);
    }
    await reconcile();
    const growth = growthOf(sizes);
    if (growth !== undefined)
      trial.fact("memory, MB", `${growth.early} early, ${growth.late} late`);
    if (growth?.isTooMuch) trial.violation(`the gateway's memory grew: ${JSON.stringify(growth)}`);
    await witness.listenToTheEnd();
    trial.count(ACKNOWLEDGED, witness.counts.acknowledged);
    trial.count(CONFIRMED, witness.counts.confirmed);
    trial.fact("requests left in doubt", witness.counts.unknown);
    if (steady.state !== "up") trial.violation(`the gateway ended by itself: ${steady.output()}`);
  },
};

/** Between two lives of a worker, so that all together get their share; the first third warms up. */
async function measurePause(trial: Trial, witness: Witness): Promise<number> {
  const thirdMs = trial.full ? 10_000 : 1_000;
  witness.start(WORKERS);
  await sleep(thirdMs);
  const { lives } = witness.counts;
  await sleep(2 * thirdMs);
  const perSecond = (witness.counts.lives - lives) / (2 * (thirdMs / 1_000));
  await witness.stop();
  trial.fact("capacity, lives/s", Math.round(perSecond));
  return ((1 / SHARE_OF_CAPACITY - 1) * WORKERS * 1_000) / perSecond;
}

/** The middle of the first fifth beside that of the last: no collection of garbage moves a middle. */
function growthOf(sizes: readonly Sample[]) {
  const settled = sizes.filter(({ atMs }) => atMs >= SETTLED_AFTER_MS).map(({ mb }) => mb);
  const fifth = Math.floor(settled.length / 5);
  if (fifth < SAMPLES_AT_LEAST) return undefined;
  const middle = (all: readonly number[]): number =>
    Math.round(all.toSorted((left, right) => left - right)[Math.floor(fifth / 2)] ?? Number.NaN);
  const [early, late] = [middle(settled.slice(0, fifth)), middle(settled.slice(-fifth))];
  return { early, late, isTooMuch: late > early * (1 + MOST_GROWTH) };
}
