// The only clock. Everything that asks for the time asks App.clock, so that a sandbox or a test can
// move time instead of waiting for it. Guards that nothing is decided by a clock that is known to be
// wrong: it tells no time, and whoever asks for it is unavailable until it is right again.

import { HttpFailure } from "./failure.ts";

export interface Clock {
  now(): Date;
}

export type MovableClock = ReturnType<typeof movableClock>;

export const systemClock: Clock = { now: () => new Date() };

export function movableClock(base: Clock, isRight: () => boolean = () => true) {
  let offsetMs = 0;
  return {
    /** As far as is known; see clock-watch.ts. */
    isRight,
    now(): Date {
      if (!isRight()) throw wrongClock();
      return offsetMs === 0 ? base.now() : new Date(base.now().getTime() + offsetMs);
    },
    /** How far this clock is ahead of the one it stands on. */
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
