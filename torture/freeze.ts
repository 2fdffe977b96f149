// A gateway that stands still in the midst of everything, as in a virtual machine that is paused: SIGSTOP
// under load, SIGCONT seconds later. The other one must go on with details and money almost at once,
// whatever the frozen one had locked, and the woken one must not finish what others have overtaken.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, HOW_TO_INSTALL, startCluster } from "../test/postgres.ts";
import { beside, type GatewayProcess, openGatewayProcess } from "./gateway-process.ts";
import type { Part, Trial } from "./part.ts";
import { openWitness, type Witness } from "./witness.ts";

const FROZEN = "gateways frozen in the midst of a transaction";
const OUTLASTED = "of these for more than six seconds";
const BETWEEN = "gateways frozen between two transactions";
const DEAD = "open transactions that the server ended";
const DETAILS = "details answered by the other one meanwhile";
const MONEY = "transfers answered by the other one meanwhile";
const ACKNOWLEDGED = "requests acknowledged";
const CONFIRMED = "lives confirmed";

const WORKERS = 24;
/** How long the load goes on before a freeze. */
const [SOONEST_MS, LATEST_MS] = [200, 1_200];
/** Longer than the server lets a transaction stand still. */
const [SHORTEST_MS, LONGEST_MS] = [2_500, 4_000];
/** Long after the server has ended what was open: in turns, so that also a short run has it. */
const OUTLASTING_MS = 6_500;
const OUTLASTS_EVERY = 5;
/** No transaction of a gateway that runs is idle for so long. */
const IDLE_MS = 400;
/** By then the server must have ended one that is; it promises two seconds. */
const ENDED_AFTER_MS = 3_000;
/** The longest that the other gateway may let anybody wait, beyond what a call takes on this machine. */
const PAUSE_AT_MOST_MS = 3_000;
/** Of freezes that happen to hit no transaction there may be many more than of those that do. */
const TRIES = 12;

const WATCHED: Readonly<Record<string, string>> = {
  "/invoice/h2h": DETAILS,
  "/sandbox/transfers": MONEY,
};

interface Frozen {
  readonly trial: Trial;
  readonly witness: Witness;
  readonly steady: GatewayProcess;
  readonly stopped: GatewayProcess;
  readonly env: Readonly<Record<string, string>>;
  readonly watch: Watch;
}

/** How long calls to the steady one took: at most during this freeze, and at most while nobody is frozen. */
interface Watch {
  isFrozen: boolean;
  frozenMs: number;
  calmMs: number;
}

export const freeze: Part = {
  name: "freeze",
  about: "one of two gateways stands still (SIGSTOP) and wakes, under load",
  faults: [FROZEN, OUTLASTED],
  states: [DEAD, DETAILS, MONEY, ACKNOWLEDGED, CONFIRMED],
  missing() {
    if (process.platform === "win32") return "A process is frozen by SIGSTOP.";
    return findPostgres() === undefined ? `PostgreSQL: ${HOW_TO_INSTALL}` : undefined;
  },
  async run(trial) {
    const stage = await openStage(trial);
    const { witness, steady, stopped } = stage;
    const freezes = trial.size(5, 100);
    const { watch } = stage;
    let longestMs = 0;
    let blanks = 0;
    witness.start({ workers: WORKERS, patient: true });
    for (let done = 0; done < freezes; ) {
      const random = trial.random.branch(1 + done + blanks);
      const outlasts = done % OUTLASTS_EVERY === 1;
      const lastsMs = outlasts ? OUTLASTING_MS : random.between(SHORTEST_MS, LONGEST_MS);
      await sleep(random.between(SOONEST_MS, LATEST_MS));
      const wasOpen = await freezeOnce(stage, lastsMs);
      if (wasOpen && outlasts) trial.count(OUTLASTED);
      longestMs = Math.max(longestMs, watch.frozenMs);
      if (wasOpen) done += 1;
      else blanks += 1;
      if (blanks > freezes * TRIES) throw new Error("no freeze hits a transaction");
      if (wasOpen && done % 10 === 0) trial.say(`${done} of ${freezes} freezes`);
    }
    await witness.stop();
    await witness.reconcile();
    await beside(stage.env, (db) => witness.books(db, new Date()));
    trial.fact(BETWEEN, blanks);
    trial.fact("longest wait at the other one, ms", Math.round(longestMs));
    trial.fact("longest while nobody is frozen, ms", Math.round(watch.calmMs));
    trial.fact("requests left in doubt", witness.counts.unknown);
    trial.count(ACKNOWLEDGED, witness.counts.acknowledged);
    trial.count(CONFIRMED, witness.counts.confirmed);
    for (const gateway of [steady, stopped]) {
      if (gateway.hasEnded) trial.violation(`a gateway ended by itself: ${gateway.output()}`);
    }
    await Promise.all([steady.kill(), stopped.kill()]);
  },
};

async function openStage(trial: Trial): Promise<Frozen> {
  const durable = ["fsync=on", "synchronous_commit=on", "full_page_writes=on"];
  const cluster = await startCluster(findPostgres() ?? "", durable);
  trial.later(() => cluster.remove());
  const env = {
    KOPECK_DATA_DIR: join(trial.directory, "data"),
    NODE_COMPILE_CACHE: join(trial.directory, "compiled"),
    DATABASE_URL: cluster.url("postgres"),
  };
  const [steady, stopped] = [await openGatewayProcess(env), await openGatewayProcess(env)];
  for (const gateway of [steady, stopped]) {
    gateway.launch();
    await gateway.ready();
  }
  const watch: Watch = { isFrozen: false, frozenMs: 0, calmMs: 0 };
  let turn = 0;
  const witness = openWitness({
    name: "freeze",
    // In turns; past one that is known to stand still, as whoever shares the load out would do.
    url: () => {
      turn += 1;
      return (turn % 2 === 0 || watch.isFrozen ? steady : stopped).url;
    },
    random: trial.random.branch(0),
    violation: trial.violation,
    heard: ({ url, path, tookMs, why }) => {
      if (url !== steady.url) return;
      if (why !== undefined) trial.violation(`${path} at the gateway that was not frozen: ${why}`);
      const when = watch.isFrozen ? "frozenMs" : "calmMs";
      watch[when] = Math.max(watch[when], tookMs);
      const state = WATCHED[path];
      if (watch.isFrozen && state !== undefined && why === undefined) trial.count(state);
    },
  });
  trial.later(() => witness.abandon());
  await witness.prepare();
  return { trial, witness, steady, stopped, env, watch };
}

/** Whether it was in the midst of a transaction; else it is woken at once. */
async function freezeOnce(stage: Frozen, lastsMs: number): Promise<boolean> {
  const { trial, witness, stopped, watch } = stage;
  watch.frozenMs = 0;
  process.kill(stopped.pid, "SIGSTOP");
  watch.isFrozen = true;
  await sleep(2 * IDLE_MS);
  const open = await idleTransactions(stage);
  if (open.size > 0) {
    trial.count(FROZEN);
    await sleep(lastsMs - 2 * IDLE_MS);
    // One that was waiting for a lock became idle later, and has its two seconds still.
    const left = await idleTransactions(stage);
    for (const idleMs of left.values()) {
      if (idleMs > ENDED_AFTER_MS) {
        trial.violation(`a transaction of a frozen gateway was idle for ${idleMs} ms`);
      }
    }
    trial.count(DEAD, [...open.keys()].filter((pid) => !left.has(pid)).length);
  }
  process.kill(stopped.pid, "SIGCONT");
  // Whoever has waited meanwhile belongs to this freeze.
  await witness.answered();
  watch.isFrozen = false;
  if (watch.frozenMs > PAUSE_AT_MOST_MS + watch.calmMs) {
    const calm = `${Math.round(watch.calmMs)} ms while nobody is frozen`;
    trial.violation(
      `the other one let somebody wait for ${Math.round(watch.frozenMs)} ms, ${calm}`,
    );
  }
  return open.size > 0;
}

/** For how long they have been, in milliseconds, by the process of the server. */
async function idleTransactions({ env }: Frozen): Promise<ReadonlyMap<number, number>> {
  return beside(env, async (db) => {
    const rows = await db.query<{ pid: number; idle_ms: number }>(
      `select pid, (1000 * extract(epoch from clock_timestamp() - state_change))::integer as idle_ms
       from pg_stat_activity
       where state like 'idle in transaction%' and pid <> pg_backend_pid()`,
      [],
    );
    return new Map(
      rows.filter((row) => row.idle_ms > IDLE_MS).map((row) => [row.pid, row.idle_ms]),
    );
  });
}
