// A synchronous standby that is lost for long, under load: commits wait for it and nobody answers them.
// What is left waiting on the server stays bounded however long it takes, one that is started meanwhile
// leaves nothing behind, and writes go on by themselves within seconds of the standby's return.

import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, startStandby } from "../test/postgres.ts";
import { eventually } from "./eventually.ts";
import { beside, envOf, openGatewayProcess, startGateway } from "./gateway-process.ts";
import type { Part } from "./part.ts";
import { missingPostgres, throwawayPostgres } from "./throwaway-postgres.ts";
import { bringWitness } from "./witness.ts";

const LOST = "standbys lost under load";
const STARTED = "gateways started while it was lost";
const WAITED = "commits that waited for it";
const ACKNOWLEDGED = "requests acknowledged after its return";

const WORKERS = 16;
/** Of one gateway, to the server. */
const CONNECTIONS = 17;
const GATEWAYS = 2;
const BACK_WITHIN_MS = 5_000;
const STARTS = 5;
/** Below that a silent commit is given up after a second instead of fifteen. */
const REAL_FROM_SECONDS = 60;
const ACKNOWLEDGED_AT_LEAST = 50;

const COUNTS = `select count(*)::integer as open,
  count(*) filter (where wait_event = 'SyncRep')::integer as waiting
  from pg_stat_activity where application_name = 'kopeck'`;

export const standby: Part = {
  name: "standby",
  about: "a synchronous standby lost for long: connections stay bounded, writes come back",
  byName: true,
  faults: [LOST, STARTED],
  states: [WAITED, ACKNOWLEDGED],
  missing: missingPostgres,
  async run(trial) {
    const seconds = trial.size(20, 300);
    const primary = await throwawayPostgres(trial);
    const follower = await startStandby(findPostgres() ?? "", primary);
    trial.later(() => follower.remove());
    const limit = seconds < REAL_FROM_SECONDS ? "?query_timeout=1000" : "";
    const env = envOf(trial, `${primary.url("postgres")}${limit}`);
    const gateways = [await startGateway(trial, env), await startGateway(trial, env)];
    const onPrimary = <Row>(text: string) => beside(env, (db) => db.query<Row>(text));
    await onPrimary("alter system set synchronous_standby_names = '*'");
    await onPrimary("select pg_reload_conf()");
    const urls = () => gateways.map(({ url }) => url);
    const insistsForMs = seconds * 1_000 + 150_000;
    const witness = await bringWitness(trial, { name: "standby", urls, insistsForMs });
    witness.start(WORKERS);
    await witness.acknowledges(ACKNOWLEDGED_AT_LEAST);

    follower.stop();
    trial.count(LOST);
    const lostAt = performance.now();
    const most = { open: 0, waiting: 0 };
    const third = await openGatewayProcess(trial, env);
    const passed = (): number => (performance.now() - lostAt) / 1_000;
    const sample = async (): Promise<void> => {
      while (passed() < seconds) {
        const [now = most] = await onPrimary<typeof most>(COUNTS);
        most.open = Math.max(most.open, now.open);
        most.waiting = Math.max(most.waiting, now.waiting);
        await sleep(500);
      }
    };
    let unconnected = 0;
    const startAnother = async (): Promise<void> => {
      for (let starts = 1; starts <= STARTS && passed() < seconds; starts += 1) {
        const inSeconds = (seconds * starts) / (STARTS + 1) - passed();
        await sleep(Math.max(0, inSeconds * 1_000));
        third.launch();
        await eventually("the end of one that starts", () => third.state === "ended");
        // On a machine that is very busy it may not even get a connection: that proves nothing.
        if (third.output().includes("connection timeout")) unconnected += 1;
        else if (third.output().includes("commits are not answered")) trial.count(STARTED);
        else trial.violation(`one that was started meanwhile said ${third.output()}`);
        trial.say(
          `${Math.round(passed())} s: at most ${most.open} connections, ${most.waiting} wait`,
        );
      }
    };
    await Promise.all([sample(), startAnother()]);
    const [last = most] = await onPrimary<typeof most>(COUNTS);
    trial.count(WAITED, most.waiting);
    trial.fact("lost for, s", Math.round(passed()));
    trial.fact("started without getting a connection", unconnected);
    trial.fact("most connections", most.open);
    trial.fact("most waiting commits", most.waiting);
    trial.fact("at its end", `${last.open} connections, ${last.waiting} waiting commits`);
    if (most.waiting > GATEWAYS * CONNECTIONS || most.open > 2 * GATEWAYS * CONNECTIONS) {
      trial.violation(`${most.waiting} commits wait, ${most.open} connections are open`);
    }

    await follower.start();
    const backAt = performance.now();
    const { acknowledged } = witness.counts;
    const after = async (reached: () => boolean | Promise<boolean>): Promise<number> => {
      await eventually("the return", reached);
      return Math.round(performance.now() - backAt);
    };
    const times = await Promise.all([
      after(() => witness.counts.acknowledged > acknowledged),
      ...gateways.map((gateway) => after(() => gateway.isReady())),
    ]);
    trial.fact("first acknowledged, and ready each, ms after its return", times.join(", "));
    if (Math.max(...times) > BACK_WITHIN_MS) trial.violation(`back after ${times.join(", ")} ms`);
    await witness.acknowledges(ACKNOWLEDGED_AT_LEAST);
    trial.count(ACKNOWLEDGED, witness.counts.acknowledged - acknowledged);
    await witness.stop();
    for (const name of ["acknowledged", "unavailable", "unknown", "stored", "absent"] as const) {
      trial.fact(name, witness.counts[name]);
    }
    await witness.reconcile();
    await beside(env, (db) => witness.books(db));
    await witness.listenToTheEnd();
  },
};
