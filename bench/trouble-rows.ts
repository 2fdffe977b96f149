// What must not slow the gateway down, or hold up anybody else's webhook: much that falls due at once, a
// shop with many receivers that do not answer. On a database of its own, because rows are written straight
// into it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Loaded } from "./load.ts";
import { SHOPS } from "./population.ts";
import { answerTo, detailsLine, toPayOf, transferLine } from "./requests.ts";
import { group, inTurns, most, type Row, sideOf } from "./row.ts";
import { createAt, fullRate, openPlace, type Place, type Scene } from "./scene.ts";
import type { Database } from "./stage.ts";
import { storeDue, storeReceivers } from "./stored.ts";

const expiry: Row<Place> = {
  name: "expiry",
  what: "p99 of create at half load while 100,000 invoices expire",
  unit: "p99 ms",
  rivalName: "nothing due",
  goals: { postgres: most(2) },
  async measure(scene, { server: { url }, database }) {
    const { sizes } = scene;
    const ratePerSecond = (await fullRate(scene, url)) / 2;
    const paced = () => createAt(scene, url, { seconds: sizes.pacedSeconds, ratePerSecond });
    const p99 = ({ p99Ms }: Loaded): number => p99Ms;
    const { without } = await inTurns(scene, { without: paced }, p99);
    // They fall due with the commit that brings them.
    const dueAt = new Date();
    await database.open((app) => storeDue(app, sizes.due, dueAt));
    const startedAt = Date.now();
    const expired = whenAllExpired(database);
    const during: Loaded[] = [];
    while (during.length < sizes.rounds) during.push(await paced());
    const tookSeconds = ((await expired) - startedAt) / 1000;
    const note = `all expired after ${tookSeconds.toFixed(1)} s`;
    return { ours: sideOf(during, p99), rival: without, note };
  },
};

const EXPIRED_WITHIN_MS = 300_000;

/** Asks four times a second whether anything that was due is still to be done. */
function whenAllExpired(database: Database): Promise<number> {
  return database.open(async ({ db, clock }) => {
    const due = "select from dues where kind = 'expire-invoices' and due_at <= $1 limit 1";
    const endAt = performance.now() + EXPIRED_WITHIN_MS;
    while (performance.now() < endAt) {
      if ((await db.query(due, [clock.now()])).length === 0) return Date.now();
      await sleep(250);
    }
    throw new Error("the invoices that were due have not expired");
  });
}

const receivers: Row<Place> = {
  name: "receivers",
  what: "another shop's webhook while one shop's 100,000 receivers wait",
  unit: "s",
  goals: { postgres: most(2, "figure") },
  async measure(scene, { server: { url }, database }) {
    const { sizes } = scene;
    const alone = await webhookDelay(scene, url, 0);
    const { deadHook } = scene.receivers;
    await database.open((app) => storeReceivers(app, sizes.waitingReceivers, deadHook));
    const rounds: number[] = [];
    while (rounds.length < sizes.rounds * 3) {
      rounds.push(await webhookDelay(scene, url, 1 + rounds.length));
    }
    return { ours: { rounds }, note: `${alone.toFixed(3)} s when nothing waits` };
  },
};

/** Seconds from the transfer's answer to the arrival of the webhook that it brings about. */
async function webhookDelay(scene: Scene, url: string, turn: number): Promise<number> {
  const shop = SHOPS[turn];
  if (shop === undefined) throw new Error("no shop");
  await scene.askReceivers("forget");
  const order = {
    amount: 700 + turn,
    order_id: `alone-${turn}`,
    shop_id: shop.id,
    type: "direct",
    include_service: ["p2p_card"],
    success_url: "https://shop.example/ok",
    hook_url: scene.receivers.hooks[0],
  };
  const create = { method: "POST", path: "/invoice/create", header: "x-api-key" } as const;
  const body = JSON.stringify(order);
  const created = (await answerTo(url, { ...create, value: shop.key, body })) as {
    data: { id: string };
  };
  const details = (await answerTo(url, detailsLine([String(turn), created.data.id]))) as {
    data: { wallet: string; amount: string };
  };
  await answerTo(url, transferLine(toPayOf(details.data)));
  const sentAtMs = Date.now();
  for (let heard = await scene.askReceivers("count"); ; heard = await scene.askReceivers("count")) {
    // What came before its transfer's answer took the shortest time that is told.
    if (heard.distinct > 0) return Math.max(1, heard.lastAtMs - sentAtMs) / 1000;
    if (Date.now() - sentAtMs > 60_000) throw new Error("a webhook did not arrive in a minute");
    await sleep(5);
  }
}

export const TROUBLES = group((scene) => openPlace(scene), [expiry, receivers]);
