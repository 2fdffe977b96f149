// Puts together everything that a handler, a job or a command may touch.

import type { App } from "./app.ts";
import type { Config } from "./config.ts";
import type { Callers } from "./db.ts";
import { idMaker } from "./id.ts";
import { openMetrics } from "./metrics.ts";
import type { Pools } from "./open-db.ts";
import { type Outgoing, openOutgoing } from "./outgoing.ts";
import { openSecrets } from "./secret.ts";

export type AppParts = Pick<App, "config" | "clock" | "log"> &
  Partial<Pick<App, "http" | "ending">> &
  (Pick<App, "db"> | { readonly pools: Pools });

/** A command has one database for whatever it does; a gateway has connections for each kind of caller. */
export function openApp({ config, clock, log, http, ending, ...databases }: AppParts): App {
  const pools = "pools" in databases ? databases.pools : undefined;
  const apps = new Map<Callers, App>();
  const app: App = {
    config,
    clock,
    log,
    db: "db" in databases ? databases.db : databases.pools.merchants,
    metrics: openMetrics(),
    secrets: openSecrets(config.secretKey, ...config.nextSecretKeys),
    newId: idMaker(clock),
    http: http ?? openHttp(config),
    memory: new Map(),
    ending: ending ?? new AbortController().signal,
    for(callers) {
      if (pools === undefined || callers === "merchants") return app;
      const own = apps.get(callers) ?? { ...app, db: pools[callers] };
      apps.set(callers, own);
      return own;
    },
  };
  return app;
}

/** Merchants choose where webhooks go; only in the sandbox may that be this machine. */
function openHttp({ mode, allowedHookHosts: allowedHosts }: Config): Outgoing {
  return openOutgoing({ allowLoopback: mode === "sandbox", allowedHosts });
}
