// A gateway that stands still in the midst of a transaction, as in a virtual machine that is paused:
// SIGSTOP under load, SIGCONT seconds later. Its neighbour must go on almost at once, whatever the frozen
// one had locked, and the woken one must not finish what others have overtaken.

import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayProcess } from "../gateway-process.ts";
import type { Scene } from "./fault.ts";
import type { Stage } from "./stage.ts";

const DEAD = "open transactions of the frozen that the server ended";
const MEANWHILE = "requests answered by the neighbour of a frozen one";
export const FROZEN = [DEAD, MEANWHILE];

/** Longer than the server lets a transaction stand still, in turns by little and by much. */
const LASTS_MS = [2_500, 6_500];
/** No transaction of a gateway that runs is idle for so long. */
const IDLE_MS = 400;
/** By then the server must have ended one that is; it promises two seconds. */
const ENDED_AFTER_MS = 3_000;
/** The longest that the neighbour may let anybody wait, beyond what a call takes on this machine. */
const PAUSE_AT_MOST_MS = 5_000;
/** Of freezes that happen to hit no transaction. */
const TRIES = 20;

export async function freeze(scene: Scene): Promise<void> {
  const { trial, stage, random, nth } = scene;
  const { gateway: steady, neighbour: frozen } = stage;
  if (frozen === undefined) return;
  const lastsMs = (LASTS_MS[nth % LASTS_MS.length] ?? 0) + random.below(1_000);
  const longest = { calm: 0, frozen: 0 };
  stage.aside.listener = ({ url, path, tookMs, answer, why }) => {
    if (url !== steady.url) return;
    if (why !== undefined) stage.violation(`${path} at the gateway that was not frozen: ${why}`);
    const when = stage.aside.avoided === undefined ? "calm" : "frozen";
    longest[when] = Math.max(longest[when], tookMs);
    if (when === "frozen" && answer !== undefined) trial.count(MEANWHILE);
  };
  for (let tries = 0, wasOpen = false; !wasOpen; tries += 1) {
    if (tries === TRIES) throw new Error("no freeze hits a transaction");
    await sleep(random.between(300, 1_200));
    longest.frozen = 0;
    wasOpen = await standStill(scene, frozen, lastsMs);
    if (longest.frozen > PAUSE_AT_MOST_MS + longest.calm) {
      const [waited, calm] = [longest.frozen, longest.calm].map(Math.round);
      stage.violation(`the neighbour let somebody wait for ${waited} ms, ${calm} ms when calm`);
    }
  }
}

/** Whether it was in the midst of a transaction; else it is woken at once. */
async function standStill(
  { trial, stage }: Scene,
  frozen: GatewayProcess,
  lastsMs: number,
): Promise<boolean> {
  process.kill(frozen.pid, "SIGSTOP");
  stage.aside.avoided = frozen;
  await sleep(2 * IDLE_MS);
  const open = await idleTransactions(stage);
  if (open.size > 0) {
    await sleep(lastsMs - 2 * IDLE_MS);
    // One that was waiting for a lock became idle later, and has its two seconds still.
    const left = await idleTransactions(stage);
    for (const idleMs of left.values()) {
      if (idleMs > ENDED_AFTER_MS)
        stage.violation(`a frozen transaction was idle for ${idleMs} ms`);
    }
    trial.count(DEAD, [...open.keys()].filter((pid) => !left.has(pid)).length);
  }
  process.kill(frozen.pid, "SIGCONT");
  // Whoever has waited meanwhile belongs to this freeze.
  await stage.witness.answered();
  stage.aside.avoided = undefined;
  return open.size > 0;
}

/** For how long they have been, in milliseconds, by the process of the server. */
async function idleTransactions(stage: Stage): Promise<ReadonlyMap<number, number>> {
  const rows = await stage.beside((db) =>
    db.query<{ pid: number; idle_ms: number }>(
      `select pid, (1000 * extract(epoch from clock_timestamp() - state_change))::integer as idle_ms
       from pg_stat_activity
       where state like 'idle in transaction%' and pid <> pg_backend_pid()`,
      [],
    ),
  );
  return new Map(rows.filter((row) => row.idle_ms > IDLE_MS).map((row) => [row.pid, row.idle_ms]));
}
