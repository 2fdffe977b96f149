// Chance that can be had again: the same seed gives the same numbers on every machine.

export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from 0 to below the limit. */
  below(limit: number): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<One>(all: readonly One[]): One;
  /** One of the names, each as likely as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  shuffle<One>(all: readonly One[]): One[];
  /** Chance of its own for a part of the work: what it uses up is not missed by its siblings. */
  branch(index: number): Random;
}

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state are plenty to choose faults by. */
export function randomOf(seed: number): Random {
  let state = mix(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    return mix(state) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => next() < probability,
    pick<One>(all: readonly One[]): One {
      const one = all[below(all.length)];
      if (one === undefined) throw new Error("nothing to pick from");
      return one;
    },
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const entries = Object.entries<number>(weights) as [Name, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      throw new Error("no weights");
    },
    shuffle<One>(all: readonly One[]): One[] {
      const keyed = all.map((one) => [next(), one] as const);
      return keyed.toSorted(([left], [right]) => left - right).map(([, one]) => one);
    },
    branch: (index) => randomOf(mix(seed) ^ mix(index + 1)),
  };
}

function mix(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
  bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
  return (bits ^ (bits >>> 14)) >>> 0;
}
