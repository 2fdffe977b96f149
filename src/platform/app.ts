// Everything that a handler or a job may touch, in one record that is handed to it.

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
