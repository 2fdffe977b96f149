// The process: configuration in, a running gateway out, and an orderly end on a signal. Whatever the
// operator can mend is one clear line and exit code 1.

import { endpoints } from "./features/index.ts";
import { welcome } from "./features/sandbox/welcome.ts";
import { startGateway } from "./gateway.ts";
import { readConfig } from "./platform/config.ts";
import { StartFailure } from "./platform/failure.ts";
import { describeApi } from "./platform/openapi.ts";

const STOP_WITHIN_MS = 10_000;

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const gateway = await startGateway({ config });
  const { log } = gateway.app;
  log.info({ url: gateway.url, mode: config.mode }, "listening");
  if (config.mode === "sandbox") process.stdout.write(welcome(config.baseUrl));

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

function printOpenApi(): void {
  process.stdout.write(`${JSON.stringify(describeApi(endpoints), null, 2)}\n`);
}

const verbs: Record<string, () => Promise<void> | void> = { serve, openapi: printOpenApi };

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
