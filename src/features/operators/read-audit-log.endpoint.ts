// /manage/audit: who changed what, and how it was before.

import Type from "typebox";
import { text, textOrNull, uuid } from "../../platform/field.ts";
import { pageFields, pageOf, periodFields, toPage } from "../../platform/page.ts";
import { view } from "./doors.ts";
import { listAudit } from "./queries.ts";

const anything = (description: string) =>
  Type.Unsafe<unknown>({ type: ["object", "null"], additionalProperties: true, description });

export const readAuditLog = view({
  path: "/manage/audit",
  summary: "What was changed by whom",
  input: Type.Object({
    ...pageFields,
    ...periodFields,
    operator_id: Type.Optional(uuid({ description: "Changes of this operator." })),
    subject: Type.Optional(text({ max: 255 }, { description: "The id of what was changed." })),
    act: Type.Optional(text({ max: 64 }, { description: "shop.create, for example." })),
  }),
  data: pageOf(
    Type.Object({
      audit_id: Type.String({ description: "The row of the log." }),
      operator_id: textOrNull({ description: "Who; null for the command line on the machine." }),
      operator_name: Type.String({ description: "What they were called then." }),
      act: Type.String({ description: "What was done." }),
      subject: Type.String({ description: "The id of what was changed." }),
      before: anything("How it was; null for something new."),
      after: anything("How it has been since."),
      created_at: Type.String({ description: "When." }),
    }),
  ),
  async read({ db }, { operator_id: operatorId, subject, act, ...wish }) {
    return toPage(await listAudit(db, wish, { operatorId, subject, act }), (row) => ({
      audit_id: row.id,
      operator_id: row.operator_id,
      operator_name: row.operator_name,
      act: row.act,
      subject: row.subject,
      before: row.before,
      after: row.after,
      created_at: row.created_at.toISOString(),
    }));
  },
});
