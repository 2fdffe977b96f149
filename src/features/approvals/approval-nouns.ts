// Approvals as operators see them.

import { APPROVAL_ACTIONS, APPROVAL_SUBJECTS } from "../../domain/approval.ts";
import type { App } from "../../platform/app.ts";
import type { Queryable } from "../../platform/db.ts";
import { oneOf, Type } from "../../platform/field.ts";
import { column, noun, type RowOf } from "../operators/noun.ts";

export const approvalSubject = oneOf(APPROVAL_SUBJECTS, {
  description: "What it is about.",
  examples: ["payout"],
});

const action = oneOf(APPROVAL_ACTIONS, {
  description:
    "approve: the payout may leave. sent, not_sent, returned: what became of the payout. assign: the transfer pays the payment. book: the statement line is new money.",
  examples: ["approve"],
});

const Stored = noun(
  {
    from: "approvals",
    join: `join operators operator on operator.id = row.by
      left join operators withdrawer on withdrawer.id = row.withdrawn_by
      left join payments payment on payment.id = row.payment_id
      left join invoices invoice on invoice.id = payment.invoice_id`,
    columns: `row.*, operator.name as by_name, withdrawer.name as withdrawn_by_name,
      operator.revoked_at is null and operator.role in ('operator', 'cashier') as has_role,
      operator.ends_at, payment.invoice_id, payment.shop_id, payment.to_pay_minor, invoice.order_id`,
  },
  {
    approval_id: column.id("The approval."),
    subject_type: column.as(approvalSubject),
    subject_id: column.uuid("Its id."),
    action: column.as(action),
    attempt: column.integer("The payout's attempt that it is about; 0 without one.", 1),
    payment_id: column.uuidOrNull("The payment that the transfer is to be assigned to."),
    invoice_id: column.uuidOrNull("Its invoice."),
    order_id: column.textOrNull("Its order on the merchant's side."),
    shop_id: column.uuidOrNull("Its shop."),
    to_pay: column.amountOrNull("to_pay_minor", "What was to be paid."),
    by: column.uuid("The operator who approves it."),
    by_name: column.text("Their name.", "Anna"),
    reason: column.textOrNull("Why."),
    at: column.moment("When."),
    withdrawn_at: column.momentOrNull("When it was withdrawn, or null."),
    withdrawn_by: column.uuidOrNull(
      "The operator who withdrew it; null where evidence contradicts it, or the same person approved again by another token.",
    ),
    withdrawn_by_name: column.textOrNull("Their name."),
    withdrawn_reason: column.textOrNull("Why it was withdrawn."),
    has_role: column.unseen<boolean>(),
    ends_at: column.unseen<Date | null>(),
  },
);

export type ApprovalRow = RowOf<typeof Stored>;

export const Approvals = {
  list: Stored.list,
  wire: Type.Object({
    ...Stored.wire.properties,
    counts: Type.Boolean({
      description: "Whether it counts: it is not withdrawn, and the operator still may approve.",
    }),
  }),
  toWire(row: ApprovalRow, { clock }: App) {
    const { withdrawn_at, has_role, ends_at } = row;
    const mayAct = has_role && (ends_at === null || ends_at > clock.now());
    return { ...Stored.toWire(row), counts: withdrawn_at === null && mayAct };
  },
  /** All of one subject, the first one first. */
  of: (db: Queryable, subjectId: string) => Stored.all(db, { "row.subject_id": subjectId }),
};
