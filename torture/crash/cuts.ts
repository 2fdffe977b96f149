// The connection between a gateway and its database breaks exactly where it hurts: around the COMMIT.
// The gateway cannot know then whether it happened. Whoever asks again must get the first answer if it
// did, and the same as ever if it did not; and the gateway goes on at once.

import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../eventually.ts";
import type { Scene } from "./fault.ts";
import { PLACES, TARGETS } from "./proxy.ts";

const ALL = TARGETS.flatMap((target) => PLACES.map((place) => ({ target, place })));
export const CUTS = ALL.map(({ target, place }) => `${target} cut ${place}`);

/** So many are one fault of the table, with one look at the books. */
export const CUTS_AT_ONCE = 20;
const GOES_ON_WITHIN_MS = 10_000;

export async function cutConnections(scene: Scene): Promise<void> {
  const { stage, nth } = scene;
  // Everything goes by the proxy.
  stage.aside.avoided = stage.gateway;
  await stage.witness.answered();
  for (let one = 0; one < CUTS_AT_ONCE; one += 1) {
    await cutOnce(scene, (nth * CUTS_AT_ONCE + one) % ALL.length);
  }
}

async function cutOnce({ trial, stage, random }: Scene, nth: number): Promise<void> {
  const [{ target, place } = random.pick(ALL), name = ""] = [ALL[nth], CUTS[nth]];
  const { counts, answered } = stage.witness;
  const late = sleep(20_000, "late", { ref: false });
  // Not always at the first that comes by.
  await sleep(random.between(0, 50));
  const resets = [random.chance(0.5), random.chance(0.5)] as const;
  const done = stage.proxy?.cut({ target, place, part: random.next(), resets });
  if ((await Promise.race([done, late])) === "late") throw new Error(`nothing came by: ${name}`);
  trial.count(name);
  // Whoever the cut has left without an answer knows it now.
  await answered();
  const { acknowledged } = counts;
  const goesOn = () => counts.acknowledged > acknowledged && counts.doubts === 0;
  const tooLate = () => stage.violation(`${name}: nobody was answered for 10 s`);
  await eventually("answers", goesOn, GOES_ON_WITHIN_MS).catch(tooLate);
}
