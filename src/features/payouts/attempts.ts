// Sending a payout: claimed by one, marked before anything leaves, settled by an answer. A claim
// without the marker is free again; one with it is unknown until an answer comes.

import { needsTwo } from "../../domain/approval.ts";
import { maskNumbers, withoutCard } from "../../domain/card-number.ts";
import { addSeconds } from "../../domain/moment.ts";
import {
  type AttemptState,
  afterAnswer,
  canBeAsked,
  type Hearing,
  isContradicted,
  type RailAnswer,
  secondsToNextLook,
} from "../../domain/payout.ts";
import { cutText } from "../../domain/visible-text.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import {
  type Attempt,
  type AttemptKey,
  addAttempts,
  attemptsOf,
  lockInLine,
  type SettledAttempt,
  setAttempts,
} from "./attempt-queries.ts";
import { referenceOf } from "./proof.ts";
import { lockPayouts, type Payout, referencesTaken } from "./queries.ts";
import { countConflicts, type Move, movePayouts } from "./settle.ts";

interface ClaimWish {
  readonly rail: string;
  /** These alone, where they stand in line; else whatever is first in line for the services. */
  readonly payoutIds?: readonly string[];
  readonly services: readonly string[];
  readonly limit: number;
  readonly leaseSeconds: number;
  /** Whether the claim itself is the marker: whoever claims sees the number, and may send at once. */
  readonly isDispatched: boolean;
  readonly authorId?: string;
  readonly batchId?: string;
}

interface Claim {
  readonly payout: Payout;
  readonly number: number;
}

/** What nobody else has, in this rail's hands from now on. */
export async function claimPayouts(tx: Tx, app: App, wish: ClaimWish): Promise<Claim[]> {
  const now = app.clock.now();
  const ids = wish.payoutIds ?? (await lockInLine(tx, { ...wish, now }));
  if (ids.length === 0) return [];
  const payouts = (await lockPayouts(tx, ids)).filter(
    ({ state, service }) => state === "queued" && wish.services.includes(service),
  );
  if (payouts.length === 0) return [];
  const claims = payouts.map((payout) => ({ payout, number: payout.attempts + 1 }));
  await movePayouts(
    tx,
    app,
    payouts.map((payout) => ({ payout, to: "sending" })),
  );
  await addAttempts(
    tx,
    claims.map(({ payout, number }) => ({
      payoutId: payout.id,
      number,
      rail: wish.rail,
      isDispatched: wish.isDispatched,
      authorId: wish.authorId ?? null,
      batchId: wish.batchId ?? null,
      leaseUntil: addSeconds(now, wish.leaseSeconds),
    })),
    now,
  );
  return claims;
}

export interface Told extends AttemptKey {
  readonly answer: RailAnswer;
  readonly how?: Hearing;
  /** Of what was asked: since when its attempt was contradicted by then. */
  readonly reopenedAt?: Date | null;
}

/** What became of each answer. */
export type Heard = "taken" | "known" | "conflict" | "no_attempt";

const RETRY_SECONDS = 60;

/** What rails, people and statements say of attempts; each is taken for no more than it says. */
export async function recordAnswers(tx: Tx, app: App, heardOf: readonly Told[]): Promise<Heard[]> {
  const told = heardOf.map((one) => ({ ...one, answer: tidied(one.answer) }));
  const ids = told.map(({ payoutId }) => payoutId);
  const payouts = new Map((await lockPayouts(tx, ids)).map((one) => [one.id, one]));
  const tried = await attemptsOf(tx, ids);
  const attempts = new Map(tried.map((one) => [keyOf(one), one]));
  const taken = await referencesTaken(
    tx,
    told.flatMap(({ payoutId, answer }) => {
      const { currency } = payouts.get(payoutId) ?? {};
      const reference = answer.kind === "sent" ? answer.reference : undefined;
      return currency === undefined || reference === undefined
        ? []
        : [{ id: payoutId, currency, reference }];
    }),
  );
  const now = app.clock.now();
  const decided = new Set<string>();
  const verdicts = told.map((one): Verdict => {
    const payout = payouts.get(one.payoutId);
    const attempt = attempts.get(keyOf(one));
    if (payout === undefined || attempt === undefined) return { heard: "no_attempt" };
    // A receipt that proves another payout proves nothing here.
    const isProven = !taken.has(payout.id);
    if (!isProven) warn(app, attempt, "a payout's reference belongs to another one");
    // Of several in one set the first is taken; the others come again.
    if (decided.has(payout.id)) return { heard: "known" };
    const verdict = isProven
      ? verdictOf(one, attempt, payout, tried, now)
      : doubtedOf(one, attempt, payout, tried, now);
    if (verdict.settled ?? verdict.reopened) decided.add(payout.id);
    if (verdict.warning !== undefined) warn(app, attempt, verdict.warning);
    return verdict;
  });
  const settled = verdicts.flatMap((one) => one.settled ?? []);
  const reopened = verdicts.flatMap((one) => one.reopened ?? []);
  const moves = verdicts.flatMap((one) => one.move ?? []);
  await setAttempts(tx, settled, now);
  // After those: of a payout's attempts one at most may have left.
  await setAttempts(tx, reopened, now);
  await movePayouts(tx, app, moves);
  return verdicts.map(({ heard }) => heard);
}

/** What an answer changes, and what whoever watches is told. */
interface Verdict {
  readonly heard: Heard;
  readonly warning?: string;
  readonly settled?: SettledAttempt;
  /** Said to have left, or to be about to, after it was said not to have. */
  readonly reopened?: SettledAttempt;
  readonly move?: Move;
}

function verdictOf(
  { answer, how = "told", reopenedAt = null }: Told,
  attempt: Attempt,
  payout: Payout,
  attempts: readonly Attempt[],
  now: Date,
): Verdict {
  const { payoutId, number, state: from } = attempt;
  // Of an earlier attempt, too, it counts how often the payout was tried.
  // Who was asked before somebody contradicted it has not been asked about that.
  const isOlder = how === "asked" && reopenedAt?.getTime() !== attempt.reopenedAt?.getTime();
  const isDoubted = isContradicted(reopenedOf(attempt), isOlder ? "told" : how);
  const after = afterAnswer(from, payout.attempts, answer, payout.state, isDoubted);
  const contradiction = `a rail says ${answer.kind} of a payout that is ${from}`;
  if (after === "known") {
    const warning = "a payout that has left is said to have left by another reference";
    return isAnotherProof(payout, answer) ? { heard: "conflict", warning } : { heard: "known" };
  }
  if (after === "conflict") {
    const isOut = payout.state === "sending" || payout.state === "unknown";
    const told = { heard: after, warning: contradiction };
    if (from !== "not_sent" || !isOut) return told;
    // Another attempt is out, and it says what comes of the payout; this stays known until then.
    const stays = { payoutId, number, from, to: from, nextLookAt: null };
    return { ...told, reopened: { ...stays, ...reopenedBy(answer) } };
  }
  const isReopened = from === "not_sent";
  const to = after.attempt;
  const settled = {
    payoutId,
    number,
    from,
    to,
    nextLookAt: lookAfter(to, attempt, now),
    ...(isReopened ? reopenedBy(answer) : saidBy(answer)),
  };
  const reopened = to === "not_sent" ? earlierReopened(attempts, payout, now) : undefined;
  const end = reopened === undefined ? after.payout : "unknown";
  const isMoved = end !== undefined && end !== payout.state;
  const follows = isReopened || reopened ? {} : consequenceOf(answer, now);
  return {
    ...(isReopened ? { heard: "conflict", warning: contradiction } : { heard: "taken" }),
    settled,
    ...(reopened && { reopened }),
    ...(isMoved && { move: { payout, to: end, ...follows } }),
  };
}

/**
 * Said to have left, by a receipt that is another's: nobody knows. It is a word all the same, so that neither an older
 * one nor a later one has it sent again; only people or a proof end it.
 */
function doubtedOf(
  told: Told,
  attempt: Attempt,
  payout: Payout,
  attempts: readonly Attempt[],
  now: Date,
): Verdict {
  const { payoutId, number, state: from, reopenedAt, nextLookAt } = attempt;
  if (from === "sent" || from === "claimed" || from === "not_sent") {
    return verdictOf({ ...told, answer: { kind: "sent" } }, attempt, payout, attempts, now);
  }
  if (reopenedAt !== null && attempt.reopenedBy !== "accepted") return { heard: "known" };
  const settled: SettledAttempt = {
    payoutId,
    number,
    from,
    to: "unknown",
    reopenedBy: "sent",
    railId: null,
    nextLookAt: nextLookAt ?? lookAfter("unknown", attempt, now),
    detail: "The reference belongs to another payout.",
  };
  const isMoved = payout.state !== "unknown";
  return { heard: "taken", settled, ...(isMoved && { move: { payout, to: "unknown" } }) };
}

/** Said not to have left, and then to have, while another one is out. */
export function isReopened({ state, reopenedAt }: Attempt): boolean {
  return state === "not_sent" && reopenedAt !== null;
}

/** By what it was contradicted that it had not left; the stronger word, where nobody wrote it down. */
export function reopenedOf({ reopenedAt, reopenedBy }: Attempt) {
  return reopenedAt === null ? undefined : { by: reopenedBy ?? "sent" };
}

/** What an earlier attempt is said to have sent is neither given back nor sent again, once no later one has left. */
export function earlierReopened(
  attempts: readonly Attempt[],
  { id }: Payout,
  now: Date,
): SettledAttempt | undefined {
  const said = attempts.find((one) => one.payoutId === id && isReopened(one));
  if (said === undefined) return undefined;
  const { payoutId, number, railId, detail } = said;
  const nextLookAt = lookAfter("unknown", said, now);
  return { payoutId, number, railId, detail, nextLookAt, from: "not_sent", to: "unknown" };
}

/** References and names in one form, and none that holds a card's number. */
function tidied(answer: RailAnswer): RailAnswer {
  if (answer.kind !== "sent" && answer.kind !== "accepted") return answer;
  const { railId, ...rest } = answer;
  const name = railId === undefined ? {} : { railId: withoutCard(railId) };
  if (rest.kind !== "sent" || rest.reference === undefined) return { ...rest, ...name };
  const reference = withoutCard(referenceOf(rest.reference.trim()));
  const { reference: _written, ...sent } = rest;
  return reference === "" ? { ...sent, ...name } : { ...sent, ...name, reference };
}

/** A bank that pays twice has two names for it. */
function isAnotherProof({ bankReference }: Payout, answer: RailAnswer): boolean {
  const reference = answer.kind === "sent" ? answer.reference : undefined;
  return reference !== undefined && bankReference !== null && bankReference !== reference;
}

function reopenedBy(answer: RailAnswer) {
  const by = answer.kind === "sent" && answer.reference ? ` by ${answer.reference}` : "";
  const out = answer.kind === "sent" ? `have${by}` : "be on its way";
  const detail = `It was said not to have left, and then to ${out}.`;
  return {
    railId: null,
    detail,
    reopenedBy: answer.kind === "sent" ? "sent" : "accepted",
  } as const;
}

function keyOf({ payoutId, number }: AttemptKey): string {
  return `${payoutId} ${number}`;
}

const MOST_DETAIL = 500;
const MOST_REASON = 255;

function saidBy(answer: RailAnswer): Pick<SettledAttempt, "railId" | "detail"> {
  const words =
    answer.kind === "unknown" ? answer.detail : answer.kind === "not_sent" ? answer.reason : null;
  const railId = "railId" in answer ? (answer.railId ?? null) : null;
  // Our own words, and no stranger's.
  if (answer.kind === "sent") return { railId, detail: answer.proof ?? null };
  return { railId, detail: cutText(maskNumbers(words ?? ""), MOST_DETAIL) || null };
}

function consequenceOf(answer: RailAnswer, now: Date): Omit<Move, "payout" | "to"> {
  if (answer.kind === "sent") return { reference: answer.reference };
  if (answer.kind !== "not_sent") return {};
  return {
    error: cutText(maskNumbers(answer.reason), MOST_REASON) || "not_sent",
    notBefore: addSeconds(now, RETRY_SECONDS),
  };
}

/** Somebody is asked for as long as nobody knows. */
function lookAfter(state: AttemptState, { rail, looks }: Attempt, now: Date): Date | null {
  const isOpen = state === "accepted" || state === "unknown";
  return isOpen && canBeAsked(rail) ? addSeconds(now, secondsToNextLook(looks)) : null;
}

function warn(app: App, { payoutId, number, rail }: Attempt, words: string): void {
  countConflicts(app, rail);
  app.log.error({ payout: payoutId, attempt: number, rail }, words);
}

/** From the limit on, one person alone does not give a payout's money back to its user. */
export function givingBackNeedsTwo({ config }: App, { withdrawMinor }: Payout): boolean {
  return needsTwo(withdrawMinor, config.fourEyesFrom);
}

export interface NotSent {
  readonly payoutId: string;
  /** Of the attempt. */
  readonly number: number;
  /** Without whole card numbers. */
  readonly reason: string;
  /** Whether it is queued again; of several people the last one says. */
  readonly retry: boolean;
}

export const NOT_SENT = { subject: "payout", action: "not_sent", needed: 2 } as const;

/** As an approval that the payout has not left. */
export function approvalOf({ payoutId, number, reason }: NotSent) {
  return { subjectId: payoutId, attempt: number, reason };
}

/** As an answer, once enough people say so. */
export function toldNotSent({ payoutId, number, reason, retry }: NotSent): Told {
  const answer = { kind: "not_sent", reason, retry } as const;
  return { payoutId, number, answer, how: "decided" };
}
