// Settings that nobody asks for, and which one may have been meant: misspelt, one would be left out in silence.

import { type Env, readConfig } from "./config.ts";

/**
 * Variables that are called like settings and are none, in words: misspelt, one would be left out in silence.
 * What is known is what is asked for, so there is no list to keep.
 */
export function unknownSettings(env: Env, ofCommands: readonly string[]): string[] {
  const known = new Set(ofCommands);
  const watched = new Proxy(env, {
    get(target, name: string) {
      known.add(name);
      return target[name];
    },
  });
  readConfig(watched);
  const unknown = Object.keys(env).filter((name) => /^KOPECK_/.test(name) && !known.has(name));
  return unknown.map((name) => {
    const [nearest = ""] = [...known].toSorted((a, b) => distance(name, a) - distance(name, b));
    const isNear = distance(name, nearest) <= NEAR_LETTERS;
    return `${name} is no setting${isNear ? `: is ${nearest} meant?` : ""}`;
  });
}

const NEAR_LETTERS = 3;

/** How many letters have to be changed, added or left out. */
function distance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...left].entries()) {
    const line = [row + 1];
    for (const [at, other] of [...right].entries()) {
      const changed = (above[at] ?? 0) + (letter === other ? 0 : 1);
      line.push(Math.min(changed, (above[at + 1] ?? 0) + 1, (line[at] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
