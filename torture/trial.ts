// Runs one part: counts what it does, undoes what it has started, and judges.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Options } from "./options.ts";
import type { Part, Trial } from "./part.ts";
import { randomOf } from "./random.ts";

export interface Verdict {
  readonly part: string;
  readonly about: string;
  readonly seed: number;
  readonly verdict: "passed" | "failed" | "cannot run";
  /** Why it failed, or why it cannot run. */
  readonly reasons: readonly string[];
  readonly faults: Readonly<Record<string, number>>;
  readonly states: Readonly<Record<string, number>>;
  readonly facts: Readonly<Record<string, string | number>>;
  readonly seconds: number;
}

/** How a reason begins that is nothing found: the part itself could not go on. */
export const BROKE_DOWN = "broke down: ";
/** More of the same are not worth reading. */
const TOLD_VIOLATIONS = 20;

export async function judge(
  part: Part,
  { full, seed, size }: Options,
  say: (line: string) => void,
): Promise<Verdict> {
  const { name, about } = part;
  const missing = part.missing?.();
  if (missing !== undefined) {
    const nothing = { faults: {}, states: {}, facts: {}, seconds: 0 };
    return { part: name, about, seed, verdict: "cannot run", reasons: [missing], ...nothing };
  }
  const startedAt = performance.now();
  const { states } = part;
  const faults = [...part.faults, ...(full ? (part.faultsOfFull ?? []) : [])];
  const counts = new Map([...faults, ...states].map((one) => [one, 0]));
  const facts: Record<string, string | number> = {};
  const violations: string[] = [];
  const broken: string[] = [];
  const undoing: (() => unknown)[] = [];
  const directory = mkdtempSync(join(tmpdir(), `kopeck-torture-${name}-`));
  chmodSync(directory, 0o711);
  const trial: Trial = {
    full,
    seed,
    random: randomOf(seed),
    directory,
    size: (quick, whole) => size ?? (full ? whole : quick),
    count(one, by = 1) {
      const before = counts.get(one);
      if (before === undefined) throw new Error(`${name} counts ${one} without having said so`);
      counts.set(one, before + by);
    },
    violation(what) {
      violations.push(what);
      if (violations.length <= TOLD_VIOLATIONS) say(`VIOLATION ${what}`);
    },
    fact(one, value) {
      facts[one] = value;
    },
    say,
    later: (undo) => void undoing.push(undo),
  };
  const breaks = (error: unknown) => void broken.push(`${BROKE_DOWN}${inspect(error)}`);
  // What nobody waits for would end the whole run, the other parts' verdicts too.
  process.on("uncaughtException", breaks);
  await Promise.try(() => part.run(trial)).catch(breaks);
  for (const undo of undoing.toReversed()) await Promise.try(undo).catch(breaks);
  process.off("uncaughtException", breaks);
  rmSync(directory, { recursive: true, force: true });
  const never = [...counts].filter(([, count]) => count === 0).map(([one]) => `never: ${one}`);
  const wrong = [...violations.slice(0, TOLD_VIOLATIONS), ...broken, ...never];
  const again = `npm run torture -- ${name}${full ? " --full" : ""} --seed ${seed}`;
  const sized = size === undefined ? "" : ` --size ${size}`;
  const pick = (names: readonly string[]): Record<string, number> =>
    Object.fromEntries(names.map((one) => [one, counts.get(one) ?? 0]));
  return {
    part: name,
    about,
    seed,
    verdict: wrong.length === 0 ? "passed" : "failed",
    reasons: wrong.length === 0 ? [] : [...wrong, `again: ${again}${sized}`],
    faults: pick(faults),
    states: pick(states),
    facts,
    seconds: (performance.now() - startedAt) / 1000,
  };
}
