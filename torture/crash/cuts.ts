// The connection between a gateway and its database breaks exactly where it hurts: around the COMMIT.
// The gateway cannot know then whether it happened. Whoever asks again must get the first answer if it
// did, and the same as ever if it did not; and the gateway goes on at once.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.ts";
import type { Scene } from "./fault.ts";
import { type Cut, PLACES } from "./proxy.ts";

const TARGETS: Readonly<Record<Cut["target"], { name: string; places: readonly Cut["place"][] }>> =
  {
    commit: { name: "a COMMIT", places: PLACES },
    single: { name: "a statement by itself", places: PLACES },
    // Where a transaction does not end yet, one place is like another.
    step: {
      name: "a statement inside a transaction",
      places: ["in the middle of it", "before its answer"],
    },
  };

const COMBINATIONS = (Object.keys(TARGETS) as Cut["target"][]).flatMap((target) =>
  TARGETS[target].places.map((place) => ({ target, place })),
);
const nameOf = ({ target, place }: Pick<Cut, "target" | "place">): string =>
  `${TARGETS[target].name} cut ${place}`;
export const CUTS = COMBINATIONS.map(nameOf);

/** So many are one fault of the table, with one look at the books. */
export const CUTS_AT_ONCE = 20;
const CUT_WITHIN_MS = 20_000;
const GOES_ON_WITHIN_MS = 5_000;

export async function cutConnections(scene: Scene): Promise<void> {
  const { stage, random, nth } = scene;
  // Everything goes by the proxy.
  stage.aside.avoided = stage.gateway;
  await stage.witness.answered();
  for (let one = 0; one < CUTS_AT_ONCE; one += 1) {
    await cutOnce(scene, chooseCut(nth * CUTS_AT_ONCE + one, random.branch(one)));
  }
}

async function cutOnce({ trial, stage }: Scene, wanted: Cut): Promise<void> {
  const { counts, answered } = stage.witness;
  const before = { ...counts };
  const late = sleep(CUT_WITHIN_MS, "late", { ref: false });
  if ((await Promise.race([stage.proxy?.cut(wanted), late])) === "late") {
    throw new Error(`nothing came by to be cut: ${nameOf(wanted)}`);
  }
  trial.count(nameOf(wanted));
  // Whoever the cut has left without an answer knows it now.
  await answered();
  const { acknowledged } = counts;
  const goesOn = () => counts.acknowledged > acknowledged && counts.doubts === 0;
  const until = performance.now() + GOES_ON_WITHIN_MS;
  while (!goesOn() && performance.now() < until) await sleep(2);
  if (!goesOn()) stage.violation(`${nameOf(wanted)}: nobody was answered for 5 s`);
  // One statement, one transaction: what the database has confirmed is there, what it never got is not.
  const { target, place } = wanted;
  const isUnsent = place === "before it is sent on" || place === "in the middle of it";
  const impossible = place.endsWith("its answer") ? "absent" : isUnsent ? "stored" : undefined;
  if (target !== "single" || impossible === undefined) return;
  if (counts[impossible] > before[impossible]) {
    stage.violation(`${nameOf(wanted)}: ${counts[impossible] - before[impossible]} ${impossible}`);
  }
}

function chooseCut(nth: number, random: Random): Cut {
  return {
    ...(COMBINATIONS[nth % COMBINATIONS.length] ?? random.pick(COMBINATIONS)),
    ...{ skip: random.below(6), part: random.next() },
    resets: { gateway: random.chance(0.5), database: random.chance(0.5) },
  };
}
