// npm run bench [-- --full | --smoke] [--only name,name] [--out directory] [--readme]: how fast the gateway
// is, on both engines, against rivals that run beside it. Prints a table with a goal for each row and
// writes bench.json; with --readme the README's table, too. The exit code is 1 where something failed; a
// goal that was missed is said in the table.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOW_TO_INSTALL } from "../test/postgres.ts";
import { killLeftovers } from "../test/process.ts";
import { type LoadGenerator, openLoad } from "./load.ts";
import { cores, loadAverage, processor, versionOf } from "./machine.ts";
import { type Options, readOptions, understood } from "./options.ts";
import { goalText, markdown, type Report, withTable } from "./report.ts";
import type { Measured } from "./row.ts";
import { GROUPS, ROW_NAMES } from "./rows.ts";
import { openScene } from "./scene.ts";
import { type Engine, openStage, type Stage } from "./stage.ts";

const README = join(import.meta.dirname, "../README.md");
const startedAt = performance.now();

function say(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  process.stderr.write(`${seconds} s  ${line}\n`);
}

async function main(): Promise<void> {
  const usage = `npm run bench -- [--full | --smoke] [--only ROW,ROW] [--out FOLDER] [--readme]
The rows are ${ROW_NAMES.join(", ")}.`;
  const options = understood(usage, () => readOptions(process.argv.slice(2), ROW_NAMES));
  const began = { startedAt: new Date().toISOString(), loadBefore: loadAverage() };
  const stage = await openStage(options.sizes.mode);
  const leave = (): void => {
    killLeftovers();
    stage.remove();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      leave();
      process.exit(130);
    });
  }
  try {
    if (stage.engines.length < 2) say(`no rows of PostgreSQL, it is missing: ${HOW_TO_INSTALL}`);
    const load = openLoad(stage.directory);
    const rows = await measureAll(stage, load, options);
    write({ ...began, ...machine(options, stage, load), rows }, options);
  } finally {
    leave();
  }
}

/** One engine after the other; where only errors matter, both at once. */
async function measureAll(
  stage: Stage,
  load: LoadGenerator,
  options: Options,
): Promise<Measured[]> {
  if (options.sizes.mode === "smoke") {
    const all = stage.engines.map((engine) => measure(engine, load, options));
    return (await Promise.all(all)).flat();
  }
  const rows: Measured[] = [];
  for (const engine of stage.engines) rows.push(...(await measure(engine, load, options)));
  return rows;
}

async function measure(
  engine: Engine,
  load: LoadGenerator,
  { only, sizes }: Options,
): Promise<Measured[]> {
  const wanted = only.length > 0 ? only : ROW_NAMES;
  const isWanted = GROUPS.some(({ rows }) =>
    rows.some(({ name, goals }) => wanted.includes(name) && goals[engine.name] !== undefined),
  );
  if (!isWanted) return [];
  const scene = await openScene(engine, load, sizes, say);
  const rows: Measured[] = [];
  for (const group of GROUPS) {
    await group.measure(scene, wanted, (row) => {
      rows.push(row);
      const ratio = row.ratio === null ? "" : `: ${row.ratio.toFixed(2)} of ${row.rivalName}`;
      const goal = row.goal === null ? "" : `, goal ${goalText(row.goal)}`;
      const figure = `${row.figure.toPrecision(4)} ${row.unit}`;
      say(`${engine.name} ${row.name} ${figure}${ratio}${goal} ${row.note}`);
    });
  }
  await scene.close();
  return rows;
}

function machine({ sizes }: Options, stage: Stage, load: LoadGenerator) {
  return {
    mode: sizes.mode,
    durationSeconds: (performance.now() - startedAt) / 1000,
    processor: processor(),
    cores: cores(),
    loadAfter: loadAverage(),
    versions: {
      Node: process.versions.node,
      PostgreSQL: stage.settings["server_version"]?.split(" ")[0] ?? "none",
      PGlite: versionOf("@electric-sql/pglite"),
      Fastify: versionOf("fastify"),
      wrk: load.version,
    },
    connections: sizes.connections,
    rounds: sizes.rounds,
    roundSeconds: sizes.seconds,
    postgresSettings: stage.settings,
  };
}

function write(report: Report, { out, readme }: Options): void {
  process.stdout.write(`${markdown(report)}\n`);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "bench.json"), `${JSON.stringify(report, null, 2)}\n`);
  if (readme) writeFileSync(README, withTable(readFileSync(README, "utf8"), report));
  say(`written to ${out}`);
}

await main();
