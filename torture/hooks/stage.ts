// A gateway to make events at, workers to deliver them, and time that is moved instead of waited for.

import { expireInvoicesJob } from "../../src/features/invoices/expire-invoices.job.ts";
import { releaseFreezesJob } from "../../src/features/ledger/release-freezes.job.ts";
import { lapsePaymentsJob } from "../../src/features/payments/lapse-payments.job.ts";
import { deliverDue, nextDeliveryAt } from "../../src/features/webhooks/deliver-events.job.ts";
import type { App } from "../../src/platform/app.ts";
import { movableClock } from "../../src/platform/clock.ts";
import { openLog } from "../../src/platform/log.ts";
import { openApp } from "../../src/platform/open-app.ts";
import { openDb } from "../../src/platform/open-db.ts";
import { openOutgoing } from "../../src/platform/outgoing.ts";
import { type CastShop, createH2h, createInvoice, USER } from "../../test/cast.ts";
import { type TestClock, type TestDatabase, testConfig } from "../../test/gateway.ts";
import { type Manage, manage, OPERATOR_TOKEN } from "../../test/manage.ts";
import { accepted } from "../accepted.ts";
import type { Trial } from "../part.ts";
import { openQuietGateway, type QuietGateway } from "../quiet-gateway.ts";

export interface HookShop extends CastShop {
  readonly hookUrl: string;
  readonly webhookKey: string;
  readonly webhookSecret: string;
}

export interface Order {
  readonly id: string;
  readonly shop: HookShop;
  readonly wallet: string;
  readonly amount: number;
}

export interface Stage {
  readonly gateway: QuietGateway;
  readonly clock: TestClock;
  readonly own: Manage;
  readonly workers: readonly App[];
  /** What workers have logged: as an error, which nobody may meet, and as a warning. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** After how long attempts at an address are given up, where that is soon. */
  readonly giveUpMs: Map<string, number>;
  openShop(hookUrl: string): Promise<HookShop>;
  /** An invoice for each of these shops, with details to pay it. */
  order(shops: readonly HookShop[], minutes?: number): Promise<Order[]>;
  /** Its money comes: an event. */
  pay(order: Order): Promise<void>;
  /** Three events for each: expired, paid late, refunded in part. */
  tell(shops: readonly HookShop[]): Promise<void>;
  /**
   * Everything due is attempted, then time moves to the next attempt, until nothing waits. That has an
   * end: where it has not, that is told.
   */
  settle(trial: Trial, meanwhile?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

const WORKERS = 3;
/** For everybody else: nothing depends on how busy the machine is. */
const TIMEOUT_MS = 60_000;
/** As many orders as are under way at once; the requisites take three thousand. */
const CHUNK = 600;
/** As many calls as are under way at once. */
const CALLERS = 30;
/** Ten attempts, leases and all: what takes longer is sent for ever. */
const MOST_MOMENTS = 40;

export async function openStage(database: TestDatabase, clock: TestClock): Promise<Stage> {
  const config = testConfig(database.config);
  const gateway = await openQuietGateway({ config, clock });
  // A sandbox that was moved on for another process: here the clock itself is moved.
  gateway.app.clock.setOffset(0);
  const own = manage(gateway);
  const rates = { shop_percent: 4, user_percent: 2, min_sum: 1, max_sum: 100_000 };
  await own.post("tariffs", { service: "p2p_card", ...rates });
  await own.post("services/p2p_card", { freeze_seconds: 0 });
  const errors: string[] = [];
  const warnings: string[] = [];
  const note = (line: string): void =>
    void (line.includes('"level":"error"') ? errors : warnings).push(line);
  const giveUpMs = new Map<string, number>();
  const isShared = config.databaseUrl === undefined;
  const workers: App[] = [];
  for (let index = 0; index < WORKERS; index += 1) {
    workers.push(await openWorker());
  }

  async function openWorker(): Promise<App> {
    const log = openLog("warn", { write: note });
    // The embedded engine has one process only; its workers have all but the connection to themselves.
    const db = isShared ? gateway.app.db : await openDb(config, log);
    const http = openOutgoing({ allowLoopback: true, allowedHosts: [] });
    const post: App["http"]["post"] = (url, options) =>
      http.post(url, { ...options, timeoutMs: giveUpMs.get(url) ?? TIMEOUT_MS });
    return openApp({ config, db, log, clock: movableClock(clock), http: { ...http, post } });
  }

  let amounts = 0;
  const orderOne = async (shop: HookShop, minutes: number): Promise<Order> => {
    amounts = (amounts % 50_000) + 1;
    const changes = { amount: 200 + amounts, hook_url: shop.hookUrl, expire: minutes };
    const { id } = accepted(await createInvoice(gateway, changes, shop));
    const { wallet, amount } = accepted(await createH2h(gateway, id, {}, shop));
    return { id, shop, wallet, amount: Number(amount) };
  };
  const pay = async ({ id, wallet, amount }: Order): Promise<void> => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const body = { wallet, amount, reference: `for ${id}` };
    const { state } = accepted(await gateway.call("/sandbox/transfers", { body, headers }));
    if (state !== "matched") throw new Error(`money for ${id} is ${state}`);
  };
  const order = (shops: readonly HookShop[], minutes = 300): Promise<Order[]> =>
    inCrowds(shops, (shop) => orderOne(shop, minutes));

  return {
    ...{ gateway, clock, own, workers, errors, warnings, giveUpMs, order, pay },
    async openShop(hookUrl) {
      const settings = { name: "Hooks", h2h_enabled: true };
      const made = await own.post("shops", { user_id: USER.id, ...settings });
      const { webhook_key: webhookKey, webhook_secret: webhookSecret } = made;
      return { id: made.shop.shop_id, key: made.api_key, hookUrl, webhookKey, webhookSecret };
    },
    async tell(shops) {
      for (let from = 0; from < shops.length; from += CHUNK) {
        const orders = await order(shops.slice(from, from + CHUNK), 1);
        clock.advance(61);
        await gateway.work([lapsePaymentsJob, expireInvoicesJob]);
        await inCrowds(orders, pay);
        await gateway.work([releaseFreezesJob]);
        await inCrowds(orders, ({ id }) =>
          own.post("refunds", { invoice_id: id, amount: 1, reason: "a part of it" }),
        );
      }
    },
    async settle(trial, meanwhile) {
      for (let moments = 0; moments < MOST_MOMENTS; moments += 1) {
        await Promise.all([meanwhile?.(), ...workers.map(deliverDue)]);
        const [first = gateway.app] = workers;
        const next = await nextDeliveryAt(first);
        if (next === undefined) return;
        clock.advance(Math.max(0, next.getTime() - clock.now().getTime()) / 1000);
      }
      trial.violation(`events are still sent after ${MOST_MOMENTS} moments: they have no end`);
    },
    async close() {
      for (const worker of workers) {
        worker.http.close();
        if (!isShared) await worker.db.close();
      }
      await gateway.stop();
    },
  };
}

/** Many at once, but not all. */
export async function inCrowds<One, Result>(
  all: readonly One[],
  work: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < all.length; from += CALLERS) {
    results.push(...(await Promise.all(all.slice(from, from + CALLERS).map(work))));
  }
  return results;
}
