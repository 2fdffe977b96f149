// Known bugs, planted one at a time: each must be caught by the histories' checks or by a race, and
// without one nothing may be caught. Whoever trusts the other parts trusts that they can fail.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { cores } from "../bench/machine.ts";
import { type Cluster, findPostgres, HOW_TO_INSTALL, startCluster } from "../test/postgres.ts";
import type { Part, Trial } from "./part.ts";
import { writeTemplate } from "./simulate/memory-engine.ts";
import { type Preload, runTask, runTeller } from "./simulate/tellers.ts";
import type { Bug } from "./teeth/bug.ts";
import { BUGS } from "./teeth/bugs.ts";
import { PLANTED, rewritten } from "./teeth/plant.ts";
import type { Raced, RaceTask } from "./teeth/racer.ts";

const PLANT = join(import.meta.dirname, "teeth/plant.ts");
const RACER = join(import.meta.dirname, "teeth/racer.ts");
const SRC = join(import.meta.dirname, "../src");
const MOST_HISTORIES = 80;
const MOST_ROUNDS = 60;
const CONTROL_HISTORIES = 10;
const CONTROL_ROUNDS = 10;

export const teeth: Part = {
  name: "teeth",
  about: `${BUGS.length} known bugs, planted one at a time, and whether they are caught`,
  faults: ["bug planted for histories", "bug planted for a race"],
  states: ["caught in a history", "caught in a race", "nothing caught without a bug"],
  missing: () =>
    findPostgres() === undefined
      ? `PostgreSQL is not installed: some bugs show only there (${HOW_TO_INSTALL}).`
      : undefined,
  async run(trial) {
    checkSharpness();
    const template = join(trial.directory, "template");
    await writeTemplate(template);
    const cluster = await startCluster(findPostgres() ?? "");
    trial.later(() => cluster.remove());
    const bugs = chosen(trial);
    let caught = 0;
    const works = [
      () => control(trial, template, cluster),
      ...bugs.map((bug, index) => async () => {
        const how =
          bug.race === undefined
            ? await inHistories(trial, bug, template)
            : await inRace(trial, bug, cluster, `bug_${index}`);
        if (how === undefined) {
          trial.violation(`not caught: ${bug.name}`);
          return;
        }
        caught += 1;
        trial.say(`${bug.name}: ${how}`);
        trial.fact(bug.name, how);
      }),
    ];
    const workers = Array.from({ length: cores() }, async () => {
      for (let work = works.shift(); work !== undefined; work = works.shift()) await work();
    });
    await Promise.all(workers);
    trial.fact("caught", `${caught} of ${bugs.length}`);
  },
};

/** Every bug's text must be there to be changed, also of those that are not planted this time. */
function checkSharpness(): void {
  for (const { name, rewrites } of BUGS) {
    for (const rewrite of rewrites) {
      try {
        rewritten(readFileSync(join(SRC, rewrite.file), "utf8"), rewrite);
      } catch (error) {
        throw new Error(`"${name}" cannot be planted: ${String(error)}`);
      }
    }
  }
}

function chosen({ size, random }: Trial): Bug[] {
  const wanted = Math.min(size(6, BUGS.length), BUGS.length);
  const [races, others] = [true, false].map((isRace) =>
    random.shuffle(BUGS.filter(({ race }) => (race !== undefined) === isRace)),
  ) as [Bug[], Bug[]];
  const forRaces = Math.max(1, Math.round((wanted * races.length) / BUGS.length));
  return [...races.slice(0, forRaces), ...others.slice(0, wanted - forRaces)];
}

function preloadOf({ rewrites }: Bug): Preload {
  return { file: PLANT, env: { [PLANTED]: JSON.stringify(rewrites) } };
}

/** By what it was caught and when; nothing where it was not. */
async function inHistories(trial: Trial, bug: Bug, template: string): Promise<string | undefined> {
  trial.count("bug planted for histories");
  let histories = 0;
  let how: string | undefined;
  await runTeller(
    trial,
    {
      ...{ template, seed: trial.seed, size: MOST_HISTORIES, every: 1, from: 0, mostBroken: 1 },
      ...{ shrinks: false, ...(bug.sql === undefined ? {} : { sql: bug.sql }) },
    },
    (told) => {
      histories += 1;
      if (told.broken === undefined) return;
      const what = told.broken.what.split("\n")[0]?.slice(0, 90);
      how = `${what} (history ${histories}, step ${told.broken.step})`;
    },
    preloadOf(bug),
  );
  if (how !== undefined) trial.count("caught in a history");
  return how;
}

async function inRace(
  trial: Trial,
  bug: Bug,
  cluster: Cluster,
  database: string,
): Promise<string | undefined> {
  trial.count("bug planted for a race");
  const { broken, rounds } = await race(trial, cluster, database, MOST_ROUNDS, bug);
  if (broken === undefined) return undefined;
  trial.count("caught in a race");
  return `${broken} (round ${rounds})`;
}

async function race(
  trial: Trial,
  cluster: Cluster,
  database: string,
  rounds: number,
  bug: Bug,
  isPlanted = true,
): Promise<Raced> {
  const client = new pg.Client({ connectionString: cluster.url("postgres") });
  await client.connect();
  await client.query(`create database ${database}`);
  await client.end();
  const { sql, race: name = "refunds" } = bug;
  const task: RaceTask = {
    ...{ databaseUrl: cluster.url(database), race: name, rounds },
    ...(sql === undefined || !isPlanted ? {} : { sql }),
  };
  let raced: Raced = { rounds: 0 };
  const hear = (line: Raced): void => {
    raced = line;
  };
  await runTask(trial, RACER, task, hear, isPlanted ? preloadOf(bug) : undefined);
  return raced;
}

/** The same histories and the same races without a bug. */
async function control(trial: Trial, template: string, cluster: Cluster): Promise<void> {
  let isGreen = true;
  const complain = (what: string): void => {
    isGreen = false;
    trial.violation(`without any bug: ${what}`);
  };
  await runTeller(
    trial,
    {
      ...{ template, seed: trial.seed, size: CONTROL_HISTORIES, every: 1, from: 0 },
      ...{ mostBroken: 1, shrinks: false },
    },
    ({ broken }) => broken !== undefined && complain(broken.what),
  );
  for (const bug of BUGS.filter((one) => one.race !== undefined)) {
    const database = `control_${bug.race}`;
    const { broken } = await race(trial, cluster, database, CONTROL_ROUNDS, bug, false);
    if (broken !== undefined) complain(broken);
  }
  if (isGreen) trial.count("nothing caught without a bug");
}
