// Processes that end at once, by kill -9 or with the power of their machine.

import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../eventually.ts";
import { endTwice, type Scene } from "./fault.ts";
import type { CutStyle } from "./volume/platter.ts";

/** What becomes of what the disk had only in its cache. */
const CUT_STYLES: readonly CutStyle[] = ["lost", "scattered", "kept"];
const styled = (style: CutStyle): string => `disk's cache ${style}`;
export const STYLES = CUT_STYLES.map(styled);

/** What it was telling a shop at that moment is told again by whoever comes after it. */
export async function killGateway(scene: Scene): Promise<void> {
  const { gateway, witness } = scene.stage;
  await eventually("a webhook under way", () => witness.hooks.underWay > 0);
  await endTwice(scene, () => gateway.kill());
}

export async function killDatabase(scene: Scene): Promise<void> {
  await endTwice(scene, async () => scene.stage.cluster?.crash());
}

const ORDERS_THAT_WAIT =
  "select from pg_locks where relation = 'invoices'::regclass and not granted";
/** Less than the gateway itself lets a statement wait. */
const WAITS_WITHIN_MS = 4_000;

/**
 * The database makes the gateway's new orders wait, and lets them go on some time after the gateway was
 * killed and started again: then they are done, though whoever asked for them is dead.
 */
export async function killWhileOrdersWait(scene: Scene): Promise<void> {
  const { stage, random } = scene;
  const { gateway, neighbour, witness } = stage;
  stage.aside.avoided = neighbour;
  await witness.answered();
  await stage.beside((db) =>
    db.transaction(async (tx) => {
      await tx.query("lock table invoices in share mode");
      const waiting = async () => (await tx.query(ORDERS_THAT_WAIT)).length > 0;
      await eventually("an order that waits", waiting, WAITS_WITHIN_MS);
      await gateway.kill();
      gateway.launch();
      await sleep(random.between(0, 1_500));
    }),
  );
}

export async function cutPower(scene: Scene): Promise<void> {
  const { trial, stage, random, nth } = scene;
  let turn = nth + (stage.engine === "embedded" ? 1 : 0);
  await endTwice(scene, async () => {
    const style = CUT_STYLES[turn % CUT_STYLES.length] ?? "lost";
    turn += 1;
    await stage.volume?.cut(style, random.below(2 ** 31));
    await stage.halt();
    trial.count(styled(style));
  });
}
