// Asking again where the machine is too busy: a gateway that has waited in vain for a lock or a connection says 503
// and has done nothing, and a client comes again. For tests that are about something else.

import { setTimeout as sleep } from "node:timers/promises";
import type { Tx } from "../src/platform/db.ts";
import { LockTimeout } from "../src/platform/db-failure.ts";
import { type Answer, type CallOptions, call } from "./gateway.ts";

/** Minutes, each time. */
const TRIES = 600;
const PAUSE_MS = 200;

/** A gateway's door, for requests that may be repeated. */
export function insistent({ url }: { readonly url: string }) {
  return {
    async call(path: string, options?: CallOptions): Promise<Answer> {
      for (let tries = 1; ; tries += 1) {
        const answer = await call(url, path, options);
        if (answer.status !== 503 || tries === TRIES) return answer;
        await sleep(PAUSE_MS);
      }
    },
  };
}

/** For one that a test holds open while it waits for something else: the server ends it after two idle seconds. */
export async function mayTakeLong(tx: Tx): Promise<void> {
  await tx.query("set local idle_in_transaction_session_timeout = 0");
}

/** Work at what others may hold, for longer than a job or a request would. */
export async function untilFree<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LockTimeout) || tries === TRIES) throw error;
    }
  }
}
