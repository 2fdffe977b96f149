// The only clock. Everything that asks for the time asks App.clock, so that a sandbox or a test can
// move time instead of waiting for it.

export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
