// What is broken: a cluster, two gateways that reach its leader through the proxy, the witness who lives
// through it, and whoever watches that there is one leader.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { beside, openGatewayProcess } from "../gateway-process.ts";
import type { Trial } from "../part.ts";
import { openWitness } from "../witness.ts";
import { openCluster, type Rewrite } from "./cluster.ts";
import { BEATS_TABLE, watchLeaders } from "./leaders.ts";
import { openPulse } from "./pulse.ts";

export type Stage = Awaited<ReturnType<typeof openStage>>;

interface StageOptions {
  /** Of the cluster's files. */
  readonly rewrites?: readonly Rewrite[];
  /** How long the witness asks again, where nobody answers. */
  readonly insistsForMs?: number;
}

export async function openStage(
  trial: Trial,
  name: string,
  { rewrites = [], ...patience }: StageOptions = {},
) {
  const closing: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (let undo = closing.pop(); undo !== undefined; undo = closing.pop()) await undo();
  };
  trial.later(close);
  const cluster = await openCluster(join(trial.directory, name), rewrites);
  closing.push(cluster.remove);
  await cluster.start();
  await cluster.settled();
  const password = randomBytes(12).toString("hex");
  const own = (database: string) => cluster.url("postgres", cluster.superuser, database);
  await tell(own("postgres"), [
    `create role kopeck login password '${password}'`,
    "create database kopeck owner kopeck",
    "create database beats",
  ]);
  await tell(own("beats"), [BEATS_TABLE]);

  const env = {
    DATABASE_URL: cluster.url("kopeck", password, "kopeck"),
    KOPECK_DATA_DIR: join(trial.directory, `${name}-gateways`),
    NODE_COMPILE_CACHE: join(trial.directory, "compiled"),
  };
  const gateways = [await openGatewayProcess(env), await openGatewayProcess(env)];
  for (const gateway of gateways) {
    closing.push(() => gateway.kill());
    gateway.launch();
    await gateway.ready();
  }
  const pulse = openPulse(gateways.map(({ url }) => url));
  let turn = 0;
  const witness = openWitness({
    ...{ name, violation: trial.violation, random: trial.random.branch(0), heard: pulse.hear },
    ...patience,
    url: () => {
      turn += 1;
      return gateways[turn % gateways.length]?.url ?? "";
    },
  });
  closing.push(() => witness.close());
  await witness.prepare();
  const watch = watchLeaders(cluster.nodes, trial.violation);
  closing.push(() => watch.stop());
  return {
    ...{ cluster, witness, watch, pulse, close },
    /** While nothing is written. */
    async books(): Promise<void> {
      await beside(env, (db) => witness.books(db));
      for (const gateway of gateways) {
        if (gateway.state === "up") continue;
        trial.violation(`the gateway ended by itself: ${gateway.output()}`);
        gateway.launch();
        await gateway.ready();
      }
    },
    /** At the very end. */
    async beats(): Promise<void> {
      await watch.stop();
      await watch.books(own("beats"));
    },
  };
}

async function tell(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
