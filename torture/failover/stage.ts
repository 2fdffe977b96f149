// What is broken: a cluster, two gateways that reach its leader through the proxy, the witness who lives
// through it, and whoever watches that there is one leader.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beside, envOf, startGateway } from "../gateway-process.ts";
import { stageOf, type Trial } from "../part.ts";
import { bringWitness } from "../witness.ts";
import { openCluster, type Rewrite } from "./cluster.ts";
import { BEATS_TABLE, tell, watchLeaders } from "./leaders.ts";
import { openPulse } from "./pulse.ts";

export type Stage = Awaited<ReturnType<typeof openStage>>;

interface StageOptions {
  /** Of the cluster's files. */
  readonly rewrites?: readonly Rewrite[];
  /** How long the witness asks again, where nobody answers. */
  readonly insistsForMs?: number;
}

export async function openStage(
  part: Trial,
  name: string,
  { rewrites = [], ...patience }: StageOptions = {},
) {
  const trial = stageOf(part);
  const cluster = await openCluster(join(trial.directory, name), rewrites);
  trial.later(cluster.remove);
  await cluster.start();
  await cluster.settled();
  const password = randomBytes(12).toString("hex");
  const own = (database: string) => cluster.url("postgres", cluster.superuser, database);
  const role = `create role kopeck login password '${password}'`;
  const databases = ["create database kopeck owner kopeck", "create database beats"];
  await tell(own("postgres"), role, ...databases);
  await tell(own("beats"), BEATS_TABLE);

  const url = cluster.url("kopeck", password, "kopeck");
  const env = envOf(trial, url, `${name}-gateways`);
  const gateways = [await startGateway(trial, env), await startGateway(trial, env)];
  const urls = gateways.map((gateway) => gateway.url);
  const pulse = openPulse(urls);
  const asked = { name, urls: () => urls, heard: pulse.hear, ...patience };
  const witness = await bringWitness(trial, asked);
  const watch = watchLeaders(cluster.nodes, trial.violation);
  trial.later(() => watch.stop());
  return {
    cluster,
    witness,
    watch,
    pulse,
    close: trial.close,
    /** While nothing is written. */
    async books(): Promise<void> {
      await beside(env, (db) => witness.books(db));
      for (const gateway of gateways) {
        if (gateway.state === "up") continue;
        trial.violation(`the gateway ended by itself: ${gateway.output()}`);
        await gateway.start();
      }
    },
    /** At the very end. */
    async beats(): Promise<void> {
      await watch.stop();
      await watch.books(own("beats"));
    },
  };
}
