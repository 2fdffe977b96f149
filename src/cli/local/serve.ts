// kopeck serve: a running gateway, and an orderly end on a signal.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Config, readConfig, unknownSettings } from "../../platform/config.ts";
import { leaveFile } from "../../platform/data-dir.ts";
import { type Log, openLog } from "../../platform/log.ts";
import { openPools } from "../../platform/open-db.ts";
import { refuseTakenPort } from "../../platform/port.ts";
import { VERSION } from "../../platform/version.ts";
import type { LocalWork } from "../command.ts";

/** Counted from when nobody is connected any more: who says nothing has seconds of its own until then. */
const STOP_WITHIN_MS = 10_000;

const OF_COMMANDS = [
  "KOPECK_URL",
  "KOPECK_TOKEN",
  "KOPECK_SHOP_KEY",
  "KOPECK_WEBHOOK_KEY",
  "KOPECK_WEBHOOK_SECRET",
];

export const serve: LocalWork = {
  description: `Runs the gateway until SIGTERM or SIGINT. The environment configures it: KOPECK_MODE, DATABASE_URL
or KOPECK_DATA_DIR, KOPECK_SECRET_KEY, KOPECK_BASE_URL, HOST, PORT and others.`,
  options: [],
  example: "KOPECK_DATA_DIR=./data PORT=8080 kopeck serve",
  async run({ env, print }) {
    const config = readConfig(env);
    await refuseTakenPort(config);
    const log = openLog(config.logLevel);
    for (const unknown of unknownSettings(env, OF_COMMANDS)) {
      log.warn({}, unknown);
    }
    // The database opens while the rest of the code is being loaded: half a second of the start.
    const pools = openPools(config, log);
    pools.catch(() => {});
    const { startGateway } = await import("../../gateway.ts");
    const gateway = await startGateway({ config, log, pools });
    // npm hands a Ctrl-C on that was heard already, and supervisors say it again: once is enough.
    let isStopping = false;
    const stop = async (signal: string): Promise<void> => {
      if (isStopping) return;
      isStopping = true;
      log.info({ signal }, "stopping");
      await gateway.stop(() => setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref());
      rmSync(join(config.dataDir, "server.json"), { force: true });
      log.info({}, "stopped");
      process.exit(0);
    };
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void stop(signal));
    const engine = config.databaseUrl === undefined ? "embedded" : "postgresql";
    log.info({ url: gateway.url, mode: config.mode, engine, version: VERSION }, "listening");
    // TLS is a proxy's work: there is one, and without its word all payers look like one visitor.
    if (config.baseUrl.startsWith("https:") && config.trustedProxies.length === 0) {
      log.warn({}, "KOPECK_TRUSTED_PROXIES is not set: all payers count as one address");
    }
    leaveAddress(config, gateway.url, log);
    if (config.mode === "sandbox") {
      const { welcome } = await import("../../features/sandbox/cast.ts");
      print(welcome(config));
    }
    return 0;
  },
};

/** Where commands on this machine find the gateway. Doing without is no reason not to run. */
function leaveAddress({ dataDir, mode }: Config, url: string, log: Log): void {
  const local = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  try {
    leaveFile(dataDir, "server.json", `${JSON.stringify({ url: local, mode })}\n`);
  } catch (error) {
    log.warn({ err: error }, "the address for commands on this machine could not be left");
  }
}
