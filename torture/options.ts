// What is asked of the torture.

import { join } from "node:path";
import { parseArgs } from "node:util";

export interface Options {
  readonly full: boolean;
  /** Empty for all. */
  readonly only: readonly string[];
  readonly seed: number;
  readonly size: number | undefined;
  readonly out: string;
}

/** Quick runs are the same in every change; a full one is new each time unless a seed is given. */
const QUICK_SEED = 1;

export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      full: { type: "boolean" },
      seed: { type: "string" },
      size: { type: "string" },
      out: { type: "string" },
    },
  });
  const full = values.full === true;
  return {
    full,
    only: positionals,
    seed: wholeNumber("seed", values.seed) ?? (full ? Date.now() % 2 ** 31 : QUICK_SEED),
    size: wholeNumber("size", values.size),
    out: values.out ?? join(import.meta.dirname, "results"),
  };
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`--${name} must be a whole number above 0`);
  return Number(text);
}
