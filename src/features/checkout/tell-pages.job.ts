// Open payment pages hear within a second that something has changed, whichever process changed it. All
// that are open in this process are asked about in one statement, so a thousand of them cost one a second.

import { type App, perApp } from "../../platform/app.ts";
import { job } from "../../platform/job.ts";
import { standings } from "./queries.ts";

/** Each listener, and how the invoice stood when it last heard of it. */
type Listeners = Map<() => void, string>;

function openWatchers() {
  const watched = new Map<string, Listeners>();
  return {
    /** Calls the listener whenever it no longer stands so; the answer ends it. */
    add(invoiceId: string, standing: string, listener: () => void): () => void {
      const listeners = watched.get(invoiceId) ?? new Map();
      watched.set(invoiceId, listeners);
      listeners.set(listener, standing);
      return () => {
        listeners.delete(listener);
        // Another map may have taken its place since.
        if (listeners.size === 0 && watched.get(invoiceId) === listeners) watched.delete(invoiceId);
      };
    },
    /** How many look at an invoice. */
    count: (invoiceId: string): number => watched.get(invoiceId)?.size ?? 0,
    /** Looks at every watched invoice once; the answer is how many listeners heard. */
    async look({ db }: App): Promise<number> {
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

export const watchers = perApp(openWatchers);

export const tellPagesJob = job({
  name: "tell-pages",
  everyMs: 1_000,
  async run(app) {
    await watchers(app).look(app);
    return 0;
  },
});
