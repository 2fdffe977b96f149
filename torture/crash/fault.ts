// What a fault is, and what each of them has at hand.

import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../eventually.ts";
import type { Trial } from "../part.ts";
import type { Random } from "../random.ts";
import type { EngineName, Stage } from "./stage.ts";

export interface Fault {
  /** As it is counted. */
  readonly name: string;
  readonly engine: EngineName;
  /** How often in a quick run, and in a full one. */
  readonly times: readonly [quick: number, full: number];
  /** Whatever else must have come about by it. */
  readonly also?: readonly string[];
  /** What this machine lacks for it. */
  readonly missing?: () => string | undefined;
  /** The load is on. What has gone down when it ends is started again, and the witness asks. */
  strike(scene: Scene): Promise<void>;
}

export interface Scene {
  readonly trial: Trial;
  readonly stage: Stage;
  readonly random: Random;
  /** Rarer turns come by number and not by chance: also a short run has them. */
  readonly nth: number;
}

export const AGAIN = "ended again while starting";

/** Every second time once more, on the way back. */
export async function endTwice({ trial, stage, random, nth }: Scene, end: () => Promise<unknown>) {
  await end();
  if (nth % 2 === 0) return;
  await stage.volume?.powerOn();
  let isBack = false;
  const back = stage.start().then(
    () => {
      isBack = true;
    },
    // It was caught.
    () => {},
  );
  await sleep(random.between(5, 600));
  if (!isBack) trial.count(AGAIN);
  await end();
  await back;
}

const NOTICED_WITHIN_MS = 60_000;
export const REFUSED = "refused with 503 meanwhile";

/** Until somebody is refused, and then a little longer. */
export async function untilRefused({ trial, stage, random }: Scene): Promise<void> {
  const { counts } = stage.witness;
  const before = counts.unavailable;
  const isNoticed = () => counts.unavailable > before;
  const unnoticed = () => stage.violation("nobody notices the fault");
  await eventually("a refusal", isNoticed, NOTICED_WITHIN_MS).catch(unnoticed);
  await sleep(random.between(100, 1_000));
  trial.count(REFUSED, counts.unavailable - before);
}
