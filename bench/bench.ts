// npm run bench [-- --full | --smoke] [--only name,name] [--out directory] [--autocannon]: how fast the
// gateway is, on both engines, against rivals that run beside it. Writes a table, bench.json and
// bench.svg. The exit code is 1 where something failed; a goal that was missed is said in the table.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findViolations } from "../src/features/ledger/queries.ts";
import { HOW_TO_INSTALL } from "../test/postgres.ts";
import { killLeftovers } from "../test/process.ts";
import { chart } from "./chart.ts";
import { DOOR_ROWS } from "./door-rows.ts";
import { type LoadGenerator, openLoad } from "./load.ts";
import { cores, loadAverage, processor, versionOf } from "./machine.ts";
import { MONEY_ROWS } from "./money-rows.ts";
import { type Options, readOptions } from "./options.ts";
import { markdown, type Report } from "./report.ts";
import { RIVAL_ROWS } from "./rival-rows.ts";
import type { Row } from "./row.ts";
import type { RowMaker } from "./row-maker.ts";
import { openScene } from "./scene.ts";
import { type Engine, openStage, type Stage } from "./stage.ts";
import { STRANGER_ROWS } from "./stranger-rows.ts";
import { TROUBLE_ROWS } from "./trouble-rows.ts";

const MAKERS: readonly RowMaker[] = [
  ...DOOR_ROWS,
  ...MONEY_ROWS,
  ...RIVAL_ROWS,
  ...TROUBLE_ROWS,
  ...STRANGER_ROWS,
];

const startedAt = performance.now();

function say(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  process.stderr.write(`${seconds} s  ${line}\n`);
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const known = MAKERS.flatMap(({ names }) => names as readonly string[]);
  const unknown = options.only.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`no row ${unknown}; there are ${known.join(", ")}`);
  const began = { at: new Date().toISOString(), load: loadAverage() };
  const stage = await openStage();
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
    if (stage.engines.length < 2) {
      process.stderr.write(
        `PostgreSQL is not installed: its rows do not run (${HOW_TO_INSTALL}).\n`,
      );
    }
    const load = openLoad(stage.directory, options.autocannon);
    const rows = await measureAll(stage, load, options);
    write(reportOf(options, stage, load, rows, began), options.out);
  } finally {
    leave();
  }
}

/** One engine after the other; where only errors matter, both at once. */
async function measureAll(stage: Stage, load: LoadGenerator, options: Options): Promise<Row[]> {
  if (options.sizes.mode === "smoke") {
    const all = stage.engines.map((engine) => measure(engine, load, options));
    return (await Promise.all(all)).flat();
  }
  const rows: Row[] = [];
  for (const engine of stage.engines) rows.push(...(await measure(engine, load, options)));
  return rows;
}

async function measure(engine: Engine, load: LoadGenerator, options: Options): Promise<Row[]> {
  const { only, sizes } = options;
  const wanted = MAKERS.filter(({ names, engines, quickOn }) => {
    if (engines !== undefined && !engines.includes(engine.name)) return false;
    if (only.length > 0) return names.some((name) => only.includes(name));
    return sizes.mode !== "quick" || quickOn === undefined || quickOn.includes(engine.name);
  });
  const scene = await openScene(engine, load, sizes, say);
  const rows: Row[] = [];
  for (const maker of wanted) {
    say(`${engine.name}: ${maker.names.join(", ")}`);
    const measured = await maker.measure(scene);
    for (const row of measured) {
      if (!(row.ours > 0 && row.rival > 0)) throw new Error(`${row.name} has no figure`);
      rows.push(row);
      say(
        `  ${row.name} ${row.ours.toFixed(0)} to ${row.rival.toFixed(0)}: ${row.ratio.toFixed(2)}`,
      );
    }
  }
  say(`${engine.name}: stops`);
  await scene.close();
  say(`${engine.name}: whether the books are right`);
  const violations = await scene.database.open(({ db, clock }) => findViolations(db, clock.now()));
  if (violations.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(violations)}`);
  return rows;
}

function reportOf(
  { sizes }: Options,
  stage: Stage,
  load: LoadGenerator,
  rows: readonly Row[],
  began: { at: string; load: string },
): Report {
  return {
    ...{ mode: sizes.mode, startedAt: began.at, loadBefore: began.load, loadAfter: loadAverage() },
    durationSeconds: (performance.now() - startedAt) / 1000,
    ...{ processor: processor(), cores: cores(), loadGenerator: load.name },
    versions: {
      Node: process.versions.node,
      PostgreSQL: stage.settings["server_version"] ?? "none",
      PGlite: versionOf("@electric-sql/pglite"),
      Fastify: versionOf("fastify"),
    },
    ...{ connections: sizes.connections, rounds: sizes.rounds, roundSeconds: sizes.seconds },
    ...{ postgresSettings: stage.settings, rows },
  };
}

function write(report: Report, out: string): void {
  process.stdout.write(`${markdown(report)}\n`);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "bench.json"), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(out, "bench.svg"), chart(report));
  say(`written to ${out}`);
}

await main();
