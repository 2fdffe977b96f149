// Details where gateways meet: many requisites, twenty and six, given out by one process, two and four.

import { bareAt } from "./door-rows.ts";
import { REQUISITE_IDS } from "./population.ts";
import { ANY_DETAILS } from "./requests.ts";
import { group, inTurns, least, type Row, rehearse } from "./row.ts";
import { detailsAt, newDoor, openPlace, type Place, type Scene, warmUp } from "./scene.ts";
import { type Server, startServer } from "./stage.ts";

interface Crowd extends Place {
  /** The first so many gateways on the one database. */
  servers(count: number): Promise<readonly Server[]>;
  /** From now on only so many requisites are given out, half of each bank. */
  offer(requisites: number): Promise<void>;
}

async function openCrowd(scene: Scene): Promise<Crowd> {
  const place = await openPlace(scene);
  const { database, server } = place;
  const all = [server];
  return {
    ...place,
    async servers(count) {
      while (all.length < count) {
        const another = await startServer(database);
        await warmUp(scene, another.url);
        all.push(another);
      }
      return all.slice(0, count);
    },
    async offer(requisites) {
      const enabled = REQUISITE_IDS.slice(0, requisites);
      const change = "update requisite_usage set enabled = requisite_id = any($1::uuid[])";
      await database.open(({ db }) => db.query(change, [enabled]));
    },
    async close() {
      for (const another of all.slice(1)) await another.kill();
      await place.close();
    },
  };
}

const countText = (count: number): string => count.toLocaleString("en");

function crowdRow(requisites: number, processes: number): Row<Crowd> {
  const name = `h2h-${requisites}x${processes}`;
  const gateways = processes === 1 ? "one gateway" : `${processes} gateways`;
  return {
    name,
    what: `details, ${countText(requisites)} requisites, ${gateways}`,
    goals: { postgres: least(0.45) },
    async measure(scene, crowd) {
      await crowd.offer(requisites);
      const at = detailsAt(
        scene,
        await crowd.servers(Math.min(processes, scene.sizes.mostGateways)),
      );
      const bareRound = bareAt(scene, ANY_DETAILS);
      await bareRound(newDoor(scene));
      await rehearse(scene, at);
      const { ours, bare } = await inTurns(scene, { bare: () => bareRound(), ours: at });
      return { ours, rival: bare };
    },
  };
}

/** One gateway with a thousand is the row of the door itself. */
export const CROWDS = group(openCrowd, [
  ...[20, 6].map((requisites) => crowdRow(requisites, 1)),
  ...[2, 4].flatMap((processes) => [1_000, 20, 6].map((many) => crowdRow(many, processes))),
]);
