// npm run bench:starts [-- --count 1000 --bare 100 --seconds 3600 --from data]: how many fresh processes
// die before the embedded engine is ready. Each starts one engine after another in the
// same process, as where one has died, on a copy of a database that is there already (of --from, or a new one).
// Those of --bare leave V8 as it comes and are spread among the others, so that one run compares both.
// It ends after --seconds at the latest; the exit code is 1 where one dies that does not leave V8 so.

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openEmbedded } from "../src/platform/db-embedded.ts";
import { openLog } from "../src/platform/log.ts";
import { median } from "./statistics.ts";

const SOCKET = join(import.meta.dirname, "../src/platform/db-embedded.ts");

/** Where V8 stays as it comes, its flags are set by nobody: the engine's own call does nothing. */
const START = `
  import { syncBuiltinESMExports } from "node:module";
  import v8 from "node:v8";
  const [directory, bare] = process.argv.slice(1);
  if (bare === "bare") v8.setFlagsFromString = () => {};
  syncBuiltinESMExports();
  const { startEngine } = await import(${JSON.stringify(SOCKET)});
  const first = await startEngine(directory);
  await first.stop();
  await startEngine(directory);
  const { user, system } = process.cpuUsage();
  const { rss } = process.memoryUsage();
  process.stdout.write(JSON.stringify({ ms: (user + system) / 1000, mb: rss / 2 ** 20 }));
  process.exit();
`;

class Tally {
  readonly #name: string;
  readonly #ms: number[] = [];
  readonly #mb: number[] = [];
  readonly #deaths = new Map<string, number>();
  dead = 0;

  constructor(name: string) {
    this.#name = name;
  }

  add({ status, signal, stdout, stderr }: SpawnSyncReturns<string>): void {
    if (status === 0) {
      const { ms, mb } = JSON.parse(stdout);
      this.#ms.push(ms);
      this.#mb.push(mb);
      return;
    }
    const [words = "no words"] = /Check failed.*/.exec(stderr) ?? [];
    const death = `${signal ?? status}: ${words}`;
    this.#deaths.set(death, (this.#deaths.get(death) ?? 0) + 1);
    this.dead += 1;
  }

  toString(): string {
    const starts = this.#ms.length + this.dead;
    // With no death in n starts the chance of one is below 3/n, with 95 % confidence.
    const bound =
      this.dead === 0 && starts > 0 ? ` (fewer than 1 in ${Math.floor(starts / 3)})` : "";
    const deaths = [...this.#deaths].map(([death, times]) => `\n    ${times} times ${death}`);
    const cost = `${Math.round(median(this.#ms))} ms of a core, ${Math.round(median(this.#mb))} MB`;
    return `${this.#name}: ${starts} starts, ${this.dead} died${bound}; ${cost}${deaths.join("")}`;
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "1000" },
      bare: { type: "string", default: "0" },
      seconds: { type: "string", default: "3600" },
      from: { type: "string" },
    },
  });
  const [count, bare, seconds] = [values.count, values.bare, values.seconds].map(Number);
  if (!isWhole(count) || !isWhole(bare) || !isWhole(seconds)) {
    process.stderr.write("--count, --bare and --seconds are whole numbers.\n");
    return 2;
  }
  const room = mkdtempSync(join(tmpdir(), "kopeck-starts-"));
  try {
    const from = values.from ?? (await createDatabase(join(room, "data")));
    const directory = join(room, "postgres");
    cpSync(join(from, "postgres"), directory, { recursive: true });
    const env = { ...process.env, NODE_COMPILE_CACHE: join(room, "cache") };
    return countStarts({ directory, env, count, bare, seconds });
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}

function isWhole(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && (value ?? -1) >= 0;
}

async function createDatabase(dataDir: string): Promise<string> {
  const db = await openEmbedded({ dataDir, log: openLog("warn") });
  await db.close();
  return dataDir;
}

interface Wanted {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly count: number;
  readonly bare: number;
  readonly seconds: number;
}

function countStarts({ directory, env, count, bare, seconds }: Wanted): number {
  const deadline = performance.now() + seconds * 1000;
  const [ours, left] = [new Tally("as Kopeck starts"), new Tally("V8 as it comes")];
  const args = ["--input-type=module", "--eval", START, directory];
  const start = (tally: Tally, ...more: string[]): void =>
    tally.add(spawnSync(process.execPath, [...args, ...more], { env, encoding: "utf8" }));
  const turns = Math.max(count, bare);
  for (let turn = 1; turn <= turns && performance.now() < deadline; turn += 1) {
    if (isDue(turn, count, turns)) start(ours);
    if (isDue(turn, bare, turns)) start(left, "bare");
    if (turn % 50 === 0) process.stderr.write(`${ours}\n${left}\n`);
  }
  process.stdout.write(`${ours}\n${left}\n`);
  return ours.dead === 0 ? 0 : 1;
}

/** Spreads so many evenly over all turns. */
function isDue(turn: number, wanted: number, turns: number): boolean {
  return Math.floor((turn * wanted) / turns) > Math.floor(((turn - 1) * wanted) / turns);
}

process.exitCode = await main();
