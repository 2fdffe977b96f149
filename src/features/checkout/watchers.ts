// Who is looking at which invoice in this process. All of them are asked about in one statement, so a
// thousand open pages cost one query a second.

import { type App, perApp } from "../../platform/app.ts";
import { standings } from "./queries.ts";

/** Each listener, and how the invoice stood when it last heard of it. */
type Listeners = Map<() => void, string>;

export interface Watchers {
  /** Calls the listener whenever it no longer stands so; the answer ends it. */
  add(invoiceId: string, standing: string, listener: () => void): () => void;
  /** How many look at an invoice. */
  count(invoiceId: string): number;
  /** Looks at every watched invoice once; the answer is how many listeners heard. */
  look(app: App): Promise<number>;
}

function openWatchers(): Watchers {
  const watched = new Map<string, Listeners>();
  return {
    add(invoiceId, standing, listener) {
      const listeners = watched.get(invoiceId) ?? new Map();
      watched.set(invoiceId, listeners);
      listeners.set(listener, standing);
      return () => {
        listeners.delete(listener);
        // Another map may have taken its place since.
        if (listeners.size === 0 && watched.get(invoiceId) === listeners) watched.delete(invoiceId);
      };
    },
    count: (invoiceId) => watched.get(invoiceId)?.size ?? 0,
    async look({ db }) {
      if (watched.size === 0) return 0;
      let changed = 0;
      for (const { id, standing } of await standings(db, [...watched.keys()])) {
        for (const [listener, last] of watched.get(id) ?? []) {
          if (last === standing) continue;
          watched.get(id)?.set(listener, standing);
          changed += 1;
          listener();
        }
      }
      return changed;
    },
  };
}

export const watchers: (app: App) => Watchers = perApp(openWatchers);
