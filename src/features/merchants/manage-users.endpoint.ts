// /manage/users: whose balance the money goes to, and who is told of its payouts.

import { Type, text, uuid, uuids } from "../../platform/field.ts";
import { byIds, change, changed, list, view } from "../operators/doors.ts";
import { freshWebhookKeys, issueKey, rotation } from "./keys.ts";
import { Users } from "./nouns.ts";
import { addUsers, renameUser } from "./queries.ts";

const name = text({ max: 100 }, { description: "What to call them.", examples: ["Acme"] });

export const readUsers = list({
  path: "/manage/users",
  summary: "List users",
  description: "The newest first.",
  noun: Users,
  filters: {
    ids: Type.Optional(uuids("These users alone", "00000000-0000-4000-8000-000000000001")),
  },
  ways: (_app, { ids }) => ({ by: byIds(ids) }),
});

export const createUser = change({
  path: "/manage/users",
  summary: "Create a user",
  description:
    "The answer holds the user's secret, and the webhook keys that payouts are told with, which are shown only once.",
  act: "user.create",
  input: Type.Object({ name }),
  data: Type.Object({
    user: Users.wire,
    secret: Type.String({
      description: "The secret of x-api-signature-sha256; it is shown only now.",
      examples: ["0123…"],
    }),
    ...freshWebhookKeys.fields,
  }),
  async make(tx, app, input) {
    const row = { id: app.newId(), name: input.name, created_at: app.clock.now() };
    await addUsers(tx, [row], row.created_at);
    const { secret } = await issueKey(tx, app, { shop_id: null, user_id: row.id });
    const user = Users.toWire(row);
    const data = { user, secret, ...(await freshWebhookKeys.make(tx, app, row.id)) };
    return { data, subject: row.id, before: null, after: user };
  },
});

const user_id = uuid({
  description: "The user.",
  examples: ["00000000-0000-4000-8000-000000000006"],
});

export const readUser = view({
  path: "/manage/users/:user_id",
  summary: "Show a user",
  description: "Without any secret.",
  input: Type.Object({ user_id }),
  data: Users.wire,
  notFound: "There is no such user.",
  async read({ db }, input) {
    return Users.toWire(await Users.find(db, input.user_id));
  },
});

export const updateUser = change({
  path: "/manage/users/:user_id",
  summary: "Rename a user",
  description: "Nothing else of a user can be changed.",
  act: "user.update",
  input: Type.Object({ user_id, name }),
  data: Users.wire,
  notFound: "There is no such user.",
  async make(tx, _app, input) {
    const row = await Users.lock(tx, input.user_id);
    await renameUser(tx, row.id, input.name);
    return changed(Users, row, { ...row, name: input.name });
  },
});

export const rotateUserWebhookKeys = change({
  path: "/manage/users/:user_id/rotate-webhook-keys",
  summary: "Make new webhook keys for a user",
  description: `Also the first ones of a user who has none. ${rotation.description}`,
  act: "user.rotate_webhook_keys",
  input: Type.Object({ user_id, ...rotation.input }),
  data: rotation.data,
  notFound: "There is no such user.",
  async make(tx, app, { user_id: id, overlap_hours }) {
    return rotation.make(tx, app, (await Users.lock(tx, id)).id, overlap_hours);
  },
});
