// Assigning by hand, where it may take two people. Guards that every entrance keeps to the sum, that what is proposed
// moves nothing, and that what is confirmed is judged anew, as if it had just been assigned.
//
// Locks: the transfer before everything else, as in transfers.ts; its proposals change under that lock alone.

import { assigningTakesTwo, declinedAs, whyNotConfirmed } from "../../domain/four-eyes.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Operator } from "../operators/operator.ts";
import { handsOf } from "../operators/queries.ts";
import { type ProposalRow, Proposals } from "./proposal-nouns.ts";
import { addProposal, type Ending, endProposal } from "./proposal-queries.ts";
import { lockTransfer } from "./queries.ts";
import { assignTransfer, judgeAssignment, lockWaiting } from "./transfers.ts";

interface Wish {
  readonly transferId: string;
  readonly paymentId: string;
  readonly reason: string;
}

interface Proposed {
  readonly proposal: ProposalRow;
  /** False where the same one has proposed the same before. */
  readonly fresh: boolean;
}

/** Assigns it, or says what waits for a second person now. */
export async function assignByHand(
  tx: Tx,
  app: App,
  wish: Wish,
  { id: operatorId, name: author }: Operator,
): Promise<Proposed | null> {
  const { row, ...transfer } = await lockWaiting(tx, wish.transferId);
  const [open] = await Proposals.all(tx, { "row.transfer_id": row.id, "row.state": "open" });
  if (open !== undefined) {
    const isSame = open.payment_id === wish.paymentId && open.proposed_by === operatorId;
    if (isSame) return { proposal: open, fresh: false };
    throw new Refusal("transfer_proposed", { name: open.proposed_by_name });
  }
  const { payment } = await judgeAssignment(tx, transfer, wish.paymentId);
  // A small sum that pays for a large order is as good as the large one to whoever delivers it.
  const { amountMinor } = transfer;
  const sumMinor = amountMinor > payment.toPayMinor ? amountMinor : payment.toPayMinor;
  if (!assigningTakesTwo(sumMinor, row.suspense_reason, app.config.fourEyesFrom)) {
    await assignTransfer(tx, app, { ...wish, author });
    return null;
  }
  const id = app.newId();
  await addProposal(tx, {
    id,
    transfer_id: row.id,
    payment_id: payment.id,
    reason: wish.reason,
    proposed_by: operatorId,
    created_at: app.clock.now(),
  });
  return { proposal: await Proposals.find(tx, id), fresh: true };
}

/** It stays as it is until the transaction ends. */
export async function lockProposal(tx: Tx, id: string): Promise<ProposalRow> {
  const { transfer_id: transferId } = await Proposals.find(tx, id);
  await lockTransfer(tx, transferId);
  return Proposals.find(tx, id);
}

/** The proposal is locked. */
export async function confirmProposal(
  tx: Tx,
  app: App,
  proposal: ProposalRow,
  second: Operator,
): Promise<void> {
  const { state, proposed_by: proposerId } = proposal;
  const handOf = await handsOf(tx, [proposerId, second.id], app.clock.now());
  const proposer = handOf(proposerId);
  const refusal = whyNotConfirmed(
    { state, proposer, isProposerHere: proposer.isHere },
    handOf(second.id),
  );
  if (refusal !== undefined) throw new Refusal(refusal, { state });
  await end(tx, app, proposal, { state: "confirmed", operatorId: second.id, reason: null });
  await assignTransfer(tx, app, {
    transferId: proposal.transfer_id,
    paymentId: proposal.payment_id,
    author: `${proposal.proposed_by_name} + ${second.name}`,
    reason: proposal.reason,
  }).catch((error: unknown) => {
    // Whoever confirms is told what is left to do.
    const isPaid = error instanceof Refusal && error.code === "payment_not_payable";
    throw isPaid ? new Refusal("proposal_not_payable") : error;
  });
}

/** By whoever does not want it, its author among them. The proposal is locked. */
export async function declineProposal(
  tx: Tx,
  app: App,
  proposal: ProposalRow,
  { id: operatorId }: Operator,
  reason: string,
): Promise<void> {
  const state = declinedAs(proposal.state, proposal.proposed_by, operatorId);
  if (state === undefined) throw new Refusal("proposal_ended", { state: proposal.state });
  await end(tx, app, proposal, { state, operatorId, reason });
}

function end(tx: Tx, { clock }: App, { id }: ProposalRow, ending: Ending): Promise<void> {
  return endProposal(tx, id, ending, clock.now());
}
