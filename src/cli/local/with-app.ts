// Opens the configured database for a command, and closes it.

import type { App } from "../../platform/app.ts";
import { movableClock, systemClock } from "../../platform/clock.ts";
import { readConfig } from "../../platform/config.ts";
import { asStartFailure } from "../../platform/failure.ts";
import { type Log, openLog } from "../../platform/log.ts";
import { openApp } from "../../platform/open-app.ts";
import { type OpenOptions, openDb } from "../../platform/open-db.ts";
import type { LocalCall } from "../command.ts";

/** Standard output is the command's own, so what is worth a warning goes to standard error. */
function commandLog(): Log {
  return openLog("warn", { write: (line) => void process.stderr.write(line) });
}

export async function withApp<Result>(
  env: LocalCall["env"],
  options: Pick<OpenOptions, "existing">,
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(env);
  const log = commandLog();
  try {
    const db = await openDb(config, log, { ...options, attended: true });
    const app = openApp({ config, db, log, clock: movableClock(systemClock) });
    try {
      return await work(app);
    } finally {
      app.http.close();
      await db.close();
    }
  } catch (error) {
    throw asStartFailure(error);
  }
}
