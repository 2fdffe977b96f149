// Puts together everything that a handler, a job or a verb of the command line may touch.

import type { App } from "./app.ts";
import type { Config } from "./config.ts";
import { idMaker } from "./id.ts";
import { openMetrics } from "./metrics.ts";
import { type Outgoing, openOutgoing } from "./outgoing.ts";
import { openSecrets } from "./secret.ts";

export type AppParts = Pick<App, "config" | "db" | "clock" | "log"> & Partial<Pick<App, "http">>;

export function openApp(parts: AppParts): App {
  const { config, clock } = parts;
  return {
    ...parts,
    metrics: openMetrics(),
    secrets: openSecrets(config.secretKey),
    newId: idMaker(clock),
    http: parts.http ?? openHttp(config),
    memory: new Map(),
  };
}

/** Merchants choose where webhooks go; only in the sandbox may that be this machine. */
function openHttp({ mode, allowedHookHosts: allowedHosts }: Config): Outgoing {
  return openOutgoing({ allowLoopback: mode === "sandbox", allowedHosts });
}
