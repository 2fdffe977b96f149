// What a run has found, as people read it.

import type { Verdict } from "./trial.ts";

export interface Report {
  readonly mode: "quick" | "full";
  readonly startedAt: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly verdicts: readonly Verdict[];
  /** Parts that were asked for and have not ended yet. */
  readonly missing: readonly string[];
}

export function markdown({
  mode,
  startedAt,
  machine,
  versions,
  seconds,
  verdicts,
}: Report): string {
  const told = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `Torture, ${mode}, ${startedAt.slice(0, 16).replace("T", " ")} UTC, ${seconds.toFixed(0)} s in all.`,
    `${machine}; ${told.join(", ")}.`,
    "",
    "| part | verdict | seed | s | inflicted | reached | figures |",
    "|---|---|---|---|---|---|---|",
    ...verdicts.map(line),
    ...verdicts.flatMap(reasonsOf),
  ].join("\n");
}

function line({ part, verdict, seed, seconds, faults, states, facts }: Verdict): string {
  const cells = [part, `**${verdict}**`, seed, seconds.toFixed(0)];
  return `| ${[...cells, list(faults), list(states), list(facts)].join(" | ")} |`;
}

const list = (all: Readonly<Record<string, string | number>>): string =>
  Object.entries(all)
    .map(([name, value]) => `${name} ${typeof value === "number" ? grouped(value) : value}`)
    .join(", ");

const grouped = (value: number): string => value.toLocaleString("en-US");

function reasonsOf({ part, reasons }: Verdict): string[] {
  return reasons.length === 0 ? [] : ["", `${part}:`, ...reasons.map((reason) => `- ${reason}`)];
}
