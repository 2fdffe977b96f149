// npm run torture [-- --full] [part part …] [--seed n] [--size n] [--out directory]: tries to make the
// gateway lose or double money. Everything stays on the loopback and ends by itself. The exit code is
// 1 where a part failed; a part that this machine cannot run is named, and not counted as passed.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { cores, processor, versionOf } from "../bench/machine.ts";
import { understood } from "../bench/options.ts";
import { killLeftovers } from "../test/process.ts";
import { crash } from "./crash.ts";
import { failover } from "./failover.ts";
import { fuzz } from "./fuzz.ts";
import { readOptions } from "./options.ts";
import type { Part } from "./part.ts";
import { payouts } from "./payouts.ts";
import { races } from "./races.ts";
import { simulate } from "./simulate.ts";
import { soak } from "./soak.ts";
import { teeth } from "./teeth.ts";
import { judge, type Verdict } from "./trial.ts";

const PARTS: readonly Part[] = [simulate, teeth, races, crash, payouts, fuzz, soak, failover];

const began = new Date().toISOString();
const seconds = (): string => (performance.now() / 1000).toFixed(0);

function say(line: string): void {
  process.stderr.write(`${seconds().padStart(4)} s  ${line}\n`);
}

async function main(): Promise<void> {
  const names = PARTS.map(({ name }) => name);
  const usage = `npm run torture -- [PART …] [--full] [--seed N] [--size N] [--out FOLDER]
The parts are ${names.join(", ")}.`;
  const options = understood(usage, () => readOptions(process.argv.slice(2), names));
  const { only, full, out, seed } = options;
  const wanted = PARTS.filter(({ name, byName }) =>
    only.length === 0 ? !byName : only.includes(name),
  );
  const verdicts = new Map<Part, Verdict>();
  const run = async (part: Part): Promise<void> => {
    say(`${part.name}: ${part.about}; seed ${seed}`);
    const verdict = await judge(part, options, (line) => say(`  ${part.name}: ${line}`));
    verdicts.set(part, verdict);
    say(`${part.name}: ${verdict.verdict} in ${verdict.seconds.toFixed(1)} s`);
    for (const reason of verdict.reasons) say(`  ${reason.split("\n")[0]}`);
    // At once, so that whoever ends a run of hours has what it came to.
    mkdirSync(out, { recursive: true });
    const missing = wanted.filter((one) => !verdicts.has(one)).map(({ name }) => name);
    const report = { began, full, verdicts: [...verdicts.values()], missing };
    writeFileSync(join(out, "torture.json"), `${JSON.stringify(report, null, 2)}\n`);
  };
  const goesBeside = ({ yields }: Part): boolean => yields === "always" || (!full && !!yields);
  const beside = Promise.all(wanted.filter(goesBeside).map(run));
  // Heard of where it is waited for.
  beside.catch(() => {});
  for (const part of wanted.filter((one) => !goesBeside(one))) {
    await run(part);
    killLeftovers();
  }
  await beside;
  const all = wanted.flatMap((part) => verdicts.get(part) ?? []);
  process.stdout.write(`${markdown(full ? "full" : "quick", all)}\n`);
  say(`written to ${out}`);
  if (all.some(({ verdict }) => verdict === "failed")) process.exitCode = 1;
}

/** What a run has found, as people read it. */
function markdown(mode: string, verdicts: readonly Verdict[]): string {
  const list = (all: Readonly<Record<string, string | number>>): string =>
    Object.entries(all)
      .map(([name, value]) => `${name} ${value.toLocaleString("en-US")}`)
      .join(", ");
  const versions = `Node ${process.versions.node}, PGlite ${versionOf("@electric-sql/pglite")}`;
  return [
    `Torture, ${mode}, ${began.slice(0, 16).replace("T", " ")} UTC, ${seconds()} s in all.`,
    `${cores()} × ${processor()}; ${versions}.`,
    "",
    "| part | verdict | seed | s | inflicted | reached | figures |",
    "|---|---|---|---|---|---|---|",
    ...verdicts.map((one) => {
      const told = [one.faults, one.states, one.facts].map(list);
      const cells = [one.part, `**${one.verdict}**`, one.seed, one.seconds.toFixed(0), ...told];
      return `| ${cells.join(" | ")} |`;
    }),
    ...verdicts.flatMap(({ part, reasons }) => reasons.map((reason) => `- ${part}: ${reason}`)),
  ].join("\n");
}

// Ended in the middle, it still leaves nothing behind that only it knows of.
process.once("exit", killLeftovers);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
// What a part has left behind and nobody waits for fails the run, and does not end it.
process.on("uncaughtException", (error) => {
  say(inspect(error));
  process.exitCode = 1;
});
await main();
