// Asks rails what became of payouts, ever more seldom and for ever. Two gateways do not ask at
// once, and only the rail's own word ends a payout.

import { addSeconds, earlier } from "../../domain/moment.ts";
import { afterLook, type Finding, secondsToNextLook } from "../../domain/payout.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { dropDues, findDue, nextDueAt } from "../../platform/db-dues.ts";
import { job } from "../../platform/job.ts";
import { type Attempt, attemptsOf, countLooks, LOOK } from "./attempt-queries.ts";
import { recordAnswers, reopenedOf } from "./attempts.ts";
import { lockPayouts, type Payout } from "./queries.ts";
import { ANSWER_WITHIN_SECONDS, askRail, ordersOf, type RailOrder } from "./rail.ts";
import { type RailRow, railsByCode } from "./rail-queries.ts";

const SET = 64;
/** Nobody says within so little that an attempt has not left, and has another one sent. */
const FRESH_SECONDS = 5;

export const lookAtPayoutsJob = job({
  name: LOOK,
  everyMs: 1_000,
  run: lookOnce,
  due: {
    nextAt: ({ db }) => nextDueAt(db, LOOK),
    async settle(app) {
      while ((await lookOnce(app)) > 0);
    },
  },
});

interface Look {
  readonly payout: Payout;
  readonly attempt: Attempt;
}

async function lookOnce(app: App): Promise<number> {
  // A gateway that ends would hear nobody: what is due is left to one that goes on.
  if (app.ending.aborted) return 0;
  const { due, looks } = await app.db.transaction((tx) => takeLooks(tx, app));
  const codes = looks.map(({ attempt }) => attempt.rail);
  const rails = new Map((await railsByCode(app.db, codes)).map((one) => [one.code, one]));
  const orders = await ordersOf(
    app,
    looks.map(({ payout, attempt }) => ({
      payout,
      number: attempt.number,
      dispatchedAt: attempt.dispatchedAt ?? attempt.claimedAt,
    })),
  );
  const attempts = new Map(looks.map(({ attempt }) => [attempt.payoutId, attempt]));
  await Promise.all(
    orders.map(async (order) => {
      const attempt = attempts.get(order.payoutId);
      const rail = attempt && rails.get(attempt.rail);
      if (attempt !== undefined && rail !== undefined) await look(app, rail, order, attempt);
    }),
  );
  return due;
}

/** Those that are due, each with its next moment: whoever comes meanwhile finds it, and asks nobody. */
async function takeLooks(tx: Tx, app: App): Promise<{ due: number; looks: Look[] }> {
  const now = app.clock.now();
  const dues = await findDue(tx, LOOK, now, SET);
  if (dues.length === 0) return { due: 0, looks: [] };
  const ids = dues.map(({ id }) => id);
  const payouts = new Map((await lockPayouts(tx, ids)).map((one) => [one.id, one]));
  const looks = (await attemptsOf(tx, ids)).flatMap((attempt) => {
    const payout = payouts.get(attempt.payoutId);
    const isDue = attempt.nextLookAt !== null && attempt.nextLookAt <= now;
    return payout === undefined || !isDue ? [] : [{ payout, attempt }];
  });
  await dropDues(tx, LOOK, dues);
  await countLooks(
    tx,
    looks.map(({ attempt: { payoutId, number, looks: before } }) => ({
      payoutId,
      number,
      nextLookAt: addSeconds(now, secondsToNextLook(before + 1)),
    })),
  );
  return { due: dues.length, looks };
}

async function look(app: App, rail: RailRow, order: RailOrder, attempt: Attempt): Promise<void> {
  const found = await find(app, rail, order);
  const known = { ...attempt, reopened: reopenedOf(attempt) };
  const answer = afterLook(found, known, app.clock.now());
  if (answer === undefined) return;
  const { payoutId, number } = order;
  const { reopenedAt } = attempt;
  await app.db
    .transaction((tx) =>
      recordAnswers(tx, app, [{ payoutId, number, answer, how: "asked", reopenedAt }]),
    )
    .catch((error: unknown) =>
      // It is asked again at its next moment.
      app.log.error(
        { err: error, attempt: order.key },
        "what a rail has said could not be written",
      ),
    );
}

/** A rail that takes the same request for the same one, and has not heard of it, is told again. */
async function find(app: App, rail: RailRow, order: RailOrder): Promise<Finding> {
  const found = await askRail(app, "look", rail, order, app.ending);
  if (found.kind !== "not_found") return found;
  const read = app.clock.now();
  // While it was asked, it may have been paused, or have become one that takes nothing twice.
  const [now] = await railsByCode(app.db, [rail.code]);
  if (now === undefined || now.paused || !(await isStillOpen(app, order))) return found;
  const until = addSeconds(order.dispatchedAt, now.repeatable_seconds - ANSWER_WITHIN_SECONDS);
  // Who stood still since then has read what may be so no longer; the next look reads it anew.
  const freshUntil = addSeconds(read, FRESH_SECONDS);
  const isInTime = app.clock.now() < earlier(until, freshUntil);
  return isInTime ? askRail(app, "send", now, order, app.ending) : found;
}

/**
 * People may have said that it has not left while the rail was asked: then it must not. And what is said to have left
 * after all is not told again: between the two words the rail may have become another program.
 */
async function isStillOpen({ db }: App, { payoutId, number }: RailOrder): Promise<boolean> {
  const attempt = (await attemptsOf(db, [payoutId])).find((one) => one.number === number);
  const isOpen = attempt?.state === "unknown" || attempt?.state === "accepted";
  return isOpen && attempt.reopenedAt === null;
}
