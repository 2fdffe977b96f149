// Every statement about approvals. The subject's row is locked while its approvals are read and changed.

import type { ApprovalAction, ApprovalSubject, Approver, Party } from "../../domain/approval.ts";
import type { Queryable, Tx } from "../../platform/db.ts";
import { addRows } from "../../platform/db-row.ts";

/** Of approvals called row: another person's approval is waited for at this moment. */
export const WAITING =
  "row.id in (select id from waiting_approvals where ends_at is null or ends_at > ?)";

/** The same of their subjects. */
export const WAITING_SUBJECT =
  "row.id in (select subject_id from waiting_approvals where ends_at is null or ends_at > ?)";

/** An approval that nobody has withdrawn. */
export interface OpenApproval extends Approver {
  readonly id: string;
  readonly subjectId: string;
  readonly attempt: number;
  readonly paymentId: string | null;
  readonly name: string;
}

/** The first one first. */
export function openApprovals(
  db: Queryable,
  subjectIds: readonly string[],
  action: ApprovalAction,
  now: Date,
): Promise<OpenApproval[]> {
  return db.query<OpenApproval>(
    `select approval.id, approval.subject_id as "subjectId", approval.attempt,
            approval.payment_id as "paymentId", approval.by as "operatorId",
            approval.person_id as "personId", operator.name,
            operator.role in ('operator', 'cashier') and operator.revoked_at is null
              and (operator.ends_at is null or operator.ends_at > $3) as "mayAct"
     from approvals approval join operators operator on operator.id = approval.by
     where approval.subject_id = any($1::uuid[]) and approval.action = $2
       and approval.withdrawn_at is null
     order by approval.at, approval.id`,
    [subjectIds, action, now],
  );
}

/** How many people approve it, whether or not they still may. */
export async function countOpenApprovals(
  tx: Tx,
  subjectId: string,
  action: ApprovalAction,
): Promise<number> {
  const rows = await tx.query(
    "select id from approvals where subject_id = $1 and action = $2 and withdrawn_at is null",
    [subjectId, action],
  );
  return rows.length;
}

export interface NewApproval {
  readonly id: string;
  readonly subject_type: ApprovalSubject;
  readonly subject_id: string;
  readonly action: ApprovalAction;
  readonly attempt: number;
  readonly payment_id: string | null;
  readonly by: string;
  readonly reason: string | null;
  readonly at: Date;
}

export async function addApprovals(tx: Tx, approvals: readonly NewApproval[]): Promise<void> {
  if (approvals.length === 0) return;
  await addRows(
    tx,
    `insert into approvals (id, subject_type, subject_id, action, attempt, payment_id, by, reason, at)`,
    approvals,
  );
}

export interface Withdrawal {
  readonly at: Date;
  /** Without one, evidence contradicts the approvals, or the same person approves again by another token. */
  readonly by?: string;
  readonly reason?: string;
}

export async function withdrawApprovals(
  tx: Tx,
  ids: readonly string[],
  { at, by, reason }: Withdrawal,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `update approvals set withdrawn_at = $2, withdrawn_by = $3, withdrawn_reason = $4
     where id = any($1::uuid[])`,
    [ids, at, by ?? null, reason ?? null],
  );
}

/** Evidence says that these attempts have left: whoever approved the opposite approves it no more. */
export async function withdrawContradicted(
  tx: Tx,
  attempts: readonly { readonly payoutId: string; readonly number: number }[],
  at: Date,
): Promise<void> {
  if (attempts.length === 0) return;
  await tx.query(
    `update approvals approval set withdrawn_at = $3
     from unnest($1::uuid[], $2::integer[]) contradicted(payout_id, number)
     where approval.subject_id = contradicted.payout_id and approval.attempt = contradicted.number
       and approval.action = 'not_sent' and approval.withdrawn_at is null`,
    [attempts.map(({ payoutId }) => payoutId), attempts.map(({ number }) => number), at],
  );
}

/** The person behind each of these operators. */
export async function partiesOf(
  db: Queryable,
  operatorIds: readonly string[],
): Promise<(operatorId: string) => Party> {
  const rows = await db.query<Party>(
    `select id as "operatorId", person_of(id) as "personId" from operators where id = any($1::uuid[])`,
    [operatorIds],
  );
  const known = new Map(rows.map((row) => [row.operatorId, row]));
  return (operatorId) => known.get(operatorId) ?? { operatorId, personId: operatorId };
}
