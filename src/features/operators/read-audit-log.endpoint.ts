// /manage/audit: who changed what, and how it was before.

import { periodFields, Type, text, uuid } from "../../platform/field.ts";
import { list } from "./doors.ts";
import { Audits } from "./nouns.ts";

export const readAuditLog = list({
  path: "/manage/audit",
  summary: "What was changed by whom",
  description: "One row for each change, none for a refused one; the newest first.",
  noun: Audits,
  filters: {
    ...periodFields,
    operator_id: Type.Optional(uuid({ description: "Changes of this operator." })),
    subject: Type.Optional(text({ max: 255 }, { description: "The id of what was changed." })),
    act: Type.Optional(text({ max: 64 }, { description: "shop.create, for example." })),
  },
  ways: (_app, { subject, operator_id, act }) => ({
    leads: { subject, operator_id },
    filters: { act },
  }),
});
