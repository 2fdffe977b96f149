// One kill: when, of what, and the way back.

import { setTimeout as sleep } from "node:timers/promises";
import { beside } from "../gateway-process.ts";
import type { Random } from "../random.ts";
import type { Stage } from "./stage.ts";

export type Kind = "gateway" | "postgres" | "embedded";

export interface Blow {
  readonly kind: Kind;
  /** How long the load has gone on before it. */
  readonly afterMs: number;
  /** How soon the next one follows, while it is still starting. */
  readonly againAfterMs: number | undefined;
  /**
   * The database makes the gateway's new orders wait, and lets them go on so long after the gateway was
   * started again: then they are done, though whoever asked for them is dead.
   */
  readonly heldForMs: number | undefined;
}

export interface Struck {
  /** Until it was ready again. */
  readonly tookMs: number;
  /** Of that, how long the machine had no core for the gateway that was starting. */
  readonly waitedMs: number;
  readonly wasAgain: boolean;
  /** Whether an order was seen to wait. */
  readonly wasHeld: boolean;
}

const [SOONEST_MS, LATEST_MS] = [50, 600];
/** Of the time that a start takes at least, so that it is caught. */
const AGAIN_MS: Readonly<Record<Kind, number>> = { gateway: 500, postgres: 50, embedded: 600 };
const HELD_AT_MOST_MS = 1_500;

/** The rarer turns come by number and not by chance: also a short run must have had them. */
export function chooseBlow(kind: Kind, nth: number, random: Random): Blow {
  return {
    ...{ kind, afterMs: random.between(SOONEST_MS, LATEST_MS) },
    againAfterMs: nth % 4 === 1 ? random.between(5, AGAIN_MS[kind]) : undefined,
    heldForMs: kind === "gateway" && nth % 2 === 0 ? random.between(0, HELD_AT_MOST_MS) : undefined,
  };
}

/** The load is under way; it has ended when this returns. */
export async function strike(stage: Stage, blow: Blow): Promise<Struck> {
  await sleep(blow.afterMs);
  if (blow.heldForMs === undefined) {
    return { ...(await kill(stage, blow, () => {})), wasHeld: false };
  }
  const { heldForMs } = blow;
  const release = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = beside(stage.env, (db) =>
    db.transaction(async (tx) => {
      await tx.query("lock table invoices in share mode");
      held.resolve();
      await release.promise;
    }),
  );
  await Promise.race([held.promise, holding]);
  try {
    const wasHeld = await orderWaits(stage);
    const launched = (): void => void setTimeout(release.resolve, heldForMs);
    return { ...(await kill(stage, blow, launched)), wasHeld };
  } finally {
    setTimeout(release.resolve, heldForMs);
    await holding;
  }
}

/** For less time than the gateway itself lets a statement wait. */
async function orderWaits({ env }: Stage): Promise<boolean> {
  const until = performance.now() + 4_000;
  return beside(env, async (db) => {
    const waiting = () =>
      db.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query ~ $1 limit 1`,
        ["insert into invoices"],
      );
    while (performance.now() < until) {
      if ((await waiting()).length > 0) return true;
      await sleep(2);
    }
    return false;
  });
}

async function kill(
  stage: Stage,
  blow: Blow,
  launched: () => void,
): Promise<Omit<Struck, "wasHeld">> {
  const { gateway, cluster, witness } = stage;
  const isDatabase = blow.kind === "postgres";
  if (isDatabase) await cluster?.crash();
  else await gateway.kill();
  await witness.stop();
  const { againAfterMs } = blow;
  const wasAgain =
    againAfterMs !== undefined && (await killWhileStarting(stage, blow.kind, againAfterMs));
  const startedAt = performance.now();
  if (isDatabase) await cluster?.start();
  else gateway.launch();
  launched();
  await gateway.ready();
  const tookMs = performance.now() - startedAt;
  return { tookMs, waitedMs: isDatabase ? 0 : gateway.waitedForCore(), wasAgain };
}

/** Whether it was caught before it was ready. */
async function killWhileStarting(stage: Stage, kind: Kind, afterMs: number): Promise<boolean> {
  const { gateway, cluster } = stage;
  const inTime = async (ready: Promise<unknown>): Promise<boolean> =>
    Promise.race([
      ready.then(
        () => true,
        () => false,
      ),
      sleep(afterMs, false),
    ]);
  if (kind === "postgres") {
    if (cluster === undefined) return false;
    const starting = cluster.start();
    const wasReady = await inTime(starting);
    await cluster.crash();
    // Caught before there was anything to kill, it has started all the same.
    const hasStarted = await starting.then(
      () => true,
      () => false,
    );
    if (hasStarted) await cluster.crash();
    return !wasReady;
  }
  gateway.launch();
  const wasReady = await inTime(gateway.ready());
  await gateway.kill();
  return !wasReady;
}
