// What people decide about a payout: approve, refuse, return, recover. Nobody approves their own
// request or approves twice; a return is booked against its transfer.

import { APPROVALS_NEEDED } from "../../domain/approval.ts";
import { maskNumbers } from "../../domain/card-number.ts";
import { suspenseCleared } from "../../domain/posting.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { Type, uuid, yesNo } from "../../platform/field.ts";
import { countOpenApprovals } from "../approvals/approval-queries.ts";
import { approve, approveAmount, withdraw } from "../approvals/approvals.ts";
import { change, changed } from "../operators/doors.ts";
import type { Operator } from "../operators/operator.ts";
import { clearTransfer, lockWaiting } from "../transfers/transfers.ts";
import { givingBackNeedsTwo } from "./attempts.ts";
import { lockPayout, Payouts, payoutId, withApprovals } from "./nouns.ts";
import { bankReference, reasonForUser, refuseTaken } from "./proof.ts";
import { type Payout, setReturnTransfer } from "./queries.ts";
import { movePayouts } from "./settle.ts";
import { letGo, mayHaveLeft, refuseShown } from "./shown.ts";

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
async function sayReturned(
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
async function withdrawReturn(
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

const notFound = "There is no such payout.";

export const approvePayout = change({
  path: "/manage/payouts/:payout_id/approve",
  summary: "Approve a payout that is held",
  description:
    "Once enough operators approve it, it is queued. The operator who asked for it cannot approve it, and all tokens that one person has made count as that person.",
  act: "payout.approve",
  by: "cashier",
  input: Type.Object({ payout_id: payoutId }),
  data: Type.Object({
    ...Payouts.wire.properties,
    approvals: Type.Integer({ description: "How many have approved it.", examples: [1] }),
  }),
  notFound,
  async make(tx, app, input, operator) {
    const payout = await lockPayout(tx, input.payout_id);
    const { id, state, authorId, approvalsNeeded } = payout;
    if (state !== "held") throw new Refusal("payout_cannot_move", { state });
    const question = {
      subject: "payout",
      action: "approve",
      needed: approvalsNeeded,
      askedBy: authorId,
    } as const;
    const approval = { subjectId: id, reason: null };
    const { approvals } = await approve(tx, app, operator, question, approval);
    if (approvals >= approvalsNeeded) await letGo(tx, app, payout);
    const data = { ...Payouts.toWire(await lockPayout(tx, id)), approvals };
    const before = { state, approvals: approvals - 1 };
    return { data, subject: id, before, after: { state: data.state, approvals } };
  },
});

export const refusePayout = change({
  path: "/manage/payouts/:payout_id/refuse",
  summary: "Refuse a payout that nobody is sending",
  description: "While it is held or queued: its money is the user's again.",
  act: "payout.refuse",
  by: "cashier",
  input: Type.Object({ payout_id: payoutId, reason: reasonForUser }),
  data: Payouts.wire,
  notFound,
  async make(tx, app, { payout_id, reason }) {
    const payout = await lockPayout(tx, payout_id);
    await refuseShown(tx, payout);
    await movePayouts(tx, app, [{ payout, to: "canceled", error: maskNumbers(reason) }]);
    return changed(Payouts, payout, await lockPayout(tx, payout.id));
  },
});

export const returnPayout = change({
  path: "/manage/payouts/:payout_id/return",
  summary: "Book that a payout's money has come back",
  description:
    "What arrived there is the user's again; the commission goes back, too, where the tariff says so. With the transfer that it came back as, which then waits in suspense no longer; of a returned payout the transfer alone is booked, once. From KOPECK_FOUR_EYES_FROM on it needs two people: the first approval is kept and moves nothing, the second one decides.",
  act: "payout.return",
  by: "cashier",
  input: Type.Object({
    payout_id: payoutId,
    reason: reasonForUser,
    transfer_id: Type.Optional(uuid({ description: "What it came back as, of the same amount." })),
    withdraw: Type.Optional(
      yesNo({
        description: "Whether it has not come back after all: this withdraws earlier approvals.",
      }),
    ),
  }),
  data: withApprovals,
  notFound,
  async make(tx, app, { payout_id, reason, transfer_id, withdraw = false }, operator) {
    const payout = await lockPayout(tx, payout_id);
    const said = withdraw
      ? await withdrawReturn(tx, app, payout, operator, reason)
      : await sayReturned(tx, app, payout, operator, { reason, transferId: transfer_id });
    const data = { ...Payouts.toWire(await lockPayout(tx, payout.id)), ...said };
    // What one person approves moves nothing, and stands nowhere else but in the story.
    const after = { ...data, reason: maskNumbers(reason), ...(transfer_id && { transfer_id }) };
    return { data, subject: payout.id, before: Payouts.toWire(payout), after };
  },
});

export const recoverPayout = change({
  path: "/manage/payouts/:payout_id/recover",
  summary: "Book that a payout that failed or was canceled had left after all",
  description:
    "Its money was given back to the user, and is taken from what is available now: only where that is enough. One that was held and that too few had approved, or that nobody ever had to send, has not left through the gateway.",
  act: "payout.recover",
  by: "cashier",
  input: Type.Object({
    payout_id: payoutId,
    bank_reference: bankReference("A53202133064670400000000116307A1"),
    reason: reasonForUser,
  }),
  data: Payouts.wire,
  notFound,
  async make(tx, app, { payout_id, bank_reference, reason }) {
    const payout = await lockPayout(tx, payout_id);
    // Before anything else is said: a payout that is done has its own reference.
    if (payout.state !== "failed" && payout.state !== "canceled") {
      throw new Refusal("payout_cannot_move", { state: payout.state });
    }
    // Else one person could have a payout booked as gone that it takes others to let go.
    if ((await countOpenApprovals(tx, payout.id, "approve")) < payout.approvalsNeeded) {
      throw new Refusal("payout_never_approved");
    }
    if (!(await mayHaveLeft(tx, payout))) throw new Refusal("payout_never_sent");
    const reference = await refuseTaken(tx, payout, bank_reference);
    await movePayouts(tx, app, [{ payout, to: "done", reference }]);
    const data = Payouts.toWire(await lockPayout(tx, payout.id));
    const after = { ...data, reason: maskNumbers(reason) };
    return { data, subject: payout.id, before: Payouts.toWire(payout), after };
  },
});
