// The embedded engine: PostgreSQL in a worker thread. One process at a time opens its directory.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Duplex } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type pg from "pg";
import { ENGINE_FOLDER, hasDatabase, openDataDir, wrongInDatabase } from "./data-dir.ts";
import { type Db, openKept } from "./db.ts";
import type { EngineAnswer, EngineFailure, EngineRequest } from "./db-embedded-worker.ts";
import type { PoolCare } from "./db-pool.ts";
import { openPostgres } from "./db-postgres.ts";
import { codeOf, StartFailure } from "./failure.ts";
import type { Log } from "./log.ts";

/** Everybody waits for the one connection, so waiting is no sign of a database that is away. */
const WAIT_FOR_CONNECTION_MS = 15_000;
const STUCK_MS = 60_000;

export async function openEmbedded(options: {
  dataDir: string;
  log: Log;
  existing?: boolean;
  limits?: pg.PoolConfig;
  care?: PoolCare;
}): Promise<Db> {
  const { dataDir, log, existing = false, limits = {}, care = {} } = options;
  const directory = join(dataDir, ENGINE_FOLDER);
  const wrong = wrongInDatabase(directory);
  if (wrong !== undefined) {
    throw new StartFailure(`KOPECK_DATA_DIR ${dataDir} cannot be used: ${directory} ${wrong}.`);
  }
  if (existing && !hasDatabase(directory)) refuseMissing(dataDir, directory);
  const unlock = lockDirectory(dataDir);
  try {
    if (!hasDatabase(directory)) {
      log.info({ directory }, "creating the embedded database; this takes seconds, only once");
    }
    const engine = await startEngine(directory);
    const kept = openKept();
    const db = openPostgres(
      {
        stream: () => engine.connect(),
        max: 1,
        idleTimeoutMillis: 0,
        connectionTimeoutMillis: WAIT_FOR_CONNECTION_MS,
        query_timeout: STUCK_MS,
        user: "postgres",
        database: "postgres",
        ...limits,
      },
      log,
      { ...care, kept },
    );
    const close = async (): Promise<void> => {
      await db.close();
      await engine.stop();
      unlock();
    };
    return { ...db, keep: kept.keep, close };
  } catch (error) {
    unlock();
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartFailure(`The embedded database in ${dataDir} cannot be opened: ${reason}`);
  }
}

/** What is there and closed to whoever asks is not missing. */
function refuseMissing(dataDir: string, directory: string): never {
  const reason = whyMissing(directory);
  throw new StartFailure(
    reason === undefined
      ? `There is no database in ${dataDir}. Set DATABASE_URL or KOPECK_DATA_DIR, or start Kopeck once.`
      : `KOPECK_DATA_DIR ${dataDir} cannot be used: ${reason}`,
  );
}

function whyMissing(directory: string): string | undefined {
  try {
    statSync(directory);
    return undefined;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(codeOf(error)) ? undefined : String(error);
  }
}

/**
 * Node has no file locks, but its SQLite takes one that the kernel drops when the process dies, in
 * whatever way: a lock left behind can never block the next start, and pids never matter.
 */
function lockDirectory(dataDir: string): () => void {
  try {
    openDataDir(dataDir);
    const lock = new DatabaseSync(join(dataDir, "lock"));
    lock.exec("pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive");
    return () => lock.close();
  } catch (error) {
    if (error instanceof Error && error.message.includes("locked")) {
      throw new StartFailure(
        `Another Kopeck process is using ${dataDir}. Stop it, or choose another KOPECK_DATA_DIR.`,
      );
    }
    throw new StartFailure(`KOPECK_DATA_DIR ${dataDir} cannot be used: ${String(error)}`);
  }
}

export interface Engine {
  connect(): Duplex;
  stop(): Promise<void>;
  kill(): void;
}

type Listener = (bytes: EngineAnswer["bytes"] | Error) => void;

/**
 * V8 13.6 frees the same piece of machine code twice when it collects what one thread's WebAssembly has
 * left behind while the next thread's asks for it, and the whole process dies of that. Without the
 * collector nothing is freed twice. A flag of the process, but only where the engine is really started.
 */
const KEEP_MACHINE_CODE = "--no-wasm-code-gc";

/**
 * How much a function of WebAssembly does before V8 optimises it; V8's own figure is 13 million. A start
 * runs most of PostgreSQL a little: optimising that takes 0.4 s of a core's time, and who waits for the
 * start has none to spare. What makes a new database runs so much that V8's figure is the better one.
 */
const OPTIMISE_LATER = "--wasm-tiering-budget=50000000";

export async function startEngine(directory: string): Promise<Engine> {
  let worker: Worker | undefined;
  let connections = 0;
  const listeners = new Map<number, Listener>();

  const tellAll = (error: Error): void => {
    const waiting = [...listeners.values()];
    listeners.clear();
    for (const listener of waiting) listener(error);
  };
  const start = (): Worker => {
    setFlagsFromString(KEEP_MACHINE_CODE);
    if (existsSync(directory)) setFlagsFromString(OPTIMISE_LATER);
    const started = new Worker(new URL("./db-embedded-worker.ts", import.meta.url), {
      workerData: { directory },
      // The process's own flags may make no sense for a thread.
      execArgv: [],
    });
    // Only a thread that is gone is replaced: two at once would write to the same directory.
    let reason = "the embedded database stopped";
    started.on("message", (message: EngineAnswer | EngineFailure) => {
      if ("failed" in message) reason = `the embedded database failed: ${message.failed}`;
      else listeners.get(message.connection)?.(message.bytes);
    });
    started.on("error", (error) => {
      reason = `the embedded database failed: ${wordsOf(error)}`;
    });
    started.on("exit", () => {
      if (worker === started) worker = undefined;
      tellAll(lost(reason));
    });
    worker = started;
    return started;
  };
  const send = (request: EngineRequest): void => {
    const moved = typeof request.bytes === "string" ? [] : [request.bytes.buffer as ArrayBuffer];
    (worker ?? start()).postMessage(request, moved);
  };

  const engine: Engine = {
    connect() {
      connections += 1;
      const connection = connections;
      return new EngineSocket({
        listen: (listener) => listeners.set(connection, listener),
        send: (bytes) => send({ connection, bytes }),
        close: () => listeners.delete(connection),
        // An engine that does not answer is not waited for: its successor recovers from the log.
        giveUp: () => void worker?.terminate(),
      });
    },
    async stop() {
      const running = worker;
      if (running === undefined) return;
      const exited = new Promise((resolve) => running.once("exit", resolve));
      running.postMessage({ connection: 0, bytes: "stop" } satisfies EngineRequest);
      await exited;
    },
    kill: () => void worker?.terminate(),
  };

  await new Promise<void>((resolve, reject) => {
    listeners.set(0, (bytes) => (bytes instanceof Error ? reject(bytes) : resolve()));
    start();
  });
  return engine;
}

/** A file that the runtime cannot write fails with a number of WASI's and no words. */
const OF_FILES: Readonly<Record<string, string>> = {
  19: "EDQUOT, the quota of its disk is used up",
  29: "EIO, its disk failed",
  51: "ENOSPC, its disk is full",
};

function wordsOf({
  message,
  errno,
}: {
  readonly message?: string;
  readonly errno?: number;
}): string {
  return message ?? OF_FILES[String(errno)] ?? `error ${errno} of a file`;
}

function lost(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}

export interface Line {
  listen(listener: Listener): void;
  send(bytes: Uint8Array<ArrayBuffer> | "open"): void;
  close(): void;
  giveUp(): void;
}

const SYNC = "S".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
const FLUSH = "H".charCodeAt(0);
const ENDS_A_REQUEST = new Set([SYNC, QUERY, FLUSH]);

/** The driver writes a request in pieces; the engine wants it whole, up to its last message. */
export class EngineSocket extends Duplex {
  readonly #line: Line;
  #started = false;
  #awaitsAnswer = false;
  #pending: Buffer = Buffer.alloc(0);

  constructor(line: Line) {
    super();
    this.#line = line;
  }

  connect(): this {
    this.#line.listen((bytes) => {
      this.#awaitsAnswer = false;
      if (bytes instanceof Error) this.destroy(bytes);
      else if (bytes === "opened") this.emit("connect");
      else if (typeof bytes !== "string") this.push(bytes);
    });
    this.#awaitsAnswer = true;
    this.#line.send("open");
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const end = this.#endOfLastRequest();
    if (end > 0) {
      this.#awaitsAnswer = true;
      // A copy of its own, because the memory moves to the other thread.
      this.#line.send(Uint8Array.from(this.#pending.subarray(0, end)));
      this.#pending = this.#pending.subarray(end);
    }
    done();
  }

  /** What was asked in one turn crosses over to the other thread once: a message costs both sides. */
  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), "buffer", done);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#line.close();
    if (this.#awaitsAnswer) this.#line.giveUp();
    done(error);
  }

  #endOfLastRequest(): number {
    let offset = 0;
    let end = 0;
    if (!this.#started && this.#pending.length >= 4) {
      // The first message has a length but no type.
      offset = this.#pending.readInt32BE(0);
      if (offset > this.#pending.length) return 0;
      this.#started = true;
      end = offset;
    }
    while (offset + 5 <= this.#pending.length) {
      const next = offset + 1 + this.#pending.readInt32BE(offset + 1);
      if (next > this.#pending.length) break;
      if (ENDS_A_REQUEST.has(this.#pending[offset] ?? 0)) end = next;
      offset = next;
    }
    return end;
  }
}
