// What a row is: declared once, with its goal on each engine that it is measured on; and what came of it.

import type { Loaded } from "./load.ts";
import type { Scene } from "./scene.ts";
import type { EngineName } from "./stage.ts";
import { median } from "./statistics.ts";

export interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Whether it is about the ratio to the rival, or about the figure itself. */
  readonly of: "ratio" | "figure";
}

export interface Side {
  /** Every round's figure. */
  readonly rounds: readonly number[];
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

interface Figures {
  readonly ours: Side;
  readonly rival?: Side;
  readonly note?: string;
}

export interface Row<Place> {
  readonly name: string;
  readonly what: string;
  /** Of the figure; requests a second when left out. */
  readonly unit?: "payments/s" | "transfers/s" | "p99 ms" | "ms" | "MB" | "s" | "µs CPU";
  /** The bare route when left out. */
  readonly rivalName?: string;
  /** By engine; null where there is a figure and no goal. It is measured on no other engine. */
  readonly goals: Readonly<Partial<Record<EngineName, Goal | null>>>;
  measure(scene: Scene, place: Place): Promise<Figures>;
}

/** Rows that are measured at one place, which is opened for them and closed after them. */
export interface Group {
  readonly rows: readonly Row<never>[];
  measure(scene: Scene, wanted: readonly string[], tell: (row: Measured) => void): Promise<void>;
}

export interface Closable {
  close(): Promise<void>;
}

export function group<Place extends Closable>(
  open: (scene: Scene) => Promise<Place>,
  rows: readonly Row<Place>[],
): Group {
  return {
    rows,
    async measure(scene, wanted, tell) {
      const own = rows.filter(({ name, goals }) => {
        return wanted.includes(name) && goals[scene.engine.name] !== undefined;
      });
      if (own.length === 0) return;
      const place = await open(scene);
      for (const row of own) tell(measured(row, scene, await row.measure(scene, place)));
      await place.close();
    },
  };
}

export interface Measured {
  readonly name: string;
  readonly engine: EngineName;
  readonly what: string;
  readonly unit: string;
  readonly figure: number;
  readonly rounds: readonly number[];
  readonly rival: number | null;
  readonly rivalRounds: readonly number[];
  readonly rivalName: string;
  readonly ratio: number | null;
  readonly goal: Goal | null;
  /** Null where there is no goal. */
  readonly isMet: boolean | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  readonly note: string;
}

function measured(row: Row<never>, scene: Scene, { ours, rival, note = "" }: Figures): Measured {
  const { name, what, unit = "requests/s", rivalName = "bare Fastify" } = row;
  const engine = scene.engine.name;
  const goal = row.goals[engine] ?? null;
  const figure = median(ours.rounds);
  const other = rival === undefined ? null : median(rival.rounds);
  if (!(figure > 0) || (other !== null && !(other > 0))) throw new Error(`${name} has no figure`);
  const ratio = other === null ? null : figure / other;
  const judged = goal?.of === "figure" ? figure : ratio;
  return {
    name,
    engine,
    what,
    unit,
    figure,
    rounds: ours.rounds,
    rival: other,
    rivalRounds: rival?.rounds ?? [],
    rivalName,
    ratio,
    goal,
    isMet: goal === null || judged === null ? null : isWithin(judged, goal),
    p50Ms: ours.p50Ms ?? null,
    p99Ms: ours.p99Ms ?? null,
    note,
  };
}

function isWithin(value: number, { atLeast, atMost }: Goal): boolean {
  return value >= (atLeast ?? value) && value <= (atMost ?? value);
}

export const least = (atLeast: number, of: Goal["of"] = "ratio"): Goal => ({ atLeast, of });
export const most = (atMost: number, of: Goal["of"] = "ratio"): Goal => ({ atMost, of });

export function rateOf({ answered, seconds }: Loaded): number {
  return answered / seconds;
}

/** Rounds that do not count, for a door that nobody has called yet. */
export async function rehearse(
  { sizes }: Scene,
  ...rounds: readonly (() => Promise<Loaded>)[]
): Promise<void> {
  for (let turn = 0; turn < sizes.warmUpRounds; turn += 1) {
    for (const round of rounds) await round();
  }
}

/** Rounds in turns, so that what else the machine does meets all of them alike. */
export async function inTurns<Name extends string>(
  { sizes }: Scene,
  contenders: Readonly<Record<Name, () => Promise<Loaded>>>,
  figure: (loaded: Loaded) => number = rateOf,
): Promise<Record<Name, Side>> {
  const entries = Object.entries(contenders) as [Name, () => Promise<Loaded>][];
  const heard = new Map<Name, Loaded[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < sizes.rounds; round += 1) {
    for (const [name, run] of entries) heard.get(name)?.push(await run());
  }
  const sides = [...heard].map(([name, all]) => [name, sideOf(all, figure)] as const);
  return Object.fromEntries(sides) as Record<Name, Side>;
}

export function sideOf(all: readonly Loaded[], figure: (loaded: Loaded) => number): Side {
  return {
    rounds: all.map(figure),
    p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
  };
}
