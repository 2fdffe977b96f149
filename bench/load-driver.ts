// The contract of a load generator.

export interface RequestLine {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly header: string;
  readonly value: string;
  /** Empty for none. {n} in it becomes a text of its own in every request. */
  readonly body: string;
}

export interface Load {
  readonly url: string;
  readonly lines: readonly RequestLine[];
  /** Each line is sent once, and the load ends with the last one; else they are sent in turns. */
  readonly once?: boolean;
  readonly connections: number;
  readonly seconds: number;
  /** Without it, as fast as the answers come. */
  readonly ratePerSecond?: number;
}

export interface Loaded {
  readonly answered: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
  readonly firstFailure?: string;
}

export interface ShopKey {
  readonly id: string;
  readonly key: string;
}

/** Payments that are led as far as asked: an invoice, its details, the transfer. */
export interface Lives {
  readonly url: string;
  readonly shops: readonly ShopKey[];
  readonly toFirstShopOnly?: boolean;
  readonly steps: 1 | 2 | 3;
  /** Where webhooks go, in turns; none without. */
  readonly hooks?: readonly string[];
  readonly connections: number;
  /** When no more are begun; those that were are led to their end. */
  readonly until: { readonly seconds: number } | { readonly count: number };
  readonly operatorToken: string;
}

export interface Lived {
  readonly finished: number;
  readonly startedAtMs: number;
  readonly seconds: number;
  readonly failures: number;
  readonly firstFailure?: string;
  /** After one step: number of the shop, invoice. After two: wallet, exact amount. */
  readonly collected: readonly (readonly [string, string])[];
}

export interface LoadDriver {
  readonly name: string;
  drive(load: Load): Promise<Loaded>;
  live(lives: Lives): Promise<Lived>;
}

let runs = 0;

/** So that no two runs give the same order id, also on a database of an earlier benchmark. */
export function runPrefix(): string {
  runs += 1;
  return `b${process.pid}-${runs}-`;
}
