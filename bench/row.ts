// A row of the report: our figure, a rival's, and what their ratio should be.

import type { EngineName } from "./stage.ts";
import { median } from "./statistics.ts";

type Unit = "requests/s" | "payments/s" | "rows/s" | "p99 ms" | "MB";

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

export interface Side {
  /** Every round's figure. */
  readonly rounds: readonly number[];
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

export interface Row {
  readonly name: string;
  readonly engine: EngineName;
  readonly what: string;
  readonly unit: Unit;
  readonly ours: number;
  readonly oursRounds: readonly number[];
  readonly rival: number;
  readonly rivalRounds: readonly number[];
  readonly rivalName: string;
  readonly ratio: number;
  readonly goal: Goal | null;
  readonly verdict: string;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly note: string;
}

const least = (postgres: number, embedded: number) => ({
  postgres: { atLeast: postgres },
  embedded: { atLeast: embedded },
});
const most = (postgres: number, embedded: number) => ({
  postgres: { atMost: postgres },
  embedded: { atMost: embedded },
});

type Goals = Readonly<Record<EngineName, Goal | null>>;

/** Every row there is, and what is promised of it. */
export const GOALS = {
  create: least(0.85, 0.65),
  h2h: least(0.6, 0.4),
  tariffs: least(0.8, 0.6),
  banks: least(0.8, 0.6),
  balance: least(0.8, 0.6),
  info: least(0.8, 0.6),
  transfers: least(0.5, 0.35),
  "transfers-one": least(0.9, 0.9),
  life: least(0.12, 0.08),
  straightforward: { postgres: { atLeast: 3 }, embedded: null },
  "raw-insert": { postgres: null, embedded: null },
  "half-load": most(2, 3),
  "two-processes": { postgres: { atLeast: 1 }, embedded: null },
  memory: most(1, 1),
  "stored-create": least(0.85, 0.8),
  "stored-h2h": least(0.85, 0.8),
  expiry: most(2, 2),
  "dead-receiver": least(0.9, 0.9),
  readers: least(0.5, 0.5),
  hostile: most(10, 10),
} as const satisfies Record<string, Goals>;

export type RowName = keyof typeof GOALS;

export interface Measured {
  readonly name: RowName;
  readonly engine: EngineName;
  readonly what: string;
  readonly unit?: Unit;
  readonly ours: Side;
  readonly rival: Side;
  readonly rivalName: string;
  readonly note?: string;
}

export function rowOf(measured: Measured): Row {
  const { name, engine, what, ours, rival, rivalName, unit = "requests/s", note = "" } = measured;
  const goal = GOALS[name][engine];
  const [own, other] = [median(ours.rounds), median(rival.rounds)];
  const ratio = own / other;
  return {
    ...{ name, engine, what, unit, ours: own, oursRounds: ours.rounds, rival: other },
    ...{ rivalRounds: rival.rounds, rivalName, ratio, goal, verdict: verdictOf(ratio, goal) },
    ...{ p50Ms: ours.p50Ms ?? null, p99Ms: ours.p99Ms ?? null, note },
  };
}

function verdictOf(ratio: number, goal: Goal | null): string {
  if (goal === null) return "for information";
  const miss = "atLeast" in goal ? 1 - ratio / goal.atLeast : ratio / goal.atMost - 1;
  return miss <= 0 ? "met" : `missed by ${Math.ceil(miss * 100)} %`;
}
