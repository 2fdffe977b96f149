// The report as a picture: a bar for each ratio, a tick where its goal is. One file that needs nothing
// beside it, for light pages and dark ones.

import { ENGINE_TITLES, goalText, type Report } from "./report.ts";
import type { Row } from "./row.ts";
import type { EngineName } from "./stage.ts";

const WIDTH = 760;
const LEFT = 150;
const RIGHT = 150;
const BAR = 11;
const GAP = 10;
const TOP = 84;
/** A ratio beyond it is drawn to the edge; its number is beside it all the same. */
const MOST = 3;

const COLORS: Readonly<Record<EngineName, string>> = { postgres: "#336791", embedded: "#c2703d" };

export function chart(report: Report): string {
  const names = [...new Set(report.rows.map(({ name }) => name))];
  const parts: string[] = [];
  let y = TOP;
  for (const name of names) {
    const rows = report.rows.filter((row) => row.name === name);
    const middle = y + (rows.length * (BAR + 3)) / 2;
    parts.push(
      `<text x="${LEFT - 10}" y="${middle + 2}" text-anchor="end">${escaped(name)}</text>`,
    );
    for (const row of rows) {
      parts.push(bar(row, y));
      y += BAR + 3;
    }
    y += GAP;
  }
  const height = y + 16;
  const day = report.startedAt.slice(0, 10);
  const title = `Kopeck against its ceilings, ${day}`;
  const machine = `${report.cores} × ${report.processor}, ${report.loadGenerator}, ${report.mode}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>text{font:12px system-ui,sans-serif;fill:#24292f}.dim{fill:#6e7781}.tick{stroke:#24292f;stroke-width:2}.axis{stroke:#d0d7de}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#8d96a0}.tick{stroke:#e6edf3}.axis{stroke:#3d444d}}</style>`,
    `<text x="16" y="26" style="font-size:16px;font-weight:600">${escaped(title)}</text>`,
    `<text x="16" y="46" class="dim">${escaped(machine)}</text>`,
    legend(),
    `<line class="axis" x1="${LEFT}" y1="${TOP - 6}" x2="${LEFT}" y2="${y}"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function legend(): string {
  const engines = Object.keys(COLORS) as EngineName[];
  const entries = engines.map((engine, index) => {
    const x = 16 + index * 170;
    return `<rect x="${x}" y="57" width="10" height="10" rx="2" fill="${COLORS[engine]}"/><text x="${x + 16}" y="66" class="dim">${escaped(ENGINE_TITLES[engine])}</text>`;
  });
  const x = 16 + engines.length * 170;
  const tick = `<line class="tick" x1="${x}" y1="56" x2="${x}" y2="68"/><text x="${x + 8}" y="66" class="dim">goal; bars are ratios of our figure to the rival's</text>`;
  return [...entries, tick].join("");
}

function bar(row: Row, y: number): string {
  const scale = (ratio: number): number =>
    LEFT + (Math.min(ratio, MOST) / MOST) * (WIDTH - LEFT - RIGHT);
  const end = scale(row.ratio);
  const goal = row.goal === null ? undefined : scale(goalOf(row.goal));
  const aim = row.goal === null ? "" : ` (goal ${goalText(row.goal)})`;
  const label = row.ratio.toFixed(2) + aim;
  const color = COLORS[row.engine];
  return [
    `<rect x="${LEFT}" y="${y}" width="${(end - LEFT).toFixed(1)}" height="${BAR}" rx="2" fill="${color}"><title>${escaped(`${row.what}: ${row.verdict}`)}</title></rect>`,
    goal === undefined
      ? ""
      : `<line class="tick" x1="${goal.toFixed(1)}" y1="${y - 1}" x2="${goal.toFixed(1)}" y2="${y + BAR + 1}"/>`,
    `<text x="${(Math.max(end, goal ?? 0) + 8).toFixed(1)}" y="${y + BAR - 1}" class="dim" style="font-size:11px">${escaped(label)}</text>`,
  ].join("");
}

function goalOf(goal: NonNullable<Row["goal"]>): number {
  return "atLeast" in goal ? goal.atLeast : goal.atMost;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
