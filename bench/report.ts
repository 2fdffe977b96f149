// What the benchmark says: the machine, then a table for each engine.

import type { Goal, Row } from "./row.ts";
import type { EngineName } from "./stage.ts";

export interface Report {
  readonly mode: string;
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly processor: string;
  readonly cores: number;
  readonly loadBefore: string;
  readonly loadAfter: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly loadGenerator: string;
  readonly connections: number;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly postgresSettings: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

export const ENGINE_TITLES: Readonly<Record<EngineName, string>> = {
  postgres: "PostgreSQL",
  embedded: "The embedded engine",
};

export function markdown(report: Report): string {
  const settings = Object.entries(report.postgresSettings).map(
    ([name, value]) => `${name}=${value}`,
  );
  const versions = Object.entries(report.versions).map(([name, value]) => `${name} ${value}`);
  const head = [
    `${report.startedAt}, ${report.mode}, ${report.durationSeconds.toFixed(0)} s`,
    `${report.cores} × ${report.processor}; load ${report.loadBefore} before, ${report.loadAfter} after`,
    `${versions.join(", ")}; load by ${report.loadGenerator}`,
    `${report.connections} connections, medians of ${report.rounds} rounds of ${report.roundSeconds} s in turns`,
    ...(settings.length > 0 ? [`PostgreSQL: ${settings.join(", ")}`] : []),
  ];
  const engines = [...new Set(report.rows.map(({ engine }) => engine))];
  const tables = engines.map((engine) =>
    table(
      ENGINE_TITLES[engine],
      report.rows.filter((row) => row.engine === engine),
    ),
  );
  return [...head.map((line) => `- ${line}`), "", ...tables].join("\n");
}

function table(title: string, rows: readonly Row[]): string {
  return [
    `## ${title}`,
    "",
    "| row | what | ours | rival | ratio | goal | p50 ms | p99 ms | verdict |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows.map(line),
    "",
  ].join("\n");
}

function line(row: Row): string {
  const digits = row.unit === "p99 ms" ? 1 : 0;
  const time = (ms: number | null): string => (ms === null ? "" : ms.toFixed(1));
  const cells = [
    row.name,
    row.note === "" ? row.what : `${row.what} (${row.note})`,
    `${row.ours.toFixed(digits)} ${row.unit}`,
    `${row.rival.toFixed(digits)} (${row.rivalName})`,
    row.ratio.toFixed(2),
    goalText(row.goal),
    ...[time(row.p50Ms), time(row.p99Ms), row.verdict],
  ];
  return `| ${cells.join(" | ")} |`;
}

export function goalText(goal: Goal | null): string {
  if (goal === null) return "";
  return "atLeast" in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}
