// The only clock. Everything that asks for the time asks App.clock, so that a sandbox or a test can
// move time instead of waiting for it.

export interface Clock {
  now(): Date;
}

export interface MovableClock extends Clock {
  /** How far this clock is ahead of the one it stands on. */
  setOffset(seconds: number): void;
  /** Stands at this moment now, and goes on from there; never back. */
  moveTo(instant: Date): void;
}

export const systemClock: Clock = { now: () => new Date() };

export function movableClock(base: Clock): MovableClock {
  let offsetMs = 0;
  return {
    now: () => (offsetMs === 0 ? base.now() : new Date(base.now().getTime() + offsetMs)),
    setOffset(seconds) {
      offsetMs = seconds * 1000;
    },
    moveTo(instant) {
      offsetMs = Math.max(offsetMs, instant.getTime() - base.now().getTime());
    },
  };
}
