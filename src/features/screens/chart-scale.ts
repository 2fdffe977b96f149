// Where a value stands on a chart's height, and which round numbers stand beside it. Guards that the scale
// begins at zero, and that no two of its ticks read the same.

import type { Language } from "../../platform/failure.ts";
import { numberText } from "./locale.ts";

export interface Scale {
  readonly ticks: readonly { readonly y: number; readonly text: string }[];
  /** Pixels from the top, of the plot's height. */
  y(value: number): number;
}

const STEPS = [1, 2, 5, 10];
const MOST_TICKS = 4;
/** Above it the axis says thousands and millions. */
const SHORT_FROM = 10_000;

const SHORT: Readonly<Record<Language, readonly (readonly [number, string])[]>> = {
  en: [
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "k"],
  ],
  ru: [
    [1e9, "\u00a0млрд"],
    [1e6, "\u00a0млн"],
    [1e3, "\u00a0тыс."],
  ],
};

export function scaleOf(
  values: readonly number[],
  heightPx: number,
  format: (value: number) => string,
  language: Language,
): Scale {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const textOf =
    Math.max(high, -low) >= SHORT_FROM ? (n: number) => shortText(n, language) : format;
  let step = niceStep((high - low) / MOST_TICKS);
  if (values.every(Number.isInteger)) step = Math.max(step, 1);
  let marks = marksOf(low, high, step);
  while (new Set(marks.map(textOf)).size < marks.length) {
    step = niceStep(step * 1.5);
    marks = marksOf(low, high, step);
  }
  const [bottom = 0, top = 1] = [marks[0], marks.at(-1)];
  const y = (value: number): number => rounded(heightPx * (1 - (value - bottom) / (top - bottom)));
  return { ticks: marks.map((mark) => ({ y: y(mark), text: textOf(mark) })), y };
}

/** 1, 2 or 5 times a power of ten, and no less than asked for. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * (STEPS.find((step) => step * power >= least * 0.999_999) ?? 10);
}

/** From the last one below everything to the first above it. */
function marksOf(low: number, high: number, step: number): number[] {
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step - 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, at) => tidy((first + at) * step));
}

/** 0.3, and not 0.30000000000000004. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

function shortText(value: number, language: Language): string {
  const found = SHORT[language].find(([size]) => Math.abs(value) >= size);
  if (found === undefined) return numberText(value, language);
  return `${numberText(value / found[0], language)}${found[1]}`;
}

export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
