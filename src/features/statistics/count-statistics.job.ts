// Counts statistics hour by hour. Every run recounts the current hour and the one before it; once an hour the older
// hours of two days follow, because their invoices may still be paid or expire. Recounting is idempotent.

import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { momentOf } from "../../platform/id.ts";
import { job } from "../../platform/job.ts";
import {
  firstInvoiceId,
  invoiceAfter,
  lockProgress,
  recountHours,
  saveProgress,
} from "./queries.ts";

const HOUR_MS = 60 * 60 * 1000;
/** About so many invoices are counted in a transaction, and always whole hours: 20,000 take about 0.5 s. */
const SET_SIZE = 20_000;
const RECOUNTED_MS = 46 * HOUR_MS;
const DAY_MS = 24 * HOUR_MS;
const DISTANCE_MS = 2 * HOUR_MS;

/** Whether there is more to count at once. */
export function countStatistics(
  app: App,
  patience: "wait" | "skip" = "skip",
  setSize = SET_SIZE,
): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const progress = await lockProgress(tx, patience);
    if (progress === undefined) return false;
    const nowMs = app.clock.now().getTime();
    const hourMs = floorHour(nowMs);
    const endMs = hourMs + HOUR_MS;
    const countedMs = await countedBefore(tx, progress.countedTo, nowMs);
    const fromMs = floorHour(countedMs) - HOUR_MS;
    const toMs = await endOfSet(tx, fromMs, endMs, setSize, 2);
    await recountHours(tx, new Date(fromMs), new Date(toMs));
    const counted = { ...progress, countedTo: new Date(Math.min(toMs, nowMs)) };
    if (toMs < endMs) {
      await saveProgress(tx, counted);
      return true;
    }
    const lastMs = hourMs - HOUR_MS;
    const recountMs =
      progress.recountHour.getTime() === hourMs
        ? progress.recountedTo.getTime()
        : recountFrom(app, progress.recountHour.getTime(), hourMs);
    const recountedMs =
      recountMs < lastMs ? await endOfSet(tx, recountMs, lastMs, setSize, 1) : recountMs;
    if (recountedMs > recountMs) {
      await recountHours(tx, new Date(recountMs), new Date(recountedMs));
    }
    await saveProgress(tx, {
      ...counted,
      recountHour: new Date(hourMs),
      recountedTo: new Date(recountedMs),
    });
    return recountedMs < lastMs;
  });
}

/**
 * Two days before the last recount, so that nothing is missed after a pause. But retention removes unused invoices:
 * an hour that has lost some must not be counted again.
 */
function recountFrom({ config }: App, lastRecountMs: number, hourMs: number): number {
  const last = lastRecountMs === 0 ? hourMs : Math.min(lastRecountMs, hourMs);
  const { unusedInvoices } = config.retainDays;
  const whole = unusedInvoices === undefined ? 0 : hourMs - unusedInvoices * DAY_MS + DISTANCE_MS;
  return Math.max(last - RECOUNTED_MS, whole);
}

/** A new table begins with the first invoice. A sandbox's clock may stand before what was counted. */
async function countedBefore(tx: Tx, countedTo: Date, nowMs: number): Promise<number> {
  if (countedTo.getTime() > 0) return Math.min(countedTo.getTime(), nowMs);
  const first = await firstInvoiceId(tx);
  return first === undefined ? nowMs : momentOf(first).getTime();
}

/** The end of whole hours with about so many invoices; no less than the least number of hours. */
async function endOfSet(
  tx: Tx,
  fromMs: number,
  endMs: number,
  setSize: number,
  leastHours: number,
): Promise<number> {
  const next = await invoiceAfter(tx, new Date(fromMs), setSize);
  if (next === undefined) return endMs;
  const toMs = Math.max(floorHour(momentOf(next).getTime()), fromMs + leastHours * HOUR_MS);
  return Math.min(toMs, endMs);
}

function floorHour(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}

export const countStatisticsJob = job({
  name: "count-statistics",
  everyMs: 60_000,
  run: async (app) => Number(await countStatistics(app)),
  due: {
    nextAt: async () => undefined,
    async settle(app) {
      while (await countStatistics(app, "wait"));
    },
  },
});
