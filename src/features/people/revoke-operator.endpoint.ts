// POST /manage/operators/{operator_id}/revoke: a token, or a person's place at the desk, is over. Guards that what a
// person is shown to be at the desk is what they are there: both end together.

import { Refusal } from "../../domain/refusal.ts";
import { Type, uuid } from "../../platform/field.ts";
import { change, changed, refuseGone } from "../operators/doors.ts";
import { Operators } from "../operators/nouns.ts";
import { endOperator, lockChangers } from "../operators/queries.ts";
import { changePerson, endLinks, lockPerson } from "./queries.ts";

export const revokeOperator = change({
  path: "/manage/operators/:operator_id/revoke",
  summary: "Revoke an operator's token",
  description:
    "It opens nothing from now on; the last operator's stays. A person who signs in has no role at the desk any more.",
  act: "operator.revoke",
  input: Type.Object({ operator_id: uuid({ description: "The operator." }) }),
  data: Operators.wire,
  notFound: "There is no such operator.",
  mayEndOwn: true,
  async make(tx, app, { operator_id: id }, operator) {
    const now = app.clock.now();
    await lockPerson(tx, id);
    const changers = await lockChangers(tx, now);
    const row = await Operators.lock(tx, id);
    await refuseGone(tx, app, operator);
    if (changers.length === 1 && changers[0] === row.id) throw new Refusal("last_operator");
    await endOperator(tx, row.id, now);
    // Of a program's token there is no person, and this changes nothing.
    await changePerson(tx, row.id, { desk_role: null });
    await endLinks(tx, row.id, now);
    return changed(Operators, row, { ...row, revoked_at: row.revoked_at ?? now });
  },
});
