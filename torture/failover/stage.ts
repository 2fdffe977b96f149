// What is broken: a cluster, two gateways that reach its leader through the proxy, and the witness who lives
// through it.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { beside, envOf, startGateway } from "../gateway-process.ts";
import type { Trial } from "../part.ts";
import { bringWitness } from "../witness.ts";
import { openCluster } from "./cluster.ts";
import { openPulse } from "./pulse.ts";

export type Stage = Awaited<ReturnType<typeof openStage>>;

export async function openStage(trial: Trial) {
  const cluster = await openCluster(join(trial.directory, "failover"));
  trial.later(cluster.remove);
  await cluster.start();
  await cluster.settled();
  const password = randomBytes(12).toString("hex");
  const owner = cluster.url("postgres", cluster.superuser, "postgres");
  const client = new pg.Client({ connectionString: owner });
  await client.connect();
  await client.query(`create role kopeck login password '${password}'`);
  await client.query("create database kopeck owner kopeck");
  await client.end();

  const env = envOf(trial, cluster.url("kopeck", password, "kopeck"), "gateways");
  const gateways = [await startGateway(trial, env), await startGateway(trial, env)];
  const urls = gateways.map((gateway) => gateway.url);
  const pulse = openPulse(urls);
  const asked = { name: "failover", urls: () => urls, heard: pulse.hear };
  const witness = await bringWitness(trial, asked);
  return {
    cluster,
    witness,
    pulse,
    /** While nothing is written. */
    async books(): Promise<void> {
      await beside(env, (db) => witness.books(db));
      for (const gateway of gateways) {
        if (gateway.state === "up") continue;
        trial.violation(`the gateway ended by itself: ${gateway.output()}`);
        await gateway.start();
      }
    },
  };
}
