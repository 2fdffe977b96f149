// What happened is counted into hours, a minute later: by then what has an id is committed or never will be. An
// hour that is over is counted once more, from its sources, and closed: what came later still is put right.

import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { firstIdAt, momentOf } from "../../platform/id.ts";
import { job } from "../../platform/job.ts";
import {
  closeHours,
  foldPiece,
  healHours,
  lastClosed,
  lockMarks,
  type MovedMark,
  moveMarks,
  nextPieces,
  rowsByHour,
} from "./fold-queries.ts";

/** Requests end within 15 s, and an id is made while its request lasts. */
const BEHIND_MS = 60_000;
/** Of each source at a time: about 0.1 s. */
const SET_SIZE = 5_000;

const HOUR_MS = 60 * 60 * 1000;
/** An hour is closed so long after its end. */
const CLOSED_AFTER_MS = 5 * 60 * 1000;
/** How far back hours are closed, after a time in which nobody did: kopeck verify looks no further. */
const CLOSED_HOURS = 46;
/** Where invoices that nobody used, or attempts to deliver, are removed after a day, it cannot be told any more what an hour had. */
const CLOSED_HOURS_OF_A_DAY = 22;
/** So many rows are counted anew at a time, or one hour. */
const CLOSED_ROWS = 20_000;
/** One with more is not: 100,000 take about 2 s, and a statement must end in time. */
const MAX_CLOSED_ROWS = 100_000;

type Patience = Parameters<typeof lockMarks>[1];

/** Whether there is more to do at once. */
export function foldTallies(
  app: App,
  patience: Patience = "skip",
  setSize = SET_SIZE,
): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    // One moment for all of it: a clock that is moved on meanwhile would close hours that are not counted yet.
    const now = app.clock.now().getTime();
    const before = firstIdAt(new Date(now - BEHIND_MS));
    const marks = await lockMarks(tx, patience);
    if (marks.length === 0) return false;
    const pieces = await nextPieces(tx, before, setSize);
    const moved: MovedMark[] = [];
    for (const piece of pieces) {
      const { source, isAny, upTo } = piece;
      const next = piece.beyond ?? piece.before;
      if (isAny) await foldPiece(tx, piece, next);
      // A mark moves with what is counted alone: a clock that was ahead for a while has not passed over anything.
      moved.push({
        source,
        upTo: isAny ? next : upTo,
        asOf: momentOf(next),
      });
    }
    await moveMarks(tx, moved);
    const isMore = pieces.some(({ beyond }) => beyond !== null);
    return isMore || (await closeNext(tx, app, now));
  });
}

/** Closes the next hours, of which all is counted; whether there were any. */
async function closeNext(tx: Tx, app: App, nowMs: number): Promise<boolean> {
  const end = floorHour(nowMs - CLOSED_AFTER_MS);
  const last = (await lastClosed(tx, new Date(end)))?.getTime() ?? 0;
  const { unusedInvoices, deliveries } = app.config.retainDays;
  const isShort = unusedInvoices === 1 || deliveries === 1;
  const hours = isShort ? CLOSED_HOURS_OF_A_DAY : CLOSED_HOURS;
  const from = Math.max(last + HOUR_MS, end - hours * HOUR_MS);
  if (from >= end) return false;
  const { to, isTooMuch } = await nextSet(tx, new Date(from), new Date(end));
  const wrong = isTooMuch ? null : await healHours(tx, new Date(from), to);
  await closeHours(tx, new Date(from), to, wrong);
  if (wrong !== null && wrong > 0) {
    const healed = { from: new Date(from).toISOString(), to: to.toISOString(), rows: wrong };
    tx.onCommit(() => app.log.warn(healed, "tallies were not what happened, and were put right"));
  }
  return true;
}

/** At least one hour, and as many as together hold little. */
async function nextSet(tx: Tx, from: Date, end: Date): Promise<{ to: Date; isTooMuch: boolean }> {
  let sum = 0;
  for (const { hour, rows } of await rowsByHour(tx, from, end)) {
    sum += Number(rows);
    if (sum <= CLOSED_ROWS) continue;
    if (hour > from) return { to: hour, isTooMuch: false };
    return { to: new Date(from.getTime() + HOUR_MS), isTooMuch: sum > MAX_CLOSED_ROWS };
  }
  return { to: end, isTooMuch: false };
}

function floorHour(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}

export const foldTalliesJob = job({
  name: "fold-tallies",
  everyMs: 5_000,
  run: async (app) => Number(await foldTallies(app)),
  due: {
    nextAt: async () => undefined,
    async settle(app) {
      while (await foldTallies(app, "wait"));
    },
  },
});
