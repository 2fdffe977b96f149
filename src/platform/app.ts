// Everything that a handler or a job may touch, and what a module keeps while the process runs.

import type { MovableClock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Callers, Db } from "./db.ts";
import type { NewId } from "./id.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Outgoing } from "./outgoing.ts";
import type { Secrets } from "./secret.ts";

export interface App {
  readonly config: Config;
  readonly db: Db;
  readonly clock: MovableClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly secrets: Secrets;
  readonly newId: NewId;
  readonly http: Outgoing;
  /** What it remembers, by what has made it; see perApp. */
  readonly memory: Map<unknown, unknown>;
  /** Aborted when the process was told to end: it is not ready for anybody new. */
  readonly ending: AbortSignal;
  for(callers: Callers): App;
}

/** One of something for each app, made when it is first asked for. It bounds itself what it grows to. */
export function perApp<Value extends object>(make: (app: App) => Value): (app: App) => Value {
  return (app) => {
    const known = (app.memory.get(make) as Value | undefined) ?? make(app);
    app.memory.set(make, known);
    return known;
  };
}
