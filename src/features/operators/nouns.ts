// Operators, and the log of what they changed: as they are stored, and as they are shown.

import { oneOf, Type } from "../../platform/field.ts";
import { column, noun, type RowOf } from "./noun.ts";

const ROLES = ["operator", "cashier", "viewer", "bank"] as const;
export type Role = (typeof ROLES)[number];

export const role = oneOf(ROLES, {
  description:
    "An operator changes things, a cashier handles money and sets nothing, a viewer only looks, " +
    "a bank only adds transfers.",
  examples: ["viewer"],
});

export const Operators = noun(
  { from: "operators", missing: "operator_not_found" },
  {
    operator_id: column.id("The operator."),
    name: column.text("Whose token it is.", "Anna"),
    role: column.as(role),
    digest: column.unseen<Buffer>(),
    created_at: column.moment("When it was made."),
    ends_at: column.momentOrNull("When the token runs out, or null."),
    revoked_at: column.momentOrNull("When it was revoked, or null."),
    created_by: column.unseen<string | null>(),
  },
);

export type OperatorRow = RowOf<typeof Operators>;

const anything = (description: string) =>
  column.as(
    Type.Unsafe<unknown>({ type: ["object", "null"], additionalProperties: true, description }),
  );

export const Audits = noun(
  { from: "audit_log" },
  {
    audit_id: column.id("The row of the log."),
    operator_id: column.uuidOrNull(
      "Who; null for the command line on the machine, and for somebody of a merchant's.",
    ),
    operator_name: column.text("What they were called then.", "Anna"),
    user_id: column.uuidOrNull(
      "The merchant whose member it was, or whom an operator looked at; or null.",
    ),
    act: column.text("What was done.", "shop.create"),
    subject: column.text("The id of what was changed.", "019a3f00-0000-7000-8000-000000000001"),
    before: anything("How it was; null for something new."),
    after: anything("How it has been since."),
    created_at: column.moment("When."),
  },
);

export type AuditRow = RowOf<typeof Audits>;
