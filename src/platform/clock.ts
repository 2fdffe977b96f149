// The only clock. It can be moved in a sandbox, and stops the work while the database's clock differs.

import type { Db } from "./db.ts";
import { databaseTime } from "./db-clock.ts";
import { HttpFailure, StartFailure } from "./failure.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

export interface Clock {
  now(): Date;
}

export type MovableClock = ReturnType<typeof movableClock>;

export const systemClock: Clock = { now: () => new Date() };

export function movableClock(base: Clock, isRight: () => boolean = () => true) {
  let offsetMs = 0;
  return {
    isRight,
    now(): Date {
      if (!isRight()) throw wrongClock();
      return offsetMs === 0 ? base.now() : new Date(base.now().getTime() + offsetMs);
    },
    setOffset(seconds: number): void {
      offsetMs = seconds * 1000;
    },
    /** Stands at this moment now, and goes on from there; never back. */
    moveTo(instant: Date): void {
      offsetMs = Math.max(offsetMs, instant.getTime() - base.now().getTime());
    },
  };
}

function wrongClock(): HttpFailure {
  const failure = new HttpFailure("unavailable");
  failure.cause = new Error("the clocks of this machine and of the database disagree");
  return failure;
}

const MAX_APART_MS = 2_000;
const COMPARE_EVERY_MS = 60_000;
/** While they disagree they are compared as often as this. */
const LOOK_EVERY_MS = 1_000;

/** Two readings that are no further apart are of one moment. */
const TOGETHER_MS = 100;

/** Until it is started, the machine's clock is right. */
export function openClockWatch(machine: Clock) {
  /** What is to be added to the steady clock for the database's; unknown before the first answer. */
  let base: number | undefined;
  let comparedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  /** The same for the machine's. A process that had no core between the two readings reads them again. */
  const machineBase = (): number => {
    for (let tries = 1; ; tries += 1) {
      const before = performance.now();
      const ms = machine.now().getTime();
      if (performance.now() - before < TOGETHER_MS || tries === 3) return ms - before;
    }
  };
  const aheadMs = (): number => (base === undefined ? 0 : machineBase() - base);
  const isRight = (): boolean => Math.abs(aheadMs()) <= MAX_APART_MS;

  const compare = async (db: Db): Promise<void> => {
    const askedAt = performance.now();
    const theirs = (await databaseTime(db)).getTime();
    comparedAt = performance.now();
    // It was read at some moment in between; the most favourable one is believed, so that a slow
    // answer is not taken for a wrong clock.
    const own = machineBase();
    const nearest = Math.min(Math.max(own, theirs - comparedAt), theirs - askedAt);
    const isSlow = comparedAt - askedAt > MAX_APART_MS;
    // Nor is a slow one that leaves room for both taken for a right one.
    if (!isSlow || Math.abs(own - nearest) > MAX_APART_MS) base = nearest;
  };

  return {
    isRight,
    /** Refuses to start by a wrong clock; later on only watches. */
    async start({ db, log, metrics }: { db: Db; log: Log; metrics: Metrics }): Promise<void> {
      await compare(db);
      if (!isRight()) throw new StartFailure(`${inWords(aheadMs())}. Set both right, then start.`);
      const tell = (): void =>
        metrics.gauge("kopeck_clock_ahead_seconds", "Of the database's clock.", aheadMs() / 1000);
      tell();
      let [wasRight, isComparing] = [true, false];
      const look = async (): Promise<void> => {
        if (!isRight() || performance.now() - comparedAt >= COMPARE_EVERY_MS) await compare(db);
        tell();
        if (isRight() === wasRight) return;
        wasRight = !wasRight;
        if (wasRight) log.info({}, "the clocks agree again: everything goes on");
        else
          log.error({}, `${inWords(aheadMs())}: what needs the time is refused until they agree`);
      };
      timer = setInterval(() => {
        if (isComparing) return;
        isComparing = true;
        // A database outage is logged elsewhere.
        look()
          .catch(() => {})
          .finally(() => {
            isComparing = false;
          });
      }, LOOK_EVERY_MS).unref();
    },
    stop: (): void => clearInterval(timer),
  };
}

function inWords(aheadMs: number): string {
  const seconds = Math.abs(aheadMs / 1000).toFixed(1);
  return `This machine's clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the database's`;
}
