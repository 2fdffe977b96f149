// /manage/payouts/…/resolve: people say what became of a payout that nobody knows of, whoever has sent it.

import { maskNumbers } from "../../domain/card-number.ts";
import { Refusal } from "../../domain/refusal.ts";
import { oneOf, yesNo } from "../../platform/field.ts";
import { Type } from "../../platform/schema.ts";
import { change } from "../operators/doors.ts";
import { attemptsOf, openAttempt } from "./attempt-queries.ts";
import { recordAnswers } from "./attempts.ts";
import { lockPayout, Payouts, payoutId, withVotes } from "./nouns.ts";
import { bankReference, reasonForUser, refuseTaken } from "./proof.ts";
import { addVotes } from "./vote-queries.ts";
import { toldNotSent, VOTES_NEEDED, voteOn } from "./votes.ts";

export const resolvePayout = change({
  path: "/manage/payouts/:payout_id/resolve",
  summary: "Say what became of a payout that nobody knows of",
  description:
    "That it has left is proven by the bank's reference. That it has not takes two operators: the first one's word is kept, the second one's decides.",
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
  data: withVotes,
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
    const said = { payoutId: payout.id, number: attempt.number };
    let votes = 1;
    if (outcome === "sent") {
      if (bank_reference === undefined) throw new Refusal("payout_reference_required");
      const reference = await refuseTaken(tx, payout, bank_reference);
      const vote = { payoutId: payout.id, attempt: attempt.number, operatorId: operator.id };
      const why = maskNumbers(reason);
      await addVotes(tx, [{ ...vote, subject: outcome, reason: why }], app.clock.now());
      await recordAnswers(tx, app, [{ ...said, answer: { kind: "sent", reference } }]);
    } else {
      const word = { ...said, reason: maskNumbers(reason), retry };
      const [count = 0] = await voteOn({ subject: "not_sent" }, tx, app, operator, [word]);
      if (typeof count !== "number") throw new Refusal(count);
      votes = count;
      if (votes >= VOTES_NEEDED) await recordAnswers(tx, app, [toldNotSent(word)]);
    }
    const next = Payouts.toWire(await lockPayout(tx, payout.id));
    const votes_needed = outcome === "sent" ? 1 : VOTES_NEEDED;
    const after = { state: next.state, outcome, votes, reason: maskNumbers(reason) };
    const before = { state: payout.state };
    return { data: { ...next, votes, votes_needed }, subject: payout.id, before, after };
  },
});
