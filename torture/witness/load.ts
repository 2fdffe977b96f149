// Lives lived at once, each step after step, until they are told to stop or get no answer.

import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../../test/gateway.ts";
import { AGAIN_AFTER_MS, type Outcome, type Request } from "./ask.ts";
import { type Life, nextStep, requestOf, type Step } from "./life.ts";
import { pace } from "./pace.ts";

interface LoadOptions {
  /** How many lives are lived at once. */
  readonly workers: number;
  /** What was not answered is asked again at once; else whoever got no answer waits for reconcile(). */
  readonly patient?: boolean;
  /** At most; as many as go without it. */
  readonly livesPerSecond?: number;
}

interface Hooks {
  readonly send: (request: Request) => Promise<Outcome>;
  readonly born: () => Life;
  /** Begins, or is taken up again. */
  readonly began: (life: Life) => void;
  readonly take: (life: Life, step: Step, answer: Answer) => void;
  readonly doubt: (life: Life, step: Step) => void;
  readonly clear: (life: Life) => Promise<void>;
  /** An answer that cannot even be read. */
  readonly failed: (error: unknown) => void;
}

export interface Load {
  start(options: LoadOptions): void;
  /** Nobody begins another step. */
  halt(): void;
  /** Resolves when nobody waits for an answer any more. */
  stop(): Promise<void>;
  /** Resolves when whoever waits now has an answer, or knows that there is none. */
  answered(): Promise<void>;
  /** To be gone on with by whoever is free. */
  takeUp(life: Life): void;
}

export function openLoad({ send, born, began, take, doubt, clear, failed }: Hooks): Load {
  const unfinished: Life[] = [];
  const underWay = new Set<Promise<unknown>>();
  let workers: Promise<void>[] = [];
  let stopping = false;

  /** Whether its worker may go on. */
  const live = async (life: Life, patient: boolean): Promise<boolean> => {
    began(life);
    for (let step = nextStep(life); step !== undefined; step = nextStep(life)) {
      if (stopping) {
        unfinished.push(life);
        return false;
      }
      const sent = send(requestOf(life, step));
      underWay.add(sent);
      const outcome = await sent.finally(() => underWay.delete(sent));
      if (outcome.kind !== "unknown") {
        take(life, step, outcome.answer);
        continue;
      }
      if (outcome.sent) doubt(life, step);
      if (!patient) {
        // Nobody goes on with a life in doubt before the doubt is cleared.
        if (!outcome.sent) unfinished.push(life);
        return false;
      }
      if (outcome.sent) await clear(life);
      else await sleep(AGAIN_AFTER_MS);
    }
    return true;
  };

  const work = async (patient: boolean, turn: () => Promise<void>): Promise<void> => {
    let isGoing = true;
    while (isGoing && !stopping) {
      await turn();
      isGoing = await live(unfinished.pop() ?? born(), patient);
    }
  };

  return {
    start({ workers: count, patient = false, livesPerSecond }) {
      stopping = false;
      const turn = pace(livesPerSecond);
      workers = Array.from({ length: count }, () => work(patient, turn).catch(failed));
    },
    halt() {
      stopping = true;
    },
    async stop() {
      stopping = true;
      await Promise.all(workers);
      workers = [];
    },
    async answered() {
      await Promise.all(underWay);
    },
    takeUp: (life) => void unfinished.push(life),
  };
}
