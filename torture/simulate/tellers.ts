// Starting processes that tell histories, and others that are given a task as JSON and answer in lines of
// it, and hearing what they say.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Trial } from "../part.ts";
import type { Task, Told } from "./teller.ts";

const TELLER = join(import.meta.dirname, "teller.ts");
/** More is not worth showing. */
const KEPT_OUTPUT = 4_000;

/** Before the process loads anything. */
export interface Preload {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
}

export function runTeller(
  trial: Trial,
  task: Task,
  hear: (told: Told) => void,
  preload?: Preload,
): Promise<void> {
  return runTask(trial, TELLER, task, hear, preload);
}

/** Ends when it has said everything; a process that fails is an error. */
export async function runTask<Line>(
  trial: Trial,
  file: string,
  task: unknown,
  hear: (line: Line) => void,
  preload?: Preload,
): Promise<void> {
  const flags = preload === undefined ? [] : ["--import", preload.file];
  const child: ChildProcess = spawn(process.execPath, [...flags, file, JSON.stringify(task)], {
    env: { ...process.env, ...preload?.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  trial.later(() => child.kill("SIGKILL"));
  let errors = "";
  child.stderr?.on("data", (bytes: Buffer) => {
    errors = (errors + bytes).slice(-KEPT_OUTPUT);
  });
  const ended = once(child, "close");
  if (child.stdout === null) throw new Error("no output");
  for await (const line of createInterface(child.stdout)) hear(JSON.parse(line) as Line);
  const [code] = await ended;
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${errors}`);
}
