// Gathers calls that arrive together into one set. One bad call never fails its neighbours.

import { LockTimeout } from "./db-failure.ts";
import { HttpFailure, isFailure } from "./failure.ts";

export interface CoalesceOptions<Call, Answer> {
  /** One answer for each call, in their order; an Error as an answer refuses that one call. */
  readonly run: (calls: readonly Call[]) => Promise<readonly (Answer | Error)[]>;
  /** How many sets may be on their way at once. */
  readonly lanes?: number;
  readonly maxSetSize?: number;
  readonly maxQueueLength?: number;
  readonly onSet?: (size: number, seconds: number) => void;
}

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_SET_SIZE = 128;
/** So few are not split: a statement of their own would cost more than it gains. */
const SMALL_SET = 24;
const MAX_QUEUE_LENGTH = 4_096;

export function coalesce<Call, Answer>(
  options: CoalesceOptions<Call, Answer>,
): (call: Call) => Promise<Answer> {
  const { run, lanes = 1, onSet } = options;
  const { maxSetSize = MAX_SET_SIZE, maxQueueLength = MAX_QUEUE_LENGTH } = options;
  let queue: Waiting<Call, Answer>[] = [];
  let running = 0;

  async function settle(set: readonly Waiting<Call, Answer>[]): Promise<void> {
    let answers: readonly (Answer | Error)[];
    try {
      answers = await run(set.map(({ call }) => call));
      if (answers.length !== set.length) throw new Error("A set must answer each of its calls.");
    } catch (error) {
      // An expected failure (the database is away) holds for all of them. Anything else may be the fault
      // of one call, or a lock that only one of them needs: each runs again alone.
      const isEverybodys = isFailure(error) && !(error instanceof LockTimeout);
      if (set.length === 1 || isEverybodys) for (const one of set) one.reject(error);
      // Those that wait for the same lock wait at the same time.
      else if (error instanceof LockTimeout) await Promise.all(set.map((one) => settle([one])));
      else for (const one of set) await settle([one]);
      return;
    }
    for (const [index, { resolve, reject }] of set.entries()) {
      const answer = answers[index];
      if (answer instanceof Error) reject(answer);
      else resolve(answer as Answer);
    }
  }

  async function drain(): Promise<void> {
    running += 1;
    // Everything that the sockets have brought in this turn of the event loop belongs together.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      // Never everybody at once: while the database works on one half, the other half is read, checked
      // and answered. With all in one set the two took turns, and each idled for a sixth of the time.
      const size = Math.min(maxSetSize, Math.max(SMALL_SET, Math.ceil(queue.length / 2)));
      const set = queue.slice(0, size);
      queue = queue.slice(size);
      const startedAt = performance.now();
      await settle(set);
      onSet?.(set.length, (performance.now() - startedAt) / 1000);
    }
    running -= 1;
  }

  return (call) =>
    new Promise<Answer>((resolve, reject) => {
      if (queue.length >= maxQueueLength) {
        reject(new HttpFailure("overloaded"));
        return;
      }
      queue.push({ call, resolve, reject });
      if (running < lanes) void drain();
    });
}
