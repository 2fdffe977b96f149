// Where the example month is played: one transaction, a clock of its own, no request leaves.

import type { App } from "../../platform/app.ts";
import { movableClock } from "../../platform/clock.ts";
import type { Db, Tx } from "../../platform/db.ts";
import type { Endpoint } from "../../platform/endpoint.ts";
import { idMaker } from "../../platform/id.ts";
import type { Job } from "../../platform/job.ts";
import { openLog } from "../../platform/log.ts";
import { openMetrics } from "../../platform/metrics.ts";
import { type Outgoing, OutgoingFailure } from "../../platform/outgoing.ts";
import { type Shop, shopOf } from "../merchants/principal.ts";
import { OPERATOR, SHOPS } from "./cast.ts";
import { type NextDue, nextDue } from "./queries.ts";

/** Of these one sees when they happened; of the others only that they have: they have a turn every few hours. */
const EXACT = ["expire-invoices", "look-at-payouts", "return-sandbox-payouts"];
const SELDOM = ["lapse-payments", "release-freezes"];
const SELDOM_MS = 15 * 60 * 60 * 1000;

export type Stage = Awaited<ReturnType<typeof openStage>>;

export async function openStage(real: App, tx: Tx, jobs: readonly Job[], from: Date) {
  let nowMs = from.getTime();
  let seldomAt = nowMs;
  const clock = movableClock({ now: () => new Date(nowMs) });
  const app: App = {
    ...real,
    db: alone(tx),
    clock,
    newId: idMaker(clock),
    http: receivers(),
    log: openLog("silent"),
    metrics: openMetrics(),
    memory: new Map(),
    for: () => app,
  };
  const byName = new Map(jobs.map((one) => [one.name, one]));
  const settle = async (name: string): Promise<void> => {
    await byName.get(name)?.due?.settle(app);
  };
  const plan: { readonly at: number; readonly act: () => Promise<unknown> }[] = [];
  const stage = {
    app,
    tx,
    /** By their ids, with the settings as they are now. */
    shops: await castShops(app),
    now: () => new Date(nowMs),
    /** Something happens at a moment; what lies behind the end does not. */
    at(moment: number, act: () => Promise<unknown>): void {
      plan.push({ at: moment, act });
    },
    settle,
    /** What an operator does at the desk, with its row in the audit log. */
    async manage(door: Endpoint, input: Readonly<Record<string, unknown>>): Promise<unknown> {
      if (!("handle" in door)) throw new Error("Only a plain door is asked here.");
      const { id, name } = OPERATOR;
      return door.handle(app, { input, principal: { id, name, role: "operator" } });
    },
    async readSettings(): Promise<void> {
      stage.shops = await castShops(app);
    },
    /** Plays everything that was put there, and what falls due meanwhile, until the end. */
    async play(until: Date): Promise<void> {
      for (let next = takeNext(); next !== undefined; next = takeNext()) {
        if (next.at > until.getTime()) break;
        await pass(next.at);
        await next.act();
      }
      seldomAt = 0;
      await pass(until.getTime());
    },
  };

  const takeNext = () => {
    plan.sort((one, other) => one.at - other.at);
    return plan.shift();
  };

  const pass = async (until: number): Promise<void> => {
    // A stop of the process need not wait: nothing is there yet.
    if (real.ending.aborted) throw new Error("The gateway ends.");
    for (let last: NextDue | undefined; ; ) {
      const due = await nextDue(app.db, EXACT, new Date(until));
      if (due === undefined) break;
      if (due.kind === last?.kind && +due.at === +last.at) throw new Error("Something stays due.");
      last = due;
      nowMs = Math.max(nowMs, due.at.getTime());
      if (due.kind === null) await settle("deliver-events");
      else await byName.get(due.kind)?.run(app);
    }
    nowMs = Math.max(nowMs, until);
    if (nowMs < seldomAt) return;
    seldomAt = nowMs + SELDOM_MS;
    for (const name of SELDOM) await byName.get(name)?.run(app);
  };
  return stage;
}

/** The cast's shops of the first user that sell something. */
async function castShops(app: App): Promise<readonly Shop[]> {
  const [first] = SHOPS;
  const own = SHOPS.filter(
    ({ shop, tariffs }) => shop.user_id === first?.shop.user_id && tariffs !== "none",
  );
  return Promise.all(own.map(({ shop }) => shopOf(app, shop.id)));
}

/** The whole database is this transaction: whatever would be one of its own is a part of it. */
function alone(tx: Tx): Db {
  return {
    query: (text, values, plan) => tx.query(text, values, plan),
    transaction: (work) => work(tx),
    session: () => Promise.reject(new Error("A history has no connection of its own.")),
    close: async () => {},
  };
}

export const HOOKS = {
  right: "https://paper-and-ink.example/kopeck",
  silent: "https://staging.northern-wool.example/hook",
  gone: "https://old.corner-books.example/pay/callback",
} as const;

/** So often a server is busy, and takes the same a few seconds later. */
const BUSY_EVERY = 23;

/** What the shops' servers answer. No request leaves the machine. */
function receivers(): Outgoing {
  let count = 0;
  return {
    async post(url) {
      count += 1;
      const durationMs = 60 + ((count * 37) % 190);
      if (url === HOOKS.silent) throw new OutgoingFailure("timeout", 15_000);
      if (url === HOOKS.gone) return { status: 410, durationMs };
      return { status: count % BUSY_EVERY === 0 ? 503 : 200, durationMs };
    },
    close() {},
  };
}
