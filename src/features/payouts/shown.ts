// Payouts that a statement shows to have left, also outside the gateway. From then on they are
// neither sent nor given back.

import { momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import {
  type Attempt,
  type AttemptKey,
  addElsewhere,
  attemptsOf,
  forgetElsewhere,
  isElsewhere,
  setAttempts,
} from "./attempt-queries.ts";
import { earlierReopened, isReopened, recordAnswers } from "./attempts.ts";
import { dueAgain, lockPayouts, type Payout } from "./queries.ts";
import { movePayouts } from "./settle.ts";

/** That a payout left on a day; one payout at most once in a set. */
interface Sighting {
  readonly payoutId: string;
  readonly day: string;
  /** Where the rail's own name of an attempt stands there. */
  readonly attempt: number | null;
  /** Whether it is the money that the payout is done by, on whichever day. */
  readonly isProof: boolean;
}

interface Seen extends AttemptKey {
  /** Whether another attempt has left, or may have: then the money has left twice, or is about to. */
  readonly isOther: boolean;
}

/**
 * What a day's line is of: the attempt that may have left, else the last that may have before; in either case not one
 * that was begun on a later day, nor one that never began to send. What is said not to have left, and did, is neither
 * sent again nor given back from now on. What the line proves is settled by whoever comes next.
 */
export async function seePayouts(
  tx: Tx,
  app: App,
  sightings: readonly Sighting[],
): Promise<readonly Seen[]> {
  if (sightings.length === 0) return [];
  const ids = sightings.map(({ payoutId }) => payoutId);
  const payouts = new Map((await lockPayouts(tx, ids)).map((one) => [one.id, one]));
  const attempts = Map.groupBy(await attemptsOf(tx, ids), ({ payoutId }) => payoutId);
  const { day: dayOf } = momentFormat(app.config.timeZone);
  const now = app.clock.now();
  const elsewhere: Payout[] = [];
  const contradicted: AttemptKey[] = [];
  const seen = sightings.flatMap(({ payoutId, day, attempt, isProof }): Seen[] => {
    const payout = payouts.get(payoutId);
    if (payout === undefined) return [];
    const tried = attempts.get(payoutId) ?? [];
    const begun = tried.filter((each) => isProof || couldLeave(each, day, dayOf));
    const open = begun.find(({ state }) => state !== "not_sent");
    const named = tried.find(({ number }) => number === attempt);
    const one = named ?? open ?? begun.at(-1);
    if (one === undefined) elsewhere.push(payout);
    else if (one.state === "not_sent" && !isReopened(one) && IN_MOTION.has(payout.state)) {
      contradicted.push(one);
    }
    const number = one?.number ?? payout.attempts + 1;
    const isOther = tried.some((each) => each.number !== number && each.state !== "not_sent");
    return [{ payoutId, number, isOther: isOther && (one?.state ?? "not_sent") === "not_sent" }];
  });
  await addElsewhere(
    tx,
    elsewhere.map(({ id: payoutId, attempts: made, state }) => ({
      payoutId,
      number: made + 1,
      isAlone: state === "queued",
    })),
    now,
  );
  const inLine = elsewhere.filter(({ state }) => state === "queued");
  await movePayouts(
    tx,
    app,
    inLine.map((payout) => ({ payout, to: "unknown" })),
  );
  const answer = { kind: "sent" } as const;
  await recordAnswers(
    tx,
    app,
    contradicted.map((key) => ({ ...key, answer })),
  );
  return seen;
}

/** One elsewhere was written down only when it was shown, by whichever line: of which day says nothing. */
function couldLeave(attempt: Attempt, day: string, dayOf: (at: Date) => string): boolean {
  const { state, dispatchedAt } = attempt;
  if (state === "claimed") return false;
  if (isElsewhere(attempt)) return state !== "not_sent" || isReopened(attempt);
  return dispatchedAt !== null && dayOf(dispatchedAt) <= day;
}

/** Else nobody is about to send it, nor waits for what comes of it. */
const IN_MOTION: ReadonlySet<string> = new Set(["queued", "sending", "unknown"]);

/** The line is no payout's after all: what only it had shown is shown no longer. */
export async function unseePayout(tx: Tx, payoutId: string): Promise<void> {
  await lockPayouts(tx, [payoutId]);
  await forgetElsewhere(tx, payoutId);
  await dueAgain(tx, payoutId);
}

/** Before its money is given back to the user, who has it already. */
export async function refuseShown(tx: Tx, payout: Payout): Promise<void> {
  const { state } = payout;
  const isAsked = state === "held" || state === "queued";
  if (isAsked && (await shownAmong(tx, [payout])).size > 0) throw new Refusal("payout_shown");
}

/** Of these, those that have left elsewhere. */
export async function shownAmong(tx: Tx, payouts: readonly Payout[]): Promise<ReadonlySet<string>> {
  const tried = payouts.filter(({ attempts }) => attempts > 0).map(({ id }) => id);
  if (tried.length === 0) return new Set();
  return new Set((await attemptsOf(tx, tried)).filter(isReopened).map((one) => one.payoutId));
}

/** Enough have approved it: it stands in line, unless it has left already. */
export async function letGo(tx: Tx, app: App, payout: Payout): Promise<void> {
  await movePayouts(tx, app, [{ payout, to: "queued" }]);
  if (payout.attempts === 0) return;
  const left = earlierReopened(await attemptsOf(tx, [payout.id]), payout, app.clock.now());
  if (left === undefined) return;
  await setAttempts(tx, [left], app.clock.now());
  await movePayouts(tx, app, [{ payout: { ...payout, state: "queued" }, to: "unknown" }]);
}

/** Whether somebody had it to send, or a statement shows that it left all the same. */
export async function mayHaveLeft(tx: Tx, { id }: Payout): Promise<boolean> {
  return (await attemptsOf(tx, [id])).some((one) => !isElsewhere(one) || isReopened(one));
}
