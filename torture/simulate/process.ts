// One process of the gateway, as it were: the real doors and jobs on a database that can fail. When it
// dies, everything that it kept in memory is gone. Its routes are made once, because compiling their
// checks takes longer than a whole history; they ask for the present App at every call.

import { endpointsOf, pagesOf } from "../../src/features/index.ts";
import type { App } from "../../src/platform/app.ts";
import { movableClock } from "../../src/platform/clock.ts";
import type { Db } from "../../src/platform/db.ts";
import type { NewId } from "../../src/platform/id.ts";
import { openLog } from "../../src/platform/log.ts";
import { openApp } from "../../src/platform/open-app.ts";
import { createServer } from "../../src/platform/server.ts";
import { testConfig } from "../../test/gateway.ts";
import { type FaultyDb, faultyDb } from "./faulty-db.ts";
import { SHARES } from "./model.ts";
import type { Network } from "./network.ts";

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** What a page's form sends instead of a body. */
  readonly form?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each step says itself what it expects in an answer.
  readonly data: any;
}

interface Surroundings {
  readonly network: Network;
  readonly newId: NewId;
}

export interface Process {
  /** What jobs are run with. */
  readonly app: App;
  readonly db: FaultyDb;
  /** The next history begins. */
  enter(surroundings: Surroundings): void;
  /** The process died and another one takes its place. */
  restart(): void;
  ask(request: Request): Promise<Answer>;
  /** Nothing of it is under way any more, but for what waits for a receiver. */
  settled(): Promise<void>;
  /** The newest failures that it did not expect. */
  complaints(): string;
}

export class WorldClock {
  ms = 0;
  now = (): Date => new Date(this.ms);
}

export function openProcess(engine: Db, clock: WorldClock): Process {
  const lines: string[] = [];
  const log = openLog("error", { write: (line) => void lines.push(line) });
  const parts = openApp({
    config: testConfig({ databaseUrl: undefined, shares: SHARES }),
    db: engine,
    clock: movableClock(clock),
    log,
    http: { post: () => Promise.reject(new Error("no network yet")), close() {} },
  });
  let surroundings: Surroundings | undefined;
  let db = faultyDb(engine);
  let app: App = parts;
  const restart = (): void => {
    db = faultyDb(engine);
    const { newId, network } = surroundings ?? { newId: parts.newId, network: undefined };
    const http = network?.outgoing ?? parts.http;
    app = { ...parts, db, newId, http, memory: new Map(), for: () => app };
  };
  const present: App = {
    ...parts,
    get db() {
      return db;
    },
    get newId() {
      return app.newId;
    },
    get http() {
      return app.http;
    },
    get memory() {
      return app.memory;
    },
    for: () => present,
  };
  const server = createServer(present, endpointsOf("sandbox"), pagesOf("sandbox"));
  return {
    get app() {
      return app;
    },
    get db() {
      return db;
    },
    enter(next) {
      surroundings = next;
      lines.length = 0;
      restart();
    },
    restart,
    async ask({ method, path, headers, body, form }) {
      const [type, payload] =
        form === undefined
          ? ["application/json", body === undefined ? undefined : JSON.stringify(body)]
          : ["application/x-www-form-urlencoded", new URLSearchParams(form).toString()];
      const answer = await server.inject({
        method,
        url: path,
        headers: { accept: "application/json", "content-type": type, ...headers },
        ...(payload === undefined ? {} : { payload }),
      });
      const { data = null } = answer.body.startsWith("{") ? JSON.parse(answer.body) : {};
      return { status: answer.statusCode, text: answer.body, data };
    },
    async settled() {
      for (let idle = 0; idle < 3; ) {
        await new Promise(setImmediate);
        idle = db.pending === 0 ? idle + 1 : 0;
      }
    },
    complaints: () => lines.splice(0).slice(-3).join(""),
  };
}
