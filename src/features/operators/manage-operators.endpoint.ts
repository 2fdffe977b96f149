// /manage/operators: who may manage the gateway. A token is shown once, when it is made.

import Type from "typebox";
import { addSeconds, isoOrNull } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { App } from "../../platform/app.ts";
import type { Tx } from "../../platform/db.ts";
import { integer, oneOf, text, textOrNull, uuid } from "../../platform/field.ts";
import { pageFields, pageOf, toPage } from "../../platform/page.ts";
import { change, view } from "./doors.ts";
import { ROLES, type Role, tokenDigest } from "./operator.ts";
import {
  addOperator,
  endOperator,
  listOperators,
  lockChangers,
  lockOperator,
  type OperatorRow,
} from "./queries.ts";

const DAY_SECONDS = 24 * 60 * 60;
const ROLE = "An operator changes things, a viewer only looks, a bank only adds transfers.";

const OperatorView = Type.Object({
  operator_id: Type.String({ description: "The operator." }),
  name: Type.String({ description: "Whose token it is." }),
  role: oneOf(ROLES, { description: ROLE }),
  created_at: Type.String({ description: "When it was made." }),
  ends_at: textOrNull({ description: "When the token runs out, or null." }),
  revoked_at: textOrNull({ description: "When it was revoked, or null." }),
});

export const readOwnOperator = view({
  path: "/manage/me",
  summary: "Whose token this is",
  input: Type.Object({}),
  data: Type.Pick(OperatorView, ["operator_id", "name", "role"]),
  async read(_app, _input, { id, name, role }) {
    return { operator_id: id, name, role };
  },
});

export const readOperators = view({
  path: "/manage/operators",
  summary: "List operators",
  input: Type.Object(pageFields),
  data: pageOf(OperatorView),
  async read({ db }, wish) {
    return toPage(await listOperators(db, wish), toWire);
  },
});

export const createOperator = change({
  path: "/manage/operators",
  summary: "Create an operator",
  act: "operator.create",
  input: Type.Object({
    name: text({ max: 100 }, { description: "Whose token it is.", examples: ["Anna"] }),
    role: oneOf(ROLES, { description: ROLE }),
    expires_in_days: Type.Optional(
      integer({ min: 1, max: 3650 }, { description: "How long the token lives; else for ever." }),
    ),
  }),
  data: Type.Object({
    operator: OperatorView,
    token: Type.String({ description: "The token; it is shown only now." }),
  }),
  async make(tx, app, { name, role, expires_in_days: days }) {
    const endsAt = days === undefined ? null : addSeconds(app.clock.now(), days * DAY_SECONDS);
    const { row, token } = await issueToken(tx, app, name, role, endsAt);
    const operator = toWire(row);
    return { data: { operator, token }, subject: row.id, before: null, after: operator };
  },
});

/** The only place that makes a token; the database keeps a digest of it. */
export async function issueToken(
  tx: Tx,
  app: App,
  name: string,
  role: Role,
  endsAt: Date | null,
): Promise<{ row: OperatorRow; token: string }> {
  const token = app.secrets.fresh("kop_");
  const digest = tokenDigest(app.secrets, token);
  const operator = { id: app.newId(), name, role, digest, ends_at: endsAt };
  await addOperator(tx, operator, app.clock.now());
  return { row: { ...operator, created_at: app.clock.now(), revoked_at: null }, token };
}

export const revokeOperator = change({
  path: "/manage/operators/:operator_id/revoke",
  summary: "Revoke an operator's token",
  act: "operator.revoke",
  input: Type.Object({ operator_id: uuid({ description: "The operator." }) }),
  data: OperatorView,
  notFound: "There is no such operator.",
  async make(tx, { clock }, { operator_id: id }) {
    const now = clock.now();
    const changers = await lockChangers(tx, now);
    const row = await lockOperator(tx, id);
    if (row === undefined) throw new Refusal("operator_not_found");
    if (changers.length === 1 && changers[0] === row.id) throw new Refusal("last_operator");
    await endOperator(tx, row.id, now);
    const after = toWire({ ...row, revoked_at: row.revoked_at ?? now });
    return { data: after, subject: row.id, before: toWire(row), after };
  },
});

function toWire(row: Omit<OperatorRow, "digest">): Type.Static<typeof OperatorView> {
  return {
    operator_id: row.id,
    name: row.name,
    role: row.role,
    created_at: row.created_at.toISOString(),
    ends_at: isoOrNull(row.ends_at),
    revoked_at: isoOrNull(row.revoked_at),
  };
}
