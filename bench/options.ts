// What is asked of the benchmark, and how much work that is.

import { join } from "node:path";
import { parseArgs } from "node:util";

export interface Sizes {
  readonly mode: "quick" | "full" | "smoke";
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Before those that count. */
  readonly warmUpRounds: number;
  /** What is measured while nothing is at its limit needs longer, for its p99. */
  readonly pacedSeconds: number;
  /** Invoices that are asked about. */
  readonly prepared: number;
  readonly storedInvoices: number;
  readonly livePayments: number;
  /** Invoices that fall due at one moment. */
  readonly due: number;
  readonly waitingReceivers: number;
  readonly openPages: number;
  readonly importLines: number;
  /** Sets of 32 requests that an act's cost is measured by. */
  readonly bursts: number;
  /** On one database. */
  readonly mostGateways: number;
}

export interface Options {
  readonly sizes: Sizes;
  /** Empty for all. */
  readonly only: readonly string[];
  readonly out: string;
  /** Whether the README's table is written, too. */
  readonly readme: boolean;
}

const QUICK: Sizes = {
  mode: "quick",
  connections: 64,
  rounds: 3,
  seconds: 0.7,
  warmUpSeconds: 2.6,
  warmUpRounds: 2,
  pacedSeconds: 2,
  prepared: 1_000,
  storedInvoices: 1_000_000,
  livePayments: 100_000,
  due: 100_000,
  waitingReceivers: 100_000,
  openPages: 1_000,
  importLines: 100_000,
  bursts: 300,
  mostGateways: 4,
};

const FULL: Sizes = {
  ...QUICK,
  mode: "full",
  rounds: 5,
  seconds: 4,
  warmUpSeconds: 6,
  pacedSeconds: 8,
  storedInvoices: 10_000_000,
  bursts: 1_000,
};

const SMOKE: Sizes = {
  mode: "smoke",
  connections: 16,
  rounds: 1,
  seconds: 0.2,
  warmUpSeconds: 0.2,
  warmUpRounds: 0,
  pacedSeconds: 0.3,
  prepared: 64,
  storedInvoices: 2_000,
  livePayments: 500,
  due: 1_000,
  waitingReceivers: 500,
  openPages: 20,
  importLines: 1_000,
  bursts: 4,
  mostGateways: 2,
};

/** Whoever asks wrongly, or for help, is told how to ask. */
export function understood<Wish>(usage: string, read: () => Wish): Wish {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}\n`);
    process.exit(2);
  }
}

export function readOptions(args: readonly string[], rows: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      full: { type: "boolean" },
      smoke: { type: "boolean" },
      only: { type: "string" },
      out: { type: "string" },
      readme: { type: "boolean" },
    },
  });
  const sizes = values.smoke ? SMOKE : values.full ? FULL : QUICK;
  const only = (values.only ?? "").split(",").filter(Boolean);
  const unknown = only.find((name) => !rows.includes(name));
  if (unknown !== undefined) throw new Error(`There is no row ${unknown}.`);
  const out = values.out ?? join(import.meta.dirname, "results");
  return { sizes, only, out, readme: values.readme === true };
}
