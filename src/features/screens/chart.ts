// Charts, drawn on the server as SVG: bars by time and lines by time. Guards
// that heights begin at zero, that what is not over yet looks unfinished, and that no two series differ by
// colour alone: bars are in one order, lines have dashes, all have a legend in words.

import { type Html, html } from "../../platform/html.ts";
import {
  chartFrame,
  MOST_SLOTS,
  middleOf,
  nothingDrawn,
  PLOT_PX,
  type Slot,
} from "./chart-frame.ts";
import { rounded, type Scale, scaleOf } from "./chart-scale.ts";
import type { Look } from "./look.ts";

interface Bar {
  readonly label: string;
  readonly href?: string;
  /** One on top of the other; what is below zero hangs down. */
  readonly parts: readonly number[];
  readonly isUnfinished?: boolean;
}

export interface BarChart {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly series: readonly string[];
  format(value: number): string;
  readonly look: Look;
}

/** Percent of the width; a bar alone is no wall. */
const WIDEST_BAR = 6;
const HATCH = "M-1 1l2-2M0 6l6-6M5 7l2-2";

export function barChart({ title, bars: all, series, format, look }: BarChart): Html {
  const bars = all.slice(-MOST_SLOTS);
  if (!bars.some(({ parts }) => parts.some((value) => value !== 0))) {
    return nothingDrawn(title, look);
  }
  const ends = bars.flatMap(({ parts }) => [sumOf(parts, 1), sumOf(parts, -1)]);
  const scale = scaleOf(ends, PLOT_PX, format, look.language);
  const hatch = `hatch-${markOf(title)}`;
  const isHatched = bars.some(({ isUnfinished }) => isUnfinished);
  const picture = html`${isHatched && html`<defs><pattern id="${hatch}" width="6" height="6" patternUnits="userSpaceOnUse"><path class="hatch" d="${HATCH}"/></pattern></defs>`}${bars.map((bar, at) => drawnBar(bar, at, bars.length, scale, hatch))}`;
  return chartFrame({
    title,
    scale,
    picture,
    format,
    look,
    slots: bars.map(({ parts, ...bar }): Slot => ({ ...bar, values: parts })),
    series: series.map((name, at) => ({ name, mark: `s${at}` })),
  });
}

function drawnBar(
  { parts, isUnfinished }: Bar,
  at: number,
  count: number,
  scale: Scale,
  hatch: string,
): Html {
  const width = Math.min((100 / count) * 0.72, WIDEST_BAR);
  const [x, wide] = [rounded(middleOf(at, count) - width / 2), rounded(width)];
  let [above, below] = [0, 0];
  return html`${parts.map((part, index) => {
    if (part === 0) return false;
    const from = part > 0 ? above : below;
    if (part > 0) above += part;
    else below += part;
    const [one, other] = [scale.y(from), scale.y(from + part)];
    const [y, high] = [Math.min(one, other), Math.max(rounded(Math.abs(one - other)), 1)];
    const place = html`x="${x}%" y="${y}" width="${wide}%" height="${high}"`;
    return html`<rect class="s${index}" ${place}/>${isUnfinished && html`<rect fill="url(#${hatch})" ${place}/>`}`;
  })}`;
}

function sumOf(parts: readonly number[], sign: 1 | -1): number {
  return parts.reduce((sum, part) => (part * sign > 0 ? sum + part : sum), 0);
}

/** A name for what only this chart refers to. */
function markOf(title: string): string {
  let mark = 7;
  for (const letter of title) mark = (mark * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return mark.toString(36);
}

export interface LineChart {
  readonly title: string;
  readonly points: readonly {
    readonly label: string;
    readonly href?: string;
    readonly values: readonly (number | null)[];
  }[];
  readonly series: readonly string[];
  format(value: number): string;
  readonly look: Look;
}

export function lineChart({ title, points: all, series, format, look }: LineChart): Html {
  const points = all.slice(-MOST_SLOTS);
  const known = points.flatMap(({ values }) => values.filter((value) => value !== null));
  if (!known.some((value) => value !== 0)) return nothingDrawn(title, look);
  const scale = scaleOf(known, PLOT_PX, format, look.language);
  const picture = html`${series.map((_, at) =>
    drawnLine(
      points.map(({ values }) => values[at] ?? null),
      scale,
      `l${at}`,
    ),
  )}`;
  return chartFrame({
    title,
    scale,
    picture,
    format,
    look,
    slots: points,
    series: series.map((name, at) => ({ name, mark: `l${at}` })),
  });
}

/** Stretched to the width that is there, its stroke is not; a point without neighbours is a dot. */
function drawnLine(values: readonly (number | null)[], scale: Scale, mark: string): Html {
  const count = values.length;
  const at = (index: number): string => `${middleOf(index, count)} ${scale.y(values[index] ?? 0)}`;
  const isKnown = (index: number): boolean => (values[index] ?? null) !== null;
  const path = values
    .map((value, index) => (value === null ? "" : `${isKnown(index - 1) ? "L" : "M"}${at(index)}`))
    .join("");
  const alone = values.map(
    (value, index) =>
      value !== null &&
      !isKnown(index - 1) &&
      !isKnown(index + 1) &&
      html`<circle class="${mark}" cx="${middleOf(index, count)}%" cy="${scale.y(value)}" r="3"/>`,
  );
  return html`<svg viewBox="0 0 100 ${PLOT_PX}" width="100%" height="${PLOT_PX}" preserveAspectRatio="none"><path class="${mark}" d="${path}"/></svg>${alone}`;
}
