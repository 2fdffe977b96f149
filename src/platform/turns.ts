// Large bodies are read one a turn of the event loop. Guards that whoever sends small ones waits for one
// large one at a time, however many of them arrive at once.

import { HttpFailure } from "./failure.ts";

/** An ordinary request has a few hundred bytes, and reading it takes microseconds. */
const LARGE = 2_048;
/** Each waits with its body. */
const MAX_WAITING = 1_000;

type Done = (error: Error | null, body?: unknown) => void;

/** Hands on what was read of a body of that length, or what reading it has thrown. */
export type InTurn = (length: number, done: Done, read: () => unknown) => void;

export function takeTurns(): InTurn {
  const waiting = new Set<() => void>();
  const takeNext = (): void => {
    for (const next of waiting) {
      waiting.delete(next);
      if (waiting.size > 0) setImmediate(takeNext);
      next();
      return;
    }
  };
  return (length, done, read) => {
    const settle = (): void => {
      let body: unknown;
      try {
        body = read();
      } catch (error) {
        done(error as Error);
        return;
      }
      done(null, body);
    };
    if (length <= LARGE) settle();
    else if (waiting.size >= MAX_WAITING) done(new HttpFailure("overloaded"));
    else {
      waiting.add(settle);
      if (waiting.size === 1) setImmediate(takeNext);
    }
  };
}
