// One process of the gateway, as it were: the real doors and jobs, by a clock of its own, on a database that
// fails on either side of a commit. When it dies, everything that it kept in memory is gone. Its routes are
// made once, because that takes longer than a whole history; they ask for the present App at every call.

import { apiOf } from "../../src/features/index.ts";
import { pagesOf } from "../../src/features/pages.ts";
import type { App } from "../../src/platform/app.ts";
import { movableClock, openClockWatch } from "../../src/platform/clock.ts";
import type { Db } from "../../src/platform/db.ts";
import { HttpFailure } from "../../src/platform/failure.ts";
import { openLog } from "../../src/platform/log.ts";
import { openApp } from "../../src/platform/open-app.ts";
import { createServer } from "../../src/platform/server.ts";
import { testConfig } from "../../test/gateway.ts";
import { keeping } from "../../test/retention.ts";
import { SHARES } from "./model.ts";

/** So short that every history of some days forgets. Invoices stay: of each the model knows what is to be heard. */
const KEPT = keeping({ eventBodies: 1, deliveries: 1, slots: 1, payers: 1 });

export interface Fault {
  /** How many statements outside of transactions, and transactions, go well first. */
  readonly skip: number;
  /** Before a commit, and nothing has happened; after it, and everything has, but nobody is told. */
  readonly side: "before" | "after";
  /** The process is gone, or only this answer. */
  readonly outcome: "crash" | "error";
}

/** With whether it struck a transaction. */
type Hit = Fault & { readonly inTransaction: boolean };

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** What a page's form sends instead of a body. */
  readonly form?: Readonly<Record<string, string>>;
  readonly address?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each step says itself what it expects in an answer.
  readonly data: any;
}

type Surroundings = Pick<App, "http" | "newId">;

export type Process = ReturnType<typeof openProcess>;

export function openProcess(engine: Db, world: { readonly ms: number }) {
  const lines: string[] = [];
  const log = openLog("error", { write: (line) => void lines.push(line) });
  /** How far its machine's clock is ahead of the world's. */
  let aheadMs = 0;
  const machine = { now: () => new Date(world.ms + aheadMs) };
  let watch = openClockWatch(machine);
  const parts = openApp({
    config: testConfig({ databaseUrl: undefined, shares: SHARES, ...KEPT }),
    clock: movableClock(machine, () => watch.isRight()),
    db: engine,
    log,
    http: { post: () => Promise.reject(new Error("no network yet")), close() {} },
  });
  let surroundings: Surroundings = parts;
  let db = faultyDb(engine);
  let app: App = parts;
  const restart = (): void => {
    db = faultyDb(engine);
    app = { ...parts, ...surroundings, db, memory: new Map(), for: () => app };
  };
  const present: App = new Proxy(parts, {
    get: (_, name) => (name === "for" ? () => present : Reflect.get(app, name)),
  });
  const server = createServer(present, apiOf("sandbox"), pagesOf("sandbox"));
  return {
    /** What jobs are run with. */
    app: () => app,
    /** What its own clock says. */
    now: () => world.ms + aheadMs,
    enter(next: Surroundings, ahead: number): void {
      surroundings = next;
      aheadMs = ahead;
      watch = openClockWatch(machine);
      lines.length = 0;
      restart();
    },
    arm: (fault: Fault): void => db.arm(fault),
    /** What has struck, if something has; nothing more will. A dead process is followed by another one. */
    disarm(): Hit | undefined {
      const hit = db.disarm();
      if (hit?.outcome === "crash") restart();
      return hit;
    },
    restart,
    /** Compares the clocks as a start does, by what the database's would say; throws where it refuses. */
    async compareClocks(ahead: number): Promise<void> {
      aheadMs = ahead;
      watch = openClockWatch(machine);
      const asked = { query: async () => [{ now: new Date(world.ms) }] } as unknown as Db;
      await watch.start({ db: asked, log, metrics: parts.metrics }).finally(() => watch.stop());
    },
    setClock(ahead: number): void {
      aheadMs = ahead;
    },
    async ask({ method, path, headers, body, form, address }: Request): Promise<Answer> {
      const payload = form ? new URLSearchParams(form).toString() : body && JSON.stringify(body);
      const type = form ? "application/x-www-form-urlencoded" : "application/json";
      const answer = await server.inject({
        method,
        url: path,
        remoteAddress: address ?? "127.0.0.1",
        headers: { accept: "application/json", "content-type": type, ...headers },
        ...(payload ? { payload } : {}),
      });
      const { data = null } = answer.body.startsWith("{") ? JSON.parse(answer.body) : {};
      return { status: answer.statusCode, text: answer.body, data };
    },
    /** Nothing of it is under way any more, but for what waits for a receiver. */
    async settled(): Promise<void> {
      for (let idle = 0; idle < 3; idle = db.pending() === 0 ? idle + 1 : 0) {
        await new Promise(setImmediate);
      }
    },
    /** The newest failures that it did not expect. */
    complaints: (): string => lines.splice(0).slice(-3).join(""),
  };
}

function faultyDb(engine: Db) {
  let armed: Fault | undefined;
  let hit: Hit | undefined;
  let isGone = false;
  let pending = 0;

  const away = (): Error => new HttpFailure("unavailable");
  const strike = (fault: Fault, inTransaction: boolean): Error => {
    hit = { ...fault, inTransaction };
    isGone = fault.outcome === "crash";
    return away();
  };
  const faulty = async <Result>(
    inTransaction: boolean,
    work: (beforeCommit: () => void) => Promise<Result>,
  ): Promise<Result> => {
    if (isGone) throw away();
    const fault = armed?.skip === 0 ? armed : undefined;
    armed = armed && !fault ? { ...armed, skip: armed.skip - 1 } : undefined;
    pending += 1;
    try {
      const result = await work(() => {
        if (fault?.side === "before") throw strike(fault, inTransaction);
        if (isGone) throw away();
      });
      if (fault) throw strike(fault, inTransaction);
      if (isGone) throw away();
      return result;
    } finally {
      pending -= 1;
    }
  };
  return {
    query: <Row>(text: string, values?: readonly unknown[]): Promise<Row[]> =>
      faulty(false, (beforeCommit) => {
        beforeCommit();
        return engine.query<never>(text, values);
      }),
    transaction: ((work) =>
      faulty(true, (beforeCommit) =>
        engine.transaction(async (tx) => {
          const result = await work(tx);
          beforeCommit();
          return result;
        }),
      )) as Db["transaction"],
    session: engine.session,
    close: async () => {},
    arm(fault: Fault): void {
      armed = fault;
      hit = undefined;
    },
    disarm(): Hit | undefined {
      armed = undefined;
      const struck = hit;
      hit = undefined;
      return struck;
    },
    pending: () => pending,
  };
}
