// What is asked of the torture.

import { join } from "node:path";
import { parseArgs } from "node:util";

export type Options = ReturnType<typeof readOptions>;

/** Quick runs are the same in every change; a full one is new each time unless a seed is given. */
const QUICK_SEED = 1;

export function readOptions(args: string[], parts: readonly string[]) {
  const text = { type: "string" } as const;
  const options = { full: { type: "boolean" }, seed: text, size: text, out: text } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const wholeNumber = (name: "seed" | "size"): number | undefined => {
    const value = values[name];
    if (value === undefined) return undefined;
    if (/^[1-9]\d{0,9}$/.test(value)) return Number(value);
    throw new Error(`--${name} must be a whole number above 0`);
  };
  const unknown = positionals.find((name) => !parts.includes(name));
  if (unknown !== undefined) throw new Error(`There is no part ${unknown}.`);
  const full = values.full === true;
  return {
    full,
    /** Empty for all. */
    only: positionals,
    seed: wholeNumber("seed") ?? (full ? Date.now() % 2 ** 31 : QUICK_SEED),
    size: wholeNumber("size"),
    out: values.out ?? join(import.meta.dirname, "results"),
  };
}
