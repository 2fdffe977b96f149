// Everything that a handler or a job may touch, in one record that is handed to it; and what a room keeps
// beside it while the process runs.

import type { MovableClock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Db } from "./db.ts";
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
}

/** One of something for each app, made when it is first asked for. */
export function perApp<Value extends object>(make: (app: App) => Value): (app: App) => Value {
  const made = new WeakMap<App, Value>();
  return (app) => {
    const known = made.get(app) ?? make(app);
    made.set(app, known);
    return known;
  };
}
