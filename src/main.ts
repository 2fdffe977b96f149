// The process: configuration in, a running gateway out, and an orderly end on a signal. Whatever the
// operator can mend is one clear line and exit code 1.

import { readConfig } from "./platform/config.ts";

import { StartFailure } from "./platform/failure.ts";
import { openLog } from "./platform/log.ts";
import { openDb } from "./platform/open-db.ts";

const STOP_WITHIN_MS = 10_000;

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const log = openLog(config.logLevel);
  // The database opens while the rest of the code is still being loaded: half a second of the start.
  const db = openDb(config, log);
  db.catch(() => {});
  const { startGateway } = await import("./gateway.ts");
  const gateway = await startGateway({ config, log, db });
  log.info({ url: gateway.url, mode: config.mode }, "listening");
  if (config.mode === "sandbox") {
    const { welcome } = await import("./features/sandbox/welcome.ts");
    process.stdout.write(welcome(config.baseUrl));
  }

  const stop = async (signal: string): Promise<void> => {
    log.info({ signal }, "stopping");
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    await gateway.stop();
    log.info({}, "stopped");
    process.exit(0);
  };
  process.once("SIGTERM", (signal) => void stop(signal));
  process.once("SIGINT", (signal) => void stop(signal));
}

async function printOpenApi(): Promise<void> {
  const { endpointsOf } = await import("./features/index.ts");
  const { describeApi } = await import("./platform/openapi.ts");
  process.stdout.write(`${JSON.stringify(describeApi(endpointsOf("sandbox")), null, 2)}\n`);
}

const verbs: Record<string, () => Promise<void>> = { serve, openapi: printOpenApi };

try {
  const [verb = "serve"] = process.argv.slice(2);
  const run = verbs[verb];
  if (run === undefined) {
    throw new StartFailure(`There is no verb ${verb}; there are ${Object.keys(verbs).join(", ")}.`);
  }
  await run();
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  process.stderr.write(`kopeck: ${error.message}\n`);
  process.exit(1);
}
