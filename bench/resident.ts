// How much memory a process of ours takes.

import { readFileSync } from "node:fs";

export function residentMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
