// Assigning a transfer in suspense by hand, where it may need two people. The first approval moves nothing; with the
// second one the assignment is judged anew.
//
// Locks: the transfer before everything else, as in transfers.ts; its approvals change under that lock alone.

import { assigningNeedsTwo } from "../../domain/approval.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { openApprovals } from "../approvals/approval-queries.ts";
import { approveAmount, withdraw } from "../approvals/approvals.ts";
import type { Operator } from "../operators/operator.ts";
import { assignTransfer, judgeAssignment, lockWaiting } from "./transfers.ts";

interface Assignment {
  readonly transferId: string;
  readonly paymentId: string;
  readonly reason: string;
}

/** How many people approve it by now, and how many it needs; with enough of them it is assigned. */
export async function assignByHand(
  tx: Tx,
  app: App,
  { transferId, paymentId, reason }: Assignment,
  operator: Operator,
): Promise<{ readonly approvals: number; readonly needed: number }> {
  const { row, ...transfer } = await lockWaiting(tx, transferId);
  const open = await openApprovals(tx, [row.id], "assign", app.clock.now());
  const other = open.find((one) => one.mayAct && one.paymentId !== paymentId);
  if (other !== undefined) throw new Refusal("transfer_approved_otherwise", { name: other.name });
  const { payment } = await judgeAssignment(tx, transfer, paymentId);
  // A small sum that pays for a large order is as good as the large one to the shop that delivers it.
  const { amountMinor } = transfer;
  const sumMinor = amountMinor > payment.toPayMinor ? amountMinor : payment.toPayMinor;
  const isLarge = assigningNeedsTwo(sumMinor, row.suspense_reason, app.config.fourEyesFrom);
  const question = { subject: "transfer", action: "assign", isLarge } as const;
  const approval = { subjectId: row.id, paymentId: payment.id, reason };
  const { by, ...approved } = await approveAmount(tx, app, operator, question, approval);
  if (approved.approvals >= approved.needed) {
    await assignTransfer(tx, app, { transferId, paymentId, reason, author: by });
  }
  return approved;
}

export async function withdrawAssignment(
  tx: Tx,
  app: App,
  { transferId, reason }: Omit<Assignment, "paymentId">,
  operator: Operator,
): Promise<void> {
  const { row } = await lockWaiting(tx, transferId);
  await withdraw(tx, app, operator, { subjectId: row.id, action: "assign", reason });
}
