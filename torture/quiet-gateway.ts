// A whole gateway that does nothing by itself: its doors are open, its jobs run when they are told to.
// Several of them on one database are as many processes would be: connections, memories and calls
// under way are each one's own.

import type { AddressInfo } from "node:net";
import { apiOf } from "../src/features/index.ts";
import { prepareInstallation } from "../src/features/operators/installation.ts";
import { pagesOf } from "../src/features/pages.ts";
import { createCast } from "../src/features/sandbox/cast.ts";
import type { App } from "../src/platform/app.ts";
import { movableClock } from "../src/platform/clock.ts";
import type { Config } from "../src/platform/config.ts";
import type { NewId } from "../src/platform/id.ts";
import type { Job } from "../src/platform/job.ts";
import { openLog } from "../src/platform/log.ts";
import { migrate } from "../src/platform/migrate.ts";
import { openApp } from "../src/platform/open-app.ts";
import { openDb } from "../src/platform/open-db.ts";
import type { Outgoing } from "../src/platform/outgoing.ts";
import { createServer } from "../src/platform/server.ts";
import { type CallOptions, call, type TestClock } from "../test/gateway.ts";

/** Told of people who contradict each other, which they do here on purpose: two references of one payout. */
export const isOfPeople = (line: string): boolean =>
  line.includes("a payout that has left is said to have left by another reference");

export type QuietGateway = Awaited<ReturnType<typeof openQuietGateway>>;

interface QuietOptions {
  readonly config: Config;
  readonly clock: TestClock;
  readonly http?: Outgoing;
}

export async function openQuietGateway({ config, clock, http }: QuietOptions) {
  const errors: string[] = [];
  const log = openLog("error", { write: (line) => void (isOfPeople(line) || errors.push(line)) });
  const db = await openDb(config, log);
  const parts = { config, db, log, clock: movableClock(clock) };
  const opened = openApp(http === undefined ? parts : { ...parts, http });
  const made = new Set<string>();
  const newId: NewId = () => {
    const id = opened.newId();
    made.add(id);
    return id;
  };
  const app: App = { ...opened, newId, for: () => app };
  await migrate(app);
  await app.db.transaction(async (tx) => {
    await prepareInstallation(tx, app);
    await createCast(tx, app);
  });
  const server = createServer(app, apiOf(config.mode), pagesOf(config.mode));
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    app,
    clock,
    url,
    /** What it has logged as an error: nobody may have met one. */
    errors,
    call: (path: string, options?: CallOptions) => call(url, path, options),
    /** Whether this one, and no other gateway, has made the id. */
    hasMade: (id: string) => made.has(id),
    /** Until nothing is left of what these jobs have to do. */
    async work(jobs: readonly Job[]): Promise<void> {
      for (const job of jobs) while ((await job.run(app)) > 0);
    },
    async stop(): Promise<void> {
      server.server.closeAllConnections();
      await server.close();
      app.http.close();
      await db.close();
    },
  };
}
