// One engine's part of the benchmark: the rivals, running, gateways as they are asked for, and the few
// things that every row does with them.

import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { App } from "../src/platform/app.ts";
import { OPERATOR_TOKEN } from "../test/manage.ts";
import type { Load, Loaded, LoadGenerator } from "./load.ts";
import type { Sizes } from "./options.ts";
import { ask, startPart } from "./part.ts";
import { SHOPS } from "./population.ts";
import type { Received, Receivers } from "./receivers.ts";
import { CREATE, detailsLine, transferLine, transferLists } from "./requests.ts";
import { type Closable, rateOf } from "./row.ts";
import { type Database, type Engine, type Server, startServer } from "./stage.ts";

export interface Scene extends Closable {
  readonly engine: Engine;
  readonly sizes: Sizes;
  readonly load: LoadGenerator;
  readonly say: (line: string) => void;
  readonly bareUrl: string;
  readonly receivers: Receivers;
  readonly askReceivers: (what: "forget" | "count") => Promise<Received>;
  /** Requests a second of POST /invoice/create by address, as far as they are known. */
  readonly rates: Map<string, number>;
}

export async function openScene(
  engine: Engine,
  load: LoadGenerator,
  sizes: Sizes,
  say: (line: string) => void,
): Promise<Scene> {
  say(`${engine.name}: a populated database, the rivals`);
  const bare = startPart(join(import.meta.dirname, "bare.ts"));
  const receiving = startPart(join(import.meta.dirname, "receivers.ts"));
  const bareUrl = await ask<string>(bare, await engine.answers());
  const receivers = await ask<Receivers>(receiving, { what: "open" });
  const scene: Scene = {
    engine,
    sizes,
    load,
    say,
    bareUrl,
    receivers,
    rates: new Map<string, number>(),
    askReceivers: (what) => ask<Received>(receiving, { what }),
    async close() {
      await Promise.all([ended(bare), ended(receiving)]);
    },
  };
  await createAt(scene, bareUrl, { seconds: sizes.warmUpSeconds / 2 });
  return scene;
}

function ended(child: ChildProcess): Promise<unknown> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  return gone;
}

/** A gateway on a database of its own, which is gone with it. */
export interface Place extends Closable {
  readonly database: Database;
  readonly server: Server;
}

/** Warm, and with rows written into it before. */
export async function openPlace(
  scene: Scene,
  fill: (app: App) => Promise<void> = async () => {},
  env: Readonly<Record<string, string>> = {},
): Promise<Place> {
  const database = await scene.engine.database();
  await database.open(fill);
  return serve(scene, database, env);
}

export async function serve(
  scene: Scene,
  database: Database,
  env: Readonly<Record<string, string>> = {},
): Promise<Place> {
  const server = await startServer({ ...database, env: { ...database.env, ...env } });
  await warmUp(scene, server.url);
  const close = async (): Promise<void> => {
    await server.kill();
    await database.drop();
  };
  return { database, server, close };
}

/** Code is compiled while it runs: a process's first seconds are not what it can do. */
export async function warmUp(scene: Scene, url: string): Promise<void> {
  await createAt(scene, url, { seconds: scene.sizes.warmUpSeconds });
}

/** For a door that nobody has called yet, in a process that is warm. */
export const newDoor = ({ sizes }: Scene): number => sizes.warmUpSeconds / 5;

export function createAt(
  { load, sizes }: Scene,
  url: string,
  changes: Partial<Load> = {},
): Promise<Loaded> {
  const { seconds, connections } = sizes;
  return load.drive({ url, lines: CREATE, connections, seconds, ...changes });
}

/** What was measured for the address already, or is measured now. */
export async function fullRate(scene: Scene, url: string): Promise<number> {
  const known = scene.rates.get(url);
  if (known !== undefined) return known;
  const rate = rateOf(await createAt(scene, url));
  scene.rates.set(url, rate);
  return rate;
}

/** Invoices (one step) or payments (two) that were made through the front door, for later. */
async function prepare(
  { load, sizes }: Scene,
  url: string,
  wish: { steps: 1 | 2; count: number; toFirstShopOnly?: boolean },
): Promise<readonly (readonly [string, string])[]> {
  const { steps, toFirstShopOnly = false } = wish;
  const { connections } = sizes;
  const count = Math.max(connections * 2, Math.ceil(wish.count));
  const { collected } = await load.live({
    url,
    shops: SHOPS,
    steps,
    toFirstShopOnly,
    connections,
    until: { count },
    operatorToken: OPERATOR_TOKEN,
  });
  return collected;
}

export async function someInvoices(scene: Scene, url: string) {
  return prepare(scene, url, { steps: 1, count: scene.sizes.prepared });
}

/** So many a second are prepared for a first round; then what the fastest took, and some more. */
const FIRST_GUESS = 800;
/** More than can be sent in a round, so that it ends by time. */
const SPARE = 1.4;

function roundsOf(scene: Scene, round: (count: number) => Promise<Loaded>): () => Promise<Loaded> {
  let fastest = FIRST_GUESS;
  return async () => {
    const loaded = await round(fastest * scene.sizes.seconds * SPARE);
    fastest = Math.max(fastest, rateOf(loaded));
    return loaded;
  };
}

type During = (drive: () => Promise<Loaded>) => Promise<Loaded>;

/** Rounds of details of invoices that are made before each, by one gateway or spread over several. */
export function detailsAt(
  scene: Scene,
  servers: readonly Server[],
  during: During = (drive) => drive(),
): () => Promise<Loaded> {
  const { load, sizes } = scene;
  const connections = Math.ceil(sizes.connections / servers.length);
  return roundsOf(scene, async (count) => {
    const invoices = await prepare(scene, servers[0]?.url ?? "", { steps: 1, count });
    const lines = invoices.map(detailsLine);
    const drives = servers.map(({ url }, own) => {
      const part = lines.filter((_, index) => index % servers.length === own);
      const { seconds } = sizes;
      return () => load.drive({ url, lines: part, each: "once", connections, seconds });
    });
    return during(async () => together(await Promise.all(drives.map((drive) => drive()))));
  });
}

/** What several loads at once come to. */
function together(loads: readonly Loaded[]): Loaded {
  const rate = loads.reduce((sum, loaded) => sum + rateOf(loaded), 0);
  const answered = loads.reduce((sum, loaded) => sum + loaded.answered, 0);
  const slowest = (of: (loaded: Loaded) => number): number => Math.max(...loads.map(of));
  return {
    answered,
    seconds: answered / rate,
    failures: 0,
    p50Ms: slowest(({ p50Ms }) => p50Ms),
    p99Ms: slowest(({ p99Ms }) => p99Ms),
  };
}

/** A bank's program tells in lists, over a few connections. */
const LIST = 100;
const LIST_CONNECTIONS = 4;

/** Rounds of transfers that pay, for payments that are made before each; counted are transfers. */
export function transfersAt(
  scene: Scene,
  url: string,
  how: "in lists" | "singly",
  toFirstShopOnly = false,
): () => Promise<Loaded> {
  const { load, sizes } = scene;
  const { connections, seconds } = sizes;
  return roundsOf(scene, async (count) => {
    const payments = await prepare(scene, url, { steps: 2, count, toFirstShopOnly });
    if (how === "singly") {
      const lines = payments.map(transferLine);
      return load.drive({ url, lines, each: "once", connections, seconds });
    }
    const lines = transferLists(payments, LIST);
    const each = "to the last answer";
    const loaded = await load.drive({ url, lines, each, connections: LIST_CONNECTIONS, seconds });
    return { ...loaded, answered: payments.length };
  });
}
