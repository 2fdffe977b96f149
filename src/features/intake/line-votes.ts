// Booking a line of a statement by hand, where that takes two people. Guards that the first one's word moves nothing and
// proves nothing, and that the second one is of another hand; who had said so and may act no longer does not count.

import { bookingTakesTwo, judgeVote } from "../../domain/four-eyes.ts";
import { readMadeAt } from "../../domain/made-at.ts";
import { momentFormat } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Operator } from "../operators/operator.ts";
import { handsOf } from "../operators/queries.ts";
import { lockLineRow } from "./line-queries.ts";
import { addLineVote, lineVotesOf } from "./line-vote-queries.ts";
import { type LineRow, Lines } from "./nouns.ts";

/** It stays as it is until the transaction ends, and so does what was said of it. */
export async function lockLine(tx: Tx, id: string): Promise<LineRow> {
  await lockLineRow(tx, id);
  return Lines.find(tx, id);
}

/** Who books it now, or undefined where it waits for another one's word. The line is locked, and waits. */
export async function booker(
  tx: Tx,
  app: App,
  { id: line_id, amount_minor: amountMinor, made_at: madeAt, day }: LineRow,
  { id: operator_id, name }: Operator,
  reason: string,
): Promise<string | undefined> {
  const now = app.clock.now();
  const votes = await lineVotesOf(tx, line_id);
  if (!bookingTakesTwo(amountMinor, votes.length, app.config.fourEyesFrom)) return name;
  // Nobody is asked to confirm what cannot be booked yet.
  const made = readMadeAt(madeAt ?? day, momentFormat(app.config.timeZone), now);
  if (made === undefined) throw new Refusal("line_ahead");
  const voters = votes.map(({ operatorId }) => operatorId);
  const handOf = await handsOf(tx, [...voters, operator_id], now);
  const own = handOf(operator_id);
  const judged = judgeVote(own, voters.map(handOf));
  if (judged !== "first" && judged !== "second") throw new Refusal(judged);
  await addLineVote(tx, { line_id, operator_id, reason, created_at: now });
  if (judged === "first") return undefined;
  const others = votes.filter(({ operatorId }) => {
    const { isHere, handId } = handOf(operatorId);
    return isHere && handId !== own.handId;
  });
  return [...others.map(({ operatorName }) => operatorName), name].join(" + ");
}
