// Kopeck as a process of its own, started as an operator would start it.

import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";

/** Those of the entrance itself, which only a shell reads. */
const FLAGS = ["--max-semi-space-size=8"];
const ENTRANCE = join(import.meta.dirname, "../bin/kopeck.mjs");

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly ended: Promise<Ended>;
  readonly output: () => string;
}

const children = new Set<ChildProcess>();

/** So that a test that fails half-way leaves no process behind. */
export function killLeftovers(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** A bug that the torture has planted in this process is planted in the gateways that it starts. */
function planted(): Record<string, string> {
  const { KOPECK_TORTURE_PLANTED: rewrites } = process.env;
  const plant = join(import.meta.dirname, "../torture/teeth/plant.ts");
  return rewrites ? { KOPECK_TORTURE_PLANTED: rewrites, NODE_OPTIONS: `--import=${plant}` } : {};
}

/** The environment is exactly what is given: nothing of the machine's own leaks in. */
export function runKopeck(
  env: Record<string, string>,
  args: readonly string[] = [],
  input = "",
): Running {
  const child = spawn(process.execPath, [...FLAGS, ENTRANCE, ...args], {
    // An empty sandbox, unless its history is what is looked at.
    env: { HOME: "/nonexistent", KOPECK_SANDBOX_HISTORY: "off", ...planted(), ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  children.add(child);
  // Most do not read it.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes: Buffer) => {
    stdout += bytes;
  });
  child.stderr.on("data", (bytes: Buffer) => {
    stderr += bytes;
  });
  const ended = once(child, "close").then(([code]) => ({ code, stdout, stderr }));
  const url = `http://127.0.0.1:${env["PORT"]}`;
  return { child, url, ended, output: () => stdout + stderr };
}

/** Asks until the gateway answers that it is ready, or its process has ended. */
export async function ready({ url, ended, output }: Running): Promise<void> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Kopeck ended before it was ready: ${output()}`);
}

/** Below those that the kernel gives to connections, which would take it while its server is restarted. */
const PORTS = { first: 10_000, end: 32_768 };
/** As many a process has for itself: another one never picks what this one is about to listen on. */
const OWN_PORTS = 64;
let ownPorts: Promise<number> | undefined;
let picked = 0;

export async function freePort(): Promise<number> {
  ownPorts ??= claimPorts();
  const first = await ownPorts;
  for (let tries = 1; tries < OWN_PORTS; tries += 1) {
    picked = (picked % (OWN_PORTS - 1)) + 1;
    const port = first + picked;
    const server = await listenAt(port);
    if (server === undefined) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error("Of this process's own ports none is free.");
}

/** The first of them is held as long as the process lives: whoever holds it has the others. */
async function claimPorts(): Promise<number> {
  for (;;) {
    const first =
      PORTS.first + OWN_PORTS * randomInt(Math.floor((PORTS.end - PORTS.first) / OWN_PORTS));
    const server = await listenAt(first);
    if (server === undefined) continue;
    server.unref();
    return first;
  }
}

function listenAt(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
