// /manage/users: whose balance the money goes to.

import Type from "typebox";
import { Refusal } from "../../domain/refusal.ts";
import { integer, text, uuid } from "../../platform/field.ts";
import { MAX_HOME } from "../../platform/id.ts";
import { pageFields, pageOf, toPage } from "../../platform/page.ts";
import { change, view } from "../operators/doors.ts";
import { issueKey } from "./keys.ts";
import { addUsers, listUsers, lockUser, renameUser, type UserView } from "./queries.ts";

const User = Type.Object({
  user_id: Type.String({ description: "The user." }),
  home: Type.Integer({ description: "Where their rows live; every id of theirs says it." }),
  name: Type.String({ description: "What the operator calls them." }),
  created_at: Type.String({ description: "When it was made." }),
});

const name = text({ max: 100 }, { description: "What to call them.", examples: ["Acme"] });

const home = integer(
  { min: 0, max: MAX_HOME },
  {
    description: "Where their rows live, for an installation that is to be spread; it stays.",
    examples: [0],
  },
);

export const readUsers = view({
  path: "/manage/users",
  summary: "List users",
  input: Type.Object(pageFields),
  data: pageOf(User),
  async read({ db }, wish) {
    return toPage(await listUsers(db, wish), toWire);
  },
});

export const createUser = change({
  path: "/manage/users",
  summary: "Create a user",
  act: "user.create",
  input: Type.Object({ name, home: Type.Optional(home) }),
  data: Type.Object({
    user: User,
    secret: Type.String({
      description: "The secret of x-api-signature-sha256; it is shown only now.",
    }),
  }),
  async make(tx, app, input) {
    const { name: called, home: at = 0 } = input;
    const row = { id: app.newId(at), home: at, name: called, created_at: app.clock.now() };
    await addUsers(tx, [row], row.created_at);
    const { secret } = await issueKey(tx, app, { shopId: null, userId: row.id });
    const user = toWire(row);
    return { data: { user, secret }, subject: row.id, before: null, after: user };
  },
});

export const updateUser = change({
  path: "/manage/users/:user_id",
  summary: "Rename a user",
  act: "user.update",
  input: Type.Object({ user_id: uuid({ description: "The user." }), name }),
  data: User,
  notFound: "There is no such user.",
  async make(tx, _app, input) {
    const row = await lockUser(tx, input.user_id);
    if (row === undefined) throw new Refusal("user_not_found");
    await renameUser(tx, row.id, input.name);
    const after = toWire({ ...row, name: input.name });
    return { data: after, subject: row.id, before: toWire(row), after };
  },
});

function toWire(row: UserView): Type.Static<typeof User> {
  return {
    user_id: row.id,
    home: row.home,
    name: row.name,
    created_at: row.created_at.toISOString(),
  };
}
