// /manage/keys: the secrets that shops and users prove themselves with. In a rotation the old ones
// live on for a while beside the new one, so that nobody is locked out between two deployments.

import Type from "typebox";
import { addSeconds, isoOrNull } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Tx } from "../../platform/db.ts";
import { integer, textOrNull, uuid } from "../../platform/field.ts";
import { pageFields, pageOf, toPage } from "../../platform/page.ts";
import { change, view } from "../operators/doors.ts";
import {
  endKeysOf,
  type KeyOwner,
  type KeyRow,
  listKeys,
  lockKey,
  revokeKeys,
} from "./key-queries.ts";
import { issueKey } from "./keys.ts";
import { lockShop, lockUser } from "./queries.ts";

const DEFAULT_OVERLAP_HOURS = 24;
const HOUR_SECONDS = 60 * 60;

const Key = Type.Object({
  key_id: Type.String({ description: "The key; not its secret." }),
  shop_id: textOrNull({ description: "The shop that it is of." }),
  user_id: textOrNull({ description: "Or the user." }),
  created_at: Type.String({ description: "When it was made." }),
  ends_at: textOrNull({ description: "When it ends or ended, or null." }),
});

const owner = {
  shop_id: Type.Optional(uuid({ description: "The shop." })),
  user_id: Type.Optional(uuid({ description: "Or the user." })),
};

const FreshKey = Type.Object({
  key: Key,
  secret: Type.String({ description: "The secret; it is shown only now." }),
});

export const readKeys = view({
  path: "/manage/keys",
  summary: "List keys",
  input: Type.Object({ ...pageFields, ...owner }),
  data: pageOf(Key),
  async read({ db }, { shop_id: shopId, user_id: userId, ...wish }) {
    return toPage(await listKeys(db, wish, { shopId, userId }), toWire);
  },
});

export const createKey = change({
  path: "/manage/keys",
  summary: "Create one more key",
  act: "key.create",
  input: Type.Object(owner),
  data: FreshKey,
  notFound: "There is no such shop or user.",
  async make(tx, app, input) {
    const { row, secret } = await issueKey(tx, app, await lockOwner(tx, input));
    const key = toWire(row);
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
    const key = toWire(row);
    const before = { ending: ended.map(toWire) };
    const after = { ...key, ending: ended.map((old) => toWire({ ...old, ends_at: endsAt })) };
    return { data: { key, secret }, subject: row.id, before, after };
  },
});

export const revokeKey = change({
  path: "/manage/keys/:key_id/revoke",
  summary: "Revoke a key at once",
  act: "key.revoke",
  input: Type.Object({ key_id: uuid({ description: "The key." }) }),
  data: Key,
  notFound: "There is no such key.",
  async make(tx, { clock }, input) {
    const row = await lockKey(tx, input.key_id);
    if (row === undefined) throw new Refusal("key_not_found");
    const now = clock.now();
    await revokeKeys(tx, [row.id], now);
    const endsAt = row.ends_at !== null && row.ends_at < now ? row.ends_at : now;
    const after = toWire({ ...row, ends_at: endsAt });
    return { data: after, subject: row.id, before: toWire(row), after };
  },
});

/** The owner's row is locked, so that two rotations at once follow each other. */
async function lockOwner(
  tx: Tx,
  { shop_id: shopId, user_id: userId }: { shop_id?: string; user_id?: string },
): Promise<KeyOwner> {
  if ((shopId === undefined) === (userId === undefined)) throw new Refusal("key_owner_required");
  if (shopId !== undefined) {
    const shop = await lockShop(tx, shopId);
    if (shop === undefined) throw new Refusal("shop_not_found");
    return { shopId: shop.id, userId: null };
  }
  const user = await lockUser(tx, userId ?? "");
  if (user === undefined) throw new Refusal("user_not_found");
  return { shopId: null, userId: user.id };
}

function toWire(row: KeyRow): Type.Static<typeof Key> {
  return {
    key_id: row.id,
    shop_id: row.shop_id,
    user_id: row.user_id,
    created_at: row.created_at.toISOString(),
    ends_at: isoOrNull(row.ends_at),
  };
}
