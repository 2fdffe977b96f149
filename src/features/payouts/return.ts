// A payout that came back. Guards that a large one is given to its user by the word of two people, as a transfer
// is, and that money which waits in suspense and is said to be it is what the payout sent: then it waits no longer,
// and stands against what had left.

import { maskNumbers } from "../../domain/card-number.ts";
import { suspenseCleared } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Operator } from "../operators/operator.ts";
import { clearTransfer, lockWaiting } from "../transfers/transfers.ts";
import type { Payout } from "./queries.ts";
import { setReturnTransfer } from "./return-queries.ts";
import { movePayouts } from "./settle.ts";
import { addVotes } from "./vote-queries.ts";
import { standingVotes, takesTwoToGiveBack, VOTES_NEEDED, voteOn } from "./votes.ts";

interface Return {
  readonly reason: string;
  /** What it came back as, where that waits in suspense; of several people the last one says. */
  readonly transferId: string | undefined;
}

/**
 * How many say so by now, and how many it takes; then it is booked. The payout is locked: before the transfer, and
 * before any balance.
 */
export async function sayReturned(
  tx: Tx,
  app: App,
  payout: Payout,
  operator: Operator,
  { reason: written, transferId }: Return,
): Promise<{ readonly votes: number; readonly votes_needed: number }> {
  const { id: payoutId, state } = payout;
  // Returned before its money was there: the transfer only leaves suspense.
  const isBooked = state === "returned" && transferId !== undefined;
  if (state !== "done" && !isBooked) throw new Refusal("payout_cannot_move", { state });
  const reason = maskNumbers(written);
  if (transferId !== undefined) {
    const came = await lockWaiting(tx, transferId);
    if (came.amountMinor !== payout.receiveMinor || came.currency !== payout.currency) {
      throw new Refusal("payout_return_differs");
    }
  }
  const given = await standingVotes(tx, [payoutId], "returned", app.clock.now());
  let [votes, votes_needed] = [1, 1];
  // What one gateway has asked two for, none is content with one for.
  if (!isBooked && (given.length > 0 || takesTwoToGiveBack(app, payout))) {
    const as = transferId === undefined ? "" : `, as transfer ${transferId}`;
    const word = { payoutId, number: 0, reason: `${reason}${as}` };
    const [count = 0] = await voteOn({ subject: "returned" }, tx, app, operator, [word]);
    if (typeof count !== "number") throw new Refusal(count);
    [votes, votes_needed] = [count, VOTES_NEEDED];
    if (votes < votes_needed) return { votes, votes_needed };
  }
  if (!isBooked) await movePayouts(tx, app, [{ payout, to: "returned", error: reason }]);
  if (transferId !== undefined) {
    if (!(await setReturnTransfer(tx, payoutId, transferId))) {
      throw new Refusal("payout_cannot_move", { state: "returned" });
    }
    const names = given.filter(({ counts }) => counts).map(({ operatorName }) => operatorName);
    const author = [...new Set([...(isBooked ? [] : names), operator.name])].join(" + ");
    await clearTransfer(tx, app, { transferId, author, reason }, suspenseCleared);
  }
  return { votes, votes_needed };
}

/** It has not come back after all: what was said of it before counts no longer. By anybody, as a proposal is declined. */
export async function withdrawReturn(
  tx: Tx,
  app: App,
  { id: payoutId, state }: Payout,
  { id: operatorId }: Operator,
  written: string,
): Promise<{ readonly votes: number; readonly votes_needed: number }> {
  const now = app.clock.now();
  if (state !== "done") throw new Refusal("payout_cannot_move", { state });
  const given = await standingVotes(tx, [payoutId], "returned", now);
  if (given.length === 0) throw new Refusal("payout_no_return");
  const word = { subject: "not_returned", attempt: 0, reason: maskNumbers(written) } as const;
  await addVotes(tx, [{ ...word, payoutId, operatorId }], now);
  return { votes: 0, votes_needed: VOTES_NEEDED };
}
