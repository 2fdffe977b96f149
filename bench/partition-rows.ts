// What history in months costs: the doors of the hot path on a database of thirteen partitions, beside one
// whose tables are whole.

import { startOfMonth } from "../src/domain/month.ts";
import { cutPartitions, DIVIDED_TABLES } from "../src/features/history/partition-queries.ts";
import { changingPartitions, divideHistory } from "../src/features/history/partitions.ts";
import type { App } from "../src/platform/app.ts";
import { firstIdAt } from "../src/platform/id.ts";
import { type Closable, group, inTurns, least, type Row, rehearse } from "./row.ts";
import { createAt, detailsAt, openPlace, type Place, type Scene, transfersAt } from "./scene.ts";

const PARTITIONS = 13;

interface Histories extends Closable {
  readonly whole: Place;
  readonly divided: Place;
}

/** As after a year of it, as far as a plan can see: all of them are planned for and locked. */
async function divideByThirteen({ db, clock }: App): Promise<void> {
  await changingPartitions(db, async (session) => {
    await divideHistory(session, clock.now(), () => {});
    for (const table of DIVIDED_TABLES) {
      const [{ parts } = { parts: 0 }] = await session.query<{ parts: number }>(
        "select count(*)::integer as parts from partitions_of($1)",
        [table],
      );
      const later = Array.from({ length: PARTITIONS - parts }, (_, place) =>
        firstIdAt(startOfMonth(clock.now(), parts + place)),
      );
      await cutPartitions(session, table, later);
    }
  });
}

async function openHistories(scene: Scene): Promise<Histories> {
  const whole = await openPlace(scene);
  const divided = await openPlace(scene, divideByThirteen);
  return {
    ...{ whole, divided },
    async close() {
      for (const place of [whole, divided]) await place.close();
    },
  };
}

type Door = (scene: Scene, place: Place) => () => ReturnType<ReturnType<typeof detailsAt>>;

function partitionRow(name: string, what: string, at: Door, unit?: "transfers/s"): Row<Histories> {
  return {
    ...{ name, what: `${what}; history in ${PARTITIONS} partitions`, rivalName: "whole tables" },
    ...(unit === undefined ? {} : { unit }),
    goals: { postgres: least(0.92) },
    async measure(scene, places) {
      const [ours, whole] = [at(scene, places.divided), at(scene, places.whole)];
      await rehearse(scene, whole, ours);
      const sides = await inTurns(scene, { whole, ours });
      return { ours: sides.ours, rival: sides.whole };
    },
  };
}

export const PARTITION_ROWS = group(openHistories, [
  partitionRow(
    "partitions-create",
    "create",
    (scene, { server }) =>
      () =>
        createAt(scene, server.url),
  ),
  partitionRow("partitions-h2h", "details", (scene, { server }) => detailsAt(scene, [server])),
  partitionRow(
    "partitions-transfers",
    "transfers in lists",
    (scene, { server }) => transfersAt(scene, server.url, "in lists"),
    "transfers/s",
  ),
]);
