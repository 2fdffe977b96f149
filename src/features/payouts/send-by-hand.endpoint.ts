// An operator sends a payout in the bank's own program, and says what came of it. Only the holder
// sees the whole number; an unknown outcome takes a reference or two people.

import { maskNumbers } from "../../domain/card-number.ts";
import { toDecimalNumber } from "../../domain/money.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { oneOf, Type, textOrNull, yesNo } from "../../platform/field.ts";
import { approve } from "../approvals/approvals.ts";
import { change } from "../operators/doors.ts";
import { isoMoment } from "../operators/noun.ts";
import type { Operator } from "../operators/operator.ts";
import { type Attempt, attemptsOf, openAttempt } from "./attempt-queries.ts";
import {
  approvalOf,
  claimPayouts,
  givingBackNeedsTwo,
  isReopened,
  NOT_SENT,
  recordAnswers,
  toldNotSent,
} from "./attempts.ts";
import { openDestination, sealedDestinations } from "./destination-queries.ts";
import { lockPayout, Payouts, payoutId, withApprovals } from "./nouns.ts";
import { bankReference, reasonForUser, referenceOf, refuseTaken } from "./proof.ts";
import { type Payout, sbpBanks } from "./queries.ts";
import { holdOpenRail } from "./rail-queries.ts";
import { countConflicts } from "./settle.ts";

const DESK = "desk";
const LEASE_SECONDS = 30 * 60;
const notFound = "There is no such payout.";

export const takePayout = change({
  path: "/manage/payouts/:payout_id/take",
  summary: "Take a payout to send it by hand",
  description:
    "It is yours alone for 30 minutes, and this answer alone shows the whole number; asked again by you meanwhile, it shows it again. Say then what came of it by sent or not-sent: after that time nobody knows, and it is unknown. The audit log says who looked.",
  act: "payout.take",
  by: "cashier",
  input: Type.Object({ payout_id: payoutId }),
  data: Type.Object({
    payout: Payouts.wire,
    wallet: Type.String({
      description: "The card's or phone's whole number.",
      examples: ["2202200000000007"],
    }),
    bank_name: textOrNull({ description: "The receiver's bank in the fast payment system." }),
    receive: Type.Number({ description: "What is to be sent.", examples: [98] }),
    lease_until: isoMoment("Until then it is yours."),
  }),
  notFound,
  async make(tx, app, input, operator) {
    const payout = await lockPayout(tx, input.payout_id);
    if (payout.state === "sending") {
      await holderOf(tx, app, payout, operator);
      await refuseIfLeftBefore(tx, payout);
    } else await claim(tx, app, payout, operator);
    const [attempt, next] = [await lastAttempt(tx, payout), await lockPayout(tx, payout.id)];
    const data = {
      payout: Payouts.toWire(next),
      wallet: await numberOf(tx, app, payout),
      bank_name: await bankName(tx, payout.bankId),
      receive: toDecimalNumber(payout.receiveMinor),
      lease_until: attempt.leaseUntil.toISOString(),
    };
    // Looking again is an act of its own.
    return { data, subject: payout.id, before: null, after: { attempt: attempt.number } };
  },
});

async function claim(tx: Tx, app: App, payout: Payout, { id: authorId }: Operator): Promise<void> {
  const rail = await holdOpenRail(tx, DESK);
  if (rail === undefined) throw new Refusal("rail_paused", { rail: DESK });
  const claims = await claimPayouts(tx, app, {
    rail: DESK,
    payoutIds: [payout.id],
    services: rail.services,
    limit: 1,
    authorId,
    leaseSeconds: LEASE_SECONDS,
    isDispatched: true,
  });
  if (claims.length === 0) throw new Refusal("payout_cannot_move", { state: payout.state });
}

async function lastAttempt(tx: Tx, { id, state }: Payout): Promise<Attempt> {
  const attempt = openAttempt(await attemptsOf(tx, [id]));
  if (attempt === undefined) throw new Refusal("payout_cannot_move", { state });
  return attempt;
}

/** What is being sent is in one pair of hands, for so long; behind that time nobody knows any more. */
async function holderOf(
  tx: Tx,
  { clock }: App,
  payout: Payout,
  operator: Operator,
): Promise<Attempt> {
  const attempt = await lastAttempt(tx, payout);
  const isTheirs = attempt.rail === DESK && attempt.authorId === operator.id;
  if (!isTheirs) throw new Refusal("payout_taken");
  if (attempt.leaseUntil <= clock.now()) throw new Refusal("payout_needs_two");
  return attempt;
}

/** Since it was taken, an earlier attempt may be said to have left after all. */
async function refuseIfLeftBefore(tx: Tx, { id }: Payout): Promise<void> {
  if ((await attemptsOf(tx, [id])).some(isReopened)) throw new Refusal("payout_left_before");
}

async function numberOf(tx: Tx, { secrets }: App, { destinationId }: Payout): Promise<string> {
  const [sealed] = await sealedDestinations(tx, [destinationId]);
  if (sealed === undefined) throw new Error("A payout without a destination.");
  return openDestination(secrets, sealed);
}

async function bankName(tx: Tx, bankId: string | null): Promise<string | null> {
  if (bankId === null) return null;
  return (await sbpBanks(tx)).find(({ id }) => id === bankId)?.name ?? null;
}

export const markSent = change({
  path: "/manage/payouts/:payout_id/sent",
  summary: "Say that a payout has left",
  description:
    "By whoever has taken it; and by anybody who has the bank's reference, once nobody knows what became of it.",
  act: "payout.sent",
  by: "cashier",
  input: Type.Object({ payout_id: payoutId, bank_reference: bankReference() }),
  data: Payouts.wire,
  notFound,
  async make(tx, app, { payout_id, bank_reference }, operator) {
    const payout = await lockPayout(tx, payout_id);
    if (payout.state === "sending") {
      const { rail, authorId } = await lastAttempt(tx, payout);
      if (rail !== DESK || authorId !== operator.id) throw new Refusal("payout_taken");
    } else if (payout.state !== "unknown") {
      await tellAnother(tx, app, payout, bank_reference, operator);
      throw new Refusal("payout_cannot_move", { state: payout.state });
    }
    const reference = await refuseTaken(tx, payout, bank_reference);
    const { number } = await lastAttempt(tx, payout);
    const [heard] = await recordAnswers(tx, app, [
      { payoutId: payout.id, number, answer: { kind: "sent", reference } },
    ]);
    if (heard !== "taken") throw new Refusal("payout_cannot_move", { state: payout.state });
    return done(tx, payout);
  },
});

/** Refused, and all the same no word to be lost: a bank that has paid twice has two names for it. */
async function tellAnother(
  tx: Tx,
  app: App,
  { id, state, bankReference: known }: Payout,
  written: string,
  { id: operatorId }: Operator,
): Promise<void> {
  if (state !== "done" || referenceOf(written) === known) return;
  const attempts = await attemptsOf(tx, [id]);
  const left = openAttempt(attempts);
  // What a line has proven has no reference yet: whoever alone had it to send names the same money.
  const isAlone = attempts.every((one) => one === left || one.dispatchedAt === null);
  if (known === null && isAlone && left?.authorId === operatorId) return;
  const rail = left?.rail ?? DESK;
  countConflicts(app, rail);
  const about = { payout: id, attempt: left?.number, rail, operator: operatorId };
  app.log.error(about, "a payout that has left is said to have left by another reference");
}

async function done(tx: Tx, payout: Payout) {
  const data = Payouts.toWire(await lockPayout(tx, payout.id));
  return { data, subject: payout.id, before: Payouts.toWire(payout), after: data };
}

const retry = Type.Optional(
  yesNo({ description: "Whether it stands in line again; else it has failed." }),
);

const ONE_SAYS_SO = "Whoever had it says that it has not left; somebody else has to say so, too.";

export const markNotSent = change({
  path: "/manage/payouts/:payout_id/not-sent",
  summary: "Say that a payout has not left",
  description:
    "By whoever has taken it, while it is theirs. After that nobody knows, and it takes two to say so: resolve. From KOPECK_FOUR_EYES_FROM on this is the first of two approvals, and the payout is unknown until another operator approves it as well.",
  act: "payout.not_sent",
  by: "cashier",
  input: Type.Object({ payout_id: payoutId, reason: reasonForUser, retry }),
  data: Payouts.wire,
  notFound,
  async make(tx, app, { payout_id, reason, retry: again = false }, operator) {
    const payout = await lockPayout(tx, payout_id);
    const { state } = payout;
    if (state === "unknown") throw new Refusal("payout_needs_two");
    if (state !== "sending") throw new Refusal("payout_cannot_move", { state });
    const { number } = await holderOf(tx, app, payout, operator);
    const said = { payoutId: payout.id, number, reason: maskNumbers(reason), retry: again };
    if (givingBackNeedsTwo(app, payout)) {
      await approve(tx, app, operator, NOT_SENT, approvalOf(said));
      const answer = { kind: "unknown", detail: ONE_SAYS_SO } as const;
      await recordAnswers(tx, app, [{ payoutId: payout.id, number, answer }]);
      const { after, ...rest } = await done(tx, payout);
      return { ...rest, after: { ...after, reason: said.reason } };
    }
    await recordAnswers(tx, app, [toldNotSent(said)]);
    return done(tx, payout);
  },
});

export const resolvePayout = change({
  path: "/manage/payouts/:payout_id/resolve",
  summary: "Say what became of a payout that nobody knows of",
  description:
    "That it has left is proven by the bank's reference. That it has not needs two operators: the first approval is kept, the second one decides.",
  act: "payout.resolve",
  by: "cashier",
  input: Type.Object({
    payout_id: payoutId,
    outcome: oneOf(["sent", "not_sent"], {
      description: "Whether the money has left.",
      examples: ["not_sent"],
    }),
    bank_reference: Type.Optional(bankReference()),
    reason: reasonForUser,
    retry: Type.Optional(
      yesNo({
        description: "Whether it stands in line again, where it has not left; else it has failed.",
      }),
    ),
  }),
  data: withApprovals,
  notFound: "There is no such payout.",
  async make(tx, app, input, operator) {
    const { payout_id, outcome, bank_reference, reason, retry = false } = input;
    const payout = await lockPayout(tx, payout_id);
    const attempt = openAttempt(await attemptsOf(tx, [payout.id]));
    // One that a rail has accepted and never speaks of again is in nobody's hands either.
    const isOpen = attempt?.state === "unknown" || attempt?.state === "accepted";
    if (attempt === undefined || !isOpen) {
      throw new Refusal("payout_cannot_move", { state: payout.state });
    }
    const why = maskNumbers(reason);
    const said = { payoutId: payout.id, number: attempt.number, reason: why, retry };
    let needed = 1;
    let approvals = 1;
    if (outcome === "sent") {
      if (bank_reference === undefined) throw new Refusal("payout_reference_required");
      const reference = await refuseTaken(tx, payout, bank_reference);
      const question = { subject: "payout", action: "sent", needed } as const;
      await approve(tx, app, operator, question, approvalOf(said));
      const { payoutId, number } = said;
      await recordAnswers(tx, app, [{ payoutId, number, answer: { kind: "sent", reference } }]);
    } else {
      ({ needed } = NOT_SENT);
      ({ approvals } = await approve(tx, app, operator, NOT_SENT, approvalOf(said)));
      if (approvals >= needed) await recordAnswers(tx, app, [toldNotSent(said)]);
    }
    const next = Payouts.toWire(await lockPayout(tx, payout.id));
    const after = { state: next.state, outcome, approvals, reason: why };
    const before = { state: payout.state };
    return { data: { ...next, approvals, needed }, subject: payout.id, before, after };
  },
});
