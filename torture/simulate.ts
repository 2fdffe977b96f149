// Random histories through the real doors and jobs, on a clock, a network and faults of the world's own.
// After every step all invariants are checked, and books and receivers are held against a model that
// knows nothing of the database. A history that breaks says how it is told again, with its fewest steps.

import { join } from "node:path";
import { cores } from "../bench/machine.ts";
import type { Part } from "./part.ts";
import { STEPS } from "./simulate/history.ts";
import { writeTemplate } from "./simulate/memory-engine.ts";
import { FAULTS, STATES } from "./simulate/names.ts";
import type { Told } from "./simulate/teller.ts";
import { runTeller } from "./simulate/tellers.ts";

const MOST_TELLERS = 4;
/** An engine in memory grows with every history, and slows down: now and then another process begins. */
const HISTORIES_A_PROCESS = 250;
/** More of them say nothing new. */
const MOST_BROKEN = 4;
const SAY_AT_LEAST = 50;
/** Of a long run. */
const SAY_TIMES = 40;

export const simulate: Part = {
  name: "simulate",
  about: `random histories of ${STEPS} steps, every invariant after every step`,
  faults: FAULTS,
  states: STATES,
  yields: true,
  async run(trial) {
    const size = trial.size(200, 10_000);
    const template = join(trial.directory, "template");
    await writeTemplate(template);
    const tellers = Math.min(MOST_TELLERS, cores(), size);
    const sayEvery = Math.max(SAY_AT_LEAST, Math.floor(size / SAY_TIMES));
    let histories = 0;
    let steps = 0;
    let broken = 0;
    const hear = (told: Told): void => {
      histories += 1;
      steps += told.steps;
      for (const [name, count] of Object.entries(told.counts)) trial.count(name, count);
      if (histories % sayEvery === 0) trial.say(`${histories} of ${size} histories`);
      if (told.broken === undefined) return;
      broken += 1;
      const { what, told: lines } = told.broken;
      const replay = `npm run torture -- simulate --seed ${told.seed} --size 1`;
      trial.violation(`${what}\n  ${lines.join("\n  ")}\n  again: ${replay}`);
    };
    const slice = tellers * HISTORIES_A_PROCESS;
    const task = { template, seed: trial.seed, every: tellers, mostBroken: 2, shrinks: true };
    const running = Array.from({ length: tellers }, async (_, first) => {
      for (let from = first; from < size && broken < MOST_BROKEN; from += slice) {
        await runTeller(trial, { ...task, from, size: Math.min(size, from + slice) }, hear);
      }
    });
    await Promise.all(running);
    trial.fact("histories", histories);
    trial.fact("steps", steps);
    trial.fact("processes", tellers);
  },
};
