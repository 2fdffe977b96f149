// npm run torture [-- --full] [part part …] [--seed n] [--size n] [--out directory]: tries to make the
// gateway lose or double money. Everything stays on the loopback and ends by itself. The exit code is
// 1 where a part failed; a part that this machine cannot run is named, and not counted as passed.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cores, processor, versionOf } from "../bench/machine.ts";
import { killLeftovers } from "../test/process.ts";
import { crash } from "./crash.ts";
import { hooks } from "./hooks.ts";
import { hostile } from "./hostile.ts";
import { type Options, readOptions } from "./options.ts";
import type { Part } from "./part.ts";
import { races } from "./races.ts";
import { markdown, type Report } from "./report.ts";
import { simulate } from "./simulate.ts";
import { soak } from "./soak.ts";
import { teeth } from "./teeth.ts";
import { judge, type Verdict } from "./trial.ts";

const PARTS: readonly Part[] = [simulate, teeth, races, crash, hooks, hostile, soak];

const startedAt = performance.now();
const began = new Date().toISOString();

function say(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  process.stderr.write(`${seconds} s  ${line}\n`);
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const known = PARTS.map(({ name }) => name);
  const unknown = options.only.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`no part ${unknown}; there are ${known.join(", ")}`);
  const wanted = PARTS.filter(
    ({ name }) => options.only.length === 0 || options.only.includes(name),
  );
  const verdicts: Verdict[] = [];
  const report = (): Report => reportOf(options, wanted, verdicts);
  const run = async (part: Part): Promise<void> => {
    say(`${part.name}: ${part.about}; seed ${options.seed}`);
    const verdict = await judge(part, options, (line) => say(`  ${part.name}: ${line}`));
    verdicts.push(verdict);
    say(`${part.name}: ${verdict.verdict} in ${verdict.seconds.toFixed(1)} s`);
    for (const reason of verdict.reasons) say(`  ${reason.split("\n")[0]}`);
    // At once, so that whoever ends a run of hours has what it came to.
    keep(report(), options.out);
  };
  const beside = Promise.all(wanted.filter(({ yields }) => yields).map(run));
  // Heard of where it is waited for.
  beside.catch(() => {});
  for (const part of wanted.filter(({ yields }) => !yields)) {
    await run(part);
    killLeftovers();
  }
  await beside;
  process.stdout.write(`${markdown(report())}\n`);
  say(`written to ${options.out}`);
  if (verdicts.some(({ verdict }) => verdict === "failed")) process.exitCode = 1;
}

function reportOf(
  { full }: Options,
  wanted: readonly Part[],
  verdicts: readonly Verdict[],
): Report {
  const names = wanted.map(({ name }) => name);
  const place = ({ part }: Verdict): number => names.indexOf(part);
  return {
    ...{ mode: full ? "full" : "quick", startedAt: began },
    machine: `${cores()} × ${processor()}`,
    versions: {
      Node: process.versions.node,
      PGlite: versionOf("@electric-sql/pglite"),
      Fastify: versionOf("fastify"),
    },
    seconds: (performance.now() - startedAt) / 1000,
    verdicts: verdicts.toSorted((left, right) => place(left) - place(right)),
    missing: names.filter((name) => verdicts.every(({ part }) => part !== name)),
  };
}

function keep(report: Report, out: string): void {
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "torture.json"), `${JSON.stringify(report, null, 2)}\n`);
}

// Ended in the middle, it still leaves nothing behind that only it knows of.
process.once("exit", killLeftovers);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
await main();
