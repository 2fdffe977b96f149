// What the benchmark says: the machine, then one table with a line for each row and a column for each
// engine. The same is what the README shows of it.

import type { Goal, Measured } from "./row.ts";
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
  readonly connections: number;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly postgresSettings: Readonly<Record<string, string>>;
  readonly rows: readonly Measured[];
}

const ENGINE_TITLES: Readonly<Record<EngineName, string>> = {
  postgres: "PostgreSQL",
  embedded: "embedded",
};

export function markdown(report: Report): string {
  const versions = Object.entries(report.versions).map(([name, value]) => `${name} ${value}`);
  const minutes = (report.durationSeconds / 60).toFixed(1);
  const machine = [
    `${report.startedAt.slice(0, 10)}, ${report.mode}, ${minutes} minutes`,
    `${report.cores} × ${report.processor} (load ${report.loadBefore} before)`,
    versions.join(", "),
    `${report.connections} connections`,
    `medians of ${report.rounds} rounds of ${report.roundSeconds} s in turns`,
  ];
  const goals = report.rows.filter(({ isMet }) => isMet !== null);
  const met = goals.filter(({ isMet }) => isMet).length;
  return [
    `${machine.join("; ")}. Figure, **ratio** to the rival (goal). ${met} of ${goals.length} goals are met.`,
    "",
    ...table(report.rows),
  ].join("\n");
}

function table(rows: readonly Measured[]): string[] {
  const engines = [...new Set(rows.map(({ engine }) => engine))];
  const names = [...new Set(rows.map(({ name }) => name))];
  const lines = names.map((name) => {
    const own = rows.filter((row) => row.name === name);
    const cells = engines.map((engine) => cell(own.find((row) => row.engine === engine)));
    const rivals = new Set(own.map(({ rival, rivalName }) => (rival === null ? "" : rivalName)));
    return [`\`${name}\``, own[0]?.what, [...rivals].join(), ...cells].join(" | ");
  });
  const titles = engines.map((engine) => ENGINE_TITLES[engine]);
  const head = ["row", "what", "rival", ...titles];
  return [head.join(" | "), head.map(() => "---").join(" | "), ...lines].map(
    (line) => `| ${line} |`,
  );
}

function cell(row: Measured | undefined): string {
  if (row === undefined) return "";
  const unit = row.unit === "requests/s" ? "/s" : ` ${row.unit}`;
  const ratio = row.ratio === null ? [] : [`**${row.ratio.toFixed(2)}**`];
  const goal = row.goal === null ? "" : ` (${goalText(row.goal)}, ${row.isMet ? "met" : "missed"})`;
  const note = row.note === "" ? [] : [row.note];
  return [figureText(row.figure) + unit, ...ratio].join(", ") + [goal, ...note].join("; ");
}

/** As many digits as tell something. */
function figureText(figure: number): string {
  const digits = figure < 1 ? 3 : figure < 100 ? 1 : 0;
  return figure.toLocaleString("en", { maximumFractionDigits: digits });
}

export function goalText({ atLeast, atMost }: Goal): string {
  return atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
}

const [BEGIN, END] = ["<!-- npm run bench -- --readme -->", "<!-- end -->"];

/** The README with this table in the place of the one before. */
export function withTable(readme: string, report: Report): string {
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from < 0 || to < from) throw new Error("the README has no place for the table");
  return `${readme.slice(0, from)}${BEGIN}\n${markdown(report)}\n${readme.slice(to)}`;
}
