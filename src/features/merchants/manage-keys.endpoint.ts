// /manage/keys: the secrets that shops and users prove themselves with. In a rotation the old ones
// live on for a while beside the new one, so that nobody is locked out between two deployments.

import { addSeconds } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Tx } from "../../platform/db.ts";
import { integer, Type, uuid } from "../../platform/field.ts";
import { change, changed, list } from "../operators/doors.ts";
import { issueKey } from "./keys.ts";
import { type KeyOwner, Keys, Shops, Users } from "./nouns.ts";
import { endKeysOf, revokeKeys } from "./queries.ts";

const DEFAULT_OVERLAP_HOURS = 24;
const HOUR_SECONDS = 60 * 60;

const owner = {
  shop_id: Type.Optional(
    uuid({ description: "The shop.", examples: ["00000000-0000-4000-8000-000000000002"] }),
  ),
  user_id: Type.Optional(uuid({ description: "Or the user." })),
};

const FreshKey = Type.Object({
  key: Keys.wire,
  secret: Type.String({
    description: "The secret; it is shown only now.",
    examples: ["kop_…"],
  }),
});

export const readKeys = list({
  path: "/manage/keys",
  summary: "List keys",
  description: "Without their secrets; those that ended as well, the newest first.",
  noun: Keys,
  filters: owner,
  ways: (_app, { shop_id, user_id }) => ({ by: { shop_id, user_id } }),
});

export const createKey = change({
  path: "/manage/keys",
  summary: "Create one more key",
  description: "For a shop or for a user; the answer holds the secret, which is shown only once.",
  act: "key.create",
  input: Type.Object(owner),
  data: FreshKey,
  notFound: "There is no such shop or user.",
  async make(tx, app, input) {
    const { row, secret } = await issueKey(tx, app, await lockOwner(tx, input));
    const key = Keys.toWire(row);
    return { data: { key, secret }, subject: row.id, before: null, after: key };
  },
});

export const rotateKeys = change({
  path: "/manage/keys/rotate",
  summary: "Replace the keys of a shop or a user",
  description: "The old ones live on for overlap_hours beside the new one.",
  act: "key.rotate",
  input: Type.Object({
    ...owner,
    overlap_hours: Type.Optional(
      integer({ min: 0, max: 720 }, { description: "How long the old ones live on; 24." }),
    ),
  }),
  data: FreshKey,
  notFound: "There is no such shop or user.",
  async make(tx, app, { overlap_hours: hours = DEFAULT_OVERLAP_HOURS, ...input }) {
    const keyOwner = await lockOwner(tx, input);
    const endsAt = addSeconds(app.clock.now(), hours * HOUR_SECONDS);
    const ended = await endKeysOf(tx, keyOwner, endsAt);
    if (hours === 0) {
      await revokeKeys(
        tx,
        ended.map(({ id }) => id),
        endsAt,
      );
    }
    const { row, secret } = await issueKey(tx, app, keyOwner);
    const key = Keys.toWire(row);
    const before = { ending: ended.map(Keys.toWire) };
    const after = { ...key, ending: ended.map((old) => Keys.toWire({ ...old, ends_at: endsAt })) };
    return { data: { key, secret }, subject: row.id, before, after };
  },
});

export const revokeKey = change({
  path: "/manage/keys/:key_id/revoke",
  summary: "Revoke a key at once",
  description: "It opens nothing from now on, on every gateway.",
  act: "key.revoke",
  input: Type.Object({ key_id: uuid({ description: "The key." }) }),
  data: Keys.wire,
  notFound: "There is no such key.",
  async make(tx, { clock }, input) {
    const row = await Keys.lock(tx, input.key_id);
    const now = clock.now();
    await revokeKeys(tx, [row.id], now);
    return changed(Keys, row, await Keys.find(tx, row.id));
  },
});

/** The owner's row is locked, so that two rotations at once follow each other. */
async function lockOwner(
  tx: Tx,
  { shop_id: shopId, user_id: userId }: { shop_id?: string; user_id?: string },
): Promise<KeyOwner> {
  if ((shopId === undefined) === (userId === undefined)) throw new Refusal("key_owner_required");
  if (shopId !== undefined) return { shop_id: (await Shops.lock(tx, shopId)).id, user_id: null };
  return { shop_id: null, user_id: (await Users.lock(tx, userId ?? "")).id };
}
