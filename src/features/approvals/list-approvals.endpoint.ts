// GET /manage/approvals: what people have approved, and what waits for a second approval.

import { Type, uuid, yesNo } from "../../platform/field.ts";
import { list } from "../operators/doors.ts";
import { Approvals, approvalSubject } from "./approval-nouns.ts";
import { WAITING } from "./approval-queries.ts";

export const readApprovals = list({
  path: "/manage/approvals",
  summary: "List approvals",
  description:
    "waiting=true lists transfers, statement lines and returned payouts that need another person.",
  noun: Approvals,
  filters: {
    subject_type: Type.Optional(approvalSubject),
    subject_id: Type.Optional(uuid({ description: "Of this payout, transfer or line." })),
    waiting: Type.Optional(yesNo({ description: "Those that wait for another person." })),
  },
  ways: ({ clock }, { subject_type, subject_id, waiting }) => ({
    by: { subject_id, [WAITING]: waiting === true ? clock.now() : undefined },
    filters: { subject_type },
  }),
});
