// Random histories through the real doors and jobs, on a clock, a network and faults of the world's own.
// After every step all invariants are checked, and what the outside sees is held against a model that knows
// nothing of the code. A history that breaks says how it is told again, with its fewest steps.

import { fork } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { cores } from "../bench/machine.ts";
import type { Part } from "./part.ts";
import { randomOf } from "./random.ts";
import { openEngine } from "./simulate/engine.ts";
import { FAULTS, STATES, STEPS, shrink, tellHistory } from "./simulate/history.ts";
import { openProcess } from "./simulate/process.ts";
import type { Stage } from "./simulate/world.ts";

/** Of so many histories every so manieth, from this one on. */
interface Task {
  readonly seed: number;
  readonly size: number;
  readonly every: number;
  readonly from: number;
}

interface Line {
  readonly seed: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly steps: readonly string[];
  readonly broken: { readonly step: number; readonly what: string } | null;
}

const PROCESSES = 3;
const MOST_TELLERS = 4;
/** An engine in memory grows with every history, and slows down: now and then another process begins. */
const HISTORIES_A_TELLER = 100;

export const simulate: Part = {
  name: "simulate",
  about: `random histories of ${STEPS} steps, every invariant after every step`,
  faults: FAULTS,
  states: STATES,
  yields: "always",
  async run(trial) {
    const size = trial.size(60, 5_000);
    const tellers = Math.min(MOST_TELLERS, cores(), size);
    let [histories, broken] = [0, 0];
    const stop = new AbortController();
    const hear = (line: Line): void => {
      histories += 1;
      for (const [name, count] of Object.entries(line.counts)) trial.count(name, count);
      if (histories % 20 === 0) trial.say(`${histories} of ${size} histories`);
      if (line.broken === null) return;
      broken += 1;
      const when = `history ${histories}, step ${line.broken.step}`;
      const again = `npm run torture -- simulate --seed ${line.seed} --size 1`;
      const told = [...line.steps, `again: ${again}`].join("\n  ");
      trial.violation(`${line.broken.what} (${when})\n  ${told}`);
      // One is enough; what the others were about to tell is told by the next run.
      stop.abort();
    };
    const slice = tellers * HISTORIES_A_TELLER;
    const running = Array.from({ length: tellers }, async (_, first) => {
      for (let from = first; from < size && broken === 0; from += slice) {
        const until = Math.min(size, from + slice);
        const task: Task = { seed: trial.seed, size: until, every: tellers, from };
        // What this process was started with, a planted bug for one, holds for it as well.
        const teller = fork(import.meta.filename, [JSON.stringify(task)]);
        const end = (): unknown => teller.kill("SIGKILL");
        trial.later(end);
        stop.signal.addEventListener("abort", end);
        teller.on("message", hear);
        const [code] = await once(teller, "exit");
        if (code !== 0 && broken === 0) throw new Error(`a teller ended with ${code}`);
      }
    });
    await Promise.all(running);
    trial.fact("histories", histories);
  },
};

/** Tells until one is broken. The first history of a seed is the seed's own, so that each can be had alone. */
async function tellAll({ seed, size, every, from }: Task): Promise<void> {
  const engine = await openEngine();
  const clock = { ms: 0 };
  const processes = Array.from({ length: PROCESSES }, () => openProcess(engine, clock));
  const stage: Stage = { engine, clock, processes };
  for (let index = from; index < size; index += every) {
    const other =
      1 +
      randomOf(seed)
        .branch(index)
        .below(2 ** 31 - 1);
    const own = index === 0 ? seed : other;
    const counts: Record<string, number> = {};
    const told = await tellHistory(stage, own, (name) => {
      counts[name] = (counts[name] ?? 0) + 1;
    });
    const isPlanted = process.env["KOPECK_TORTURE_PLANTED"] !== undefined;
    const { steps, broken = null } =
      told.broken && !isPlanted ? await shrink(stage, own, told) : told;
    const line: Line = {
      seed: own,
      counts,
      steps,
      broken: broken && { ...broken, ...told.broken },
    };
    await new Promise((sent) => process.send?.(line, sent));
    if (broken !== null) return;
  }
}

if (import.meta.main) {
  // Its world has a clock of its own, so whoever is judged by the machine's goes first.
  setPriority(constants.priority.PRIORITY_LOW);
  await tellAll(JSON.parse(process.argv[2] ?? "{}") as Task);
  process.exit();
}
