// PGlite in its own thread, made durable by a hook that is internal to its exactly pinned version.
// A first start that is cut off leaves nothing; PostgreSQL that has given up ends the thread; files stay private.

import { closeSync, fsyncSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { finishFolder, hasDatabase, unfinishedFolder } from "./data-dir.ts";

interface FileStream {
  readonly nfd?: number;
  readonly node: unknown;
}

interface FileAttributes {
  readonly mode?: number;
}

/** The part of Emscripten's module that this needs; PGlite does not type it. */
interface FileModule {
  readonly FS: {
    lookupPath(path: string): { node: { mount: { opts: { root: string } } } };
  };
  readonly NODEFS: {
    readonly stream_ops: { fsync?: (stream: FileStream) => number };
    readonly node_ops: { setattr: (node: unknown, attributes: FileAttributes) => void };
    realPath(node: unknown): string;
  };
}

const IO_ERROR = 29;
const RIGHTS_OF_OTHERS = 0o077;

class DurableFS extends NodeFS {
  readonly #directory: string;

  constructor(directory: string) {
    super(hasDatabase(directory) ? directory : unfinishedFolder(directory));
    this.#directory = resolve(directory);
  }

  override async init(...[engine, options]: Parameters<NodeFS["init"]>) {
    const { emscriptenOpts } = await super.init(engine, options);
    const makeDurable = (module: unknown): void => {
      const { NODEFS } = module as FileModule;
      NODEFS.stream_ops.fsync = (stream) =>
        syncToDisk(stream.nfd ?? NODEFS.realPath(stream.node)) ? 0 : IO_ERROR;
    };
    const makePrivate = (module: unknown): void => {
      const { node_ops } = (module as FileModule).NODEFS;
      const { setattr } = node_ops;
      node_ops.setattr = (node, { mode, ...others }) =>
        setattr(node, mode === undefined ? others : { ...others, mode: mode & ~RIGHTS_OF_OTHERS });
    };
    const preRun = [...(emscriptenOpts.preRun ?? []), makeDurable, makePrivate];
    return { emscriptenOpts: { ...emscriptenOpts, preRun, onAbort: endThread } };
  }

  /** PGlite calls it once it has written a new cluster, before PostgreSQL starts on it. */
  override async syncToFs(): Promise<void> {
    if (this.pg === undefined || this.rootDir === this.#directory) return;
    await finishFolder(this.rootDir, this.#directory);
    this.rootDir = this.#directory;
    const { FS } = this.pg.Module as unknown as FileModule;
    FS.lookupPath(DATA).node.mount.opts.root = this.#directory;
  }
}

/** Where PGlite has the directory in its own tree. */
const DATA = "/pglite/data";

/** A file comes as its descriptor; a directory has none here and is opened for the moment. */
function syncToDisk(target: number | string): boolean {
  try {
    if (typeof target === "number") {
      fsyncSync(target);
      return true;
    }
    const descriptor = openSync(target, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

const DURABLE = [
  "fsync=on",
  "wal_sync_method=fsync",
  "synchronous_commit=on",
  "full_page_writes=on",
];

/**
 * What connections to a server ask for as they begin, see db-pool.ts: PGlite hears nothing of that. And no plan that
 * was made while a table was small, and is kept while it grows, reads the whole table; see WITH_ONE_PLAN.
 */
const BY_INDEX = ["random_page_cost=1.1", "enable_seqscan=off"];

/** Asked for by settings_changed() in the migrations; see db.ts. */
const TELLS = ["kopeck.one_connection=on"];

const START_PARAMS = [
  ...PGlite.defaultStartParams.filter((param) => param !== "-F"),
  ...[...DURABLE, ...BY_INDEX, ...TELLS].flatMap((setting) => ["-c", setting]),
];

let panic = "it gave up";

function listenForPanic(line: string): false {
  const [, words] = /PANIC: +(.*)/.exec(line) ?? [];
  if (words !== undefined) panic = words;
  return false;
}

/**
 * PGlite takes an abort for a failed statement and enters PostgreSQL again, in whatever state it is:
 * with luck it spins there for ever. So the thread ends inside the abort; its successor recovers from
 * the log.
 */
function endThread(): never {
  port.postMessage({ failed: panic } satisfies EngineFailure);
  process.exit(1);
}

const TERMINATE = "X".charCodeAt(0);

export interface EngineRequest {
  readonly connection: number;
  readonly bytes: Uint8Array | "open" | "stop";
}

export interface EngineAnswer {
  readonly connection: number;
  readonly bytes: Uint8Array | "opened" | "stopped";
}

export interface EngineFailure {
  readonly failed: string;
}

const port = requirePort();

const { directory } = workerData as { directory: string };

class WireEngine extends PGlite {
  /** A query for PGlite's own codec, which nobody uses here. */
  override async _initArrayTypes(): Promise<void> {}
}

const engine = new WireEngine({
  fs: new DurableFS(directory),
  startParams: START_PARAMS,
  onStderr: listenForPanic,
});
await engine.waitReady;

const answer = (connection: number, bytes: EngineAnswer["bytes"]): void => {
  const moved = typeof bytes === "string" ? [] : [bytes.buffer as ArrayBuffer];
  port.postMessage({ connection, bytes } satisfies EngineAnswer, moved);
};

function requirePort(): MessagePort {
  if (parentPort === null) throw new Error("This file runs as a worker thread only.");
  return parentPort;
}

/** In memory of its own, because it moves to the other thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function serve({ connection, bytes }: EngineRequest): Promise<void> {
  if (bytes === "stop") {
    await engine.close();
    answer(connection, "stopped");
    port.close();
  } else if (bytes === "open") {
    // One session serves one connection after another: the next must not meet the last one's
    // half-done transaction or its prepared statements.
    if (engine.isInTransaction()) await engine.exec("rollback");
    await engine.exec("discard all");
    answer(connection, "opened");
  } else if (bytes[0] !== TERMINATE) {
    const parts: Uint8Array[] = [];
    const onRawData = (part: Uint8Array): number => parts.push(part.slice());
    await engine.execProtocolRawStream(bytes, { syncToFs: false, onRawData });
    if (parts.length > 0) answer(connection, joined(parts));
  }
}

// Requests are served strictly one after another; PostgreSQL itself is one thread here.
let last = Promise.resolve();
port.on("message", (request: EngineRequest) => {
  last = last.then(() => serve(request));
});
answer(0, "opened");
