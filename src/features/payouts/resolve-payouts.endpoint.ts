// /manage/payouts/…/resolve: people say what became of a payout that nobody knows of, whoever has sent it.

import { maskNumbers } from "../../domain/card-number.ts";
import { Refusal } from "../../domain/refusal.ts";
import { oneOf, Type, yesNo } from "../../platform/field.ts";
import { approve } from "../approvals/approvals.ts";
import { change } from "../operators/doors.ts";
import { attemptsOf, openAttempt } from "./attempt-queries.ts";
import { recordAnswers } from "./attempts.ts";
import { approvalOf, NOT_SENT, toldNotSent } from "./not-sent.ts";
import { lockPayout, Payouts, payoutId, withApprovals } from "./nouns.ts";
import { bankReference, reasonForUser, refuseTaken } from "./proof.ts";

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
