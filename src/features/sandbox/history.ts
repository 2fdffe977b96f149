// Adds a month of example business to a fresh sandbox, whole or not at all.

import { momentFormat } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Job } from "../../platform/job.ts";
import { DAY_MS, deskMonth, HOUR_MS, openCounter, orderMonth } from "./history-month.ts";
import { openStage } from "./history-stage.ts";
import { countHistory, isFreshSandbox, planOnce } from "./queries.ts";

const DAYS = 30;

/** Resolves when it is there, or need not be; a failure is logged, and the sandbox stays empty. */
export async function addHistory(app: App, jobs: readonly Job[]): Promise<void> {
  const startedAt = app.clock.now();
  try {
    const counts = await app.db.transaction(async (tx) => {
      if (!(await isFreshSandbox(tx))) return undefined;
      await planOnce(tx);
      const end = app.clock.now();
      const days = daysUntil(end, app.config.timeZone);
      const stage = await openStage(app, tx, jobs, new Date(end.getTime() - (DAYS + 1) * DAY_MS));
      // Counting holds its progress row: until the whole month is committed, no other gateway counts past it.
      await stage.settle("count-statistics");
      const counter = openCounter(stage);
      orderMonth(counter, days, end);
      deskMonth(stage, counter, end);
      await stage.play(end);
      await stage.settle("count-statistics");
      return countHistory(tx);
    });
    if (counts === undefined) return;
    const { invoices, waiting } = counts;
    const tookMs = app.clock.now().getTime() - startedAt.getTime();
    const words = `a month of example business was added: ${invoices} invoices, ${waiting} things wait for you`;
    app.log.info({ tookMs }, words);
  } catch (error) {
    if (app.ending.aborted) return;
    app.log.warn({ err: error }, "no example business was added; the sandbox is empty");
  }
}

function daysUntil(end: Date, timeZone: string): Date[] {
  const zone = momentFormat(timeZone);
  const today = zone.startOf(zone.day(end)).getTime();
  return Array.from({ length: DAYS }, (_, place) => {
    const noon = new Date(today + 12 * HOUR_MS - (DAYS - 1 - place) * DAY_MS);
    return zone.startOf(zone.day(noon));
  });
}
