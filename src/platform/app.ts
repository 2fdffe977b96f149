// Everything that a handler or a job may touch, in one record that is handed to it; and what a room keeps
// beside it while the process runs.

import type { MovableClock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Callers, Db } from "./db.ts";
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
  readonly newId: () => string;
  readonly http: Outgoing;
  /** Aborted when the process was told to end: it is not ready for anybody new. */
  readonly ending: AbortSignal;
  /** The same, on the connections of these callers. */
  for(callers: Callers): App;
}

/** One of something for each app, whoever's connections it is on; made when it is first asked for. */
export function perApp<Value extends object>(make: (app: App) => Value): (app: App) => Value {
  // All that differ in their connections alone count together.
  const made = new WeakMap<App["metrics"], Value>();
  return (app) => {
    const known = made.get(app.metrics) ?? make(app);
    made.set(app.metrics, known);
    return known;
  };
}
