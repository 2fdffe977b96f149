// Approving what needs several people. The caller has locked the subject, and acts once enough people approve it.

import {
  APPROVALS_NEEDED,
  type ApprovalAction,
  type ApprovalSubject,
  judgeApproval,
} from "../../domain/approval.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import type { Operator } from "../operators/operator.ts";
import {
  addApprovals,
  countOpenApprovals,
  openApprovals,
  partiesOf,
  withdrawApprovals,
} from "./approval-queries.ts";

export interface Approval {
  readonly subjectId: string;
  /** Of a payout's attempt; 0 without one. */
  readonly attempt?: number;
  /** The payment that a transfer is to be assigned to. */
  readonly paymentId?: string;
  /** Without whole card numbers. */
  readonly reason: string | null;
}

interface Question {
  readonly subject: ApprovalSubject;
  readonly action: ApprovalAction;
  /** How many people it needs. */
  readonly needed: number;
  /** The operator who asked for it, whose approval does not count. */
  readonly askedBy?: string | null;
}

export interface Approved {
  readonly approvals: number;
  /** Whose approvals count, the operator who approves now last. */
  readonly by: string;
}

/** For each: how many people approve it now, or why this approval does not count. */
export async function approveEach(
  tx: Tx,
  app: App,
  operator: Operator,
  { subject, action, needed, askedBy }: Question,
  approvals: readonly Approval[],
): Promise<(Approved | Refusal)[]> {
  if (approvals.length === 0) return [];
  const now = app.clock.now();
  const ids = approvals.map(({ subjectId }) => subjectId);
  const open = await openApprovals(tx, ids, action, now);
  const partyOf = await partiesOf(tx, [operator.id, ...(askedBy ? [askedBy] : [])]);
  const own = partyOf(operator.id);
  const judged = approvals.map((one) => {
    const { attempt = 0 } = one;
    const given = open.filter(
      (each) => each.subjectId === one.subjectId && each.attempt === attempt,
    );
    const asker = askedBy ? partyOf(askedBy) : undefined;
    return { one, given, judgement: judgeApproval(own, given, needed, asker) };
  });
  const fresh = judged.filter(({ judgement }) => "isFresh" in judgement && judgement.isFresh);
  // An approval by another token of the same person, which has ended, makes room for this one.
  const replaced = fresh.flatMap(({ given }) =>
    given.filter(({ personId }) => personId === own.personId).map(({ id }) => id),
  );
  await withdrawApprovals(tx, replaced, { at: now });
  await addApprovals(
    tx,
    fresh.map(({ one: { subjectId, attempt = 0, paymentId = null, reason } }) => ({
      id: app.newId(),
      subject_type: subject,
      subject_id: subjectId,
      action,
      attempt,
      payment_id: paymentId,
      by: operator.id,
      reason,
      at: now,
    })),
  );
  return judged.map(({ given, judgement }) => {
    if ("refused" in judgement) return new Refusal(judgement.refused);
    const others = given.filter(({ mayAct, personId }) => mayAct && personId !== own.personId);
    const by = [...others.map(({ name }) => name), operator.name].join(" + ");
    return { approvals: judgement.count, by };
  });
}

/** The same of one; refused where this approval does not count. */
export async function approve(
  tx: Tx,
  app: App,
  operator: Operator,
  question: Question,
  approval: Approval,
): Promise<Approved> {
  const [answer] = await approveEach(tx, app, operator, question, [approval]);
  if (answer === undefined) throw new Error("An approval without an answer.");
  if (answer instanceof Refusal) throw answer;
  return answer;
}

/**
 * The same where only a large amount needs two people. Where one gateway has asked for two, no other gateway is content
 * with one.
 */
export async function approveAmount(
  tx: Tx,
  app: App,
  operator: Operator,
  { subject, action, isLarge }: Pick<Question, "subject" | "action"> & { isLarge: boolean },
  approval: Approval,
): Promise<Approved & { readonly needed: number }> {
  const isOpen = (await countOpenApprovals(tx, approval.subjectId, action)) > 0;
  if (!isOpen && !isLarge) return { approvals: 1, needed: 1, by: operator.name };
  const question = { subject, action, needed: APPROVALS_NEEDED };
  const approved = await approve(tx, app, operator, question, approval);
  return { ...approved, needed: APPROVALS_NEEDED };
}

interface Ended {
  readonly subjectId: string;
  readonly action: ApprovalAction;
  readonly reason: string;
}

/** Nobody approves it any more. Any operator may withdraw what others approve: no money moves by that. */
export async function withdraw(tx: Tx, app: App, operator: Operator, ended: Ended): Promise<void> {
  const withdrawn = await withdrawOpen(tx, app, operator, ended);
  if (withdrawn === 0) throw new Refusal("approval_none");
}

/** The same where there may be none. How many there were. */
export async function withdrawOpen(
  tx: Tx,
  app: App,
  operator: Operator,
  { subjectId, action, reason }: Ended,
): Promise<number> {
  const at = app.clock.now();
  const open = await openApprovals(tx, [subjectId], action, at);
  const ids = open.map(({ id }) => id);
  await withdrawApprovals(tx, ids, { at, by: operator.id, reason });
  return ids.length;
}
