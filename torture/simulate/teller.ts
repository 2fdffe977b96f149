// A process that tells histories: it is given a task as JSON, and says what came of each as a line of
// JSON. Its one engine serves all of its histories.

import { constants, setPriority } from "node:os";
import { randomOf } from "../random.ts";
import { tellHistory } from "./history.ts";
import { openMemoryEngine } from "./memory-engine.ts";
import { openProcess, WorldClock } from "./process.ts";
import { shrink } from "./shrink.ts";
import type { Stage } from "./world.ts";

export interface Task {
  readonly template: string;
  readonly seed: number;
  /** Of so many histories every so manieth, from this one on. */
  readonly size: number;
  readonly every: number;
  readonly from: number;
  /** Told no further once so many are broken. */
  readonly mostBroken: number;
  readonly shrinks: boolean;
  /** Done to the database first. */
  readonly sql?: string;
}

export interface Told {
  readonly seed: number;
  readonly steps: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly broken?: { readonly step: number; readonly what: string; readonly told: string[] };
}

/** The first history of a seed is the seed's own, so that each can be told again alone. */
function historySeed(seed: number, index: number): number {
  return index === 0
    ? seed
    : 1 +
        randomOf(seed)
          .branch(index)
          .below(2 ** 31 - 1);
}

/** Deleted rows slow everything down in the long run. */
const ANEW_EVERY = 25;

async function main({ template, seed, size, every, from, ...task }: Task): Promise<void> {
  const engine = await openMemoryEngine(template);
  if (task.sql !== undefined) await engine.query(task.sql);
  const clock = new WorldClock();
  const processes = [openProcess(engine, clock), openProcess(engine, clock)] as const;
  const stage: Stage = { engine, clock, processes };
  let broken = 0;
  for (let index = from; index < size && broken < task.mostBroken; index += every) {
    const counts: Record<string, number> = {};
    const own = historySeed(seed, index);
    const told = await tellHistory(stage, {
      seed: own,
      thoroughly: Math.floor(index / every) % ANEW_EVERY === ANEW_EVERY - 1,
      count: (name) => {
        counts[name] = (counts[name] ?? 0) + 1;
      },
    });
    const report = { seed: own, steps: told.steps.length, counts };
    if (told.broken === undefined) say(report);
    else {
      broken += 1;
      const least = task.shrinks ? await shrink(stage, own, told) : told;
      const { what } = least.broken ?? told.broken;
      say({ ...report, broken: { step: told.broken.step, what, told: [...least.steps] } });
    }
  }
  await engine.close();
}

function say(told: Told): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

// Its world has a clock of its own, so whoever is judged by the machine's goes first.
setPriority(constants.priority.PRIORITY_LOW);
await main(JSON.parse(process.argv[2] ?? "{}") as Task);
process.exit();
