// What must not slow the gateway down: much that is stored, much that falls due at once, a receiver that
// does not answer. Each on databases of its own, because rows are written straight into them.

import { setTimeout as sleep } from "node:timers/promises";
import { OPERATOR_TOKEN } from "../test/manage.ts";
import type { Loaded } from "./load-driver.ts";
import { QUIET_SHOP_ID, SHOPS } from "./population.ts";
import { answerTo, detailsLine, transferLine } from "./requests.ts";
import { type Row, rowOf } from "./row.ts";
import type { RowMaker } from "./row-maker.ts";
import {
  createAt,
  createPaced,
  type Fill,
  fullRate,
  inTurns,
  openFilled,
  prepare,
  rateOf,
  type Scene,
  warmUpBriefly,
} from "./scene.ts";
import type { Server } from "./stage.ts";
import { median } from "./statistics.ts";
import { storeDue, storeOld, storeWaitingEvents } from "./stored-invoices.ts";

/** A gateway on a database of its own, which is gone with it. */
async function onFilled<Result>(
  scene: Scene,
  fill: Fill,
  work: (server: Server) => Promise<Result>,
): Promise<Result> {
  const { server, database } = await openFilled(scene.engine, fill);
  const result = await work(server);
  await server.kill();
  await database.drop();
  return result;
}

const stored: RowMaker = {
  names: ["stored-create", "stored-h2h"],
  quickOn: ["postgres"],
  async measure(scene) {
    const { sizes, engine, say } = scene;
    const small = await scene.calm();
    let rows: Row[] = [];
    // A longer run measures a smaller amount on the way; the rows are those of the largest.
    for (const many of sizes.storedMany[engine.name]) {
      const fill: Fill = (app) => storeOld(app, many, say);
      rows = await onFilled(scene, fill, (large) => compare(scene, small, large, many));
      for (const { name, ratio } of rows) say(`  ${name} with ${many}: ${ratio.toFixed(2)}`);
    }
    return rows;
  },
};

async function compare(scene: Scene, small: Server, large: Server, many: number): Promise<Row[]> {
  await warmUpBriefly(scene, large);
  const creates = await inTurns(scene, {
    small: () => createAt(scene, small.url),
    large: () => createAt(scene, large.url),
  });
  const details = detailsAt(scene);
  for (const server of [small, large]) await details(server);
  const h2h = await inTurns(scene, { small: () => details(small), large: () => details(large) });
  const engine = scene.engine.name;
  const text = (count: number): string => count.toLocaleString("en");
  const rivalName = `${text(scene.sizes.storedFew)} stored`;
  return [
    rowOf({
      ...{ name: "stored-create", engine, what: `create with ${text(many)} invoices stored` },
      ...{ ours: creates.large, rival: creates.small, rivalName },
    }),
    rowOf({
      ...{ name: "stored-h2h", engine, what: `h2h with ${text(many)} invoices stored` },
      ...{ ours: h2h.large, rival: h2h.small, rivalName },
    }),
  ];
}

export type During = (drive: () => Promise<Loaded>) => Promise<Loaded>;

/** Rounds of details, each of invoices that were made before it; something else may happen meanwhile. */
export function detailsAt(scene: Scene): (server: Server, during?: During) => Promise<Loaded> {
  const most = new Map<string, number>();
  return async ({ url }, during = (drive) => drive()) => {
    const { seconds } = scene.sizes;
    const count = (most.get(url) ?? 500) * seconds * 1.5;
    const lines = (await prepare(scene, url, { steps: 1, count })).map(detailsLine);
    const wish = { url, lines, once: true, connections: scene.sizes.connections, seconds };
    const loaded = await during(() => scene.load.drive(wish));
    most.set(url, Math.max(most.get(url) ?? 0, rateOf(loaded)));
    return loaded;
  };
}

/** How long the fill takes for each invoice: the moment must not come before the load does. */
const FILL_MS = { postgres: 0.04, embedded: 0.07 } as const;
const START_MS = 4_000;

function dueInMs({ sizes, engine }: Scene): number {
  if (sizes.mode === "smoke") return 0;
  return START_MS + sizes.due[engine.name] * FILL_MS[engine.name] + sizes.warmUpSeconds * 500;
}

const expiry: RowMaker = {
  names: ["expiry"],
  quickOn: ["postgres"],
  async measure(scene) {
    const { sizes, engine, gateway } = scene;
    const dueAt = new Date(Date.now() + dueInMs(scene));
    return onFilled(
      scene,
      (app) => storeDue(app, sizes.due[engine.name], dueAt),
      async (server) => {
        await warmUpBriefly(scene, server);
        const rate = await fullRate(scene, gateway.url);
        await sleep(Math.max(0, dueAt.getTime() - Date.now()));
        const expired = whenAllExpired(server.url);
        const during: Loaded[] = [];
        const overBefore = Date.now() > dueAt.getTime() + 1_000;
        while (during.length < sizes.rounds)
          during.push(await createPaced(scene, server.url, rate));
        const tookMs = (await expired) - dueAt.getTime();
        const { without } = await inTurns(
          scene,
          { without: () => createPaced(scene, server.url, rate) },
          ({ p99Ms }) => p99Ms,
        );
        const ours = {
          rounds: during.map(({ p99Ms }) => p99Ms),
          p50Ms: median(during.map(({ p50Ms }) => p50Ms)),
          p99Ms: median(during.map(({ p99Ms }) => p99Ms)),
        };
        const late = overBefore ? ", the load came late" : "";
        return [
          rowOf({
            ...{ name: "expiry", engine: engine.name, unit: "p99 ms" },
            what: `p99 of create at half load while ${sizes.due[engine.name].toLocaleString("en")} invoices expire`,
            ...{ ours, rival: without, rivalName: "nothing due" },
            note: `all expired after ${(tookMs / 1000).toFixed(1)} s${late}`,
          }),
        ];
      },
    );
  },
};

const EXPIRED_WITHIN_MS = 300_000;

/** Asks four times a second whether anything of the quiet shop is still open. */
async function whenAllExpired(url: string): Promise<number> {
  const path = `/manage/invoices?shop_id=${QUIET_SHOP_ID}&state=created&limit=1`;
  const value = `Bearer ${OPERATOR_TOKEN}`;
  const line = { method: "GET", path, header: "authorization", value, body: "" } as const;
  const endAt = performance.now() + EXPIRED_WITHIN_MS;
  while (performance.now() < endAt) {
    const { data } = (await answerTo(url, line)) as { data: { items: unknown[] } };
    if (data.items.length === 0) return Date.now();
    await sleep(250);
  }
  throw new Error("the invoices that were due have not expired");
}

const deadReceiver: RowMaker = {
  names: ["dead-receiver"],
  quickOn: ["postgres"],
  async measure(scene) {
    const { sizes, engine, receivers } = scene;
    const calm = await scene.calm();
    const waiting: Fill = async (app) => {
      await storeOld(app, sizes.storedFew);
      await storeWaitingEvents(app, sizes.waitingEvents, receivers.deadHook);
    };
    return onFilled(scene, waiting, async (troubled) => {
      await warmUpBriefly(scene, troubled);
      const { ours, without } = await inTurns(scene, {
        without: () => createAt(scene, calm.url),
        ours: () => createAt(scene, troubled.url),
      });
      const delays: number[] = [];
      while (delays.length < sizes.rounds) {
        delays.push(await webhookDelayMs(scene, troubled.url, delays.length));
      }
      const count = sizes.waitingEvents.toLocaleString("en");
      return [
        rowOf({
          ...{ name: "dead-receiver", engine: engine.name },
          what: `create while ${count} webhooks wait for a receiver that hangs`,
          ...{ ours, rival: without, rivalName: "none waiting" },
          note: `another shop's webhook arrives ${median(delays)} ms after its transfer`,
        }),
      ];
    });
  },
};

/** From the transfer's answer to the arrival of the webhook that it brings about. */
async function webhookDelayMs(scene: Scene, url: string, turn: number): Promise<number> {
  const shop = SHOPS[turn];
  const [hookUrl] = scene.receivers.hooks;
  if (shop === undefined) throw new Error("no shop");
  await scene.askReceivers("forget");
  const order = {
    ...{ amount: 700 + turn, order_id: `alone-${turn}`, shop_id: shop.id, type: "direct" },
    ...{ include_service: ["p2p_card"], success_url: "https://shop.example/ok", hook_url: hookUrl },
  };
  const create = { method: "POST", path: "/invoice/create", header: "x-api-key" } as const;
  const body = JSON.stringify(order);
  const created = (await answerTo(url, { ...create, value: shop.key, body })) as {
    data: { id: string };
  };
  const details = (await answerTo(url, detailsLine([String(turn), created.data.id]))) as {
    data: { wallet: string; amount: string };
  };
  await answerTo(url, transferLine([details.data.wallet, details.data.amount]));
  const sentAtMs = Date.now();
  for (let heard = await scene.askReceivers("count"); ; heard = await scene.askReceivers("count")) {
    if (heard.distinct > 0) return Math.max(0, heard.lastAtMs - sentAtMs);
    if (Date.now() - sentAtMs > 60_000) throw new Error("a webhook did not arrive in a minute");
    await sleep(5);
  }
}

export const TROUBLE_ROWS: readonly RowMaker[] = [stored, expiry, deadReceiver];
