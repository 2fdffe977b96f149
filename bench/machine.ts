// What the figures were measured on.

import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";

export function loadAverage(): string {
  return loadavg()
    .map((load) => load.toFixed(2))
    .join(" ");
}

export function cores(): number {
  return availableParallelism();
}

export function processor(): string {
  return cpus()[0]?.model ?? "a processor";
}

export function versionOf(packageName: string): string {
  const path = join(import.meta.dirname, "../node_modules", packageName, "package.json");
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
