// What is asked of the benchmark, and how much work that is.

import { join } from "node:path";
import { parseArgs } from "node:util";

export interface Sizes {
  readonly mode: "quick" | "full" | "smoke";
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** What is measured while nothing is at its limit needs longer, for its p99. */
  readonly pacedSeconds: number;
  /** Invoices or payments that are asked about, or sent as a warm-up. */
  readonly prepared: number;
  readonly storedFew: number;
  readonly storedMany: {
    readonly postgres: readonly number[];
    readonly embedded: readonly number[];
  };
  /** Invoices that fall due at one moment. */
  readonly due: { readonly postgres: number; readonly embedded: number };
  readonly waitingEvents: number;
}

export interface Options {
  readonly sizes: Sizes;
  /** Empty for all. */
  readonly only: readonly string[];
  readonly out: string;
  /** Whether autocannon is wanted though wrk is there. */
  readonly autocannon: boolean;
}

const QUICK: Sizes = {
  mode: "quick",
  connections: 64,
  rounds: 3,
  seconds: 0.5,
  warmUpSeconds: 2.6,
  pacedSeconds: 1,
  prepared: 1_000,
  storedFew: 10_000,
  storedMany: { postgres: [1_000_000], embedded: [100_000] },
  due: { postgres: 100_000, embedded: 20_000 },
  waitingEvents: 10_000,
};

const FULL: Sizes = {
  ...QUICK,
  mode: "full",
  rounds: 5,
  seconds: 5,
  warmUpSeconds: 6,
  pacedSeconds: 8,
  due: { postgres: 100_000, embedded: 100_000 },
  storedMany: { postgres: [1_000_000, 10_000_000], embedded: [1_000_000] },
};

const SMOKE: Sizes = {
  mode: "smoke",
  connections: 16,
  rounds: 1,
  seconds: 0.2,
  warmUpSeconds: 0.2,
  pacedSeconds: 0.3,
  prepared: 64,
  storedFew: 500,
  storedMany: { postgres: [2_000], embedded: [2_000] },
  due: { postgres: 1_000, embedded: 1_000 },
  waitingEvents: 200,
};

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      full: { type: "boolean" },
      smoke: { type: "boolean" },
      only: { type: "string" },
      out: { type: "string" },
      autocannon: { type: "boolean" },
    },
  });
  const sizes = values.smoke ? SMOKE : values.full ? FULL : QUICK;
  const only = (values.only ?? "").split(",").filter(Boolean);
  const out = values.out ?? join(import.meta.dirname, "results");
  return { sizes, only, out, autocannon: values.autocannon === true };
}
