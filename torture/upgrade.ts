// An upgrade without a pause: an older Kopeck serves alone, a newer one starts beside it and brings the
// tables up to date, both serve, the older one is drained and ends. The load never stops, and not one
// request fails: whoever shares it out asks /readyz, and repeats only what nobody has heard.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./eventually.ts";
import { beside, envOf, type GatewayProcess, openGatewayProcess } from "./gateway-process.ts";
import type { Part } from "./part.ts";
import { missingPostgres, throwawayPostgres } from "./throwaway-postgres.ts";
import { findOlder, unpack } from "./upgrade/older.ts";
import { type Heard, wasUnheard } from "./witness/ask.ts";
import { bringWitness } from "./witness.ts";

const EXPANDED = "tables brought up to date under load";
const DRAINED = "older gateways drained under load";
/** Who may answer in which part of it. */
const PHASES = [
  "alone",
  "while the tables change",
  "beside each other",
  "after the older",
] as const;
type Phase = (typeof PHASES)[number];
const answered = (phase: Phase): string => `requests answered ${phase}`;
const BY_OLDER = "requests answered by the older on the newer's tables";

const WORKERS = 16;
const LOOK_EVERY_MS = 100;
const RECONCILED = 2_000;

let older: ReturnType<typeof findOlder>;

export const upgrade: Part = {
  name: "upgrade",
  about: "an older and a newer gateway on one database, under load: no request fails",
  byName: true,
  faults: [EXPANDED, DRAINED],
  states: [...PHASES.map(answered), BY_OLDER],
  missing() {
    older = findOlder();
    const noHistory =
      "There is no older schema in this history (a shallow clone? git fetch --unshallow).";
    return missingPostgres() ?? (older === undefined ? noHistory : undefined);
  },
  async run(trial) {
    if (older === undefined) throw new Error("nothing to upgrade from");
    const requests = trial.size(10_000, 100_000);
    const cluster = await throwawayPostgres(trial, ["fsync=on"]);
    const env = (name: string) => ({
      ...envOf(trial, cluster.url("postgres"), name),
      ...{ KOPECK_DRAIN_SECONDS: "2", LOG_LEVEL: "info" },
    });
    const entrance = unpack(older, join(trial.directory, "code"));
    const before = await openGatewayProcess(trial, env("older"), entrance);
    const after = await openGatewayProcess(trial, env("newer"));
    const known = readdirSync(join(import.meta.dirname, "../migrations")).length;
    trial.fact("from", `${older.commit.slice(0, 7)}, ${older.knows} migrations, to ${known}`);
    await before.start();

    const balancer = openBalancer([before, after]);
    trial.later(balancer.close);
    await balancer.sees(1);
    /** None while the witness asks again, after the load. */
    let phase: Phase | undefined = "alone";
    const counts = { sent: 0, failed: 0, unheard: 0 };
    const slowestMs = new Map<Phase, number>();
    const hear = (one: Heard): void => {
      if (phase !== undefined) counts.sent += 1;
      if (one.answer === undefined) {
        counts[wasUnheard(one) ? "unheard" : "failed"] += 1;
        if (!wasUnheard(one))
          trial.violation(`${phase ?? "asked again"}: ${one.path} at ${one.url}: ${one.why}`);
        return;
      }
      if (phase === undefined) return;
      trial.count(answered(phase));
      if (phase === "beside each other" && one.url === before.url) trial.count(BY_OLDER);
      slowestMs.set(phase, Math.max(one.tookMs, slowestMs.get(phase) ?? 0));
    };
    const { urls } = balancer;
    const witness = await bringWitness(trial, { name: "upgrade", urls, heard: hear });
    const reach = (share: number) =>
      eventually("requests", () => counts.sent >= share * requests, 60 * 60_000);

    witness.start(WORKERS);
    await reach(0.3);
    phase = "while the tables change";
    const launchedAt = performance.now();
    await after.start();
    trial.fact("start of the newer, ms", Math.round(performance.now() - launchedAt));
    for (const word of ["tries again", "took its time"]) {
      trial.fact(`"${word}" said by it`, after.output().split(word).length - 1);
    }
    trial.count(EXPANDED);
    await balancer.sees(2);
    phase = "beside each other";
    trial.say(`${counts.sent} requests, both serve`);
    await reach(0.7);
    await before.stop();
    trial.count(DRAINED);
    phase = "after the older";
    trial.say(`${counts.sent} requests, the older has ended`);
    await reach(1);
    await witness.stop();
    phase = undefined;
    trial.fact("requests", counts.sent);
    trial.fact("failed", counts.failed);
    trial.fact("repeated because nobody listened", counts.unheard);
    for (const [name, ms] of slowestMs) trial.fact(`slowest ${name}, ms`, Math.round(ms));
    await witness.reconcile(RECONCILED);
    await beside(env("newer"), (db) => witness.books(db));
    await witness.listenToTheEnd();
  },
};

/** Gives requests to those who are ready; asks them all the time. */
function openBalancer(gateways: readonly GatewayProcess[]) {
  let ready: readonly GatewayProcess[] = [];
  let isOpen = true;
  const look = async (): Promise<void> => {
    while (isOpen) {
      const areReady = await Promise.all(gateways.map((one) => one.isReady()));
      ready = gateways.filter((_, index) => areReady[index]);
      await sleep(LOOK_EVERY_MS);
    }
  };
  void look();
  return {
    urls: () => (ready.length > 0 ? ready : gateways.slice(0, 1)).map(({ url }) => url),
    sees: (many: number) => eventually("ready gateways", () => ready.length === many),
    close(): void {
      isOpen = false;
    },
  };
}
