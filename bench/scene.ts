// One engine's part of the benchmark: a gateway and its rivals, running, and the few things that every
// row does with them.

import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { App } from "../src/platform/app.ts";
import { OPERATOR_TOKEN } from "../test/manage.ts";
import type { LoadGenerator } from "./load.ts";
import type { Load, Loaded, RequestLine } from "./load-driver.ts";
import type { Sizes } from "./options.ts";
import { ask, startPart } from "./part.ts";
import { SHOPS } from "./population.ts";
import type { Received, Receivers } from "./receivers.ts";
import {
  answerTo,
  BALANCE,
  BANKS,
  CREATE,
  detailsLine,
  infoLine,
  TARIFFS,
  transferLine,
} from "./requests.ts";
import type { Side } from "./row.ts";
import { type Database, type Engine, type Server, startServer } from "./stage.ts";
import { median } from "./statistics.ts";
import { storeOld } from "./stored-invoices.ts";

export interface Scene {
  readonly engine: Engine;
  readonly sizes: Sizes;
  readonly load: LoadGenerator;
  readonly say: (line: string) => void;
  readonly database: Database;
  readonly gateway: Server;
  readonly bareUrl: string;
  readonly receivers: Receivers;
  readonly askReceivers: (what: "forget" | "count") => Promise<Received>;
  /** Another gateway with a few stored invoices, to compare with; started when first asked for. */
  calm(): Promise<Server>;
  /** Requests a second of POST /invoice/create by address, as far as they are known. */
  readonly rates: Map<string, number>;
  close(): Promise<void>;
}

export async function openScene(
  engine: Engine,
  load: LoadGenerator,
  sizes: Sizes,
  say: (line: string) => void,
): Promise<Scene> {
  say(`${engine.name}: a populated database, a gateway, its rivals`);
  const database = await engine.database();
  const gateway = await startServer(database);
  const bare = startPart(join(import.meta.dirname, "bare.ts"));
  const receiving = startPart(join(import.meta.dirname, "receivers.ts"));
  const bareUrl = await ask<string>(bare, await captureAnswers(gateway.url));
  const receivers = await ask<Receivers>(receiving, { what: "open" });
  const rates = new Map<string, number>();
  let calm: Promise<{ server: Server; database: Database }> | undefined;
  const scene: Scene = {
    ...{ engine, sizes, load, say, database, gateway, bareUrl, receivers, rates },
    askReceivers: (what) => ask<Received>(receiving, { what }),
    async calm() {
      calm ??= openFilled(engine, (app) => storeOld(app, sizes.storedFew)).then(async (filled) => {
        await warmUpBriefly(scene, filled.server);
        return filled;
      });
      return (await calm).server;
    },
    async close() {
      await Promise.all([ended(bare), ended(receiving)]);
      await gateway.stop();
      const filled = await calm;
      await filled?.server.kill();
      await filled?.database.drop();
    },
  };
  // The gateway gets faster for about ten seconds, bare Fastify for about two.
  await warmUp(scene, gateway.url);
  await createAt(scene, bareUrl, { seconds: sizes.warmUpSeconds / 2 });
  await warmUp(scene, gateway.url);
  return scene;
}

export type Fill = (app: App) => Promise<void>;

/** A gateway on a database of its own that rows were written into. */
export async function openFilled(
  engine: Engine,
  fill: Fill,
): Promise<{ server: Server; database: Database }> {
  const database = await engine.database();
  await database.open(fill);
  return { server: await startServer(database), database };
}

/** Code is compiled while it runs: a process's first seconds are not what it can do. */
export async function warmUp(scene: Scene, url: string): Promise<void> {
  await createAt(scene, url, { seconds: scene.sizes.warmUpSeconds });
}

/** For one of several gateways of a row: they are compared with each other, and as warm. */
export async function warmUpBriefly(scene: Scene, { url }: Server): Promise<void> {
  await createAt(scene, url, { seconds: scene.sizes.warmUpSeconds / 2 });
}

/** For what only one row calls, in a process that is warm. */
export const shortly = ({ sizes }: Scene): number => sizes.warmUpSeconds / 12;

/** For a door that nobody has called yet: a quarter of a second is too short for a long answer. */
export const newDoor = ({ sizes }: Scene): number => sizes.warmUpSeconds / 5;

function ended(child: ChildProcess): Promise<unknown> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  return gone;
}

/** One answer of each measured endpoint, for the rival that always gives the same. */
async function captureAnswers(url: string): Promise<Record<string, unknown>> {
  const first = (lines: readonly RequestLine[]): RequestLine => {
    const [line] = lines;
    if (line === undefined) throw new Error("no request");
    return line;
  };
  const created = (await answerTo(url, first(CREATE))) as { data: { id: string } };
  const invoice = ["0", created.data.id] as const;
  const details = (await answerTo(url, detailsLine(invoice))) as {
    data: { wallet: string; amount: string };
  };
  const transfer = transferLine([details.data.wallet, details.data.amount]);
  return {
    "POST /invoice/create": created,
    "POST /invoice/h2h": details,
    "POST /sandbox/transfers": await answerTo(url, transfer),
    "GET /invoice/info": await answerTo(url, infoLine(invoice)),
    "GET /shops/:shopId/payment-tariffs": await answerTo(url, first(TARIFFS)),
    "GET /payoff/get-sbp-bank-list": await answerTo(url, first(BANKS)),
    "GET /account/users/:userId/balance": await answerTo(url, first(BALANCE)),
  };
}

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

/** Creates at half of what this server can do: what a caller feels on a good day. */
export async function createPaced(scene: Scene, url: string, rate: number): Promise<Loaded> {
  const seconds = scene.sizes.pacedSeconds;
  return createAt(scene, url, { seconds, ratePerSecond: rate / 2 });
}

/** Invoices (one step) or payments (two) that were made through the front door, for later. */
export async function prepare(
  scene: Scene,
  url: string,
  wish: { steps: 1 | 2; count: number; toFirstShopOnly?: boolean },
): Promise<readonly (readonly [string, string])[]> {
  const { steps, toFirstShopOnly = false } = wish;
  const { connections } = scene.sizes;
  const count = Math.max(connections * 2, Math.ceil(wish.count));
  const { collected } = await scene.load.live({
    ...{ url, shops: SHOPS, steps, toFirstShopOnly, connections, until: { count } },
    operatorToken: OPERATOR_TOKEN,
  });
  return collected;
}

export function rateOf({ answered, seconds }: Loaded): number {
  return answered / seconds;
}

/** Rounds in turns, so that what else the machine does meets all of them alike. */
export async function inTurns<Name extends string>(
  scene: Scene,
  contenders: Readonly<Record<Name, () => Promise<Loaded>>>,
  figure: (loaded: Loaded) => number = rateOf,
): Promise<Record<Name, Side>> {
  const entries = Object.entries(contenders) as [Name, () => Promise<Loaded>][];
  const heard = new Map<Name, Loaded[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < scene.sizes.rounds; round += 1) {
    for (const [name, run] of entries) heard.get(name)?.push(await run());
  }
  const sides = [...heard].map(([name, all]) => [name, sideOf(all, figure)] as const);
  return Object.fromEntries(sides) as Record<Name, Side>;
}

function sideOf(all: readonly Loaded[], figure: (loaded: Loaded) => number): Side {
  return {
    rounds: all.map(figure),
    p50Ms: median(all.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
  };
}
