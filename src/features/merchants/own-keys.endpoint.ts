// /cabinet/keys, /cabinet/tokens: the secrets of a merchant's shops, those that webhooks are signed with, and the
// personal tokens of who asks. Guards that the merchant's own secret, which sends money, is made and ended only by
// who may send money; and that a token can do no more than its maker.

import { addSeconds } from "../../domain/moment.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Tx } from "../../platform/db.ts";
import { integer, Type, text, uuid } from "../../platform/field.ts";
import { changed } from "../operators/doors.ts";
import { issueKey, rotation } from "./keys.ts";
import {
  findOwnShop,
  lockOwnShop,
  memberTokenDigest,
  ofMember,
  ownChange,
  ownList,
  refuseGoneMember,
  refuseWithout,
} from "./member.ts";
import { type KeyRow, Keys, MemberTokens, Shops, Users } from "./nouns.ts";
import { addMemberTokens, endMemberToken, revokeKeys, waysToKeysOf } from "./queries.ts";

const DAY_SECONDS = 24 * 60 * 60;

const shop_id = uuid({
  description: "The shop.",
  examples: ["00000000-0000-4000-8000-000000000004"],
});

export const readOwnKeys = ownList({
  path: "/cabinet/keys",
  summary: "List the keys of the merchant and the merchant's shops",
  description: "Without their secrets; those that ended as well, the newest first.",
  right: "keys",
  noun: Keys,
  filters: { shop_id: Type.Optional(uuid({ description: "Keys of this shop." })) },
  notFound: "The merchant has no such shop.",
  async ways({ db }, { shop_id: asked }, member) {
    if (asked === undefined) return waysToKeysOf(member.userId);
    return { by: { shop_id: (await findOwnShop(db, asked, member)).id } };
  },
});

export const createOwnKey = ownChange({
  path: "/cabinet/keys",
  summary: "Create one more key",
  description:
    "For a shop, or without one the merchant's own secret, which only who may send money makes. The answer holds the secret, which is shown only once.",
  right: "keys",
  act: "key.create",
  input: Type.Object({ shop_id: Type.Optional(shop_id) }),
  data: Type.Object({
    key: Keys.wire,
    secret: Type.String({ description: "The secret; it is shown only now.", examples: ["kop_…"] }),
  }),
  notFound: "The merchant has no such shop.",
  async make(tx, app, { shop_id: id }, member) {
    if (id === undefined) refuseWithout("confirm_payout", member);
    const owner =
      id === undefined
        ? { shop_id: null, user_id: (await Users.lock(tx, member.userId)).id }
        : { shop_id: (await lockOwnShop(tx, id, member)).id, user_id: null };
    const { row, secret } = await issueKey(tx, app, owner);
    const key = Keys.toWire(row);
    return { data: { key, secret }, subject: row.id, before: null, after: key };
  },
});

export const revokeOwnKey = ownChange({
  path: "/cabinet/keys/:key_id/revoke",
  summary: "Revoke a key at once",
  description: "It opens nothing from now on, on every gateway.",
  right: "keys",
  act: "key.revoke",
  input: Type.Object({ key_id: uuid({ description: "The key." }) }),
  data: Keys.wire,
  notFound: "The merchant has no such key.",
  async make(tx, { clock }, input, member) {
    const found = await Keys.find(tx, input.key_id);
    ofMember({ user_id: await ownerOf(tx, found) }, member, "key_not_found");
    if (found.user_id !== null) refuseWithout("confirm_payout", member);
    const row = await Keys.lock(tx, found.id);
    await revokeKeys(tx, [row.id], clock.now());
    return changed(Keys, row, await Keys.find(tx, row.id));
  },
});

async function ownerOf(tx: Tx, key: KeyRow): Promise<string | null> {
  return key.shop_id === null ? key.user_id : (await Shops.find(tx, key.shop_id)).user_id;
}

export const rotateOwnShopWebhookKeys = ownChange({
  path: "/cabinet/shops/:shop_id/rotate-webhook-keys",
  summary: "Make new webhook keys for one of the merchant's shops",
  description: rotation.description,
  right: "keys",
  act: "shop.rotate_webhook_keys",
  input: Type.Object({ shop_id, ...rotation.input }),
  data: rotation.data,
  notFound: "The merchant has no such shop.",
  async make(tx, app, { shop_id: id, overlap_hours }, member) {
    return rotation.make(tx, app, (await lockOwnShop(tx, id, member)).id, overlap_hours);
  },
});

export const rotateOwnWebhookKeys = ownChange({
  path: "/cabinet/rotate-webhook-keys",
  summary: "Make new webhook keys for what the merchant is told of payouts",
  description: `Also the first ones. ${rotation.description}`,
  right: "keys",
  act: "user.rotate_webhook_keys",
  input: Type.Object(rotation.input),
  data: rotation.data,
  async make(tx, app, { overlap_hours }, { userId }) {
    return rotation.make(tx, app, (await Users.lock(tx, userId)).id, overlap_hours);
  },
});

export const readOwnTokens = ownList({
  path: "/cabinet/tokens",
  summary: "List one's own tokens",
  description:
    "Of this merchant, without their secrets; those that ended as well, the newest first.",
  right: "look",
  noun: MemberTokens,
  filters: {},
  ways: (_app, _input, { personId, userId }) => ({
    leads: { person_id: personId },
    filters: { user_id: userId },
  }),
});

export const createOwnToken = ownChange({
  path: "/cabinet/tokens",
  summary: "Create a token of one's own",
  description:
    "It may do what one's role may do, here and for this merchant; the answer holds it, and it is shown only once.",
  right: "look",
  act: "token.create",
  input: Type.Object({
    name: text({ max: 100 }, { description: "What it is for.", examples: ["Nightly export"] }),
    expires_in_days: Type.Optional(
      integer({ min: 1, max: 3650 }, { description: "How long it lives; else for ever." }),
    ),
  }),
  data: Type.Object({
    token: MemberTokens.wire,
    secret: Type.String({ description: "The token; it is shown only now.", examples: ["kom_…"] }),
  }),
  async make(tx, app, { name, expires_in_days: days }, member) {
    const { personId, userId, tokenEndsAt = null } = member;
    const now = app.clock.now();
    const wanted = days === undefined ? null : addSeconds(now, days * DAY_SECONDS);
    // A token makes none that outlives it.
    const endsAt = earlier(wanted, tokenEndsAt);
    const secret = app.secrets.fresh("kom_");
    const row = {
      id: app.newId(),
      person_id: personId,
      user_id: userId,
      name,
      ends_at: endsAt,
    };
    await addMemberTokens(tx, [{ ...row, digest: memberTokenDigest(app.secrets, secret) }], now);
    const token = MemberTokens.toWire({ ...row, created_at: now, revoked_at: null });
    return { data: { token, secret }, subject: row.id, before: null, after: token };
  },
});

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

export const revokeOwnToken = ownChange({
  path: "/cabinet/tokens/:token_id/revoke",
  summary: "Revoke one of one's own tokens",
  description: "It opens nothing from now on; also the one that asks.",
  right: "look",
  act: "token.revoke",
  input: Type.Object({ token_id: uuid({ description: "The token." }) }),
  data: MemberTokens.wire,
  notFound: "One has no such token.",
  mayEndOwn: true,
  async make(tx, app, { token_id: id }, member) {
    const found = ofMember(await MemberTokens.find(tx, id), member, "token_not_found");
    // A colleague's token sounds like one that nobody has.
    if (found.person_id !== member.personId) throw new Refusal("token_not_found");
    const row = await MemberTokens.lock(tx, found.id);
    await refuseGoneMember(tx, app, member);
    const now = app.clock.now();
    await endMemberToken(tx, row.id, now);
    return changed(MemberTokens, row, { ...row, revoked_at: row.revoked_at ?? now });
  },
});
