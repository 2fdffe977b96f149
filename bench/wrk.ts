// Load by wrk, on one thread: each thread has a Lua of its own, and lines that are sent once need one.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Lived,
  type Lives,
  type Load,
  type LoadDriver,
  type Loaded,
  runPrefix,
} from "./load-driver.ts";

const LINES = join(import.meta.dirname, "lines.lua");
const LIVES = join(import.meta.dirname, "lives.lua");
/** Whatever is led to its end has ended by then. */
const AT_MOST_SECONDS = 600;
const INSPECT_SECONDS = 1;

export function openWrk(directory: string): LoadDriver | undefined {
  const version = /wrk (?:debian\/)?(\S+)/.exec(
    spawnSync("wrk", ["-v"], { encoding: "utf8" }).stdout,
  );
  if (version === null) return undefined;
  let files = 0;
  const fileOf = (lines: readonly string[]): string => {
    files += 1;
    const path = join(directory, `wrk-${files}`);
    writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
    return path;
  };

  const drive = async (load: Load, inspect: boolean): Promise<Loaded> => {
    const { lines, seconds, connections, url, ratePerSecond = 0 } = load;
    const file = fileOf(
      lines.map(({ method, path, header, value, body }) =>
        [method, path, header, value, body].join("\t"),
      ),
    );
    const turns = load.once ? "once" : "again";
    const args = [file, turns, runPrefix(), String(ratePerSecond), inspect ? "inspect" : ""];
    return run<Loaded>({ script: LINES, url, connections, args, seconds });
  };

  return {
    name: `wrk ${version[1]}`,
    async drive(load) {
      const loaded = await drive(load, false);
      if (loaded.failures === 0) return loaded;
      // Keeping answers costs time of its own, so it is done only where there is one to be seen.
      const again = await drive({ ...load, seconds: INSPECT_SECONDS }, true);
      return { ...again, ...loaded };
    },
    async live(lives: Lives): Promise<Lived> {
      const { shops, steps, until, url, connections, operatorToken, hooks = [] } = lives;
      const shopsFile = fileOf(shops.map(({ id, key }) => `${id}\t${key}`));
      const out = fileOf([]);
      const [kind, many] = "count" in until ? ["count", until.count] : ["seconds", until.seconds];
      const whose = lives.toFirstShopOnly ? "one" : "all";
      const limits = [String(steps), kind, String(many), runPrefix(), whose, operatorToken];
      const args = [shopsFile, ...limits, out, ...hooks];
      const lived = await run<Omit<Lived, "collected">>({ script: LIVES, url, connections, args });
      const collected = readFileSync(out, "utf8").split("\n").filter(Boolean);
      return { ...lived, collected: collected.map((line) => pairOf(line.split("\t"))) };
    },
  };
}

function pairOf([left = "", right = ""]: string[]): [string, string] {
  return [left, right];
}

interface Run {
  readonly script: string;
  readonly url: string;
  readonly connections: number;
  readonly args: readonly string[];
  readonly seconds?: number;
}

/** wrk knows whole seconds only and waits for them in any case: an interrupt ends it at any moment. */
async function run<Result>({ script, url, connections, args, seconds }: Run): Promise<Result> {
  const options = ["-t1", `-c${connections}`, `-d${AT_MOST_SECONDS}s`, "--timeout", "20s"];
  const child = spawn("wrk", [...options, "-s", script, url, "--", ...args]);
  let output = "";
  const interrupt = (): void => void child.kill("SIGINT");
  // It would go on for minutes after a benchmark that failed.
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes;
    if (output.includes("started\n") && seconds !== undefined) {
      timer ??= setTimeout(interrupt, seconds * 1000);
    }
    if (output.includes("ended\n")) interrupt();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    output += bytes;
  });
  await once(child, "close");
  process.off("exit", kill);
  clearTimeout(timer);
  const figures = /^\{.*\}$/m.exec(output)?.[0];
  if (figures === undefined) throw new Error(`wrk gave no figures: ${output}`);
  const firstFailure = /^failure (.*)$/m.exec(output)?.[1];
  return { ...JSON.parse(figures), ...(firstFailure === undefined ? {} : { firstFailure }) };
}
