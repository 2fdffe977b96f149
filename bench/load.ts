// What puts load on a gateway: wrk, on one thread, because each thread has a Lua of its own and lines that
// are sent once need one. Guards that a figure is never that of failures: an answer that is no success
// ends the benchmark.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface RequestLine {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly header: string;
  readonly value: string;
  /** Empty for none. {n} in it becomes a text of its own in every request. */
  readonly body: string;
}

export interface Load {
  readonly url: string;
  readonly lines: readonly RequestLine[];
  /**
   * Else they are sent in turns. Each line once: the load ends with the last one, or when the time is
   * over. To the last answer: it ends with that, and each is looked at, because a list of transfers is a
   * success whatever became of its items.
   */
  readonly each?: "once" | "to the last answer";
  readonly connections: number;
  readonly seconds: number;
  /** Without it, as fast as the answers come. */
  readonly ratePerSecond?: number;
}

interface Failing {
  readonly failures: number;
  readonly firstFailure?: string;
}

export interface Loaded extends Failing {
  readonly answered: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface ShopKey {
  readonly id: string;
  readonly key: string;
}

/** Payments that are led as far as asked: an invoice, its details, the transfer. */
interface Lives {
  readonly url: string;
  readonly shops: readonly ShopKey[];
  readonly toFirstShopOnly?: boolean;
  readonly steps: 1 | 2 | 3;
  /** Where webhooks go, in turns; none without. */
  readonly hooks?: readonly string[];
  readonly connections: number;
  /** When no more are begun; those that were are led to their end. */
  readonly until: { readonly seconds: number } | { readonly count: number };
  readonly operatorToken: string;
}

interface Lived extends Failing {
  readonly begun: number;
  readonly finished: number;
  readonly startedAtMs: number;
  readonly seconds: number;
  /** After one step: number of the shop, invoice. After two: wallet, exact amount. */
  readonly collected: readonly (readonly [string, string])[];
}

export interface LoadGenerator {
  /** Of wrk. */
  readonly version: string;
  drive(load: Load): Promise<Loaded>;
  live(lives: Lives): Promise<Lived>;
}

const LINES = join(import.meta.dirname, "lines.lua");
const LIVES = join(import.meta.dirname, "lives.lua");
/** Whatever is led to its end has ended by then. */
const AT_MOST_SECONDS = 600;
const INSPECT_SECONDS = 1;
/** The shortest rounds may be over before a first answer comes. */
const PATIENCE_SECONDS = 10;

/** Which wrk there is, if any. */
function findWrk(): string | undefined {
  const { stdout } = spawnSync("wrk", ["-v"], { encoding: "utf8" });
  return /wrk (?:debian\/)?(\S+)/.exec(stdout ?? "")?.[1];
}

export function openLoad(directory: string): LoadGenerator {
  const version = findWrk();
  if (version === undefined) throw new Error("wrk is not installed (apt-get install wrk).");
  let files = 0;
  const fileOf = (lines: readonly string[]): string => {
    files += 1;
    const path = join(directory, `wrk-${files}`);
    writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
    return path;
  };
  const send = (load: Load, inspects: boolean): Promise<Loaded> => {
    const { url, connections, each, seconds, ratePerSecond = 0 } = load;
    const lines = load.lines.map(({ method, path, header, value, body }) =>
      [method, path, header, value, body].join("\t"),
    );
    const looks = each === "to the last answer" ? "judge" : inspects ? "inspect" : "";
    const turns = each === undefined ? "again" : "once";
    const args = [fileOf(lines), turns, runPrefix(), String(ratePerSecond), looks];
    const shared = { script: LINES, url, connections, args };
    return run<Loaded>(looks === "judge" ? shared : { ...shared, seconds });
  };
  // Amounts go on where the last run ended, so that few requisites have slots enough.
  let begunBefore = 0;
  return {
    version,
    async drive(load) {
      let loaded = await send(load, false);
      for (let { seconds } = load; hasNoneYet(loaded) && seconds < PATIENCE_SECONDS; ) {
        seconds *= 4;
        loaded = await send({ ...load, seconds }, false);
      }
      const [first] = load.lines;
      const what = `${first?.method} ${first?.path} at ${load.url}`;
      if (loaded.failures > 0 && loaded.firstFailure === undefined) {
        // Keeping answers costs time of its own, so it is done only where there is one to be seen.
        const again = await send({ ...load, seconds: INSPECT_SECONDS }, true);
        throw failed(what, { ...again, failures: loaded.failures }, loaded.answered);
      }
      if (loaded.failures > 0) throw failed(what, loaded, loaded.answered);
      if (loaded.answered === 0) throw new Error(`${what}: nothing was answered`);
      return loaded;
    },
    async live(lives) {
      const { shops, steps, until, url, connections, operatorToken, hooks = [] } = lives;
      const shopsFile = fileOf(shops.map(({ id, key }) => `${id}\t${key}`));
      const out = fileOf([]);
      const [kind, many] = "count" in until ? ["count", until.count] : ["seconds", until.seconds];
      const whose = lives.toFirstShopOnly ? "one" : "all";
      const limits = [steps, kind, many, runPrefix(), whose, operatorToken, begunBefore].map(
        String,
      );
      const args = [shopsFile, ...limits, out, ...hooks];
      const lived = await run<Omit<Lived, "collected">>({ script: LIVES, url, connections, args });
      begunBefore += lived.begun;
      if (lived.failures > 0) throw failed(`payments at ${url}`, lived, lived.finished);
      const collected = readFileSync(out, "utf8").split("\n").filter(Boolean);
      return { ...lived, collected: collected.map((line) => pairOf(line.split("\t"))) };
    },
  };
}

function hasNoneYet({ answered, failures }: Loaded): boolean {
  return answered === 0 && failures === 0;
}

function failed(what: string, { failures, firstFailure }: Failing, of: number): Error {
  const first = firstFailure ?? "no answer: the connection failed, or it did not happen again";
  return new Error(`${what}: ${failures} of ${of} failed; the first: ${first}`);
}

let runs = 0;

/** So that no two runs give the same order id, also on a database of an earlier benchmark. */
function runPrefix(): string {
  runs += 1;
  return `b${process.pid}-${runs}-`;
}

function pairOf([left = "", right = ""]: string[]): [string, string] {
  return [left, right];
}

interface Run {
  readonly script: string;
  readonly url: string;
  readonly connections: number;
  readonly args: readonly string[];
  /** Without it, until the script says that it has ended. */
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
