// A payout that came back. Guards that a large one needs two approvals, as assigning a transfer
// does, and that money which waits in suspense and is said to be it is what the payout sent: then it waits no longer,
// and stands against what had left.

import { APPROVALS_NEEDED } from "../../domain/approval.ts";
import { maskNumbers } from "../../domain/card-number.ts";
import { suspenseCleared } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { approveAmount, withdraw } from "../approvals/approvals.ts";
import type { Operator } from "../operators/operator.ts";
import { clearTransfer, lockWaiting } from "../transfers/transfers.ts";
import { givingBackNeedsTwo } from "./not-sent.ts";
import type { Payout } from "./queries.ts";
import { setReturnTransfer } from "./return-queries.ts";
import { movePayouts } from "./settle.ts";

interface Return {
  readonly reason: string;
  /** What it came back as, where that waits in suspense; of several people the last one says. */
  readonly transferId: string | undefined;
}

/** How many people approve it by now, and how many it needs. */
interface Returning {
  readonly approvals: number;
  readonly needed: number;
}

/**
 * Once enough people approve it, it is booked. The payout is locked: before the transfer, and
 * before any balance.
 */
export async function sayReturned(
  tx: Tx,
  app: App,
  payout: Payout,
  operator: Operator,
  { reason: written, transferId }: Return,
): Promise<Returning> {
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
  const as = transferId === undefined ? "" : `, as transfer ${transferId}`;
  const isLarge = givingBackNeedsTwo(app, payout);
  const question = { subject: "payout", action: "returned", isLarge } as const;
  const approval = { subjectId: payoutId, reason: `${reason}${as}` };
  const { by, ...approved } = isBooked
    ? { approvals: 1, needed: 1, by: operator.name }
    : await approveAmount(tx, app, operator, question, approval);
  if (approved.approvals < approved.needed) return approved;
  if (!isBooked) await movePayouts(tx, app, [{ payout, to: "returned", error: reason }]);
  if (transferId !== undefined) {
    if (!(await setReturnTransfer(tx, payoutId, transferId))) {
      throw new Refusal("payout_cannot_move", { state: "returned" });
    }
    await clearTransfer(tx, app, { transferId, author: by, reason }, suspenseCleared);
  }
  return approved;
}

/** It has not come back after all: earlier approvals are withdrawn, by any operator. */
export async function withdrawReturn(
  tx: Tx,
  app: App,
  { id: subjectId, state }: Payout,
  operator: Operator,
  written: string,
): Promise<Returning> {
  if (state !== "done") throw new Refusal("payout_cannot_move", { state });
  const reason = maskNumbers(written);
  await withdraw(tx, app, operator, { subjectId, action: "returned", reason });
  return { approvals: 0, needed: APPROVALS_NEEDED };
}
