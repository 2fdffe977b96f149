// /manage/operators: who may manage the gateway. A token is shown once, when it is made.

import { addSeconds } from "../../domain/moment.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { integer, Type, text } from "../../platform/field.ts";
import { change, list, view } from "./doors.ts";
import { type OperatorRow, Operators, type Role, role } from "./nouns.ts";
import { tokenDigest } from "./operator.ts";
import { addOperator } from "./queries.ts";

const DAY_SECONDS = 24 * 60 * 60;

export const readOwnOperator = view({
  path: "/manage/me",
  summary: "Whose token this is",
  description: "The operator that the token belongs to, with its role.",
  input: Type.Object({}),
  data: Type.Object({
    ...Type.Pick(Operators.wire, ["operator_id", "name", "role"]).properties,
    time_zone: Type.String({
      description: "The service's time zone, for whoever shows moments.",
      examples: ["Europe/Moscow"],
    }),
  }),
  async read({ config }, _input, { id, name, role: own }) {
    return { operator_id: id, name, role: own, time_zone: config.timeZone };
  },
});

export const readOperators = list({
  path: "/manage/operators",
  summary: "List operators",
  description: "Those that were revoked as well; the newest first.",
  noun: Operators,
  filters: {},
});

export const createOperator = change({
  path: "/manage/operators",
  summary: "Create an operator",
  description: "The answer holds the token, which is shown only once.",
  act: "operator.create",
  input: Type.Object({
    name: text({ max: 100 }, { description: "Whose token it is.", examples: ["Anna"] }),
    role,
    expires_in_days: Type.Optional(
      integer({ min: 1, max: 3650 }, { description: "How long the token lives; else for ever." }),
    ),
  }),
  data: Type.Object({
    operator: Operators.wire,
    token: Type.String({
      description: "The token; it is shown only now.",
      examples: ["kop_…"],
    }),
  }),
  async make(tx, app, { name, role: given, expires_in_days: days }, { id: createdBy }) {
    const endsAt = days === undefined ? null : addSeconds(app.clock.now(), days * DAY_SECONDS);
    const { row, token } = await issueToken(tx, app, { name, role: given, endsAt, createdBy });
    const operator = Operators.toWire(row);
    return { data: { operator, token }, subject: row.id, before: null, after: operator };
  },
});

interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly endsAt?: Date | null;
  /** Null on the machine itself. */
  readonly createdBy?: string | null;
}

/** The only place that makes a token; the database keeps a digest of it. */
export async function issueToken(
  tx: Tx,
  app: App,
  { name, role, endsAt = null, createdBy = null }: NewToken,
): Promise<{ row: OperatorRow; token: string }> {
  const token = app.secrets.fresh("kop_");
  const digest = tokenDigest(app.secrets, token);
  const operator = {
    id: app.newId(),
    name,
    role,
    digest,
    ends_at: endsAt,
    created_by: createdBy,
  };
  await addOperator(tx, operator, app.clock.now());
  return { row: { ...operator, created_at: app.clock.now(), revoked_at: null }, token };
}
