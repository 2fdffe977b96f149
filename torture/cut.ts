// The connection between the gateway and its database breaks exactly where it hurts: around the COMMIT.
// The gateway cannot know then whether it happened. The witness asks again, and must get the first
// answer if it did, and the same as ever if it did not.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, HOW_TO_INSTALL, startCluster } from "../test/postgres.ts";
import { type Cut, type CutProxy, openProxy, PLACES, type Place } from "./cut/proxy.ts";
import { beside, openGatewayProcess } from "./gateway-process.ts";
import type { Part, Trial } from "./part.ts";
import type { Random } from "./random.ts";
import { openWitness, type Witness } from "./witness.ts";

const TARGETS: Readonly<Record<Cut["target"], string>> = {
  commit: "a COMMIT",
  single: "a statement by itself",
  step: "a statement inside a transaction",
};
const nameOf = (target: Cut["target"], place: Place): string => `${TARGETS[target]}: ${place}`;

/** Where a transaction does not end yet, one place is like another. */
const COMBINATIONS = [
  ...PLACES.map((place) => ({ target: "commit", place }) as const),
  ...PLACES.map((place) => ({ target: "single", place }) as const),
  ...(["in the middle of it", "before its answer"] as const).map(
    (place) => ({ target: "step", place }) as const,
  ),
];

const ACKNOWLEDGED = "requests acknowledged";
const UNKNOWN = "requests left in doubt";
const STORED = "of these stored";
const ABSENT = "of these absent";
const CONFIRMED = "lives confirmed";

const WORKERS = 8;
const CUT_WITHIN_MS = 20_000;
const GOES_ON_WITHIN_MS = 5_000;
const ASKED_AGAIN_EVERY = 30;

export const cut: Part = {
  name: "cut",
  about: "the database's connection is cut before, in and after its COMMIT",
  faults: COMBINATIONS.map(({ target, place }) => nameOf(target, place)),
  states: [ACKNOWLEDGED, UNKNOWN, STORED, ABSENT, CONFIRMED],
  missing: () => (findPostgres() === undefined ? `PostgreSQL: ${HOW_TO_INSTALL}` : undefined),
  async run(trial) {
    const cuts = trial.size(60, 1_000);
    const cluster = await startCluster(findPostgres() ?? "", ["fsync=on"]);
    trial.later(() => cluster.remove());
    const straight = new URL(cluster.url("postgres"));
    const proxy = await openProxy(Number(straight.port));
    trial.later(() => proxy.close());
    const proxied = new URL(straight);
    proxied.port = String(proxy.port);
    const shared = { KOPECK_DATA_DIR: join(trial.directory, "data") };
    const gateway = await openGatewayProcess({ ...shared, DATABASE_URL: proxied.href });
    gateway.launch();
    await gateway.ready();
    const { pid } = gateway;
    const witness = openWitness({
      name: "cut",
      url: () => gateway.url,
      random: trial.random.branch(1),
      violation: trial.violation,
    });
    trial.later(() => witness.abandon());
    await witness.prepare();
    const found = new Map<string, { stored: number; absent: number }>();
    for (let nth = 0; nth < cuts; nth += ASKED_AGAIN_EVERY) {
      witness.start({ workers: WORKERS, patient: true });
      for (let one = nth; one < Math.min(cuts, nth + ASKED_AGAIN_EVERY); one += 1) {
        const { target, place } = await cutOnce(trial, proxy, witness, one, found);
        trial.count(nameOf(target, place));
      }
      await witness.stop();
      await witness.reconcile();
      await beside({ ...shared, DATABASE_URL: straight.href }, (db) =>
        witness.books(db, new Date()),
      );
      trial.say(`${Math.min(cuts, nth + ASKED_AGAIN_EVERY)} of ${cuts} cuts`);
    }
    if (gateway.hasEnded || gateway.pid !== pid) {
      trial.violation(`the gateway ended: ${gateway.output()}`);
    }
    trial.count(ACKNOWLEDGED, witness.counts.acknowledged);
    trial.count(UNKNOWN, witness.counts.unknown);
    trial.count(STORED, witness.counts.stored);
    trial.count(ABSENT, witness.counts.absent);
    trial.count(CONFIRMED, witness.counts.confirmed);
    for (const [where, { stored, absent }] of found) {
      trial.fact(`cut ${where}`, `${stored} stored and ${absent} absent`);
    }
    await gateway.kill();
  },
};

async function cutOnce(
  trial: Trial,
  proxy: CutProxy,
  witness: Witness,
  nth: number,
  found: Map<string, { stored: number; absent: number }>,
): Promise<Cut> {
  const wanted = chooseCut(nth, trial.random.branch(1_000 + nth));
  const { stored, absent } = witness.counts;
  const isDone = await within(CUT_WITHIN_MS, proxy.cut(wanted));
  if (!isDone) throw new Error(`nothing came by to be cut: ${JSON.stringify(wanted)}`);
  // Whoever the cut has left without an answer knows it now.
  await witness.answered();
  // The gateway goes on: somebody is answered, and whoever was not has asked again.
  const { acknowledged } = witness.counts;
  const goesOn = () => witness.counts.acknowledged > acknowledged && witness.doubts() === 0;
  const until = performance.now() + GOES_ON_WITHIN_MS;
  while (!goesOn() && performance.now() < until) await sleep(2);
  if (!goesOn()) {
    trial.violation(
      `after a cut at ${nameOf(wanted.target, wanted.place)} nobody was answered for ` +
        `${GOES_ON_WITHIN_MS} ms`,
    );
  }
  const since = { stored: witness.counts.stored - stored, absent: witness.counts.absent - absent };
  const isAnswered = wanted.place.endsWith("its answer");
  // One statement, one transaction: what the database has confirmed is there, what it never got is not.
  if (
    wanted.target === "single" &&
    (isAnswered ? since.absent : isUnsent(wanted) && since.stored)
  ) {
    trial.violation(`cut at ${nameOf(wanted.target, wanted.place)}: ${JSON.stringify(since)}`);
  }
  const where = wanted.target === "step" ? "inside a transaction" : wanted.place;
  const sum = found.get(where) ?? { stored: 0, absent: 0 };
  found.set(where, {
    stored: sum.stored + since.stored,
    absent: sum.absent + since.absent,
  });
  return wanted;
}

const isUnsent = ({ place }: Cut): boolean =>
  place === "before it is sent on" || place === "in the middle of it";

function chooseCut(nth: number, random: Random): Cut {
  const { target, place } = COMBINATIONS[nth % COMBINATIONS.length] ?? random.pick(COMBINATIONS);
  return {
    ...{ target, place, skip: random.below(6), part: random.next() },
    resets: { gateway: random.chance(0.5), database: random.chance(0.5) },
  };
}

async function within(ms: number, work: Promise<void>): Promise<boolean> {
  const patience = new AbortController();
  const late = sleep(ms, false, { signal: patience.signal }).catch(() => false);
  const isDone = await Promise.race([work.then(() => true), late]);
  patience.abort();
  return isDone;
}
