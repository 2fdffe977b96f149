// A long day in half an hour: two gateways on one PostgreSQL under a steady load, one of them restarted
// again and again, the other never. Everything that holds at once must hold for long, and the one that
// was never restarted must not have grown.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { residentMb } from "../bench/resident.ts";
import { findPostgres, HOW_TO_INSTALL, startCluster } from "../test/postgres.ts";
import { beside, type GatewayProcess, openGatewayProcess } from "./gateway-process.ts";
import type { Part, Trial } from "./part.ts";
import type { Random } from "./random.ts";
import { growthOf, type Sample } from "./soak/growth.ts";
import { openWitness, type Witness } from "./witness.ts";

const STOPPED = "gateways stopped and started";
const KILLED = "gateways killed and started";
const ACKNOWLEDGED = "requests acknowledged";
const CHECKED = "checks of the invariants under load";
const CONFIRMED = "lives confirmed";

const SHARE_OF_CAPACITY = 0.6;
const WORKERS = 24;
const MEASURED_MS = { quick: 3_000, full: 30_000 };
const BEAT_MS = 60_000;
/** What a quarter of a short run is, so that a sample of it has everything in it. */
const BEATS_AT_LEAST = 4;
const RECONCILED_EVERY_BEATS = 5;
const RECONCILED_AT_MOST = { quick: 400, full: 2_000 };

const SETTLED_AFTER_MS = 5 * 60_000;
const MOST_GROWTH = 0.05;

interface Soaked {
  readonly trial: Trial;
  readonly witness: Witness;
  /** Never restarted. */
  readonly steady: GatewayProcess;
  readonly restarted: GatewayProcess;
  readonly env: Readonly<Record<string, string>>;
}

export const soak: Part = {
  name: "soak",
  about: "a steady load for long, with restarts: invariants and memory",
  faults: [STOPPED, KILLED],
  states: [ACKNOWLEDGED, CHECKED, CONFIRMED],
  missing() {
    if (process.platform !== "linux") return "A process's memory is read from Linux's /proc.";
    return findPostgres() === undefined ? `PostgreSQL: ${HOW_TO_INSTALL}` : undefined;
  },
  async run(trial) {
    const lastsMs = trial.size(16, 30 * 60) * 1_000;
    const soaked = await openSoaked(trial);
    const { witness, steady } = soaked;
    const livesPerSecond = SHARE_OF_CAPACITY * (await measureCapacity(trial, witness));
    const watch = watchMemory(steady);
    trial.later(watch.stop);
    const beatMs = Math.min(BEAT_MS, lastsMs / BEATS_AT_LEAST);
    const startedAt = performance.now();
    const start = (): void => witness.start({ workers: WORKERS, patient: true, livesPerSecond });
    start();
    for (let beat = 0; performance.now() - startedAt < lastsMs - beatMs / 2; beat += 1) {
      await liveBeat(
        soaked,
        beat,
        startedAt + beat * beatMs,
        beatMs,
        trial.random.branch(1 + beat),
      );
      if ((beat + 1) % RECONCILED_EVERY_BEATS === 0) {
        await reconcile(soaked);
        start();
      }
      trial.say(`${witness.counts.lives} lives, ${Math.round(residentMb(steady.pid))} MB`);
    }
    await reconcile(soaked);
    watch.stop();
    judgeMemory(trial, watch.samples);
    trial.count(ACKNOWLEDGED, witness.counts.acknowledged);
    trial.count(CONFIRMED, witness.counts.confirmed);
    trial.fact("lives", witness.counts.lives);
    trial.fact("requests left in doubt", witness.counts.unknown);
    trial.fact("of these stored", witness.counts.stored);
    if (steady.hasEnded) trial.violation(`the gateway ended by itself: ${steady.output()}`);
    await Promise.all([steady.kill(), soaked.restarted.kill()]);
  },
};

async function openSoaked(trial: Trial): Promise<Soaked> {
  const durable = ["fsync=on", "synchronous_commit=on", "full_page_writes=on"];
  const cluster = await startCluster(findPostgres() ?? "", durable);
  trial.later(() => cluster.remove());
  const env = {
    KOPECK_DATA_DIR: join(trial.directory, "data"),
    NODE_COMPILE_CACHE: join(trial.directory, "compiled"),
    DATABASE_URL: cluster.url("postgres"),
  };
  const [steady, restarted] = [await openGatewayProcess(env), await openGatewayProcess(env)];
  for (const gateway of [steady, restarted]) {
    gateway.launch();
    await gateway.ready();
  }
  let turn = 0;
  const witness = openWitness({
    name: "soak",
    // In turns, so that whoever meets the one that is away finds the other one next.
    url: () => {
      turn += 1;
      return (turn % 2 === 0 ? steady : restarted).url;
    },
    random: trial.random.branch(0),
    violation: trial.violation,
  });
  trial.later(() => witness.abandon());
  await witness.prepare();
  return { trial, witness, steady, restarted, env };
}

/** Lives per second, with as many at once as later. */
async function measureCapacity(trial: Trial, witness: Witness): Promise<number> {
  const measuredMs = MEASURED_MS[trial.full ? "full" : "quick"];
  witness.start({ workers: WORKERS, patient: true });
  // The first third warms up.
  await sleep(measuredMs / 3);
  const { lives } = witness.counts;
  const startedAt = performance.now();
  await sleep((measuredMs * 2) / 3);
  const perSecond = (witness.counts.lives - lives) / ((performance.now() - startedAt) / 1_000);
  await witness.stop();
  if (perSecond === 0) throw new Error("nobody was born while the capacity was measured");
  trial.fact("capacity, lives/s", Math.round(perSecond));
  return perSecond;
}

/** One restart at some moment of the beat, and a look at the invariants at its end. */
async function liveBeat(
  { trial, witness, restarted, env }: Soaked,
  beat: number,
  startedAt: number,
  beatMs: number,
  random: Random,
): Promise<void> {
  await sleep(beatMs * (0.1 + 0.4 * random.next()));
  if (beat % 2 === 0) {
    await restarted.stop();
    trial.count(STOPPED);
  } else {
    await restarted.kill();
    trial.count(KILLED);
  }
  restarted.launch();
  await restarted.ready();
  await sleep(Math.max(0, startedAt + beatMs - performance.now()));
  await beside(env, (db) => witness.invariants(db, new Date()));
  trial.count(CHECKED);
}

async function reconcile({ trial, witness, env }: Soaked): Promise<void> {
  await witness.stop();
  await witness.reconcile(RECONCILED_AT_MOST[trial.full ? "full" : "quick"]);
  await beside(env, (db) => witness.books(db, new Date()));
}

function watchMemory({ pid }: GatewayProcess) {
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const timer = setInterval(() => {
    samples.push({ atMs: performance.now() - startedAt, mb: residentMb(pid) });
  }, 500);
  return { samples, stop: () => clearInterval(timer) };
}

/** A sample of a run is too short to say anything of its memory. */
function judgeMemory(trial: Trial, samples: readonly Sample[]): void {
  const growth = growthOf(samples, SETTLED_AFTER_MS);
  if (growth === undefined) {
    trial.fact("memory at the end, MB", Math.round(samples.at(-1)?.mb ?? 0));
    return;
  }
  const { earlyMb, lateMb, share } = growth;
  trial.fact("memory, MB", `${earlyMb.toFixed(0)} early, ${lateMb.toFixed(0)} late`);
  trial.fact("growth, %", Number((share * 100).toFixed(1)));
  if (share > MOST_GROWTH) {
    trial.violation(
      `the gateway's memory grew from ${earlyMb.toFixed(0)} to ${lateMb.toFixed(0)} MB`,
    );
  }
}
