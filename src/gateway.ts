// One gateway, put together: database, migrations, server and jobs, started and stopped in order.
// main.ts runs it as a process; the tests run it inside theirs.

import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { apiOf } from "./features/index.ts";
import { jobs as allJobs } from "./features/jobs.ts";
import { prepareInstallation } from "./features/operators/installation.ts";
import { pagesOf } from "./features/pages.ts";
import { createCast } from "./features/sandbox/cast.ts";
import { addHistory } from "./features/sandbox/history.ts";
import { type Clock, movableClock, openClockWatch, systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import type { Tx } from "./platform/db.ts";
import { whenAnswering } from "./platform/db-failure.ts";
import { asStartFailure } from "./platform/failure.ts";
import { type Job, startJobs } from "./platform/job.ts";
import { type Log, openLog } from "./platform/log.ts";
import { migrate, refuseUnmigrated } from "./platform/migrate.ts";
import { openApp } from "./platform/open-app.ts";
import { closePools, openPools, type Pools } from "./platform/open-db.ts";
import type { Outgoing } from "./platform/outgoing.ts";
import { listenFailure } from "./platform/port.ts";
import { createServer } from "./platform/server.ts";

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

export interface GatewayOptions {
  readonly config: Config;
  readonly clock?: Clock;
  /** What is compared with the database's clock: of the machine, whatever time a test has made of it. */
  readonly machineClock?: Clock;
  readonly log?: Log;
  /** A database that is being opened already; the gateway closes it. */
  readonly pools?: Promise<Pools>;
  /** What requests to merchants go through; the gateway closes it. */
  readonly http?: Outgoing;
  /** What it does by itself; nothing, where a test runs each job when its turn is. */
  readonly jobs?: readonly Job[];
}

export async function startGateway(options: GatewayOptions) {
  const { config, log = openLog(config.logLevel), jobs = allJobs } = options;
  const watch = openClockWatch(options.machineClock ?? systemClock);
  const clock = movableClock(options.clock ?? systemClock, watch.isRight);
  const opening = options.pools ?? openPools(config, log);
  const pools = await opening.catch((error: unknown) => {
    throw asStartFailure(error);
  });
  const { http } = options;
  const end = new AbortController();
  const app = openApp({
    config,
    pools,
    clock,
    log,
    ending: end.signal,
    ...(http === undefined ? {} : { http }),
  });
  const { db } = app;
  const server = createServer(app, apiOf(config.mode), pagesOf(config.mode));
  const prepare = async (tx: Tx): Promise<void> => {
    await prepareInstallation(tx, app);
    if (config.mode === "sandbox") await createCast(tx, app);
  };
  const prepareDatabase = async (): Promise<void> => {
    await whenAnswering(db, log);
    // An embedded database has no clock of its own.
    if (config.databaseUrl !== undefined) await watch.start(app);
    // Where there is real money, an operator says when the tables change.
    if (config.mode === "live") await refuseUnmigrated(db);
    else await migrate({ db, clock, log });
    await db.transaction(prepare);
  };
  try {
    // The database works while the server makes its writers of answers.
    await Promise.all([prepareDatabase(), server.ready()]);
    await listen(server, config);
    db.outage?.begin();
    const running = startJobs(app.for("jobs"), jobs);
    // Nobody waits for it: it is there as a whole a moment later.
    const history = config.sandboxHistory ? addHistory(app.for("jobs"), allJobs) : undefined;
    // A port of 0 in the configuration picks a free one.
    const address = server.server.address();
    const port = typeof address === "object" && address !== null ? address.port : config.port;
    return {
      app,
      server,
      /** Resolves when the example business of a fresh sandbox is there, or need not be. */
      history,
      /** Where it really listens; an address of IPv6 stands in brackets in a URL. */
      url: `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`,
      /** Is not ready for a while, stops accepting, finishes what is under way, closes; says when all have left. */
      async stop(allHaveLeft: () => void = () => {}): Promise<void> {
        end.abort();
        // Who balances the load finds out that it is not ready, and sends the others elsewhere.
        if (config.drainSeconds > 0) await sleep(config.drainSeconds * 1000);
        // Side by side: each may wait for somebody who hangs, and whoever stops it waits for both at most.
        await Promise.all([closeServer(server).then(allHaveLeft), running.stop()]);
        await history;
        watch.stop();
        app.http.close();
        await closePools(pools);
      },
    };
  } catch (error) {
    watch.stop();
    await closePools(pools);
    throw asStartFailure(error);
  }
}

/** One that never said anything, or only half, is not idle to Node and is not waited for longer. */
const SILENT_CONNECTIONS_MS = 5_000;

/** A connection that was busy when closing began would stay open, idle, until its client let go. */
async function closeServer(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
  const patience = setTimeout(() => server.server.closeAllConnections(), SILENT_CONNECTIONS_MS);
  await server.close();
  clearInterval(sweep);
  clearTimeout(patience);
}

async function listen(server: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    throw listenFailure(error, { host, port });
  }
}
