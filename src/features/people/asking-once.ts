// What a page asks of a door it asks once, however many of its parts want to know.

import type { Asked } from "../../platform/endpoint.ts";
import type { Sight } from "./site.ts";

type Ask = Sight<unknown>["ask"];

/**
 * Parts of a page may want to know the same: it is asked once, until something is changed, or until the page is
 * made. A stream or a long file goes on asking after that.
 */
export function askingOnce(ask: Ask): { readonly ask: Ask; forget(): void } {
  let known: Map<unknown, Map<string, Promise<unknown>>> | undefined = new Map();
  return {
    forget: () => {
      known = undefined;
    },
    ask<Input, Data>(door: Asked<Input, Data>, input: Input): Promise<Data> {
      if (door.method !== "GET") known?.clear();
      if (known === undefined || door.method !== "GET") return ask(door, input);
      const key = JSON.stringify(input);
      const answers = known.get(door) ?? new Map<string, Promise<unknown>>();
      const answer = (answers.get(key) as Promise<Data> | undefined) ?? ask(door, input);
      known.set(door, answers.set(key, answer));
      return answer;
    },
  };
}
