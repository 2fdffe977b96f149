// Known bugs, planted one at a time: each must be caught by the part that its row names, within its quick
// run, and without one that part must pass. Whoever trusts the other parts trusts that they can fail.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findPostgres, HOW_TO_INSTALL } from "../test/postgres.ts";
import type { Part, Trial } from "./part.ts";
import { PLANTED, type Rewrite, rewritten } from "./teeth/plant.ts";
import { BROKE_DOWN, type Verdict } from "./trial.ts";

const PLANT = join(import.meta.dirname, "teeth/plant.ts");
const TORTURE = join(import.meta.dirname, "torture.ts");
const SRC = join(import.meta.dirname, "../src");
/** The last of the migrations is where guards of the database are taken away that would stop a bug. */
const READING = 'readFileSync(join(directory, name), "utf8")';
const IS_LAST = "name === names.toSorted().at(-1)";

interface Bug {
  readonly name: string;
  /** The part that must catch it. */
  readonly by: string;
  readonly rewrites: readonly Rewrite[];
  /** Statements that take away what the database would stop it by. */
  readonly guards: readonly string[];
}

export const BUGS = readBugs();

export const teeth: Part = {
  name: "teeth",
  about: `${BUGS.length} known bugs, planted one at a time, and whether they are caught`,
  faults: ["bug planted"],
  states: ["bug caught", "nothing caught without a bug"],
  // Those of a quick run are simulate's.
  yields: "in a quick run",
  missing: () =>
    findPostgres() === undefined
      ? `PostgreSQL is not installed: some bugs show only there (${HOW_TO_INSTALL}).`
      : undefined,
  async run(trial) {
    checkSharpness();
    const bugs = chosen(trial);
    for (const part of new Set(bugs.map(({ by }) => by))) {
      // The part runs whole beside this one; that nothing is caught without a bug needs no second whole run.
      const { violation } = await runPart(trial, part, [], trial.full ? [] : ["--size", "6"]);
      if (violation === undefined) trial.count("nothing caught without a bug");
      else trial.violation(`${part} without any bug: ${violation}`);
    }
    let caught = 0;
    for (const bug of bugs) {
      trial.count("bug planted");
      const { violation, seconds } = await runPart(trial, bug.by, planted(bug));
      // A part that could not even go on has caught nothing.
      if (violation === undefined || violation.startsWith(BROKE_DOWN)) {
        trial.violation(`not caught by ${bug.by}: ${bug.name} ${violation ?? ""}`);
        continue;
      }
      caught += 1;
      trial.count("bug caught");
      const how = `${bug.by} after ${seconds.toFixed(0)} s: ${violation.slice(0, 160)}`;
      trial.say(`${bug.name}: ${how}`);
      trial.fact(bug.name, how);
    }
    trial.fact("caught", `${caught} of ${bugs.length}`);
  },
};

/** The table: what its lines mean stands at its top. */
function readBugs(): Bug[] {
  const text = readFileSync(join(import.meta.dirname, "teeth/bugs.txt"), "utf8");
  return text
    .split(/^# /m)
    .flatMap((section) => {
      const [heading = "", ...rows] = section.trim().split(/\n\n+/);
      return rows.map((row) => ({ ...readBug(row), by: heading.split("\n")[0] ?? "" }));
    })
    .filter(({ by }) => by !== "about");
}

function readBug(row: string): Omit<Bug, "by"> {
  const [name = "", ...lines] = row.split("\n");
  const begins = (sign: string, from: readonly string[]): string[] =>
    from.filter((line) => line.startsWith(sign)).map((line) => line.slice(2));
  const rewrites = lines
    .join("\n")
    .split(/^(?=@ )/m)
    .map((one): Rewrite => {
      const own = one.split("\n");
      const [file = ""] = begins("@", own);
      return { file, from: begins("-", own).join("\n"), to: begins("+", own).join("\n") };
    });
  const guards = begins("!", lines).flatMap((line) => line.split("; "));
  return { name, rewrites, guards };
}

function planted({ rewrites, guards }: Bug): readonly Rewrite[] {
  if (guards.length === 0) return rewrites;
  const sql = JSON.stringify(guards.map((one) => `${one};`).join("\n"));
  const to = `${READING} + (${IS_LAST} ? ${sql} : "")`;
  return [...rewrites, { file: "platform/migrate.ts", from: READING, to }];
}

/** Every bug's text must be there to be changed, also of those that are not planted this time. */
export function checkSharpness(): void {
  for (const bug of BUGS) {
    for (const rewrite of planted(bug)) {
      try {
        rewritten(readFileSync(join(SRC, rewrite.file), "utf8"), rewrite);
      } catch (error) {
        throw new Error(`"${bug.name}" cannot be planted: ${String(error)}`);
      }
    }
  }
}

/** A few of simulate's and one of another part's, which takes longer; all of them in a full run. */
function chosen({ size, seed }: Trial): readonly Bug[] {
  const wanted = Math.min(size(4, BUGS.length), BUGS.length);
  const begin = ((seed - 1) * wanted) % BUGS.length;
  return [...BUGS, ...BUGS].slice(begin, begin + wanted);
}

interface Outcome {
  readonly violation: string | undefined;
  readonly seconds: number;
}

/** The part's quick run, in a process of its own: the first violation, if there is one. */
async function runPart(
  trial: Trial,
  part: string,
  rewrites: readonly Rewrite[],
  more: readonly string[] = [],
): Promise<Outcome> {
  const told = join(trial.directory, "torture.json");
  // One that does not even start tells nothing, and must not be taken for the one before it.
  rmSync(told, { force: true });
  const args = [TORTURE, part, "--seed", String(trial.seed), "--out", trial.directory, ...more];
  const child = spawn(process.execPath, ["--import", PLANT, ...args], {
    env: { ...process.env, [PLANTED]: JSON.stringify(rewrites) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  trial.later(() => child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => {
    said = (said + bytes).slice(-4_000);
  });
  await once(child, "close");
  if (!existsSync(told)) return { violation: `${BROKE_DOWN}${said}`, seconds: 0 };
  const { verdicts } = JSON.parse(readFileSync(told, "utf8"));
  const [{ reasons, seconds, verdict }] = verdicts as [Verdict];
  if (verdict === "cannot run") throw new Error(`${part} cannot run: ${reasons.join()}`);
  const [violation] = reasons.filter((one) => !/^(never|again): /.test(one));
  return { violation: violation?.replace(/\n[\s\S]*\n {2}again:.*$/, ""), seconds };
}
