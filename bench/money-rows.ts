// Money that arrives, and whole lives of payments.

import { setTimeout as sleep } from "node:timers/promises";
import { OPERATOR_TOKEN } from "../test/manage.ts";
import type { Lived, Loaded } from "./load-driver.ts";
import { SHOPS } from "./population.ts";
import { transferLine } from "./requests.ts";
import { rowOf, type Side } from "./row.ts";
import type { RowMaker } from "./row-maker.ts";
import { createAt, inTurns, prepare, rateOf, type Scene, shortly } from "./scene.ts";

/** More than can be sent in a round, so that it ends by time. */
const SPARE = 1.3;

const transfers: RowMaker = {
  names: ["transfers", "transfers-one"],
  async measure(scene) {
    const { gateway, bareUrl, load, sizes, engine } = scene;
    const { url } = gateway;
    const { connections } = sizes;
    const some = (await prepare(scene, url, { steps: 2, count: sizes.prepared / 2 })).map(
      transferLine,
    );
    const bare = (seconds = sizes.seconds): Promise<Loaded> =>
      load.drive({ url: bareUrl, lines: some, connections, seconds });
    await bare(shortly(scene));
    // They were sent to the rival; here they warm up what only this row calls.
    const first = await load.drive({ url, lines: some, once: true, connections, seconds: 60 });
    const most = { all: rateOf(first), one: rateOf(first) };
    const ours = async (whose: "all" | "one"): Promise<Loaded> => {
      const count = most[whose] * sizes.seconds * SPARE;
      const wish = { steps: 2, count, toFirstShopOnly: whose === "one" } as const;
      const lines = (await prepare(scene, url, wish)).map(transferLine);
      const { seconds } = sizes;
      const loaded = await load.drive({ url, lines, once: true, connections, seconds });
      most[whose] = Math.max(most[whose], rateOf(loaded));
      return loaded;
    };
    for (const whose of ["all", "one"] as const) await ours(whose);
    const sides = await inTurns(scene, {
      bare,
      all: () => ours("all"),
      one: () => ours("one"),
    });
    const { name } = engine;
    return [
      rowOf({
        ...{ name: "transfers", engine: name, what: "transfers that pay, over 1,000 users" },
        ...{ ours: sides.all, rival: sides.bare, rivalName: "bare Fastify" },
      }),
      rowOf({
        ...{ name: "transfers-one", engine: name, what: "transfers that pay, all to one user" },
        ...{ ours: sides.one, rival: sides.all, rivalName: "over 1,000 users" },
      }),
    ];
  },
};

const HEARD_WITHIN_MS = 120_000;

/** Payments a second, from the first request to the arrival of the last webhook. */
async function wholeLives(
  scene: Scene,
  url: string,
  seconds: number,
): Promise<{ rate: number; lived: Lived }> {
  await scene.askReceivers("forget");
  const lived = await scene.load.live({
    ...{
      url,
      shops: SHOPS,
      steps: 3,
      hooks: scene.receivers.hooks,
      connections: scene.sizes.connections,
    },
    ...{ until: { seconds }, operatorToken: OPERATOR_TOKEN },
  });
  const endAt = performance.now() + HEARD_WITHIN_MS;
  let heard = await scene.askReceivers("count");
  while (heard.distinct < lived.finished) {
    if (performance.now() > endAt) {
      throw new Error(`${heard.distinct} of ${lived.finished} webhooks arrived in two minutes`);
    }
    await sleep(20);
    heard = await scene.askReceivers("count");
  }
  const tookMs = heard.lastAtMs - lived.startedAtMs;
  return { rate: (lived.finished * 1000) / tookMs, lived };
}

const life: RowMaker = {
  names: ["life"],
  async measure(scene) {
    const { gateway, bareUrl, sizes, engine } = scene;
    await wholeLives(scene, gateway.url, sizes.warmUpSeconds / 3);
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < sizes.rounds; round += 1) {
      bare.push(rateOf(await createAt(scene, bareUrl)));
      ours.push((await wholeLives(scene, gateway.url, sizes.seconds)).rate);
    }
    const side = (rounds: readonly number[]): Side => ({ rounds });
    return [
      rowOf({
        ...{ name: "life", engine: engine.name, unit: "payments/s" },
        what: "create, details, transfer, webhook: until the last one arrived",
        ...{ ours: side(ours), rival: side(bare), rivalName: "bare create" },
        note: `${scene.receivers.hooks.length} receivers`,
      }),
    ];
  },
};

export const MONEY_ROWS: readonly RowMaker[] = [transfers, life];
